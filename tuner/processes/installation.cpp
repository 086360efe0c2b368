// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/installation.hpp"

#include "gridsmith_build/build_info.hpp"
#include <dlfcn.h>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// The file that this code is in: the library, or the program that it was linked into. Empty where
/// the loader knows only a bare name.
fs::path this_file() {
  Dl_info found{};
  std::error_code error;
  if (::dladdr(reinterpret_cast<const void*>(&find_installation), &found) == 0 || !found.dli_fname)
    return {};
  return fs::canonical(found.dli_fname, error);
}

/// The first folder from `start` upwards that has `child`, joined with it; empty when none has.
fs::path upwards(fs::path start, const fs::path& child) {
  std::error_code error;
  for (;; start = start.parent_path()) {
    if (fs::is_directory(start / child, error))
      return start / child;
    if (start == start.parent_path())
      return {};
  }
}

} // namespace

Installation find_installation() {
  const fs::path file = this_file();
  if (file.empty())
    return {};
  const fs::path folder = file.parent_path();
  return {.programs = upwards(folder, build_info::programs_folder),
          .catalogue = upwards(folder, build_info::catalogue_folder)};
}

} // namespace gridsmith
