// SPDX-License-Identifier: Apache-2.0
// Kernels with inputs as users have them, tuned by the whole program on a real GPU: a gather by a
// permutation, a product of a sparse matrix and a vector, rows with a pitch from a .npy file, a texture,
// a struct by value, an output of which a part is verified against a reference with arguments of its own.
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/results/readers/read_recording.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <filesystem>

using namespace gridsmith;

TEST_CASE("kernels with inputs of every sort are verified and timed") {
  for (const auto& [name, configurations] : {std::pair{"gather", 3u},
                                             {"spmv", 6u},
                                             {"rows", 2u},
                                             {"texels", 2u},
                                             {"ghosts", 3u},
                                             {"partly", 3u}}) {
    const auto file = std::filesystem::temp_directory_path() / "gridsmith_inputs.json";
    std::filesystem::remove(file);
    const auto definition = std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "tests" / "gpu" /
                            "inputs" / (std::string(name) + ".json");
    const ProgramOutput output = run_program(
        GRIDSMITH_PROGRAM,
        {"tune", definition.string(), "--exhaustive", "--no-store", "--record", file.string()},
        std::chrono::minutes(3));
    INFO(output.text);
    REQUIRE(output.good);
    const Recording recording = read_recording(file);
    CHECK(recording.measurements.size() == configurations);
    for (const Measurement& measurement : recording.measurements) {
      INFO(measurement.reason);
      CHECK(measurement.status == Status::correct);
    }
  }
}

TEST_CASE("a metric of the definition's own counters is what is tuned for") {
  const auto definition =
      std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "tests" / "gpu" / "inputs" / "partly.json";
  const ProgramOutput output = run_program(
      GRIDSMITH_PROGRAM,
      {"tune", definition.string(), "--no-store", "--json", "--objective", "branches_per_warp"},
      std::chrono::minutes(3));
  INFO(output.text);
  if (output.text.find("not permitted") != std::string::npos)
    return; // it is made of counters
  CHECK(output.text.find("\"objective\": \"branches_per_warp\"") != std::string::npos);
  CHECK(output.text.find("\"branches_per_warp\":") != std::string::npos);
}
