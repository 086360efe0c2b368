// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/draft/draft.hpp"
#include "gridsmith/kernels/draft/kernel_launch.hpp"

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

/// "a::add(double*, int)", of which the types are as the source has them.
const KernelSignature& kernel_of_signature(const ReadSource& source, const std::string& text,
                                           std::size_t open, const std::string& file) {
  const std::string wanted = text_of(tokens_of(text.substr(open)));
  const std::string name = text.substr(0, open);
  std::vector<std::string> names;
  for (const KernelSignature& kernel : source.kernels) {
    const std::string one = signature_text(kernel);
    names.push_back(one);
    const bool named = name == kernel.name || name == kernel.scope + kernel.name;
    if (named && text_of(tokens_of(one.substr(one.find('(')))) == wanted)
      return kernel;
  }
  throw InputError(file + ": " + unknown_name("kernel", text, names));
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
                       const std::vector<std::string>& macros)
    : bundle(std::move(source)), tokens(tokens_of(bundle->main.text)) {
  for (const SourceFile& one : bundle->headers) {
    headers.push_back(tokens_of(one.text));
    add_constants_once(headers.back(), header_constants);
  }
  kernels = kernels_of(tokens, declarations_of(tokens));
  constants = constants_of(tokens);
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

std::pair<std::string, std::vector<std::string>> kernel_and_templates(const std::string& text) {
  const std::size_t open = text.find('<');
  if (open == text.npos || !text.ends_with('>'))
    return {text, {}};
  const Tokens tokens = tokens_of(text);
  const auto first =
      std::find_if(tokens.begin(), tokens.end(), [](const Token& one) { return one.text == "<"; });
  std::vector<std::string> arguments;
  for (const auto part : parts_of({first + 1, tokens.end() - 1}))
    arguments.push_back(text_of(part));
  return {text.substr(0, open), std::move(arguments)};
}

const KernelSignature& kernel_named(const ReadSource& source, const std::string& name,
                                    const std::string& file) {
  std::vector<std::string> names;
  for (const KernelSignature& kernel : source.kernels)
    if (std::find(names.begin(), names.end(), kernel.scope + kernel.name) == names.end())
      names.push_back(kernel.scope + kernel.name);
  if (names.empty())
    throw InputError(file + ": no kernel is seen there: no __global__ function with a body");
  if (name.empty() && names.size() > 1)
    throw InputError(fmt::format("{}: {} kernels; choose one with --kernel (valid: {})", file,
                                 names.size(), fmt::join(names, ", ")));
  const auto is_it = [&](const KernelSignature& kernel) {
    return name.empty() || name == kernel.scope + kernel.name;
  };
  if (const auto whole = std::find_if(source.kernels.begin(), source.kernels.end(), is_it);
      whole != source.kernels.end())
    return *whole;
  if (const auto open = name.find('('); open != name.npos)
    return kernel_of_signature(source, name, open, file);
  std::vector<std::string> scoped;
  for (const std::string& one : names)
    if (one.ends_with("::" + name))
      scoped.push_back(one);
  if (scoped.size() > 1)
    throw InputError(fmt::format("{}: {} kernels are called {} (valid: {})", file, scoped.size(),
                                 name, fmt::join(scoped, ", ")));
  for (const KernelSignature& kernel : source.kernels)
    if (name == kernel.name)
      return kernel;
  throw InputError(file + ": " + unknown_name("kernel", name, names));
}

} // namespace gridsmith
