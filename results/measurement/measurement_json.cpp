// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/measurement_json.hpp"

#include "gridsmith/base/json_fields.hpp"

namespace gridsmith {

nlohmann::json json_of(const Measurement& measurement) {
  nlohmann::json json = to_fields(measurement);
  json["configuration"] = fields::written(measurement.configuration, Fields::changed);
  json["status"] = to_text(measurement.status);
  return json;
}

Measurement measurement_of(const nlohmann::json& json) {
  for (const char* needed : {"configuration", "status"})
    if (!json.contains(needed))
      throw InputError(std::string("expected \"") + needed + "\"");
  Measurement measurement;
  read_fields(json, measurement);
  return measurement;
}

} // namespace gridsmith
