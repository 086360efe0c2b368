// SPDX-License-Identifier: Apache-2.0
// How many samples one configuration gets: when its median is known well enough, and when it cannot
// be the best any more. Pure functions of the samples, so that they are tested without a GPU and say
// of a stored record whether it would have been enough.
#pragma once

#include "gridsmith/base/fields.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gridsmith {

/// The one place of these defaults.
struct Sampling {
  double interval = 0.01; ///< wanted half width of the median's 95 % interval, relative
  std::size_t min_samples = 5;
  std::size_t max_samples = 50;
  double max_ms = 500; ///< sum of the samples
  bool prune = true;   ///< break off what cannot be the best

  bool operator==(const Sampling&) const = default;
};

template <Like<Sampling> T>
void for_fields(T& v, auto&& visit) {
  visit("interval", v.interval);
  visit("min_samples", v.min_samples);
  visit("max_samples", v.max_samples);
  visit("max_ms", v.max_ms);
  visit("prune", v.prune);
}

/// Whether the smallest sample is so far above `best_ms`, the upper end of the best interval, that
/// more samples cannot change who wins. No best yet: never.
///
/// The fewer samples, the wider the margin: cold samples of one kernel were seen within some
/// percent of each other and the smallest of several is a stable lower bound, so one sample must be
/// 25 % above, two 10 %, three or more 3 %. On top of that some microseconds, since events resolve
/// about 0.5 us and a single launch may be late by some more.
bool cannot_win(std::span<const double> times_ms, std::optional<double> best_ms);

enum class NextStep { sample, settled, prune };

/// What to do after these samples. Rules that do not prune take no notice of the best.
NextStep next_step(const std::vector<double>& times_ms, std::optional<double> best_ms,
                   const Sampling& rules);

/// How many samples to take next, without asking in between: single ones while the race may end
/// it, then up to the fewest, then half as many again each time.
std::size_t next_group(std::size_t samples, const Sampling& rules);

/// Launches between one pair of events so that the event's resolution (0.5 us) stays below one
/// percent: for kernels below 20 us enough of them to last 50 us, else one.
int launches_per_sample(double kernel_ms);

} // namespace gridsmith
