// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/find_program.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> path_folders() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path ? path : ""; !rest.empty();) {
    const std::size_t end = rest.find(':');
    if (end != 0)
      folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return folders;
}

} // namespace

std::optional<fs::path> find_program(std::initializer_list<const char*> names,
                                     std::vector<fs::path> folders) {
  const std::vector<fs::path> more = path_folders();
  folders.insert(folders.end(), more.begin(), more.end());
  for (const char* name : names)
    for (const fs::path& folder : folders)
      if (::access((folder / name).c_str(), X_OK) == 0)
        return folder / name;
  return std::nullopt;
}

} // namespace gridsmith
