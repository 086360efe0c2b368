// SPDX-License-Identifier: Apache-2.0
// An author with a small kernel and its definition, changed as a test wants it, and the program's words.
#pragma once

#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridsmith::test {

inline constexpr std::string_view author_source = R"(#define plain 1
#define turned 2
extern "C" __global__ void __launch_bounds__(THREADS) k(float* out, const float* in, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
#if METHOD == plain
  if (i < n) out[i] = in[i];
#elif METHOD == turned
  if (i < n) out[i] = in[n - 1 - i];
#else
#error no such method
#endif
}
template <typename T, int THREADS>
__global__ void typed(T* out) {
  *out = THREADS;
}
)";

inline constexpr std::string_view author_definition = R"gs({
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "THREADS", "Values": [32, 64, 128, 256, 512], "Default": 128},
      {"Name": "METHOD", "Values": ["plain", "turned"], "Default": "plain"}
    ],
    "Conditions": [{"Expression": "METHOD == 'plain' or THREADS == 512"}]
  },
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "ProblemSize": [65536],
    "LocalSize": {"X": "THREADS"}, "GridDivX": "THREADS",
    "Arguments": [
      {"Name": "out", "Type": "float", "MemoryType": "Vector", "Size": "n", "Output": 1},
      {"Name": "in", "Type": "float", "MemoryType": "Vector", "FillType": "Random", "FillValue": 1, "Size": "n"},
      {"Name": "n", "Type": "int", "MemoryType": "Scalar"}
    ]
  },
  "Gridsmith": {"Extents": ["n"], "Scalars": {"n": "n"}, "WorkModel": {"Bytes": "8 * n"}}
})gs";

/// A folder with k.json, changed as a test wants it, and its source.
class Author {
public:
  int run(const std::string& words) const {
    return shell_.run(
        {"-c", "cd '" + shell_.folder().string() + "'; '" GRIDSMITH_PROGRAM "' " + words});
  }

  /// Each pair: a text of the good one, and what stands in its place.
  int check(const std::vector<std::pair<std::string, std::string>>& changes = {},
            const std::string& options = "") const {
    std::string text(author_definition), kernels(author_source);
    for (const auto& [from, to] : changes) {
      std::string& changed = author_definition.find(from) == std::string::npos ? kernels : text;
      REQUIRE(changed.find(from) != std::string::npos);
      changed.replace(changed.find(from), from.size(), to);
    }
    // The second kernel is an error, which only its own test wants.
    if (text.find("\"typed<") == std::string::npos)
      kernels.erase(kernels.find("template"));
    write(shell_.folder() / "k.json", text);
    write(shell_.folder() / "k.cu", kernels);
    return run("check-definition k.json " + options);
  }

  std::string said() const { return unwrapped(shell_.out() + shell_.err()); }

  std::string out() const { return shell_.out(); }

  std::string err() const { return shell_.err(); }

  const std::filesystem::path& folder() const { return shell_.folder(); }

private:
  Program shell_{"/bin/sh"};
};

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

} // namespace gridsmith::test
