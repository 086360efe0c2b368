// SPDX-License-Identifier: Apache-2.0
// The verdict on one launch: what limits it, why, and what would help most.
#pragma once

#include "gridsmith/metrics/analysis/finding.hpp"
#include "gridsmith/metrics/analysis/launch_model.hpp"

#include <string>
#include <vector>

namespace gridsmith {

enum class Bound {
  unknown,   ///< too little was counted
  launch,    ///< by launching it
  bandwidth, ///< by what a memory can give
  compute,   ///< by issuing instructions or a pipe for them
  latency,   ///< by waiting, while no unit is busy
  transfer,  ///< by copies between host and device
};

template <>
struct Words<Bound> {
  static constexpr std::string_view kind = "bound";
  static constexpr std::array<std::string_view, 6> list{"unknown", "launch",  "bandwidth",
                                                        "compute", "latency", "transfer"};
};

struct Verdict {
  Bound bound = Bound::unknown;
  std::string bound_text; ///< one sentence with the percentages behind it
  double busy = 0; ///< of the busiest unit, as a part of what it can reach: 0 … 1; 0: not counted
  /// The causes found, the greatest gain first; those whose gain cannot be told at the end. What
  /// gains less than worth_naming is left out. With their places.
  std::vector<Finding> findings;

  /// None is worth a change: there is nothing, or only what is small.
  bool clean() const;

  /// The first sentence for people: the main cause, or that the launch is at its limit.
  std::string headline() const;
};

/// Estimated gains below are no cause to change anything; those up to the second are named as small.
inline constexpr double worth_naming = 1.1, worth_a_change = 1.3;

bool is_small(const Finding& finding);

Verdict judge(const LaunchFacts& facts);

} // namespace gridsmith
