// SPDX-License-Identifier: Apache-2.0
// A folder with fake programs beside each other, and kernels for them.
#pragma once

#include "gridsmith/tests/files.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace gridsmith::test {

using Lines = std::vector<std::string>;

/// The lines of a file: of "log" beside the fakes, which processes were started and what was opened.
inline Lines said(const std::filesystem::path& file) {
  Lines lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// Copies the fakes under the real names.
inline void install_fakes(const std::filesystem::path& folder) {
  const std::filesystem::path built = GRIDSMITH_BINARY_DIR "/tests";
  std::filesystem::copy_file(built / "fake_worker", folder / "gridsmith-worker");
  std::filesystem::copy_file(built / "fake_compiler", folder / "gridsmith-compiler");
}

/// Gridsmith as if installed below `prefix`, with the fakes as its helpers. Returns the program.
inline std::filesystem::path install_with_fakes(const std::filesystem::path& prefix) {
  namespace fs = std::filesystem;
  fs::create_directories(prefix / "bin");
  fs::create_directories(prefix / "libexec" / "gridsmith");
  fs::copy(fs::path(GRIDSMITH_LIBRARY).parent_path(), prefix / "lib",
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  fs::copy_file(GRIDSMITH_PROGRAM, prefix / "bin" / "gridsmith");
  install_fakes(prefix / "libexec" / "gridsmith");
  return prefix / "bin" / "gridsmith";
}

/// A kernel whose parameters are X = 0 … count-1 and, where given, one more with these values.
inline std::filesystem::path write_kernel(const std::filesystem::path& folder,
                                          const std::string& name, int count,
                                          const std::string& extra = "",
                                          const std::string& extra_values = "") {
  write(folder / (name + ".cu"),
        "extern \"C\" __global__ void k(float* out) { out[threadIdx.x] = X; }\n");
  std::string parameters =
      R"json({"Name": "X", "Type": "int", "Values": "list(range(0, COUNT))"})json";
  parameters.replace(parameters.find("COUNT"), 5, std::to_string(count));
  if (!extra.empty())
    parameters += R"json(, {"Name": ")json" + extra + R"json(", "Type": "string", "Values": )json" +
                  extra_values + "}";
  std::string text = R"json({
  "General": {"BenchmarkName": "NAME"},
  "ConfigurationSpace": {"TuningParameters": [PARAMETERS], "Conditions": []},
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "k", "KernelFile": "NAME.cu",
    "ProblemSize": [32], "LocalSize": {"X": "32"}, "GridDivX": ["32"],
    "Arguments": [{"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly",
                   "FillType": "Constant", "FillValue": 0, "Size": "ProblemSize[0]", "Output": 1}]}
})json";
  text.replace(text.find("PARAMETERS"), 10, parameters);
  for (std::size_t at; (at = text.find("NAME")) != std::string::npos;)
    text.replace(at, 4, name);
  write(folder / (name + ".json"), text);
  return folder / (name + ".json");
}

} // namespace gridsmith::test
