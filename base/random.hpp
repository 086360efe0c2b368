// SPDX-License-Identifier: Apache-2.0
// Random draws that are the same on every platform. Everything random in a run comes from
// generators seeded from the run's one seed.
#pragma once

#include <cstdint>
#include <random>
#include <unordered_map>

namespace gridsmith {

/// The one generator of randomness.
using Random = std::mt19937_64;

/// Uniform in 0 … bound-1, bound > 0. Unlike std::uniform_int_distribution the same on every
/// platform. Lemire, Fast Random Integer Generation in an Interval, TOMACS 29(1), 2019.
std::uint64_t below(Random& random, std::uint64_t bound);
/// Uniform in [0, 1), 53 bits.
double unit(Random& random);

/// All of 0 … size-1 in random order, one at a time; O(1) time and memory per draw (the
/// Fisher-Yates shuffle, of which only the displaced entries are kept).
class LazyShuffle {
public:
  explicit LazyShuffle(std::uint64_t size) : left_(size) {}

  std::uint64_t left() const { return left_; }

  /// @pre left() > 0
  std::uint64_t draw(Random& random) { return take(below(random, left_)); }

  /// The entry at a place; the last of those left moves there. @pre place < left()
  std::uint64_t take(std::uint64_t place);

private:
  std::uint64_t left_;
  std::unordered_map<std::uint64_t, std::uint64_t> displaced_;
};

} // namespace gridsmith
