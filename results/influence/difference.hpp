// SPDX-License-Identifier: Apache-2.0
// What tells one configuration from another: the metrics, counters and compile facts that differ
// most in what matters for the time. Pure functions of two measurements and of what is known of
// their space.
#pragma once

#include "gridsmith/results/influence/influence.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace gridsmith {

struct Difference {
  Quantity quantity;
  double from = 0, to = 0;
  /// What the quantity tells of the time across the space; nothing where it does not, by more than
  /// chance.
  std::optional<double> share;
  /// The change is one that goes with the change of the time: by the space's exponent, else by the
  /// quantity's own direction; nothing where neither says.
  std::optional<bool> agrees;

  /// Whether it became better, by its direction; nothing where it has none.
  std::optional<bool> improved() const;
};

/// Times that differ by less are the same where too few samples say more.
inline constexpr double same_time_ratio = 1.02;

struct Contrast {
  double from_ms = 0, to_ms = 0;
  bool told_apart = false;             ///< by their samples; with few of them by 2 %
  bool few_samples = false;            ///< so few that they do not say
  std::vector<Difference> differences; ///< what matters most first
};

/// Not named is what varies by as much anyway (2 % of counts of instructions and what they ask for, 10 %
/// of DRAM, L2, averages and compile facts, 2 points of percentages), what is little beside the largest of its unit, bytes of DRAM that take less than 5 % of the time,
/// and all but the plainest of those that tell the same. Ranked by the share of the time's variance
/// times the logarithm of the ratio; what is not known to matter comes after what is, and what runs
/// against the time stands only where there is nothing else.
/// @param known of their space; may be that of too few configurations
/// @param most as many are given
/// @pre both correct
Contrast contrast(const Measurement& from, const Measurement& to, const Recording& recording,
                  const Influence& known, std::size_t most = 3);

/// The differences that say why the second is the faster one, in their order: what goes with the time and became
/// better by its direction, what is counted and became less, and waits that were of weight and became less; by 10 %
/// at least.
std::vector<Difference> reasons(const Contrast& contrast, std::size_t most = 3);

} // namespace gridsmith
