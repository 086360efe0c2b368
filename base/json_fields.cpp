// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/json_fields.hpp"

namespace gridsmith {

nlohmann::json json_of(const Value& value) {
  return std::visit([](const auto& held) { return nlohmann::json(held); }, value);
}

nlohmann::ordered_json object_of(const Configuration& configuration) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : configuration)
    object[name] = json_of(value);
  return object;
}

Value value_of(const nlohmann::json& json) {
  if (json.is_boolean())
    return json.get<bool>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() >> 63 != 0)
    throw InputError(json.dump() + " is more than 64 bits hold");
  if (json.is_number_integer())
    return fields::whole_of<std::int64_t>(json);
  if (json.is_number())
    return json.get<double>();
  if (json.is_string())
    return json.get<std::string>();
  throw InputError("expected a parameter's value: a number, a string, true or false");
}

void fields::refuse_whole(const nlohmann::json& json, const std::string& least,
                          const std::string& most) {
  throw InputError("expected a whole number from " + least + " to " + most + ", found " +
                   (json.is_number() ? json.dump() : json.type_name()));
}

} // namespace gridsmith
