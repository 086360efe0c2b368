// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/compiler_options.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/kernels/source/letters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

namespace gridsmith {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 6 && std::all_of(text.begin(), text.end(), is_digit);
}

/// Threads of a compiler; far more of them and NVRTC waits for ever.
bool are_threads(std::string_view text) {
  constexpr std::string_view most = "64";
  return is_number(text) &&
         (text.size() < most.size() || (text.size() == most.size() && text <= most));
}

/// "1234,5678"
bool are_numbers(std::string_view text) {
  while (true) {
    const auto comma = text.find(',');
    if (!is_number(text.substr(0, comma)))
      return false;
    if (comma == std::string_view::npos)
      return true;
    text = text.substr(comma + 1);
  }
}

/// "NAME", "NAME=text", "NAME(a,b)=text"
bool is_macro(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('='));
  const auto open = head.find('(');
  return is_macro_name(head.substr(0, open)) &&
         (open == std::string_view::npos || head.ends_with(')'));
}

/// Of a header on the search path: not absolute, and not climbing out of it.
bool is_header_name(std::string_view text) {
  return is_one_line(text) && !text.starts_with('/') && text.find("..") == std::string_view::npos;
}

bool is_ptxas_option(std::string_view text);

/// How the value of an option is judged, and what it is called in the list.
struct Values {
  std::string_view form; ///< "true|false": these words; else a name of what `good` accepts
  bool (*good)(std::string_view) = nullptr;

  bool accepts(std::string_view text) const {
    if (good)
      return good(text);
    for (std::string_view rest = form;;) {
      const auto bar = rest.find('|');
      if (rest.substr(0, bar) == text)
        return true;
      if (bar == std::string_view::npos)
        return false;
      rest = rest.substr(bar + 1);
    }
  }
};

constexpr Values nothing{""}, boolean{"true|false"}, number{"N", is_number},
    numbers{"N,N…", are_numbers}, threads{"0…64", are_threads}, macro{"NAME[=TEXT]", is_macro},
    name_only{"NAME", is_macro_name}, directory{"DIR", is_one_line},
    header_name{"HEADER", is_header_name}, ptxas{"OPTION", is_ptxas_option};

struct Rule {
  std::string_view name, other; ///< two spellings; the first is the one that is passed on
  const Values& values;
  bool joined = false; ///< no '=' before the value: -DNAME
};

constexpr Values languages{"c++03|c++11|c++14|c++17|c++20"}, on{"on"}, inlining{"inline"},
    fast_compile{"0|min|mid|max"}, load_caches{"ca|cg|cv|cs"}, store_caches{"wb|cg|cs|wt"},
    levels{"0|1|2|3"};

constexpr Rule rules[] = {
    {"-D", "--define-macro", macro, true},
    {"-U", "--undefine-macro", name_only, true},
    {"--include-path", "-I", directory},
    {"--pre-include", "-include", header_name},
    {"-std", "--std", languages},
    {"--use_fast_math", "-use_fast_math", nothing},
    {"--fmad", "-fmad", boolean},
    {"--ftz", "-ftz", boolean},
    {"--prec-div", "-prec-div", boolean},
    {"--prec-sqrt", "-prec-sqrt", boolean},
    {"--fassociative-math", "-fassociative-math", nothing},
    {"-maxrregcount", "--maxrregcount", number},
    {"-lineinfo", "--generate-line-info", nothing},
    {"-G", "--device-debug", nothing},
    {"--dopt", "-dopt", on},
    {"--restrict", "-restrict", nothing},
    {"--extra-device-vectorization", "-extra-device-vectorization", nothing},
    {"--Ofast-compile", "-Ofc", fast_compile},
    {"--split-compile", "-split-compile", threads},
    {"--jump-table-density", "-jtd", number},
    {"--minimal", "-minimal", nothing},
    {"--device-int128", "-device-int128", nothing},
    {"--device-as-default-execution-space", "-default-device", nothing},
    {"--device-stack-protector", "-device-stack-protector", boolean},
    {"--modify-stack-limit", "-modify-stack-limit", boolean},
    {"--builtin-move-forward", "-builtin-move-forward", boolean},
    {"--builtin-initializer-list", "-builtin-initializer-list", boolean},
    {"--optimization-info", "-opt-info", inlining},
    {"--brief-diagnostics", "-brief-diag", boolean},
    {"--diag-suppress", "-diag-suppress", numbers},
    {"--diag-warn", "-diag-warn", numbers},
    {"--diag-error", "-diag-error", numbers},
    {"-w", "--disable-warnings", nothing},
    {"--expt-relaxed-constexpr", "-expt-relaxed-constexpr", nothing},
    {"--extended-lambda", "-extended-lambda", nothing},
    {"--ptxas-options", "-Xptxas", ptxas},
};

/// What goes to ptxas, one option a time. Its --options-file prints any file.
constexpr Rule ptxas_rules[] = {
    {"-v", "--verbose", nothing},
    {"-O", "-O", levels, true},
    {"--def-load-cache", "-dlcm", load_caches},
    {"--def-store-cache", "-dscm", store_caches},
    {"--maxrregcount", "-maxrregcount", number},
    {"--register-usage-level", "-regUsageLevel", number},
    {"--allow-expensive-optimizations", "-allow-expensive-optimizations", boolean},
    {"--Ofast-compile", "-Ofc", fast_compile},
    {"--split-compile", "-split-compile", threads},
    {"--sp-bounds-check", "-sp-bounds-check", nothing},
    {"--disable-optimizer-constants", "-disable-optimizer-consts", nothing},
    {"--warn-on-spills", "-warn-spills", nothing},
    {"--warn-on-local-memory-usage", "-warn-lmem-usage", nothing},
    {"--warn-on-double-precision-use", "-warn-double-usage", nothing},
};

/// A word read as one of the rules; `value` is missing where it must be the next word.
struct Match {
  const Rule* rule = nullptr;
  std::optional<std::string_view> value;
};

Match match(std::string_view word, std::span<const Rule> all) {
  for (const Rule& rule : all)
    for (const std::string_view name : {rule.name, rule.other}) {
      if (!word.starts_with(name))
        continue;
      const std::string_view rest = word.substr(name.size());
      if (rest.empty())
        return {&rule, rule.values.form.empty() ? std::optional(rest) : std::nullopt};
      // A short option of one letter may have its value right behind it.
      const bool attached = name.size() == 2 && !rule.values.form.empty();
      if (rest.front() == '=' && !attached && !rule.values.form.empty())
        return {&rule, rest.substr(1)};
      if (attached)
        return {&rule, rest};
    }
  return {};
}

bool is_ptxas_option(std::string_view text) {
  const Match found = match(text, ptxas_rules);
  return found.rule && found.value && found.rule->values.accepts(*found.value);
}

std::string form_of(const Rule& rule) {
  const bool flag = rule.values.form.empty();
  return fmt::format("{}{}{}", rule.name, flag ? "" : rule.joined ? " " : "=", rule.values.form);
}

/// What nvcc takes and NVRTC has no use for, by how it begins.
constexpr std::pair<std::string_view, std::string_view> needless[] = {
    {"-O", "NVRTC always optimises"},
    {"--optimize", "NVRTC always optimises"},
    {"-arch", "Gridsmith compiles for the device"},
    {"--gpu-a", "Gridsmith compiles for the device"},
    {"-gencode", "Gridsmith compiles for the device"},
    {"--generate-code", "Gridsmith compiles for the device"},
    {"-Xcompiler", "there is no host code"},
    {"--compiler-options", "there is no host code"},
    {"-ccbin", "there is no host code"},
    {"-m64", "there is nothing else"},
    {"-rdc", "the whole program is one source"}};

/// An option that is not allowed. @throws InputError with what to do about it
[[noreturn]] void refuse_unknown(const std::string& word) {
  const std::string what = "'" + word + "' is not an allowed compiler option; ";
  for (const auto& [start, why] : needless)
    if (word.starts_with(start))
      throw InputError(fmt::format("{}omit it: {}", what, why));
  std::vector<std::string> names;
  for (const Rule& rule : rules)
    for (const std::string_view name : {rule.name, rule.other})
      if (name.size() > 2) // any letter is near any other
        names.emplace_back(name);
  if (const std::string near = nearest_name(word.substr(0, word.find('=')), names); !near.empty())
    throw InputError(fmt::format("{}did you mean '{}'?", what, near));
  throw InputError(
      fmt::format("{}a definition may name {}", what, fmt::join(allowed_compiler_options(), ", ")));
}

[[noreturn]] void refuse(std::string_view word, const std::string& why) {
  throw InputError(fmt::format("'{}' {}; a definition may name {}", word, why,
                               fmt::join(allowed_compiler_options(), ", ")));
}

} // namespace

bool is_macro_name(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), is_letter_or_digit);
}

bool is_one_line(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) != 0x7f;
  });
}

std::vector<CompilerOption> parse_compiler_options(const std::vector<std::string>& words) {
  std::vector<CompilerOption> options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    Match found = match(word, rules);
    if (!found.rule)
      refuse_unknown(word);
    const bool apart = !found.value;
    if (apart) {
      if (++i == words.size())
        refuse(word, "needs a value");
      found.value = words[i];
    }
    if (!found.rule->values.accepts(*found.value) || !is_one_line(*found.value))
      refuse(apart ? fmt::format("{} {}", word, *found.value) : word,
             "has a value that is not allowed");
    const bool joined = found.rule->joined || found.rule->values.form.empty();
    options.push_back({std::string(found.rule->name) + (joined ? "" : "="),
                       std::string(*found.value), &found.rule->values == &directory});
  }
  return options;
}

std::optional<std::string> option_of_value(const std::string& form, const Value& value) {
  constexpr std::string_view place = "{}";
  std::string word = form;
  if (const auto at = form.find(place); at != form.npos)
    word.replace(at, place.size(), to_macro(value));
  else if (!is_true(value))
    return std::nullopt;
  const CompilerOption option = parse_compiler_options({word}).front();
  for (const std::string_view headers : {"--include-path=", "--pre-include="})
    if (option.prefix == headers)
      refuse(word, "says what headers are read, which a parameter cannot");
  for (const std::string_view macro : {"-D", "-U"})
    if (option.prefix == macro)
      throw InputError("'" + word + "': a parameter is a macro of its own name already");
  return option.word();
}

std::string_view only_compiler_with(std::string_view option) {
  constexpr std::pair<std::string_view, std::string_view> all[] = {
      {"--minimal", "NVRTC"},
      {"--device-int128", "NVRTC"},
      {"--device-as-default-execution-space", "NVRTC"},
      {"--modify-stack-limit", "NVRTC"},
      {"--builtin-move-forward", "NVRTC"},
      {"--builtin-initializer-list", "NVRTC"},
      {"--expt-relaxed-constexpr", "nvcc"},
      {"--extended-lambda", "nvcc"}};
  const Match found = match(option, rules);
  for (const auto& [name, compiler] : all)
    if (found.rule && found.rule->name == name)
      return compiler;
  return "";
}

std::vector<std::string> allowed_compiler_options() {
  std::vector<std::string> forms;
  for (const Rule& rule : rules)
    if (&rule.values != &ptxas)
      forms.push_back(form_of(rule));
  for (const Rule& rule : ptxas_rules)
    forms.push_back("--ptxas-options=" + form_of(rule));
  return forms;
}

} // namespace gridsmith
