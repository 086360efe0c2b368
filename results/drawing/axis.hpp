// SPDX-License-Identifier: Apache-2.0
// One axis: where a value lies, and which values are marked.
#pragma once

#include <string>
#include <vector>

namespace gridsmith {

enum class Scale { linear, logarithmic };

struct Tick {
  double value = 0;
  std::string label; ///< "" for one between
};

class Axis {
public:
  /// @param low,high the values that lie at `from` and `to`, in points. @pre low < high, 0 < low where
  /// it is logarithmic
  Axis(Scale scale, double low, double high, double from, double to)
      : scale_(scale), low_(low), high_(high), from_(from), to_(to) {}

  double low() const { return low_; }

  double high() const { return high_; }

  double from() const { return from_; }

  double to() const { return to_; }

  /// Values beyond lie at the ends.
  double at(double value) const;
  /// Within the axis, ascending: of a linear one 1, 2 or 5 times a power of ten apart, about `wanted`
  /// of them; of a logarithmic one powers of ten, with 2 and 5 of each where those are fewer than three.
  std::vector<Tick> ticks(int wanted = 5) const;

private:
  std::vector<Tick> linear_ticks(int wanted) const;
  std::vector<Tick> logarithmic_ticks(int wanted) const;

  Scale scale_;
  double low_, high_, from_, to_;
};

/// The power of ten at or below. @pre value > 0
double decade_below(double value);

} // namespace gridsmith
