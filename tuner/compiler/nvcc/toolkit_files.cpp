// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/nvcc/toolkit_files.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/folder.hpp"

#include <algorithm>
#include <string_view>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

std::string described(const fs::directory_entry& file, const std::string& name) {
  std::error_code ignored;
  return name + '\0' + std::to_string(file.file_size(ignored)) + '\0' +
         std::to_string(file.last_write_time(ignored).time_since_epoch().count());
}

} // namespace

std::string listing_hash(const std::vector<fs::path>& folders, const std::vector<fs::path>& files) {
  std::vector<std::string> listed;
  std::error_code error;
  for (const fs::path& folder : folders)
    for (const auto& entry : entries_below(folder, error,
                                           fs::directory_options::follow_directory_symlink |
                                               fs::directory_options::skip_permission_denied))
      if (entry.is_regular_file(error))
        listed.push_back(described(entry, entry.path().string()));
  for (const fs::path& file : files)
    listed.push_back(described(fs::directory_entry(file, error), file.filename().string()));
  std::sort(listed.begin(), listed.end());
  const std::vector<std::string_view> parts(listed.begin(), listed.end());
  return sha256_hex_of(parts);
}

} // namespace gridsmith
