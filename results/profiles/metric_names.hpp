// SPDX-License-Identifier: Apache-2.0
// CUPTI's names for what other tools call differently. Only where both mean the same; the rest keeps
// its own name, so that nobody takes it for what it is not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

struct CounterName {
  std::string name;  ///< CUPTI's, with rollup
  double factor = 1; ///< value in base units * factor = value of the counter
};

/// Of a metric or event of nvprof ("achieved_occupancy").
std::optional<CounterName> counter_of_nvprof(std::string_view metric);

/// Of a row of ncu's details page, by section and label.
std::optional<CounterName> counter_of_ncu_label(std::string_view section, std::string_view label);

/// A name that no tool of CUPTI's has: "nvprof", "Flop Count/SP" -> "nvprof__flop_count_sp".
std::string foreign_counter(std::string_view tool, std::string_view metric);

} // namespace gridsmith
