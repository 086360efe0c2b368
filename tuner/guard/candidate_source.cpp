// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/candidate_source.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/kernels/host_code/argument_type.hpp"
#include "gridsmith/kernels/source/kernel_line.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <vector>

namespace gridsmith {
namespace {

constexpr std::uint64_t longest_candidate = 1u << 20; // bytes

/// Whether one may stand for the other. A type with a name of the source's own may be any.
bool same_parameters(const KernelSignature& one, const KernelSignature& other) {
  try {
    std::vector<FieldGuess> unused;
    const auto ours = argument_types(one, std::nullopt, unused);
    const auto theirs = argument_types(other, std::nullopt, unused);
    return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                      [](const ArgumentType& a, const ArgumentType& b) {
                        const bool known = !a.strange && !b.strange;
                        return a.pointer == b.pointer &&
                               (!known || (a.word == b.word && a.count == b.count));
                      });
  } catch (const InputError&) { // pointers to pointers: the worker compares what they take up
    return one.parameters.size() == other.parameters.size();
  }
}

std::string declared_text(const KernelSignature& kernel) {
  std::vector<std::string> words;
  words.reserve(kernel.parameters.size());
  for (const KernelParameter& one : kernel.parameters)
    words.push_back(one.type + " " + one.name);
  return fmt::format("{}({})", kernel.name, fmt::join(words, ", "));
}

/// Those of a name; all where it is empty.
std::vector<KernelSignature> kernels_named(const Tokens& tokens, std::string_view name) {
  std::vector<KernelSignature> all = kernels_of(tokens, declarations_of(tokens));
  if (!name.empty())
    std::erase_if(all, [&](const KernelSignature& one) { return one.name != name; });
  return all;
}

} // namespace

std::string name_in(const std::string& candidate, const std::string& kernel) {
  const std::string name(own_name(kernel));
  const auto there = kernels_named(tokens_of(candidate), name);
  const std::size_t arguments = kernel.find_first_of("<(");
  return there.size() != 1 ? kernel
                           : there.front().scope + name +
                                 (arguments == std::string::npos ? "" : kernel.substr(arguments));
}

GateFinding looked_through(const KernelDefinition& definition, const std::string& candidate,
                           const std::string& original) {
  GateFinding finding{JudgeGate::compiles, GateState::failed, "", ""};
  if (candidate.size() > longest_candidate) {
    finding.code = "too_large";
    finding.text =
        fmt::format("{} bytes; at most {} are judged", candidate.size(), longest_candidate);
    return finding;
  }
  const std::string name(own_name(definition.kernel));
  const Tokens own = tokens_of(candidate), old = tokens_of(original);
  const auto candidates = kernels_named(own, name), wanted = kernels_named(old, name);
  const bool named = std::any_of(own.begin(), own.end(), [&](const Token& one) {
    return one.kind == TokenKind::word && one.text == name;
  });
  const bool by_parameter =
      definition.macros.contains(name) || find_named(name, definition.parameters);
  if (!named && !by_parameter) {
    std::vector<std::string> there;
    for (const KernelSignature& one : kernels_named(own, ""))
      there.push_back(one.name);
    finding.code = "no_kernel";
    finding.text = fmt::format("no kernel '{}' with a body; {}", name,
                               there.empty() ? "it has none"
                                             : fmt::format("it has {}", fmt::join(there, ", ")));
    return finding;
  }
  const bool same = wanted.empty() || candidates.empty() || // of a macro: the compiler says more
                    std::any_of(candidates.begin(), candidates.end(), [&](const auto& one) {
                      return std::any_of(wanted.begin(), wanted.end(), [&](const auto& other) {
                        return same_parameters(one, other);
                      });
                    });
  if (!same) {
    finding.code = "other_signature";
    finding.text = fmt::format("{}; expected {}", declared_text(candidates.front()),
                               declared_text(wanted.front()));
    return finding;
  }
  finding.state = GateState::passed;
  return finding;
}

Configuration configuration_of(const std::string& source, Configuration usual,
                               const std::vector<Parameter>& parameters) {
  constexpr std::string_view mark = "// gridsmith:";
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line.compare(begin, mark.size(), mark) != 0)
      continue;
    std::istringstream words(line.substr(begin + mark.size()));
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      const Parameter* parameter = find_named(name, parameters);
      if (equals == std::string::npos || !parameter)
        throw InputError(fmt::format("'{}' names no parameter of the definition", word));
      const std::string wanted = word.substr(equals + 1);
      const auto value = std::find_if(parameter->values.begin(), parameter->values.end(),
                                      [&](const Value& one) { return to_text(one) == wanted; });
      if (value == parameter->values.end())
        throw InputError(fmt::format("{} has no value {}", name, wanted));
      for (auto& [known, held] : usual)
        if (known == name)
          held = *value;
    }
  }
  return usual;
}

} // namespace gridsmith
