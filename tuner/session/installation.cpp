#include "gridsmith/tuner/session/installation.hpp"

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
  found.programs = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& start : {found.programs, fs::current_path(error)})
    if (found.catalogue.empty())
      found.catalogue = upwards(start, fs::path("kernels") / "catalogue");
  return found;
}

} // namespace gridsmith
