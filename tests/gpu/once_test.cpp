// SPDX-License-Identifier: Apache-2.0
// Kernels that are right at their first launch, or look so, and do less after it: each is refused with
// words that name it, and none wins.
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

namespace once_test {

using namespace gridsmith;

namespace {

constexpr const char* late = "wrong when launched again";
constexpr std::int64_t honest = 0, memo = 2, forger = 6; // values of KIND

/// By the value of KIND: parts of the reason.
const std::map<std::int64_t, std::vector<std::string>> kinds = {
    {memo, {late, "expected"}},  // results kept in the module, of the first launch's data
    {1, {late, "not written"}},  // a ticket that is never reset
    {3, {late, "not written"}},  // a flag set by the last block
    {4, {late, "not written"}},  // what lies in the output is taken for the result
    {5, {late, "4096 of 8192"}}, // half of the work from the second launch on
    {forger, {"wrote into the expected answer of 'out'"}},
    {7, {"does less work if its last result is still in its output"}}};

struct Tuned {
  ProgramOutput output;
  std::vector<Measurement> measurements;
};

Tuned tuned(const std::string& size) {
  const auto recording_file = std::filesystem::temp_directory_path() / "gridsmith_once.json";
  const std::filesystem::path definition =
      std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "tests" / "gpu" / "once" / "once.json";
  Tuned result{run_program(GRIDSMITH_PROGRAM,
                           {"tune", definition.string(), "--size", size, "--exhaustive",
                            "--no-store", "--record", recording_file.string()},
                           std::chrono::minutes(3)),
               {}};
  fmt::print("{}\n", result.output.text);
  result.measurements = read_recording(recording_file).measurements;
  return result;
}

std::int64_t kind_of(const Measurement& measurement) {
  return std::get<std::int64_t>(*find_value(measurement.configuration, "KIND"));
}

void check_refused(const Measurement& measurement, const std::vector<std::string>& said) {
  fmt::print("{:<14} {:<12} {}\n", to_text(measurement.configuration), to_text(measurement.status),
             measurement.reason);
  INFO(to_text(measurement.configuration) << ": " << measurement.reason);
  CHECK(measurement.status == Status::correctness);
  for (const std::string& part : said)
    CHECK_THAT(measurement.reason, contains_text(part));
}

} // namespace

TEST_CASE("who does less after the first launch is refused by name, and the honest one wins") {
  const Tuned run = tuned("8192");
  std::map<std::int64_t, int> refused;
  for (const Measurement& measurement : run.measurements) {
    const std::int64_t kind = kind_of(measurement);
    if (kind == honest)
      CHECK(measurement.correct());
    else if (measurement.pruned_early) // it cannot win, so nobody looked at it again
      CHECK(measurement.correct());
    else
      check_refused(measurement, kinds.at(kind));
    refused[kind] += measurement.correct() ? 0 : 1;
  }
  for (const auto& [kind, said] : kinds)
    if (kind != forger)
      CHECK(refused[kind] > 0);
  CHECK_THAT(run.output.text, contains_text("Best on") && contains_text(": KIND=0"));
}

TEST_CASE("who writes into the expected answer is refused, and nobody else for it") {
  const Tuned run = tuned("16384");
  for (const Measurement& measurement : run.measurements) {
    if (kind_of(measurement) == forger)
      check_refused(measurement, kinds.at(forger));
    if (kind_of(measurement) == honest)
      CHECK(measurement.correct());
  }
  CHECK_THAT(run.output.text, contains_text(": KIND=0"));
}

} // namespace once_test
