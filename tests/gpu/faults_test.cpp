// SPDX-License-Identifier: Apache-2.0
// The fault matrix on a real GPU: one kernel, one way to fail per value of FAULT, tuned by the
// whole program. Every fault is recorded with its status, the best is right, nothing is lost.
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

namespace faults_test {

using namespace gridsmith;

namespace {

struct Fault {
  const char* name;
  Status status;
  const char* said; ///< part of the reason
};

/// By the value of FAULT; 12 is left to the constraints.
const std::map<std::int64_t, Fault> faults = {
    {1, {"compile error", Status::compile, "undeclared_name"}},
    {2, {"wrong result", Status::correctness, "1000"}},
    {3, {"NaN result", Status::correctness, "1000"}},
    {4, {"unwritten element", Status::correctness, "1000"}},
    {5, {"write past the end", Status::correctness, "past"}},
    {6, {"illegal address", Status::runtime, "llegal"}},
    {7, {"misaligned address", Status::runtime, "isaligned"}},
    {8, {"device assert", Status::runtime, "ssert"}},
    {9, {"trap", Status::runtime, ""}},
    {10, {"infinite loop", Status::timeout, "no answer"}},
    {11, {"too much shared memory", Status::runtime, "shared"}},
    {13, {"too many registers to launch", Status::runtime, "register"}},
    {14, {"template bomb", Status::compile, ""}}};

void check_measurement(const Measurement& measurement) {
  const auto fault = std::get<std::int64_t>(*find_value(measurement.configuration, "FAULT"));
  const Fault expected = fault == 0 ? Fault{"none", Status::correct, ""} : faults.at(fault);
  fmt::print("{:<30} {:<12} {}\n", expected.name, to_text(measurement.status), measurement.reason);
  INFO(expected.name << ": " << measurement.reason);
  CHECK(measurement.status == expected.status);
  CHECK_THAT(measurement.reason, contains_text(expected.said));
}

} // namespace

TEST_CASE("every fault is recorded with its status, and the best is right") {
  const auto recording_file = std::filesystem::temp_directory_path() / "gridsmith_faults.json";
  const std::filesystem::path definition =
      std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "tests" / "gpu" / "faulty" / "faulty.json";
  const ProgramOutput output =
      run_program(GRIDSMITH_PROGRAM,
                  {"tune", definition.string(), "--exhaustive", "--no-store", "--timeout", "3",
                   "--record", recording_file.string()},
                  std::chrono::minutes(3));
  INFO(output.text);
  const Recording recording = read_recording(recording_file);
  CHECK(recording.measurements.size() == faults.size() + 3);
  for (const Measurement& measurement : recording.measurements)
    check_measurement(measurement);
  CHECK_THAT(output.text, contains_text("FAULT=0 X=0"));
}

} // namespace faults_test
