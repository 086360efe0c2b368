// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/folder.hpp"

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

template <typename Iterator>
std::vector<fs::directory_entry> all_of(const fs::path& folder, fs::directory_options options,
                                        std::error_code& error) {
  std::vector<fs::directory_entry> entries;
  for (Iterator at(folder, options, error), end; !error && at != end; at.increment(error))
    entries.push_back(*at);
  return entries;
}

} // namespace

std::vector<fs::directory_entry> entries_of(const fs::path& folder, std::error_code& error) {
  return all_of<fs::directory_iterator>(folder, {}, error);
}

std::vector<fs::directory_entry> entries_below(const fs::path& folder, std::error_code& error,
                                               fs::directory_options options) {
  return all_of<fs::recursive_directory_iterator>(folder, options, error);
}

} // namespace gridsmith
