// SPDX-License-Identifier: Apache-2.0
// Compiled kernels on disk, found by content: key = source with its own headers, options,
// architecture and toolkit. Entries appear whole or not at all; the folder is kept below a size. A
// cache that cannot be written is no error: it is just not there. What must outlive the cache is a
// CodeObject, which is known by its own content.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace gridsmith {

/// The key of a compilation, hex: of all that it can read.
/// @param toolkit everything that identifies it
std::string compile_key(const CompileRequest& request, int compute_capability,
                        const std::string& toolkit);

class CubinCache {
public:
  /// An empty folder name: no cache.
  CubinCache(std::filesystem::path folder, std::uint64_t limit_bytes);

  /// That there is an entry, not yet that it is whole.
  bool contains(const std::string& key) const;
  /// Null when there is none. A damaged entry counts as absent and is removed.
  std::shared_ptr<CodeObject> find(const std::string& key) const;
  /// Only what compiled is kept.
  void add(const std::string& key, const CodeObject& code);
  /// Removes the entries used longest ago until the folder is below its limit.
  void trim() const;

private:
  std::filesystem::path path_of(const std::string& key) const;

  std::filesystem::path folder_;
  std::uint64_t limit_bytes_;
};

/// Where the cache lives by default: $XDG_CACHE_HOME/gridsmith, else ~/.cache/gridsmith; empty when
/// neither is known.
std::filesystem::path default_cache_folder();

} // namespace gridsmith
