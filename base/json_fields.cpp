#include "gridsmith/base/json_fields.hpp"

namespace gridsmith {

nlohmann::json json_of(const Value& value) {
  return std::visit([](const auto& held) { return nlohmann::json(held); }, value);
}

Value value_of(const nlohmann::json& json) {
  if (json.is_boolean())
    return json.get<bool>();
  if (json.is_number_integer())
    return json.get<std::int64_t>();
  if (json.is_number())
    return json.get<double>();
  if (json.is_string())
    return json.get<std::string>();
  throw InputError("expected a parameter's value: a number, a string, true or false");
}

} // namespace gridsmith
