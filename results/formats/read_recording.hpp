// SPDX-License-Identifier: Apache-2.0
// Reads recordings from files, whatever their format.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// Reads any of the formats, recognised by content; gzip is unpacked on the way. Survives what real
/// files hold: failures as words or sentinels, NaN, holes, duplicates (the first counts), a file
/// cut off in the middle of a row; all of that is counted in set_aside.
/// @throws InputError "file:line:column: what was expected".
Recording read_recording(const std::filesystem::path& file);
/// The same of a file's unpacked text, well-formed UTF-8. @param name of the file, for errors
Recording read_recording(std::string_view text, const std::string& name);
/// All of a file: a wisdom file may hold several devices and problems, any other format has one.
std::vector<Recording> read_recordings(std::string_view text, const std::string& name);

/// Whether a file is of a format that is read, by what its top level holds; false for what cannot be
/// opened too.
bool is_recording(const std::filesystem::path& file);

} // namespace gridsmith
