// SPDX-License-Identifier: Apache-2.0
// Why one measured configuration takes as long as it does: the verdict on its launch, what it moved
// beside what it had to, and where it stands below the device's limits. Pure functions of a
// measurement and its recording.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/metrics/analysis/little.hpp"
#include "gridsmith/metrics/analysis/verdict.hpp"
#include "gridsmith/metrics/device/roofline.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

struct LaunchExplanation {
  Configuration configuration;
  std::optional<double> time_ms; ///< median of the timed launches
  Verdict verdict;
  /// Effective bandwidth, DRAM throughput and why they differ, a sentence each.
  std::vector<std::string> traffic;
  Roofline roofline;                                 ///< ceilings that are known
  std::vector<std::pair<std::string, double>> busy;  ///< as busy_units() has them
  std::vector<std::pair<std::string, double>> waits; ///< percent of the waiting, the most first
  std::optional<BytesInFlight> little;               ///< none: not told by what is known
};

/// "uncoalesced access".
std::string plain_words(Cause cause);

/// How busy each unit that was counted was, the busiest first; the one definition of it: percent of the
/// highest rate measured on the device where one was, else of the unit's own peak; at most 100.
std::vector<std::pair<std::string, double>> busy_units(const Recording& recording,
                                                       const Measurement& measurement);

/// "1.7 to 3.2 times as fast without it"; of a small cause that it is small.
std::string gain_text(const Finding& finding);

/// As all our JSON has a cause: its gain (the likely one) and the interval of it, null where it cannot be told; its
/// places with their number of instructions.
nlohmann::ordered_json finding_json(const Finding& finding);

/// How what was not counted is to be had, one line. @param definition of the kernel; nullptr: none is at hand
std::string how_to_count(const KernelDefinition* definition, const std::string& problem);

/// What limits it, and the first two causes, in a sentence without its stop; where nothing is known, what
/// was not counted and how it is to be had.
std::string why_text(const Verdict& verdict, const std::string& how_to_count);

/// @param code of its machine code; nullptr: not read
/// @param fast_math of the same source compiled with fast math; nullptr: it was not
LaunchExplanation explain(const Recording& recording, const Measurement& measurement,
                          const CodeFacts* code = nullptr, const CodeFacts* fast_math = nullptr);

/// What limits it, and why, by its counters alone.
Verdict verdict_on(const Measurement& measurement, const Recording& recording);

} // namespace gridsmith
