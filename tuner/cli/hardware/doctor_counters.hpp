// SPDX-License-Identifier: Apache-2.0
// The doctor's word on counters: whether they can be read on the devices, and what to do where not.
#pragma once

#include "gridsmith/metrics/counters/counter_remedy.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

struct CounterFinding {
  std::vector<int> devices; ///< ordinals it is true of; empty: there is none
  CounterProbe probe;
  CounterAnswer answer;
};

/// One counter is read on every device that no other Gridsmith measures on; where all is the same,
/// there is one finding.
/// @param system as read_surroundings() takes it
std::vector<CounterFinding> examine_counters(const std::filesystem::path& helpers,
                                             const std::vector<Device>& devices,
                                             const std::filesystem::path& system);

/// Line "counters" and the remedies below it; what is to be copied is not broken.
/// @param column, width as two_columns() takes them
std::string counters_text(const std::vector<CounterFinding>& findings, std::size_t column,
                          std::size_t width);
/// A list with an object for each finding.
nlohmann::json counters_json(const std::vector<CounterFinding>& findings);

} // namespace gridsmith
