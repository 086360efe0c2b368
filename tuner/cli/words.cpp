// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/words.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/formats/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

namespace gridsmith {
namespace {

const Parameter& parameter_named(const std::string& name, const std::vector<Parameter>& parameters,
                                 const std::string& where) {
  if (const Parameter* found = find_named(name, parameters))
    return *found;
  throw InputError(where + ": " + unknown_name("parameter", name, names_in(parameters)));
}

/// What a text is worth as a boolean or a number.
std::optional<Value> plain_value(const std::string& text) {
  const std::string lower = lower_case(text);
  if (lower == "true" || lower == "false")
    return lower == "true";
  std::int64_t whole = 0;
  double real = 0;
  const char* const end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, whole);
      read.ec == std::errc{} && read.ptr == end)
    return whole;
  if (const auto read = std::from_chars(text.data(), end, real);
      read.ec == std::errc{} && read.ptr == end)
    return real;
  return std::nullopt;
}

/// Without the quotes around it.
std::string unquoted(const std::string& text) {
  const bool quoted = text.size() > 1 && (text.front() == '\'' || text.front() == '"') &&
                      text.front() == text.back();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::optional<Value> value_named(const std::string& text, const Parameter& parameter) {
  const std::string bare = unquoted(text);
  for (const Value& value : parameter.values)
    if (to_text(value) == bare)
      return value;
  if (const auto plain = plain_value(text)) // not of a text between quotes
    for (const Value& value : parameter.values)
      if (same_value(value, *plain))
        return value;
  return std::nullopt;
}

/// "A=1,B=2" or "A=1 B=2", name and value of each.
std::vector<std::pair<std::string, std::string>> assignments(const std::string& text,
                                                             const std::string& where) {
  std::string spaced = text;
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  std::istringstream words(spaced);
  std::vector<std::pair<std::string, std::string>> found;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      throw InputError(where + ": '" + word + "' is not of the form NAME=VALUE");
    found.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return found;
}

/// Of "9.0", or "9"; 0: another text.
int capability_of(const std::string& text) {
  const std::size_t dot = text.find('.');
  try {
    std::size_t used_major = 0, used_minor = 0;
    const int major = std::stoi(text.substr(0, dot), &used_major);
    const int minor = dot == std::string::npos ? 0 : std::stoi(text.substr(dot + 1), &used_minor);
    const bool whole = used_major == std::min(dot, text.size()) &&
                       (dot == std::string::npos || dot + 1 + used_minor == text.size());
    if (whole && major > 0 && major < 1000 && minor >= 0 && minor < 10)
      return 10 * major + minor;
  } catch (const std::logic_error&) { // not a number, or a huge one
  }
  return 0;
}

} // namespace

OutputFile write_from_text(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw InputError("--write: '" + text + "' is not of the form FORMAT=FILE");
  return {"--write", text.substr(equals + 1), export_format(text.substr(0, equals)).name};
}

int capability_from_text(const std::string& text, const std::string& where) {
  const int capability = capability_of(text);
  if (capability == 0)
    throw InputError(where + ": '" + text + "' is not of the form 9.0");
  return capability;
}

int architecture_from_text(const std::string& text, const std::string& where) {
  const std::string digits = text.starts_with("sm_") ? text.substr(3) : text;
  const bool whole = !digits.empty() && digits.size() <= 3 &&
                     digits.find_first_not_of("0123456789") == std::string::npos;
  const bool dotted = digits.find('.') != std::string::npos;
  const int number = whole ? std::stoi(digits) : dotted ? capability_of(digits) : 0;
  if (number == 0)
    throw InputError(where + ": '" + text + "' is not of the form 90, 9.0 or sm_90");
  return number;
}

std::vector<FixedValue> fixed_values_of_text(const std::string& text,
                                             const std::vector<Parameter>& parameters,
                                             const std::string& where) {
  std::vector<FixedValue> fixed;
  for (auto& [name, value] : assignments(text, where)) {
    const Parameter& parameter = parameter_named(name, parameters, where);
    for (const FixedValue& before : fixed)
      if (before.parameter == &parameter)
        throw InputError(where + ": '" + parameter.name + "' appears twice");
    std::optional<Value> listed = value_named(value, parameter);
    fixed.push_back({&parameter, std::move(value), std::move(listed)});
  }
  if (fixed.empty())
    throw InputError(where + ": expected values of parameters, such as '" +
                     parameters.front().name + "=" + to_text(parameters.front().values.front()) +
                     "'");
  return fixed;
}

Configuration configuration_from_text(const std::string& text,
                                      const std::vector<Parameter>& parameters,
                                      const std::string& where) {
  if (text.find_first_not_of(" ,") == std::string::npos)
    return {};
  Configuration configuration;
  for (const FixedValue& one : fixed_values_of_text(text, parameters, where)) {
    if (!one.value) {
      std::vector<std::string> valid;
      for (const Value& value : one.parameter->values)
        valid.push_back(to_text(value));
      throw InputError(where + ": " +
                       unknown_name("value of " + one.parameter->name, one.text, valid));
    }
    configuration.emplace_back(one.parameter->name, *one.value);
  }
  return configuration;
}

Configuration untyped_configuration(const std::string& text, const std::string& where) {
  Configuration configuration;
  for (auto& [name, value] : assignments(text, where)) {
    if (find_value(configuration, name))
      throw InputError(where + ": '" + name + "' appears twice");
    const auto plain = plain_value(value);
    configuration.emplace_back(name, plain ? *plain : Value(unquoted(value)));
  }
  if (configuration.empty())
    throw InputError(where + ": expected values of parameters, such as 'BLOCK=128'");
  return configuration;
}

CompileTimeout compile_timeout_from_text(const std::string& text) {
  if (text == "auto")
    return {};
  if (text == "none")
    return {.adapts = false};
  constexpr double most_s = 1e6;
  double seconds = 0;
  const char* const end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, seconds);
      read.ec != std::errc{} || read.ptr != end || !(seconds > 0 && seconds <= most_s))
    throw InputError(fmt::format(
        "--compile-timeout: '{}' is no time; auto, none, or seconds above 0, at most {:.0f}", text,
        most_s));
  return {.adapts = false, .seconds = seconds};
}

std::vector<int> devices_from_text(const std::string& text) {
  if (text == "all")
    return {};
  std::vector<int> numbers;
  std::istringstream words(text + ','); // so that an end behind a comma is seen
  for (std::string word; std::getline(words, word, ',');) {
    int number = -1;
    const char* const end = word.data() + word.size();
    if (const auto read = std::from_chars(word.data(), end, number);
        read.ec != std::errc{} || read.ptr != end || number < 0)
      throw InputError(fmt::format(
          "--devices: '{}' is no number of a device; all, or numbers with commas, such as 0,2,3",
          word));
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end())
      throw InputError(fmt::format("--devices: {} appears twice", number));
    numbers.push_back(number);
  }
  return numbers;
}

} // namespace gridsmith
