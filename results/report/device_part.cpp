// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/report/device_part.hpp"

#include "gridsmith/metrics/device/capability.hpp"
#include "gridsmith/results/report/words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

std::string capability_text(int capability) {
  return capability > 0 ? fmt::format("{}.{}", capability / 10, capability % 10) : "";
}

} // namespace

Ordered device_json(const Device& device) {
  Ordered json = {{"name", device.name},
                  {"compute_capability", capability_text(device.compute_capability)}};
  Ordered& facts = json["facts"] = Ordered::object();
  for (const auto& [name, value] : device_facts(device))
    if (value > 0)
      facts[name] = value;
  return json;
}

Ordered peaks_json(const Peaks& peaks) {
  Ordered list = Ordered::array();
  for (const Peak& one : peaks) {
    const PeakWord* word = find_peak_word(one.name);
    list.push_back({{"name", one.name},
                    {"value", one.value},
                    {"unit", one.unit},
                    {"words", word ? word->bounds : ""},
                    {"date", one.date}});
  }
  return list;
}

Ordered workload_json(const Workload& workload) {
  Ordered json = Ordered::object();
  if (workload.model_flops > 0)
    json["flops"] = workload.model_flops;
  if (workload.model_bytes > 0)
    json["bytes"] = workload.model_bytes;
  return json;
}

Ordered limits_json(const Device& device) {
  if (device.compute_capability == 0 || device.max_threads_per_sm == 0)
    return nullptr;
  const CapabilityLimits& rules = limits_of_capability(device.compute_capability);
  return {{"warp_size", device.warp_size},
          {"max_threads_per_block", device.max_threads_per_block},
          {"max_threads_per_sm", device.max_threads_per_sm},
          {"max_blocks_per_sm", device.max_blocks_per_sm},
          {"registers_per_sm", device.registers_per_sm},
          {"registers_per_block", device.registers_per_block},
          {"max_registers_per_thread", rules.max_registers_per_thread},
          {"register_granularity", rules.register_granularity},
          {"sub_partitions", rules.sub_partitions},
          {"shared_bytes_per_sm", device.shared_bytes_per_sm},
          {"shared_bytes_per_block", device.shared_bytes_per_block},
          {"shared_bytes_per_block_optin", device.shared_bytes_per_block_optin},
          {"reserved_shared_bytes_per_block", device.reserved_shared_bytes_per_block},
          {"shared_unit", rules.shared_unit},
          {"barriers_per_sm", rules.barriers_per_sm}};
}

} // namespace gridsmith
