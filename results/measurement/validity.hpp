// SPDX-License-Identifier: Apache-2.0
// What nothing could have measured: times that are no times, grids that no device launches, facts
// that no device has. The same for recordings of every format.
#pragma once

#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/metrics/device/peaks.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <string>

namespace gridsmith {

/// "times_ms: expected a time above 0, found -5"; "" when nothing is wrong. Numbers must be finite
/// and, but for counters and parameters' values, not negative; times above 0. What ran right had a
/// geometry that CUDA can launch.
std::string objection_to(const Measurement& measurement);

/// Facts within what a GPU could have: no negative sizes, no million of registers.
std::string objection_to(const Device& device);

std::string objection_to(const Peak& peak);

std::string objection_to(const Workload& workload);

/// Names that are there, formulas that can be read.
std::string objection_to(const OwnMetrics& own);

} // namespace gridsmith
