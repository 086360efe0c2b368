// SPDX-License-Identifier: Apache-2.0
// Kernels with inputs as users have them, tuned by the whole program on a real GPU: a gather by a
// permutation, a product of a sparse matrix and a vector, rows with a pitch from a .npy file, a texture,
// a struct by value, an output of which a part is verified against a reference with arguments of its own. And results
// other than time: errors, energy, fronts.
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>

namespace inputs_test {

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

namespace {

ProgramOutput tuned(const std::string& input, std::vector<std::string> options) {
  std::vector<std::string> words = {
      "tune",
      (std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "tests" / "gpu" / "inputs" / (input + ".json"))
          .string(),
      "--no-store", "--json"};
  words.insert(words.end(), options.begin(), options.end());
  return run_program(GRIDSMITH_PROGRAM, words, std::chrono::minutes(5));
}

nlohmann::json json_of(const ProgramOutput& output) {
  return nlohmann::json::parse(output.text.substr(output.text.find('{')));
}

} // namespace

TEST_CASE("precision is a parameter and the error a result: the front has all three") {
  const ProgramOutput output = tuned("precision", {"--objectives", "time,rms_error", "--exhaustive",
                                                   "--counters", "mean_abs_error,mean_rel_error"});
  INFO(output.text);
  REQUIRE(output.good);
  const nlohmann::json json = json_of(output);
  CHECK(json["status"]["correct"] == 48);
  std::set<int> bits;
  double before = 1;
  for (const nlohmann::json& point : json["front"]) {
    bits.insert(point["configuration"]["BITS"].get<int>());
    CHECK(point["second"].get<double>() < before);
    before = point["second"];
  }
  CHECK(bits.contains(32));
  CHECK(bits.contains(16));
  CHECK(before < 1e-4); // sums in single precision
  for (const nlohmann::json& one : json["ranking"]) {
    const auto of = [&](const std::string& error) {
      return one["counters"]["result__" + error].get<double>();
    };
    CHECK(of("abs_difference.avg") > 0);
    CHECK(of("abs_difference.avg") < of("difference.rms"));
    CHECK(of("rel_difference.avg") > 0);
  }
}

TEST_CASE("what a condition on errors refuses fails with the value") {
  const ProgramOutput output = tuned("strict", {"--exhaustive", "--counters", "none"});
  INFO(output.text);
  REQUIRE(output.good);
  const nlohmann::json json = json_of(output);
  CHECK(json["status"]["correct"] == 16);
  CHECK(json["status"]["correctness"] == 32);
  CHECK(output.text.find("accepted: rms_error < 1e-4") != std::string::npos);
}

TEST_CASE("energy has an interval, and is more than the idle board's") {
  const ProgramOutput output = tuned("precision", {"--objective", "energy_mj", "--counters", "none",
                                                   "--evaluations", "12", "--finalists", "2"});
  INFO(output.text);
  if (output.text.find("not counted: ") != std::string::npos)
    return; // no sensor, or a board that others use
  REQUIRE(output.good);
  const nlohmann::json best = json_of(output)["best"];
  const auto of = [&](const char* counter) { return best["counters"][counter].get<double>(); };
  CHECK(of("nvml__launch_energy_low.mj") <= of("nvml__launch_energy.mj"));
  CHECK(of("nvml__launch_energy_high.mj") < 1.1 * of("nvml__launch_energy.mj"));
  CHECK(of("nvml__board_power.w") > 1.05 * of("nvml__idle_power.w"));
  CHECK(best["metrics"]["energy_mj"] == of("nvml__launch_energy.mj"));
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

} // namespace inputs_test
