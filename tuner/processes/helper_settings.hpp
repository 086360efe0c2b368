// SPDX-License-Identifier: Apache-2.0
// How the helpers (compilers and worker) are started and what they may do. One value that is handed
// on whole, from the command line or an embedding program to where a process is started.
#pragma once

#include "gridsmith/tuner/processes/installation.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>

namespace gridsmith {

struct HelperSettings {
  std::optional<std::size_t> compilers = {}; ///< processes; none: one per core
  /// NVRTC, the library to compile with; none: the compiler finds one.
  std::optional<std::filesystem::path> nvrtc = {};
  /// For definitions that are compiled by it; none: the toolkit's, or what PATH has.
  std::optional<std::filesystem::path> nvcc = {};
  bool cache = true; ///< false: everything is compiled again and no compiled kernel is kept
  /// Compilers and worker are confined as far as the system can; false: they have all rights of the
  /// user, for a driver that needs more.
  bool confined = true;
  /// One Gridsmith at a time measures on a GPU; true: where another does, this one measures at the same time as
  /// it, without counters, and its records serve no undisturbed run.
  bool share = false;
  Installation installation = find_installation();
};

} // namespace gridsmith
