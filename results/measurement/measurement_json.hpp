// SPDX-License-Identifier: Apache-2.0
// A measurement as JSON, as stores and recordings keep it: what is unknown or has its default is left
// out, but for configuration and status.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gridsmith {

nlohmann::json json_of(const Measurement& measurement);
/// @throws InputError where the JSON is not such a measurement.
Measurement measurement_of(const nlohmann::json& json);

} // namespace gridsmith
