// SPDX-License-Identifier: Apache-2.0
// Measurements of files, taken into a store as what they are: in scopes of their own, of the device,
// at the date and under the conditions that the file says. No tuning on a GPU finds them there.
#pragma once

#include "gridsmith/results/store/store.hpp"

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// The source_hash of records from a file: replayed_prefix, then the hash of its content.
std::string replayed_hash(const std::filesystem::path& file);

/// The key of records that are kept of a file. @param format of the file
ScopeKey key_of_file(const Origin& origin, const std::string& source_hash,
                     const std::string& format);

/// Those of configurations that the scope has no record of, so that a second replay adds nothing.
std::vector<Measurement> missing(const Store& store, ScopeId scope,
                                 const std::vector<Measurement>& measurements);

/// A recording of a file. What the store has already of that kernel, problem and device is not added
/// again, whichever file it came from; where nothing is new no scope is made.
/// @param source_hash as replayed_hash() of the file
/// @throws StoreError; then nothing was taken
Taken import_recording(Store& store, Recording recording, const std::string& source_hash);

/// Opens a store, or creates it, for changes that are made together or not at all: what `change`
/// throws leaves the store as it was, and none where there was none.
/// @throws as Store::open, and as `change`
void change_store(const std::filesystem::path& file, const std::function<void(Store&)>& change);

} // namespace gridsmith
