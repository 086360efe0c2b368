// SPDX-License-Identifier: Apache-2.0
// Structs with listed fields (base/fields.hpp) to JSON and back, the same for messages, stores and
// recordings. Enumerations are their words, configurations arrays of [name, value] pairs, so their
// order stays.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/base/value.hpp"
#include "gridsmith/base/words.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gridsmith {

/// Which fields are written: every one (messages), or those that differ from a fresh value's
/// (files that people keep). What is absent when read keeps its value in `changed`, and is an error
/// in `all`.
enum class Fields { all, changed };

nlohmann::json json_of(const Value& value);
/// {"TILE": 16}, in the configuration's order.
nlohmann::ordered_json object_of(const Configuration& configuration);
/// @throws InputError for what is no number, string or boolean, or beyond 64 bits.
Value value_of(const nlohmann::json& json);

namespace fields {

using Bytes = std::vector<std::uint8_t>;

template <typename>
constexpr bool is_optional = false;
template <typename T>
constexpr bool is_optional<std::optional<T>> = true;
template <typename>
constexpr bool is_vector = false;
template <typename T>
constexpr bool is_vector<std::vector<T>> = true;
template <typename>
constexpr bool is_shared = false;
template <typename T>
constexpr bool is_shared<std::shared_ptr<T>> = true;

[[noreturn]] void refuse_whole(const nlohmann::json& json, const std::string& least,
                               const std::string& most);

/// @throws InputError for what T cannot represent.
template <std::integral T>
T whole_of(const nlohmann::json& json) {
  using Limits = std::numeric_limits<T>;
  constexpr double beyond = 9223372036854775808.0; // 2^63, the first that no int64 is
  if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>()))
    return json.get<T>();
  if (json.is_number_integer() && !json.is_number_unsigned() &&
      std::in_range<T>(json.get<std::int64_t>()))
    return json.get<T>();
  if (json.is_number_float())
    if (const auto real = json.get<double>(); real >= -beyond && real < beyond &&
                                              real == std::trunc(real) &&
                                              std::in_range<T>(static_cast<std::int64_t>(real)))
      return static_cast<T>(real);
  refuse_whole(json, std::to_string(Limits::min()), std::to_string(Limits::max()));
}

template <typename T>
nlohmann::json written(const T& value, Fields which);

template <Fielded T>
nlohmann::json written_struct(const T& value, Fields which) {
  nlohmann::json object = nlohmann::json::object();
  for_fields(value,
             [&](const char* name, const auto& member) { object[name] = written(member, which); });
  if (which == Fields::all)
    return object;
  const T fresh{};
  for_fields(fresh, [&](const char* name, const auto& member) {
    if (object[name] == written(member, which))
      object.erase(name);
  });
  return object;
}

template <typename T>
nlohmann::json written(const T& value, Fields which) {
  if constexpr (std::is_same_v<T, Bytes>) {
    return nlohmann::json::binary(value);
  } else if constexpr (is_shared<T> || is_optional<T>) {
    return value ? written(*value, which) : nlohmann::json();
  } else if constexpr (std::is_same_v<T, Value>) {
    return json_of(value);
  } else if constexpr (std::is_same_v<T, Configuration>) {
    nlohmann::json pairs = nlohmann::json::array();
    for (const auto& [name, held] : value)
      pairs.push_back({name, json_of(held)});
    return pairs;
  } else if constexpr (std::is_enum_v<T>) {
    return to_text(value);
  } else if constexpr (is_vector<T>) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& element : value)
      list.push_back(written(element, which));
    return list;
  } else if constexpr (Fielded<const T>) {
    return written_struct(value, which);
  } else {
    return nlohmann::json(value);
  }
}

template <typename T>
void read(const nlohmann::json& json, T& value, Fields which);

template <typename T>
void read_struct(const nlohmann::json& json, T& value, Fields which) {
  for_fields(value, [&](const char* name, auto& member) {
    auto found = json.find(name);
    for (const FormerName& one : former_names<T>)
      if (found == json.end() && one.now == name)
        found = json.find(one.then);
    if (found == json.end() && which == Fields::changed)
      return;
    try {
      read(found == json.end() ? json.at(name) : *found, member, which);
    } catch (const std::exception& error) {
      throw InputError(std::string(name) + ": " + error.what());
    }
  });
}

template <typename T>
void read(const nlohmann::json& json, T& value, Fields which) {
  if constexpr (std::is_same_v<T, Bytes>) {
    value = json.get_binary();
  } else if constexpr (is_shared<T>) {
    using Held = std::remove_const_t<typename T::element_type>;
    value = nullptr;
    if (!json.is_null()) {
      auto held = std::make_shared<Held>();
      read(json, *held, which);
      value = std::move(held);
    }
  } else if constexpr (is_optional<T>) {
    value.reset();
    if (!json.is_null())
      read(json, value.emplace(), which);
  } else if constexpr (std::is_same_v<T, Value>) {
    value = value_of(json);
  } else if constexpr (std::is_same_v<T, Configuration>) {
    value = {};
    for (const nlohmann::json& pair : json.get_ref<const nlohmann::json::array_t&>())
      value.emplace_back(pair.at(0).get<std::string>(), value_of(pair.at(1)));
  } else if constexpr (std::is_enum_v<T>) {
    value = from_text<T>(json.get_ref<const std::string&>());
  } else if constexpr (is_vector<T>) {
    value.clear();
    value.reserve(json.size());
    for (const nlohmann::json& element : json.get_ref<const nlohmann::json::array_t&>())
      read(element, value.emplace_back(), which);
  } else if constexpr (std::is_array_v<T>) {
    for (std::size_t i = 0; i < std::extent_v<T>; ++i)
      read(json.at(i), value[i], which);
  } else if constexpr (Fielded<T>) {
    read_struct(json, value, which);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    value = whole_of<T>(json);
  } else {
    json.get_to(value);
  }
}

} // namespace fields

template <Fielded T>
nlohmann::json to_fields(const T& value, Fields which = Fields::changed) {
  return fields::written(value, which);
}

/// @throws InputError naming the field, or nlohmann::json::exception where the JSON is no object.
template <typename T>
void read_fields(const nlohmann::json& json, T& value, Fields which = Fields::changed) {
  fields::read(json, value, which);
}

} // namespace gridsmith
