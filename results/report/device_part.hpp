// SPDX-License-Identifier: Apache-2.0
// The part of a report's set that says what was measured on: the device, its peaks and limits, and the work.
#pragma once

#include "gridsmith/results/report/report_set.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gridsmith {

/// The field "device" of docs/schema/report.schema.json.
nlohmann::ordered_json device_json(const Device& device);
/// The field "peaks".
nlohmann::ordered_json peaks_json(const Peaks& peaks);
/// The field "workload".
nlohmann::ordered_json workload_json(const Workload& workload);
/// The field "occupancy_limits": what the calculator goes by, so that the page can draw its curves; or null.
nlohmann::ordered_json limits_json(const Device& device);

} // namespace gridsmith
