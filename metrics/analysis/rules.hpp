// The rules: each looks at one launch for one cause and says nothing where it is not there, or where
// what it needs was not counted. Thresholds stand beside the rules; those without a source were set
// on the first half of the planted bottlenecks (tests/gpu/planted).
#pragma once

#include "gridsmith/metrics/analysis/finding.hpp"
#include "gridsmith/metrics/analysis/launch_model.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>

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

using Rule = std::optional<Finding> (*)(const LaunchModel&);

/// Grid, waves, occupancy, latency.
std::span<const Rule> shape_rules();
/// Global, local, shared and constant memory, atomics.
std::span<const Rule> memory_rules();
/// Instructions and their pipes.
std::span<const Rule> compute_rules();

} // namespace gridsmith
