// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/guard/profiler_command.hpp"

#include "gridsmith/metrics/catalogue/counter_sets.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

using CommandWords = std::vector<std::string>;

/// The time, and what is counted in two passes: each of them launches the kernel again.
std::string metrics_of_ncu(const std::string& chip) {
  return fmt::to_string(fmt::join(wanted_counters("default,shared", chip).names, ","));
}

/// Clocks at their base, as ncu holds them by itself; caches as the launch before left them.
CommandWords ncu(const std::string& name, const std::string& chip) {
  return {"ncu",
          "--target-processes",
          "all",
          "--profile-from-start",
          "off",
          "--cache-control",
          "none",
          "--metrics",
          metrics_of_ncu(chip),
          "--csv",
          "--page",
          "raw",
          "--print-units",
          "base",
          "--print-fp",
          "--log-file",
          name + ".ncu.csv"};
}

CommandWords nsys(const std::string& name, const std::string&) {
  return {"nsys",
          "profile",
          "--trace=cuda,nvtx",
          "--sample=none",
          "--cpuctxsw=none",
          "--capture-range=cudaProfilerApi",
          "--capture-range-end=stop",
          "--export=sqlite",
          "--force-overwrite=true",
          "--output=" + name + ".nsys"};
}

/// %p is the process: each of ours writes a file, the worker's has the launches.
CommandWords nvprof(const std::string& name, const std::string&) {
  return {"nvprof", "--profile-child-processes", "--profile-from-start", "off",
          "--csv",  "--print-gpu-trace",         "--log-file",           name + ".nvprof.%p.csv"};
}

bool is_plain(char letter) {
  constexpr std::string_view others = "_-./,=:+@%";
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || others.find(letter) != std::string_view::npos;
}

std::string quoted(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain))
    return word;
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

} // namespace

CommandWords profiler_command(ProfilerTool tool, const CommandWords& program,
                              const std::string& name, const std::string& chip) {
  constexpr std::array makers{ncu, nsys, nvprof}; // in the order of the words
  CommandWords command = makers[static_cast<std::size_t>(tool)](name, chip);
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

std::string shell_line(const CommandWords& words) {
  std::string line;
  for (const std::string& word : words)
    line += (line.empty() ? "" : " ") + quoted(word);
  return line;
}

} // namespace gridsmith
