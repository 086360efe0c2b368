// SPDX-License-Identifier: Apache-2.0
// What no output replaces: a store, a source, a definition, a recording, a profile, by what is in the file now.
#pragma once

#include <filesystem>
#include <string>

namespace gridsmith {

/// "is a store, which is not replaced", "belongs to the store a.db"; "" where the file may be written: it is not there, is empty,
/// or holds what Gridsmith wrote in this format before.
/// @param format a word of 'gridsmith export', or "report", "plot", "trace", "verdict", "baseline"
std::string why_kept(const std::filesystem::path& file, const std::string& format);

/// One file by two names, also where it is not there yet.
bool same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// What SQLite and Gridsmith keep next to a store: SQLite takes such a file for its own and removes it.
bool belongs_to(const std::filesystem::path& file, const std::filesystem::path& store);

} // namespace gridsmith
