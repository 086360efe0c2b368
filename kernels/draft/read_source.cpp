// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/draft/read_source.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/host_code/kernel_launch.hpp"
#include "gridsmith/kernels/host_code/spliced_source.hpp"
#include "gridsmith/kernels/source/kernel_expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gridsmith {
namespace {

/// Which of several definitions counts, a preprocessor knows.
void add_constants_once(const Tokens& header, std::vector<Constant>& constants) {
  std::map<std::string, int> times;
  for (const Token& token : header)
    if (token.kind == TokenKind::directive)
      if (const auto one = constant_of_directive(token.text))
        ++times[one->name];
  for (Constant& one : constants_of(header))
    if (times[one.name] <= 1)
      constants.push_back(std::move(one));
}

using Kernels = std::vector<const KernelSignature*>;

/// @param own of the file alone
Kernels kernels_in(const ReadSource& source, bool own) {
  Kernels found;
  for (const KernelSignature& one : source.kernels)
    if (!own || source.has(one))
      found.push_back(&one);
  return found;
}

/// "a::add", each once.
std::vector<std::string> names_of(const Kernels& kernels) {
  std::vector<std::string> names;
  for (const KernelSignature* one : kernels)
    if (std::find(names.begin(), names.end(), one->scope + one->name) == names.end())
      names.push_back(one->scope + one->name);
  return names;
}

/// "a::add(double*, int)", of which the types are as the source has them.
const KernelSignature* of_signature(const Kernels& kernels, const std::string& text,
                                    const std::string& file) {
  const std::size_t open = text.find('(');
  const std::string wanted = text_of(tokens_of(text.substr(open))), name = text.substr(0, open);
  std::string others;
  for (const KernelSignature* kernel : kernels) {
    if (name != kernel->name && name != kernel->scope + kernel->name)
      continue;
    const std::string one = signature_text(*kernel);
    if (text_of(tokens_of(one.substr(one.find('(')))) == wanted)
      return kernel;
    others += (others.empty() ? "" : ", ") + one;
  }
  if (!others.empty())
    throw InputError(fmt::format("{}: no kernel is {} (valid: {})", file, text, others));
  return nullptr;
}

const KernelSignature* named(const Kernels& kernels, const std::string& name,
                             const std::string& file) {
  if (!kernel_words(name).parameters.empty())
    return of_signature(kernels, name, file);
  for (const KernelSignature* one : kernels)
    if (name == one->scope + one->name || name == "::" + one->scope + one->name)
      return one;
  Kernels scoped = kernels;
  std::erase_if(scoped, [&](const KernelSignature* one) {
    return !(one->scope + one->name).ends_with("::" + name);
  });
  if (const auto names = names_of(scoped); names.size() > 1)
    throw InputError(fmt::format("{}: {} kernels are called {} (valid: {})", file, names.size(),
                                 name, fmt::join(names, ", ")));
  return scoped.empty() ? nullptr : scoped.front();
}

/// Of those that have its name the one that most loops of the file launch, and of these the first; it where none is
/// launched.
const KernelSignature& launched_of(const ReadSource& source, const KernelSignature& first) {
  Kernels same;
  for (const KernelSignature& one : source.kernels)
    if (one.scope + one.name == first.scope + first.name)
      same.push_back(&one);
  const KernelSignature* found = &first;
  KernelLaunch most;
  for (const KernelSignature* one : same.size() < 2 ? Kernels{} : same) {
    KernelLaunch launch = launch_of(source.tokens, source.kernels, *one);
    if (launch.launch &&
        (!most.launch || launch.loops > most.loops ||
         (launch.loops == most.loops && launch.launch->place < most.launch->place))) {
      found = one;
      most = std::move(launch);
    }
  }
  return *found;
}

} // namespace

std::map<std::string, std::int64_t> whole_constants(const ReadSource& source) {
  std::map<std::string, std::int64_t> numbers;
  for (const auto* constants : {&source.constants, &source.header_constants})
    for (const Constant& one : *constants)
      if (one.number)
        numbers.emplace(one.name, *one.number);
  return numbers;
}

ReadSource::ReadSource(std::shared_ptr<const SourceBundle> source,
                       const std::vector<std::string>& macros,
                       std::shared_ptr<const SourceBundle> host)
    : bundle(std::move(source)) {
  SplicedSource whole = spliced(host ? *host : *bundle);
  files = std::move(whole.files);
  tokens = std::move(whole.tokens);
  kernels = kernels_of(tokens, declarations_of(tokens));
  constants = constants_of(tokens_of(bundle->main.text));
  for (const SourceFile& one : bundle->headers) {
    headers.push_back(tokens_of(one.text));
    add_constants_once(headers.back(), header_constants);
  }
  if (host)
    add_constants_once(tokens_of(host->main.text), header_constants);
  for (const std::string& macro : macros) {
    const std::size_t equals = std::min(macro.find('='), macro.size());
    const std::string name = macro.substr(0, equals);
    for (auto* known : {&constants, &header_constants})
      std::erase_if(*known, [&](const Constant& one) { return one.name == name; });
    const std::string text = equals == macro.size() ? "1" : macro.substr(equals + 1);
    if (auto one = constant_of_directive("#define " + name + " " + text))
      header_constants.push_back(*std::move(one));
  }
}

bool ReadSource::has(const KernelSignature& kernel) const {
  const Token& token = tokens[kernel.declaration.first];
  return std::any_of(files->begin(), files->end(), [&](const SourceFile& one) {
    return one.name == bundle->main.name && is_of(token, one.text);
  });
}

std::pair<std::string, std::vector<std::string>> kernel_and_templates(const std::string& text) {
  const auto [name, parameters] = kernel_words(text);
  const std::size_t open = name.find('<');
  if (open == name.npos || !name.ends_with('>'))
    return {text, {}};
  const Tokens tokens = tokens_of(name);
  const auto first =
      std::find_if(tokens.begin(), tokens.end(), [](const Token& one) { return one.text == "<"; });
  std::vector<std::string> arguments;
  for (const auto part : parts_of({first + 1, tokens.end() - 1}))
    arguments.push_back(text_of(part));
  return {fmt::format("{}{}", name.substr(0, open), parameters), std::move(arguments)};
}

const KernelSignature& kernel_named(const ReadSource& source, const std::string& name,
                                    const std::string& file) {
  constexpr std::size_t most_named = 24; // as unknown_name() has them
  const Kernels all = kernels_in(source, false), own = kernels_in(source, true);
  if (all.empty())
    throw InputError(file + ": no kernel is seen there: no __global__ function with a body");
  const Kernels& first = own.empty() ? all : own;
  if (const auto names = names_of(first); name.empty() && names.size() > 1)
    throw InputError(fmt::format("{}: {} kernels; choose one with --kernel (valid: {})", file,
                                 names.size(), some_of(names, most_named)));
  if (name.empty())
    return launched_of(source, *first.front());
  for (const Kernels* some : {&own, &all})
    if (const KernelSignature* found = named(*some, name, file))
      return kernel_words(name).parameters.empty() ? launched_of(source, *found) : *found;
  throw InputError(file + ": " + unknown_name("kernel", name, names_of(all)));
}

} // namespace gridsmith
