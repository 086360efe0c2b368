// SPDX-License-Identifier: Apache-2.0
// The command line under which a profiler looks at what `gridsmith run` launches, and writes a file
// that `gridsmith check` reads.
#pragma once

#include "gridsmith/base/words.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

enum class ProfilerTool { ncu, nsys, nvprof };

template <>
struct Words<ProfilerTool> {
  static constexpr std::string_view kind = "profiler";
  static constexpr std::array<std::string_view, 3> list{"ncu", "nsys", "nvprof"};
};

/// @param program what is run, word by word
/// @param name of the files that are written, without ending
/// @param chip whose counters ncu reads; "": by the names that most chips have
std::vector<std::string> profiler_command(ProfilerTool tool,
                                          const std::vector<std::string>& program,
                                          const std::string& name, const std::string& chip);

/// As a POSIX shell reads it.
std::string shell_line(const std::vector<std::string>& words);

} // namespace gridsmith
