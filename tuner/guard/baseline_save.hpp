// SPDX-License-Identifier: Apache-2.0
// Makes the entries of a baseline: measured where there is a GPU of the right kind, else compiled.
#pragma once

#include "gridsmith/results/check/baseline.hpp"
#include "gridsmith/tuner/guard/check.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

struct SaveSettings {
  /// How definitions are read and measured, and will be when they are checked: of its problems (empty: the definition's
  /// first), of the devices the first, include, conditions, seed and helpers. Its `only` is the configuration; empty: the
  /// best that its store has, else the definition's default.
  SessionSettings session = {};
  std::filesystem::path baseline = usual_baseline; ///< definitions are named from its folder
  std::vector<std::string> kernels = {};           ///< names of the catalogue, or files
  bool all_problems = false;                       ///< all of the definition
  std::vector<int> architectures = {}; ///< compiled for these alone; empty: measured on the device
  bool binaries_beside = false; ///< the old binaries are checked in too; else they are in the cache
};

/// What is to be saved, not yet made: kernel, definition, problem, configuration, architecture.
/// @throws InputError, NoSuchDevice
std::vector<BaselineEntry> wanted_entries(const SaveSettings& settings);

/// The same entries with all that can be known of them now, and their binaries kept. A stop throws
/// nothing away: what was made until then is returned.
/// @throws InputError; Error: one that does not compile or is not correct, which is no baseline
std::vector<BaselineEntry> made_entries(std::span<const BaselineEntry> wanted,
                                        const SaveSettings& settings, const std::stop_token& stop,
                                        const CheckListener& listener);

/// The best of each tuning on a GPU here, with the time and the counters that it had there: compiled, and its
/// binary kept, but not measured again. Replays, and tunings without a best, give none. A stop as above.
/// @param settings its kernels, sizes, device and conditions have no part in it
/// @throws Error: one that does not compile
std::vector<BaselineEntry> tuned_entries(std::span<const Outcome* const> tunings,
                                         const SaveSettings& settings, const std::stop_token& stop);

/// Puts entries in the place of those of the same kernel, problem and architecture, whatever their
/// configuration; others join them.
void put_entries(Baseline& baseline, std::span<const BaselineEntry> entries);

/// What is another one, in words: "0.1423 → 0.1501 ms (+5.5 %)", "32 → 40 registers".
std::vector<std::string> differences(const BaselineEntry& before, const BaselineEntry& now);

} // namespace gridsmith
