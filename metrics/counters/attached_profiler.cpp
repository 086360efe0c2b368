// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/counters/attached_profiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

extern char** environ; // POSIX

namespace gridsmith {
namespace {

// What the tools leave in the environment of what they start: CUPTI documentation (injection
// variables), NVTX.jl and GROMACS (names per tool). The prefix NSYS_ alone is not a sign: clusters
// set NSYS_HOME and the like without a profiler.
struct Trace {
  std::string_view variable;
  std::string_view tool;
  bool prefix = false;
};

constexpr std::array<Trace, 10> traces = {{
    {"NSYS_PROFILING_SESSION_ID", "Nsight Systems"},
    {"NSYSDK_", "Nsight Systems", true},
    {"QUADD_", "Nsight Systems", true},
    {"NV_NSIGHT_", "Nsight Compute", true},
    {"NV_TPS_", "Nsight Compute", true},
    {"NV_COMPUTE_PROFILER_", "Nsight Compute", true},
    {"NVPROF_ID", "nvprof"},
    {"CUDA_INJECTION64_PATH", "an injected tool"},
    {"NVTX_INJECTION64_PATH", "an injected tool"},
    {"LD_PRELOAD", "a preloaded tool"},
}};

// Preloading is common (allocators, tracers); only these names are CUDA tools.
constexpr std::array<std::string_view, 6> preloaded_tools = {
    "nsight", "nsys", "ToolsInjection", "TargetInjection", "compute-sanitizer", "libcupti"};

bool names_a_tool(std::string_view value) {
  return std::any_of(preloaded_tools.begin(), preloaded_tools.end(), [&](std::string_view tool) {
    return value.find(tool) != std::string_view::npos;
  });
}

bool matches(const Trace& trace, std::string_view name, std::string_view value) {
  if (value.empty())
    return false;
  if (trace.prefix)
    return name.substr(0, trace.variable.size()) == trace.variable;
  return name == trace.variable && (name != "LD_PRELOAD" || names_a_tool(value));
}

} // namespace

std::string to_text(const AttachedProfiler& profiler) {
  return fmt::format("{} watches this process ({} is set)", profiler.tool, profiler.variable);
}

std::optional<AttachedProfiler> find_profiler(const std::vector<std::string>& environment) {
  for (const auto& trace : traces)
    for (const std::string_view entry : environment) {
      const auto equals = entry.find('=');
      if (equals == std::string_view::npos)
        continue;
      const auto name = entry.substr(0, equals);
      if (matches(trace, name, entry.substr(equals + 1)))
        return AttachedProfiler{std::string(trace.tool), std::string(name)};
    }
  return std::nullopt;
}

std::string attached_profiler_in(const std::vector<std::string>& environment) {
  const auto found = find_profiler(environment);
  return found ? to_text(*found) : "";
}

std::vector<std::string> own_environment() {
  std::vector<std::string> environment;
  for (char** entry = environ; entry && *entry; ++entry)
    environment.emplace_back(*entry);
  return environment;
}

std::string attached_profiler() {
  return attached_profiler_in(own_environment());
}

} // namespace gridsmith
