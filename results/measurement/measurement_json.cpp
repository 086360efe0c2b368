#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/base/error.hpp"

#include <nlohmann/json.hpp>

#include <type_traits>

namespace gridsmith {
namespace {

using nlohmann::json;

/// One list of a struct's fields serves both directions.
template <class D, class Field>
void each_field(D& device, Field&& field) requires std::is_same_v<std::remove_const_t<D>, Device> {
  field("name", device.name);
  field("uuid", device.uuid);
  field("chip", device.chip);
  field("ordinal", device.ordinal);
  field("compute_capability", device.compute_capability);
  field("sm_count", device.sm_count);
  field("warp_size", device.warp_size);
  field("warp_schedulers_per_sm", device.warp_schedulers_per_sm);
  field("max_threads_per_block", device.max_threads_per_block);
  field("max_threads_per_sm", device.max_threads_per_sm);
  field("max_blocks_per_sm", device.max_blocks_per_sm);
  field("max_block_extent", device.max_block_extent);
  field("max_grid_extent", device.max_grid_extent);
  field("registers_per_sm", device.registers_per_sm);
  field("registers_per_block", device.registers_per_block);
  field("shared_bytes_per_sm", device.shared_bytes_per_sm);
  field("shared_bytes_per_block", device.shared_bytes_per_block);
  field("shared_bytes_per_block_optin", device.shared_bytes_per_block_optin);
  field("reserved_shared_bytes_per_block", device.reserved_shared_bytes_per_block);
  field("l2_bytes", device.l2_bytes);
  field("memory_bytes", device.memory_bytes);
  field("sm_clock_khz", device.sm_clock_khz);
  field("memory_clock_khz", device.memory_clock_khz);
  field("memory_bus_bits", device.memory_bus_bits);
  field("peak_dram_gb_per_s", device.peak_dram_gb_per_s);
  field("measured_copy_gb_per_s", device.measured_copy_gb_per_s);
  field("peak_fp32_gflop_per_s", device.peak_fp32_gflop_per_s);
  field("driver_version", device.driver_version);
  field("toolkit_version", device.toolkit_version);
}

template <class F, class Field>
void each_field(F& facts,
                Field&& field) requires std::is_same_v<std::remove_const_t<F>, CompileFacts> {
  field("registers_per_thread", facts.registers_per_thread);
  field("static_shared_bytes", facts.static_shared_bytes);
  field("local_bytes", facts.local_bytes);
  field("spill_store_bytes", facts.spill_store_bytes);
  field("spill_load_bytes", facts.spill_load_bytes);
  field("constant_bytes", facts.constant_bytes);
  field("max_threads_per_block", facts.max_threads_per_block);
  field("block_barriers", facts.block_barriers);
}

template <class G, class Field>
void each_field(G& geometry,
                Field&& field) requires std::is_same_v<std::remove_const_t<G>, Geometry> {
  field("grid", geometry.grid);
  field("block", geometry.block);
  field("dynamic_shared_bytes", geometry.dynamic_shared_bytes);
}

/// The fields of a measurement that JSON and C++ hold alike.
template <class M, class Field>
void each_field(M& measurement,
                Field&& field) requires std::is_same_v<std::remove_const_t<M>, Measurement> {
  field("reason", measurement.reason);
  field("times_ms", measurement.times_ms);
  field("raced_out", measurement.raced_out);
  field("warm", measurement.warm);
  field("counters", measurement.counters);
  field("uncounted_because", measurement.uncounted_because);
  field("sm_clock_mhz", measurement.sm_clock_mhz);
  field("compile_ms", measurement.compile_ms);
  field("gpu_ms", measurement.gpu_ms);
  field("verify_ms", measurement.verify_ms);
  field("time_ms", measurement.time_ms);
  field("count_ms", measurement.count_ms);
  field("when", measurement.when);
}

/// Fields that differ from a fresh value's.
template <class T>
json changed_fields(const T& value) {
  json out = json::object();
  json defaults = json::object();
  const T fresh{};
  each_field(fresh, [&](const char* name, const auto& field) { defaults[name] = field; });
  each_field(value, [&](const char* name, const auto& field) {
    json text = field;
    if (text != defaults[name])
      out[name] = std::move(text);
  });
  return out;
}

template <class T, std::size_t n>
void read_field(const json& from, T (&to)[n]) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] = from.at(i).get<T>();
}

template <class T>
void read_field(const json& from, T& to) {
  to = from.get<T>();
}

template <class T>
void read_fields(const json& from, T& to) {
  each_field(to, [&](const char* name, auto& field) {
    if (const auto found = from.find(name); found != from.end())
      read_field(*found, field);
  });
}

json value_to_json(const Value& value) {
  return std::visit([](const auto& held) { return json(held); }, value);
}

Value value_from_json(const json& from) {
  if (from.is_boolean())
    return from.get<bool>();
  if (from.is_number_integer())
    return from.get<std::int64_t>();
  if (from.is_number())
    return from.get<double>();
  if (from.is_string())
    return from.get<std::string>();
  throw InputError("expected a parameter's value: a number, a string, true or false");
}

} // namespace

void to_json(json& out, const Measurement& measurement) {
  out = changed_fields(measurement);
  json configuration = json::array();
  for (const auto& [name, value] : measurement.configuration)
    configuration.push_back({name, value_to_json(value)});
  out["configuration"] = std::move(configuration);
  out["status"] = to_text(measurement.status);
  if (measurement.stated_ms)
    out["stated_ms"] = *measurement.stated_ms;
  if (measurement.geometry != Geometry{})
    out["geometry"] = changed_fields(measurement.geometry);
  if (measurement.compile_facts)
    out["compile_facts"] = changed_fields(*measurement.compile_facts);
}

void from_json(const json& from, Measurement& measurement) {
  measurement = {};
  read_fields(from, measurement);
  for (const json& pair : from.at("configuration"))
    measurement.configuration.emplace_back(pair.at(0).get<std::string>(),
                                           value_from_json(pair.at(1)));
  measurement.status = status_from_text(from.at("status").get<std::string>());
  if (const auto stated = from.find("stated_ms"); stated != from.end())
    measurement.stated_ms = stated->get<double>();
  if (const auto geometry = from.find("geometry"); geometry != from.end())
    read_fields(*geometry, measurement.geometry);
  if (const auto facts = from.find("compile_facts"); facts != from.end())
    read_fields(*facts, measurement.compile_facts.emplace());
}

void to_json(json& out, const Device& device) {
  out = changed_fields(device);
}

void from_json(const json& from, Device& device) {
  device = {};
  read_fields(from, device);
}

} // namespace gridsmith
