// SPDX-License-Identifier: Apache-2.0
// The profiler that already watches this process, by what it leaves in the environment (ncu, nsys,
// nvprof, injection libraries). CUPTI refuses a second client, so ask before touching it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct AttachedProfiler {
  std::string tool;     ///< "Nsight Systems"
  std::string variable; ///< of the environment, by which it was recognised
};

/// "Nsight Systems watches this process (NSYS_PROFILING_SESSION_ID is set)"
std::string to_text(const AttachedProfiler& profiler);

/// @param environment entries "NAME=value"
std::optional<AttachedProfiler> find_profiler(const std::vector<std::string>& environment);
/// The same as its text; "" when there is none.
std::string attached_profiler_in(const std::vector<std::string>& environment);

/// Entries "NAME=value" of this process.
std::vector<std::string> own_environment();
/// In own_environment(), as its text; "" when there is none.
std::string attached_profiler();

} // namespace gridsmith
