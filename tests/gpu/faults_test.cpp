// The fault matrix on a real GPU: one kernel, one way to fail per value of FAULT, tuned by the
// whole program. Every fault is recorded with its status, the best is right, nothing is lost. Ends
// with 77 without a device.
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/processes/gpu_evaluator.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

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

/// 1 when the measurement is not what the fault must give.
int judge(const Measurement& measurement) {
  const auto fault = std::get<std::int64_t>(*find_value(measurement.configuration, "FAULT"));
  if (fault == 0) {
    fmt::print("{:<30} {:<12} {}\n", "none", to_text(measurement.status), measurement.reason);
    return measurement.correct() ? 0 : 1;
  }
  const Fault& expected = faults.at(fault);
  const bool right = measurement.status == expected.status &&
                     measurement.reason.find(expected.said) != std::string::npos;
  fmt::print("{:<30} {:<12} {}{}\n", expected.name, to_text(measurement.status), measurement.reason,
             right ? "" : "   <- WRONG");
  return right ? 0 : 1;
}

} // namespace

int main() {
  const std::filesystem::path programs = GRIDSMITH_PROGRAMS_DIR;
  if (query_devices(programs).devices.empty()) {
    fmt::print("skipped: no CUDA device\n");
    return 77;
  }
  const auto recording_file = std::filesystem::temp_directory_path() / "gridsmith_faults.json";
  const std::filesystem::path definition =
      std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "tests" / "gpu" / "faulty" / "faulty.json";
  const ProgramOutput output =
      run_program(GRIDSMITH_PROGRAM,
                  {"tune", definition.string(), "--exhaustive", "--no-store", "--timeout", "3",
                   "--record", recording_file.string()},
                  std::chrono::minutes(3));
  fmt::print("{}\n", output.text);
  const Recording recording = read_recording(recording_file);
  int wrong = recording.measurements.size() == faults.size() + 3 ? 0 : 1;
  for (const Measurement& measurement : recording.measurements)
    wrong += judge(measurement);
  if (output.text.find("FAULT=0 X=0") == std::string::npos)
    ++wrong;
  fmt::print("{} wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
