// Measurements and devices as JSON: in stores, recordings and messages. Apart from measurement.hpp,
// because that is a public header and needs no package.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gridsmith {

/// What is unknown or has its default is left out; the configuration is an array of [name, value],
/// so its order stays.
void to_json(nlohmann::json& json, const Measurement& measurement);
/// @throws nlohmann::json::exception or InputError where the JSON is not such a measurement.
void from_json(const nlohmann::json& json, Measurement& measurement);
void to_json(nlohmann::json& json, const Device& device);
void from_json(const nlohmann::json& json, Device& device);

} // namespace gridsmith
