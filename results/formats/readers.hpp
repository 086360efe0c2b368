// SPDX-License-Identifier: Apache-2.0
// The readers behind read_recording(): one per format, each told the file's text and name.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// All: @param text the unpacked file. @param name for errors.
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

} // namespace gridsmith
