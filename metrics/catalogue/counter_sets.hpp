// SPDX-License-Identifier: Apache-2.0
// Which counters are collected together: the words of --counters, and the names it takes besides
// them.
#pragma once

#include "gridsmith/metrics/catalogue/counters.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct CounterSet {
  std::string_view name; ///< "none", "default", "shared", "full"
  std::string_view summary;
  std::vector<std::string_view> counters; ///< portable names
};

const std::vector<CounterSet>& counter_sets();

/// What is to be collected on one chip.
struct WantedCounters {
  std::vector<std::string> names;   ///< CUPTI's, each once
  std::vector<std::string> missing; ///< what the chip does not count, one line each
};

/// @param wanted a set's word, or a list with commas: words of sets, counters and metrics by our
/// names, or anything by CUPTI's name with rollup ("sm__cycles_active.max").
/// @throws InputError for a name that is none of these, with the nearest.
WantedCounters wanted_counters(std::string_view wanted, std::string_view chip);

/// What finalists are counted with, where all are counted with `wanted`: the analysis needs more
/// than every configuration has to pay for.
std::string counters_of_finals(std::string_view wanted);

/// Whether CUPTI reads one of these counters of the catalogue.
bool are_profiled(std::span<const std::string_view> counters);

/// Without what the profiler or the board's sensor reads; "none" where nothing is left.
std::string of_results_alone(std::string_view wanted);

/// What is counted where these counters of the catalogue are needed too. @throws InputError as wanted_counters()
std::string with_counters(std::string_view wanted, std::span<const std::string_view> more);

} // namespace gridsmith
