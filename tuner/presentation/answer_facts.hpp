// What is told of one ranked configuration, to people and to scripts.
#pragma once

#include "gridsmith/metrics/counters/counters.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// What its derived metrics are made of. Both outlive it.
MetricFacts metric_facts(const Subject& subject, const Ranked& one);
std::optional<double> metric_of(const Subject& subject, const Ranked& one, std::string_view metric);
/// Nothing where the device's limits or the kernel's registers are not known.
std::optional<Occupancy> predicted_occupancy(const Subject& subject,
                                             const Measurement& measurement);
std::map<std::string, std::size_t> count_by_status(const std::vector<Measurement>& measurements);

} // namespace gridsmith
