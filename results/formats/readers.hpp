// SPDX-License-Identifier: Apache-2.0
// The formats that we read, each in the file of its name and known by the members at a file's top level. To add
// one: a file here with its reader, and its row in this table.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

inline constexpr const char *recording_member = "gridsmith recording", *t4_member = "results",
                            *ktt_member = "Results", *wisdom_member = "tunable_parameters",
                            *cache_keys_member = "tune_params_keys",
                            *cache_values_member = "tune_params", *cache_member = "cache";

/// All readers: @param text the unpacked file. @param name for errors.
/// @throws InputError "name:line:column: what was expected".
Recording read_gridsmith_recording(std::string_view text, const std::string& name);
/// Kernel Tuner's cache file; one cut off in the middle gives the rows that are whole.
Recording read_kernel_tuner_cache(std::string_view text, const std::string& name);
/// T4 results, schema 1.0.0.
Recording read_t4(std::string_view text, const std::string& name);
/// KTT's JSON results, with counters and compile data.
Recording read_ktt(std::string_view text, const std::string& name);
/// Kernel Launcher's wisdom: one recording per device, problem and conditions; at least one.
std::vector<Recording> read_wisdom(std::string_view text, const std::string& name);
/// The same of a file that has no more than one. @throws InputError also where there are several
Recording read_only_wisdom(std::string_view text, const std::string& name);

/// A file is of the format of the first of these that it has at its top level.
struct ReaderEntry {
  std::string_view member;
  Recording (*read)(std::string_view text, const std::string& name);
};

inline constexpr std::array<ReaderEntry, 7> recording_readers{
    {{recording_member, read_gridsmith_recording},
     {cache_keys_member, read_kernel_tuner_cache},
     {cache_values_member, read_kernel_tuner_cache},
     {cache_member, read_kernel_tuner_cache},
     {t4_member, read_t4},
     {ktt_member, read_ktt},
     {wisdom_member, read_only_wisdom}}};

} // namespace gridsmith
