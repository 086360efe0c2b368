#include "gridsmith/tuner/session/installation.hpp"

#include "gridsmith_build/build_info.hpp"

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

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
  std::error_code error;
  Installation found;
  const fs::path self = fs::read_symlink("/proc/self/exe", error).parent_path();
  found.programs = upwards(self, build_info::programs_folder);
  found.catalogue = upwards(self, build_info::catalogue_folder);
  return found;
}

} // namespace gridsmith
