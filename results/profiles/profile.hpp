// SPDX-License-Identifier: Apache-2.0
// What another profiler measured: launches of kernels as ncu, nvprof and nsys write them down, and the
// same as recordings, so that all that looks back at measurements works on them.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// Times of several launches of which a file has no more than this; ms.
struct LaunchTimes {
  std::size_t calls = 0;
  std::optional<double> average_ms, median_ms, least_ms, most_ms;
};

/// One launch, or all launches of a kernel where a file says no more. What it does not say is empty.
struct ProfiledLaunch {
  std::string kernel;               ///< as printed
  std::string base;                 ///< without return type, template arguments and parameters
  std::string template_arguments;   ///< "32, float", in one spelling for all tools
  std::size_t device = 0;           ///< of Profile::devices
  std::optional<Geometry> geometry; ///< extents; dynamic shared memory is apart
  std::optional<std::int64_t> blocks, threads_per_block; ///< where a file has only these totals
  std::optional<std::int64_t> dynamic_shared_bytes;
  std::optional<double> time_ms;      ///< the kernel's own duration
  std::optional<LaunchTimes> several; ///< it stands for so many launches
  std::optional<int> registers;       ///< per thread
  std::optional<std::int64_t> static_shared_bytes, local_bytes;
  CounterValues counters;         ///< by CUPTI's names; bytes, ns, Hz, %, plain counts and ratios
  std::vector<std::string> notes; ///< what to know of its figures, a few words each
};

struct Profile {
  std::string tool; ///< "ncu", "nvprof", "nsys"
  std::string file;
  std::vector<Device> devices; ///< what the file says of them: at times no more than a number
  std::vector<ProfiledLaunch> launches;
  SetAside set_aside; ///< rows, values, metrics, by reason
};

/// Reads `ncu --csv` (pages raw and details), `nvprof --csv` (metrics, events, GPU trace, summary),
/// `nsys stats --format csv` (cuda_gpu_kern_sum, cuda_gpu_trace) and SQLite exports of nsys, recognised
/// by content; gzip is unpacked on the way.
/// @throws InputError naming the file and what is read, when it is none of these or holds no kernel
Profile read_profile(const std::filesystem::path& file);
/// The same of the text of a CSV file. @param name of the file, for errors
Profile read_profile(std::string_view text, const std::string& name);

/// Whether a file is of a format that is read; false for what cannot be opened too.
bool is_profile(const std::filesystem::path& file);

/// One per kernel (by its base name) and device, its measurements one per launch shape: parameters
/// TEMPLATE (where it has arguments), GRID and BLOCK ("32x8x1"), and SHARED (bytes of dynamic shared
/// memory) where that varies. Samples are the launches' own durations, counters the medians over
/// launches. "unknown" is the shape of a launch that the file does not tell.
std::vector<Recording> recordings_of(const Profile& profile);

} // namespace gridsmith
