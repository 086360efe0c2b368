// SPDX-License-Identifier: Apache-2.0
// The part of a generated header that chooses by other objectives than the time, on the wish of who calls:
// choose(problem, device, Goal::dram_traffic). A kernel that was tuned by time alone has none.
#pragma once

#include "gridsmith/results/header/kernel_code.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct Goal {
  Objective objective;
  std::string code; ///< its enumerator
};

/// What the devices of a kernel were tuned by.
struct Goals {
  std::vector<Goal> all; ///< time first, then by name; empty: time alone

  /// Whether the time is among them.
  bool by_time() const { return all.empty() || all.front().objective.by_time; }

  /// Whether choose() needs to be told none: time, or the only one.
  bool usual() const { return by_time() || all.size() == 1; }

  /// @pre one of them
  const std::string& code_of(std::string_view objective) const;
};

Goals goals_among(const std::vector<Objective>& objectives);

struct GoalsCode {
  std::string text, hash; ///< declarations with their namespaces, and what names these
};

/// What stands between the part of the kernel and that of the devices of these goals.
/// @param part hash of the kernel's part
GoalsCode goals_code(const KernelCode& kernel, const std::string& part, const Goals& goals);

} // namespace gridsmith
