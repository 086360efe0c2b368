// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace gridsmith {
namespace {

/// Shortest text that reads back as the same double, with ".0" where it would look like an integer.
std::string real_to_text(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, error == std::errc{} ? end : buffer);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

/// 64 bits of mantissa hold every integer exactly beside every double.
long double exact(const Value& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer ? static_cast<long double>(*integer) : static_cast<long double>(to_number(value));
}

} // namespace

std::string to_text(const Value& value) {
  if (const auto* b = std::get_if<bool>(&value))
    return *b ? "True" : "False";
  if (const auto* i = std::get_if<std::int64_t>(&value))
    return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&value))
    return real_to_text(*d);
  return std::get<std::string>(value);
}

std::string values_text(std::span<const Value> values, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), most); ++i)
    text += (i > 0 ? ", " : "") + to_text(values[i]);
  return values.size() > most ? text + ", … " + std::to_string(values.size() - most) + " more"
                              : text;
}

std::string to_macro(const Value& value) {
  if (const auto* b = std::get_if<bool>(&value))
    return *b ? "true" : "false";
  return to_text(value);
}

double to_number(const Value& value) {
  if (const auto* b = std::get_if<bool>(&value))
    return *b ? 1.0 : 0.0;
  if (const auto* i = std::get_if<std::int64_t>(&value))
    return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&value))
    return *d;
  return std::numeric_limits<double>::quiet_NaN();
}

bool same_value(const Value& a, const Value& b) {
  const auto* left = std::get_if<std::string>(&a);
  const auto* right = std::get_if<std::string>(&b);
  if (left || right)
    return left && right && *left == *right;
  return exact(a) == exact(b);
}

std::string to_text(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration)
    text += (text.empty() ? "" : " ") + name + "=" + to_text(value);
  return text;
}

const Value* find_value(const Configuration& configuration, const std::string& name) {
  for (const auto& [key, value] : configuration)
    if (key == name)
      return &value;
  return nullptr;
}

std::size_t differences(const Configuration& one, const Configuration& other) {
  return static_cast<std::size_t>(
      std::count_if(one.begin(), one.end(), [&](const Configuration::Entry& entry) {
        const Value* value = find_value(other, entry.first);
        return !value || !same_value(entry.second, *value);
      }));
}

void add_values(const Configuration& configuration, std::vector<Parameter>& parameters) {
  for (const auto& [key, value] : configuration) {
    auto found = std::find_if(parameters.begin(), parameters.end(),
                              [&name = key](const Parameter& one) { return one.name == name; });
    if (found == parameters.end())
      found = parameters.insert(found, {key, {}});
    if (std::find(found->values.begin(), found->values.end(), value) == found->values.end())
      found->values.push_back(value);
  }
}

Configuration Configuration::without(const std::string& name) const {
  Configuration rest;
  std::copy_if(begin(), end(), std::back_inserter(rest.entries_),
               [&](const Entry& entry) { return entry.first != name; });
  return rest;
}

bool Configuration::operator==(const Configuration& other) const {
  return size() == other.size() && differences(*this, other) == 0;
}

} // namespace gridsmith

std::size_t std::hash<gridsmith::Configuration>::operator()(
    const gridsmith::Configuration& configuration) const {
  std::size_t sum = 0; // in any order; what is equal has equal numbers or the same text
  for (const auto& [name, value] : configuration) {
    const std::string* text = std::get_if<std::string>(&value);
    const std::size_t hashed =
        text ? std::hash<std::string>()(*text) : std::hash<double>()(gridsmith::to_number(value));
    sum += std::hash<std::string>()(name) ^ (hashed * 0x9e3779b97f4a7c15u);
  }
  return sum;
}
