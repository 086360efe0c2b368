// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/drawing/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace gridsmith {
namespace {

constexpr double slack = 1e-9; // what rounding may do to a tick at the end

/// "66900" as "66 900", by narrow blanks that do not break.
std::string with_groups(std::string digits) {
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = whole; whole - first > 4 && at > first + 3; at -= 3)
    digits.insert(at - 3, "\u202f");
  return digits;
}

struct Prefix {
  double from; ///< used for values of at least this
  std::string_view unit;
};

std::string in_unit(double value, const std::array<Prefix, 3>& prefixes, std::string_view rest) {
  for (const Prefix& one : prefixes)
    if (value >= one.from * (1 - 0.0005)) // 999.5 is shown as 1 of the next
      return fmt::format("{} {}{}", three_digits(value / one.from), one.unit, rest);
  const Prefix& smallest = prefixes.back();
  return fmt::format("{} {}{}", three_digits(value / smallest.from), smallest.unit, rest);
}

} // namespace

double decade_below(double value) {
  return std::pow(10, std::floor(std::log10(value) + slack));
}

std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size == 0)
    return "0";
  if (!std::isfinite(value))
    return fmt::format("{}", value);
  const int magnitude = static_cast<int>(std::floor(std::log10(size)));
  const double unit = std::pow(10, magnitude - 2);
  const double rounded = std::round(value / unit) * unit;
  const int decimals = 2 - static_cast<int>(std::floor(std::log10(std::abs(rounded)) + slack));
  return with_groups(fmt::format("{:.{}f}", rounded, std::clamp(decimals, 0, 12)));
}

std::string short_digits(double value) {
  std::string text = three_digits(value);
  if (text.find('.') != text.npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
      text.pop_back();
  }
  return text;
}

std::string time_text(double ms) {
  return in_unit(ms, {{{1e3, "s"}, {1, "ms"}, {1e-3, "µs"}}}, "");
}

std::string rate_text(double giga, const std::string& unit) {
  return in_unit(giga, {{{1e3, "T"}, {1, "G"}, {1e-3, "M"}}}, unit);
}

double Axis::at(double value) const {
  const double share = scale_ == Scale::linear
                           ? (value - low_) / (high_ - low_)
                           : std::log(std::max(value, low_) / low_) / std::log(high_ / low_);
  return from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_);
}

std::vector<Tick> Axis::ticks(int wanted) const {
  return scale_ == Scale::linear ? linear_ticks(wanted) : logarithmic_ticks(wanted);
}

std::vector<Tick> Axis::linear_ticks(int wanted) const {
  const double rough = (high_ - low_) / std::max(1, wanted);
  const double decade = decade_below(rough);
  double step = decade * 10;
  for (const double factor : {5.0, 2.0, 1.0})
    if (decade * factor >= rough * (1 - slack))
      step = decade * factor;
  std::vector<Tick> ticks;
  const double first = std::ceil(low_ / step - slack);
  for (double i = first; i * step <= high_ + slack * step; ++i)
    ticks.push_back({i * step, short_digits(i * step)});
  return ticks;
}

std::vector<Tick> Axis::logarithmic_ticks(int wanted) const {
  const double decades = std::log10(high_ / low_);
  if (decades < 0.7) // even 1, 2, 5 would leave it bare
    return linear_ticks(wanted);
  const bool between = decades < 2.5;
  std::vector<Tick> ticks;
  for (double decade = decade_below(low_); decade <= high_ * (1 + slack); decade *= 10)
    for (int digit = 1; digit < 10; ++digit) {
      const double value = decade * digit;
      if (value < low_ * (1 - slack) || value > high_ * (1 + slack))
        continue;
      const bool named = digit == 1 || (between && (digit == 2 || digit == 5));
      ticks.push_back({value, named ? short_digits(value) : ""});
    }
  return ticks;
}

} // namespace gridsmith
