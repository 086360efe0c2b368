// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/drawing/axis.hpp"

#include "gridsmith/base/number_text.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

constexpr double slack = 1e-9; // what rounding may do to a tick at the end

/// Without the zeros that add nothing, as a tick is exact: "0.5", "1".
std::string tick_label(double value) {
  std::string text = three_digits(value);
  if (text.find('.') != text.npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
      text.pop_back();
  }
  return text;
}

} // namespace

double decade_below(double value) {
  return std::pow(10, std::floor(std::log10(value) + slack));
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
    ticks.push_back({i * step, tick_label(i * step)});
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
      ticks.push_back({value, named ? tick_label(value) : ""});
    }
  return ticks;
}

} // namespace gridsmith
