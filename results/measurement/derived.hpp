// SPDX-License-Identifier: Apache-2.0
// What is derived of one measurement: its metrics' facts, and the occupancy that its registers and
// shape allow. The formulas are the metric catalogue's and the occupancy calculator's.
#pragma once

#include "gridsmith/metrics/analysis/launch_model.hpp"
#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/metrics/device/peaks.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <optional>

namespace gridsmith {

/// @param time_ms of the timed launches; 0: unknown. All that is given outlives the result.
MetricFacts metric_facts(const Measurement& measurement, const Device& device, const Peaks& peaks,
                         const Workload& workload, double time_ms, const OwnMetrics& own);

/// For the analysis of one launch (metrics/analysis). All that is given outlives the result.
LaunchFacts launch_facts(const Measurement& measurement, const Device& device, const Peaks& peaks,
                         const Workload& workload);

/// Nothing where the device's limits, the kernel's registers or its shape are not known.
std::optional<Occupancy> predicted_occupancy(const Device& device, const Measurement& measurement);

} // namespace gridsmith
