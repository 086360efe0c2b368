#include "gridsmith/tuner/cli/words.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/results/formats/formats.hpp"

#include <algorithm>
#include <sstream>

namespace gridsmith {
namespace {

const Parameter& parameter_named(const std::string& name,
                                 const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name)
      return parameter;
    names.push_back(parameter.name);
  }
  throw InputError("--why-not: " + unknown_name("parameter", name, names));
}

Value value_named(const std::string& text, const Parameter& parameter) {
  std::vector<std::string> valid;
  for (const Value& value : parameter.values) {
    valid.push_back(to_text(value));
    if (valid.back() == text)
      return value;
  }
  throw InputError("--why-not: " + unknown_name("value of " + parameter.name, text, valid));
}

} // namespace

WriteWish write_from_text(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw InputError("--write: '" + text + "' is not of the form FORMAT=FILE");
  return {export_format(text.substr(0, equals)).name, text.substr(equals + 1)};
}

int capability_from_text(const std::string& text) {
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
  throw InputError("compute capability '" + text + "' is not of the form 9.0");
}

Configuration configuration_from_text(const std::string& text,
                                      const std::vector<Parameter>& parameters) {
  std::string spaced = text;
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  std::istringstream words(spaced);
  Configuration configuration;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos)
      throw InputError("--why-not: '" + word + "' is not of the form NAME=VALUE");
    const Parameter& parameter = parameter_named(name, parameters);
    configuration.emplace_back(name, value_named(word.substr(equals + 1), parameter));
  }
  return configuration;
}

} // namespace gridsmith
