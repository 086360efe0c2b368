// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/draft/draft.hpp"
#include "gridsmith/kernels/draft/launch_in_file.hpp"
#include "gridsmith/kernels/source/letters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace gridsmith {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool has_any(const std::string& name, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return name.find(part) != name.npos; });
}

bool is_of_block(const std::string& name) {
  const std::string text = lower(name);
  return has_any(text,
                 {"block", "thread", "tile", "wg_size", "wgsize", "bsize", "workgroup", "tpb"}) ||
         text == "bs" || text == "bx" || text == "by" || text == "bdim";
}

bool is_of_items(const std::string& name) {
  return has_any(lower(name), {"unroll", "items", "per_thread", "coarsen", "vec_size"});
}

/// Powers of two around what the source has.
std::vector<std::int64_t> values_near(const std::string& name, std::int64_t usual) {
  std::vector<std::int64_t> values{1, 2, 4, 8};
  if (is_of_block(name) && !is_of_items(name))
    values = usual > 32 ? std::vector<std::int64_t>{32, 64, 128, 256, 512, 1024}
                        : std::vector<std::int64_t>{4, 8, 16, 32};
  if (std::find(values.begin(), values.end(), usual) == values.end())
    values.push_back(usual);
  std::sort(values.begin(), values.end());
  return values;
}

bool uses(const ReadSource& source, const KernelSignature& kernel, const std::string& name) {
  for (std::size_t at = kernel.declaration.first; at < kernel.declaration.last; ++at)
    if (source.tokens[at].text == name)
      return true;
  return false;
}

void add_constants(const ReadSource& source, const KernelSignature& kernel, KernelChoice& choice) {
  constexpr std::int64_t largest_block = 4096; // above it a number is no block
  for (const Constant& one : source.constants) {
    const bool of_block = is_of_block(one.name) || is_of_items(one.name);
    if (!of_block || one.number.value_or(0) < 1 || one.number > largest_block)
      continue;
    choice.macros.insert(one.name); // whatever kernel it is of: all have the same copy
    if (!uses(source, kernel, one.name))
      continue;
    choice.tunables.push_back({one.name, values_near(one.name, *one.number), *one.number, ""});
    choice.needs_guard |= !one.guarded;
    choice.tunables.back().guess =
        fmt::format("values around {}, which the source has", *one.number);
  }
}

std::string tuned_name(const std::string& name) {
  std::string text = "TUNED_";
  for (const char c : name)
    text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

bool is_type(const TemplateParameter& parameter) {
  return parameter.kind == "typename" || parameter.kind == "class";
}

/// A number, or a word that means the same outside of the function in which the launch is.
bool is_plain(const std::string& text, const TemplateParameter& parameter,
              const ReadSource& source) {
  static const std::set<std::string_view> words{
      "float", "double", "int",    "unsigned int", "char",   "half", "__half",
      "true",  "false",  "float2", "float4",       "size_t", "long", "unsigned char"};
  if (words.contains(text) || (!is_type(parameter) && whole_number(text)))
    return true;
  return std::any_of(source.constants.begin(), source.constants.end(),
                     [&](const Constant& one) { return one.name == text && one.number; });
}

std::string usual_argument(const TemplateParameter& parameter) {
  if (!parameter.otherwise.empty())
    return parameter.otherwise;
  if (is_type(parameter))
    return "float";
  if (parameter.kind == "bool")
    return "false";
  if (is_of_items(parameter.name))
    return "4";
  return is_of_block(parameter.name) ? has_any(lower(parameter.name), {"tile"}) ? "16" : "256"
                                     : "1";
}

void add_templates(const ReadSource& source, const KernelSignature& kernel, KernelChoice& choice) {
  const auto launch = launch_of(source.tokens, kernel.name);
  std::vector<std::string> names, plain;
  for (std::size_t i = 0; i < kernel.templates.size(); ++i) {
    const TemplateParameter& parameter = kernel.templates[i];
    if (parameter.kind.ends_with("..."))
      break;
    const bool launched =
        launch && i < launch->templates.size() && is_plain(launch->templates[i], parameter, source);
    const std::string usual = launched ? launch->templates[i] : usual_argument(parameter);
    plain.push_back(usual);
    names.push_back(usual);
    const auto number = whole_number(usual);
    if (is_type(parameter) || !number || *number < 1 ||
        !(is_of_block(parameter.name) || is_of_items(parameter.name))) {
      if (!launched)
        choice.guesses.push_back(
            {"KernelSpecification.KernelName",
             fmt::format("{} for the template's parameter {}", usual, parameter.name)});
      continue;
    }
    names.back() = tuned_name(parameter.name);
    choice.tunables.push_back(
        {names.back(), values_near(parameter.name, *number), *number,
         fmt::format("the template's parameter {}, values around {}", parameter.name, usual)});
  }
  choice.name = choice.plain_name = kernel.scope + kernel.name;
  if (names.empty())
    return;
  choice.name += fmt::format("<{}>", fmt::join(names, ", "));
  choice.plain_name += fmt::format("<{}>", fmt::join(plain, ", "));
}

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

} // namespace

ReadSource::ReadSource(std::string source, std::vector<std::string> own)
    : text(std::make_shared<const std::string>(std::move(source))),
      header_texts(std::make_shared<const std::vector<std::string>>(std::move(own))),
      tokens(tokens_of(*text)) {
  for (const std::string& one : *header_texts) {
    headers.push_back(tokens_of(one));
    add_constants_once(headers.back(), header_constants);
  }
  kernels = kernels_of(tokens, declarations_of(tokens));
  constants = constants_of(tokens);
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
  for (const KernelSignature& kernel : source.kernels)
    if (name.empty() || name == kernel.name || name == kernel.scope + kernel.name)
      return kernel;
  throw InputError(file + ": " + unknown_name("kernel", name, names));
}

KernelChoice choice_of(const ReadSource& source, const KernelSignature& kernel) {
  KernelChoice choice;
  add_constants(source, kernel, choice);
  add_templates(source, kernel, choice);
  return choice;
}

} // namespace gridsmith
