// SPDX-License-Identifier: Apache-2.0
// The rules: each looks at one launch for one cause, says what it reads, and is asked only where all of that
// was counted. Thresholds stand beside the rules; those without a source were set
// on the first half of the planted bottlenecks (tests/planted).
#pragma once

#include "gridsmith/metrics/analysis/finding.hpp"
#include "gridsmith/metrics/analysis/launch_model.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// For sums over what a kernel may have none of.
inline double zero_if_absent(double value) {
  return std::isfinite(value) ? value : 0;
}

// What instructions a finding is about.

inline InstructionTest accesses_of(std::initializer_list<MemoryKind> kinds) {
  return [wanted = std::vector(kinds)](const MachineInstruction& one) {
    return one.memory && std::find(wanted.begin(), wanted.end(), *one.memory) != wanted.end();
  };
}

inline InstructionTest of_class(CodeClass kind) {
  return [kind](const MachineInstruction& one) { return one.kind == kind; };
}

struct Rule {
  std::optional<Finding> (*look)(const LaunchModel&);
  /// Counters, and metrics in place of theirs, without which it has nothing to say.
  std::vector<std::string_view> reads = {};
  bool units = false;   ///< reads the counters of all units: it says that none is busy
  bool waits = false;   ///< reads the counters of all waits
  bool at_most = false; ///< its gain can only be less where something was not counted
};

/// All that it reads: of what it says, that and no more is the evidence.
std::vector<std::string> evidence_of(const Rule& rule);

/// Grid, waves, occupancy, latency.
std::span<const Rule> shape_rules();
/// Global, local, shared and constant memory, atomics.
std::span<const Rule> memory_rules();
/// Instructions and their pipes.
std::span<const Rule> compute_rules();

} // namespace gridsmith
