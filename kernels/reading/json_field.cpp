// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/json_field.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gridsmith {
namespace {

/// Whether a '=' stands alone, as in C's assignment.
bool has_assignment(const std::string& text) {
  for (std::size_t at = 0; (at = text.find('=', at)) != std::string::npos; ++at) {
    const char before = at > 0 ? text[at - 1] : ' ',
               after = at + 1 < text.size() ? text[at + 1] : ' ';
    if (std::string_view("=<>!").find(before) == std::string_view::npos && after != '=')
      return true;
  }
  return false;
}

/// "16 kB"
bool has_unit_of_bytes(const std::string& text) {
  for (const char* unit : {"kB", "KB", "KiB", "MB", "MiB"})
    if (const std::size_t at = text.find(unit); at != std::string::npos && at > 0) {
      const std::size_t before = text.find_last_not_of(' ', at - 1);
      if (before != std::string::npos && text[before] >= '0' && text[before] <= '9')
        return true;
    }
  return false;
}

/// What an expression that does not parse may have been meant to be; "" where nobody knows.
std::string likely_slip(const std::string& text) {
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  return has("=<")                 ? "; did you mean '<='?"
         : has("=>")               ? "; did you mean '>='?"
         : has_assignment(text)    ? "; did you mean '=='?"
         : has_unit_of_bytes(text) ? "; a number of bytes has no unit"
                                   : "";
}

} // namespace

std::string JsonField::located(const std::string& what) const {
  return file_->string() + ": " + (path_.empty() ? "" : path_ + ": ") + what;
}

void JsonField::fail(const std::string& what) const {
  throw InputError(located(what));
}

std::string JsonField::found() const {
  constexpr std::size_t longest = 40;
  constexpr auto any = nlohmann::json::error_handler_t::replace; // whatever a text holds
  return present() ? ", found " + cut(printable(value_->dump(-1, ' ', false, any)), longest) : "";
}

JsonField JsonField::find(std::string_view name) const {
  const std::string path = path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  if (!present())
    return {nullptr, *file_, path};
  if (!value_->is_object())
    fail("expected an object with a field " + std::string(name) + found());
  const auto found = value_->find(std::string(name));
  return {found == value_->end() ? nullptr : &*found, *file_, path};
}

JsonField JsonField::required(std::string_view name) const {
  const JsonField field = find(name);
  if (!field.present())
    field.fail("required, but missing");
  return field;
}

std::vector<JsonField> JsonField::elements() const {
  std::vector<JsonField> all;
  if (!present())
    return all;
  if (!value_->is_array())
    fail("expected an array" + found());
  for (std::size_t i = 0; i < value_->size(); ++i)
    all.emplace_back(&(*value_)[i], *file_, path_ + "[" + std::to_string(i) + "]");
  return all;
}

std::vector<std::string> JsonField::names() const {
  if (!present() || !value_->is_object())
    fail("expected an object" + found());
  std::vector<std::string> all;
  for (const auto& item : value_->items())
    all.push_back(item.key());
  return all;
}

void JsonField::only(const std::vector<std::string>& valid, const std::string& kind,
                     const std::string& none) const {
  for (const std::string& name : names())
    if (std::find(valid.begin(), valid.end(), name) == valid.end())
      fail(valid.empty() && !none.empty() ? none : unknown_name(kind, name, valid));
}

std::string JsonField::text() const {
  if (!present() || !value_->is_string())
    fail("expected a string" + found());
  return value_->get<std::string>();
}

/// Whole numbers that 64 bits do not hold are refused, however the parser took them.
void JsonField::check_bits() const {
  const bool beyond = value_->is_number_unsigned()
                          ? value_->get<std::uint64_t>() >> 63 != 0
                          : value_->is_number_float() && std::abs(value_->get<double>()) >= 0x1p63;
  if (beyond)
    fail(fmt::format("{} is too large; numbers lie between {} and {}", value_->dump(),
                     std::numeric_limits<std::int64_t>::min(),
                     std::numeric_limits<std::int64_t>::max()));
}

std::int64_t JsonField::integer() const {
  if (!present() || !value_->is_number_integer())
    fail("expected an integer" + found());
  check_bits();
  return value_->get<std::int64_t>();
}

double JsonField::number() const {
  if (!present() || !value_->is_number())
    fail("expected a number" + found());
  return value_->get<double>();
}

Value JsonField::value() const {
  if (present() && value_->is_number())
    check_bits();
  if (present() && value_->is_boolean())
    return value_->get<bool>();
  if (present() && value_->is_number_integer())
    return value_->get<std::int64_t>();
  if (present() && value_->is_number())
    return value_->get<double>();
  if (present() && value_->is_string())
    return value_->get<std::string>();
  fail("expected a boolean, an integer, a real or a string" + found());
}

Expression JsonField::expression(Syntax syntax) const {
  if (!present() || !(value_->is_string() || value_->is_number()))
    fail("expected an expression: a number or a string" + found());
  const std::string text = value_->is_string() ? value_->get<std::string>() : value_->dump();
  try {
    return Expression::parse(text, syntax);
  } catch (const InputError& error) {
    fail(error.what() + likely_slip(text));
  }
}

} // namespace gridsmith
