// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <span>

namespace gridsmith {
namespace {

struct Unit {
  double size; ///< of the values that it is used from
  std::string_view name;
};

/// The largest that a value reaches as it is shown: with three digits 999.5 is 1 of the next.
const Unit& unit_of(double value, std::span<const Unit> largest_first, int digits) {
  const auto found = std::find_if(largest_first.begin(), largest_first.end(), [&](const Unit& one) {
    return value >= one.size * (1 - 0.5 * std::pow(10, -digits));
  });
  return found == largest_first.end() ? largest_first.back() : *found;
}

std::string in_text(double value, std::span<const Unit> largest_first) {
  const Unit& unit = unit_of(value, largest_first, 4);
  return fmt::format("{} {}", number_text(value / unit.size), unit.name);
}

std::string in_chart(double value, std::span<const Unit> largest_first, std::string_view rest) {
  const Unit& unit = unit_of(value, largest_first, 3);
  return fmt::format("{} {}{}", three_digits(value / unit.size), unit.name, rest);
}

/// "66900" as "66 900", by narrow blanks that do not break.
std::string with_groups(std::string digits) {
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = whole; whole - first > 4 && at > first + 3; at -= 3)
    digits.insert(at - 3, "\u202f");
  return digits;
}

} // namespace

std::string digits_text(double value, int digits) {
  if (value == 0)
    return "0";
  if (!std::isfinite(value))
    return fmt::format("{}", value);
  // Not log10(): 9.9996 has a digit more before the point once it is rounded.
  const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);
  const int magnitude = std::atoi(rounded.c_str() + rounded.find('e') + 1);
  constexpr int most_decimals = 12;
  return fmt::format("{:.{}f}", value, std::clamp(digits - 1 - magnitude, 0, most_decimals));
}

std::string number_text(double value, int digits) {
  const double size = std::fabs(value);
  if (value == std::floor(value) && size < 1e9)
    return fmt::format("{:.0f}", value);
  return size < 1e-4 || size >= 1e9 ? fmt::format("{:.3g}", value) : digits_text(value, digits);
}

std::string number_cell(const std::optional<double>& value) {
  return value ? number_text(*value) : "";
}

std::string percent_text(double share, int decimals) {
  return fmt::format("{:.{}f} %", 100 * share, decimals);
}

std::string change_text(double ratio) {
  return std::isfinite(ratio) && ratio > 0 ? fmt::format("{:+.1f}", 100 * (ratio - 1)) : "";
}

std::string bytes_text(double bytes) {
  constexpr std::array<Unit, 6> units{
      {{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};
  return in_text(bytes, units);
}

std::string launch_time_text(double us) {
  constexpr std::array<Unit, 2> units{{{1e3, "ms"}, {1, "us"}}};
  return in_text(us, units);
}

std::string duration_text(double seconds) {
  constexpr double day = 86400;
  if (seconds > 0 && seconds < 0.9995e-3)
    return seconds < 0.9995e-6 ? fmt::format("{:.0f} ns", seconds * 1e9)
                               : fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 0.9995)
    return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 59.95)
    return fmt::format("{:.1f} s", seconds);
  if (seconds >= day) {
    const double days = std::round(10 * seconds / day) / 10;
    return fmt::format("{} {}", days, days == 1 ? "day" : "days");
  }
  const long whole = std::lround(seconds);
  return whole < 3600 ? fmt::format("{} min {:02} s", whole / 60, whole % 60)
                      : fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::pair<double, std::string> scale_of(double size, std::string_view unit) {
  constexpr double from = 1e4; // 4800 GB/s and 9216 B read well
  constexpr std::array<std::pair<Unit, std::string_view>, 3> scales{
      {{{1e9, "GB"}, "billion"}, {{1e6, "MB"}, "million"}, {{1e3, "kB"}, "thousand"}}};
  if (unit.starts_with('G') && size >= from)
    return {1e3, "T" + std::string(unit.substr(1))};
  if (unit == "B" || unit.empty())
    for (const auto& [bytes, words] : scales)
      if (size >= std::max(from, bytes.size))
        return {bytes.size, std::string(unit.empty() ? words : bytes.name)};
  return {1, std::string(unit)};
}

std::string three_digits(double value) {
  constexpr double up = 1 + 1e-12; // a half, as of 12.25, which printing takes to the even digit
  const double rounded = std::strtod(fmt::format("{:.2e}", up * value).c_str(), nullptr);
  return with_groups(digits_text(rounded, 3));
}

std::string time_text(double ms) {
  constexpr std::array<Unit, 3> units{{{1e3, "s"}, {1, "ms"}, {1e-3, "µs"}}};
  return in_chart(ms, units, "");
}

std::string rate_text(double giga, std::string_view unit) {
  constexpr std::array<Unit, 3> units{{{1e3, "T"}, {1, "G"}, {1e-3, "M"}}};
  return in_chart(giga, units, unit);
}

} // namespace gridsmith
