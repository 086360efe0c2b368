// SPDX-License-Identifier: Apache-2.0
// What CUPTI's host half says of our counter sets: needs a toolkit, no GPU and no driver.
#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/metrics/cupti/counter_plan.hpp"
#include "gridsmith/metrics/cupti/counter_session.hpp"
#include "gridsmith/tests/catch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace counter_plan_test {

using namespace gridsmith;

namespace {

// From Turing on: what the range profiler serves. Volta is listed by CUPTI but not served.
std::vector<std::string> served_chips() {
  std::vector<std::string> chips;
  for (const auto& chip : supported_chips())
    if (chip.substr(0, 2) != "GV")
      chips.push_back(chip);
  return chips;
}

std::size_t passes(std::string_view set, std::string_view chip) {
  return planned_passes(chip, wanted_counters(set, chip).names);
}

} // namespace

TEST_CASE("CUPTI knows the chips we know") {
  const auto chips = served_chips();
  for (const std::string chip : {"TU102", "GA100", "GA102", "GH100", "AD102", "GB100", "GB202"})
    CHECK(std::count(chips.begin(), chips.end(), chip) == 1);
}

TEST_CASE("Every name of every set is accepted on every chip") {
  for (const auto& chip : served_chips())
    for (const auto& set : counter_sets()) {
      const auto rejected = set.name == "none"
                                ? std::vector<std::string>()
                                : rejected_metrics(chip, wanted_counters(set.name, chip).names);
      CHECK(fmt::format("{} {}: {}", chip, set.name, fmt::join(rejected, " ")) ==
            fmt::format("{} {}: ", chip, set.name));
    }
}

TEST_CASE("The default and the shared set take one pass on every chip") {
  for (const auto& chip : served_chips()) {
    CAPTURE(chip);
    CHECK(passes("default", chip) == 1);
    CHECK(passes("shared", chip) == 1);
    CHECK(passes("full", chip) <= 19);
  }
}

TEST_CASE("Passes on GH100 are those measured on an H200") {
  CHECK(passes("default", "GH100") == 1);
  CHECK(passes("full", "GH100") <= 17);
  CHECK(planned_passes("GH100",
                       {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
                        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"}) ==
        3);
}

TEST_CASE("Names a chip does not have are found one by one") {
  const std::vector<std::string> names = {"gpu__time_duration.sum", "dram__bytes_read.sum",
                                          "no__such_counter.sum", "dram__bytes_read"};
  CHECK(rejected_metrics("GH100", names) ==
        std::vector<std::string>{"no__such_counter.sum", "dram__bytes_read"});
  CHECK(rejected_metrics("GB202", names).size() == 3);
  CHECK(rejected_metrics("GB10B", {"dram__bytes_read.sum"}).size() == 1);
  try {
    planned_passes("GH100", names);
    FAIL("accepted");
  } catch (const CuptiError& error) {
    CHECK(std::string(error.what()).find("no__such_counter.sum") != std::string::npos);
  }
}

TEST_CASE("An unknown chip is an error, not a guess") {
  CHECK_THROWS_AS(planned_passes("GX999", {"gpu__time_duration.sum"}), CuptiError);
  CHECK_THROWS_AS(rejected_metrics("gh100", {}), CuptiError);
}

TEST_CASE("A session needs a driver and a context, and says so") {
  try {
    CounterSession session(0, {"gpu__time_duration.sum"});
    FAIL("counted without a context");
  } catch (const CuptiError& error) {
    CHECK(std::string(error.what()).find("cannot count: ") == 0);
    CHECK(error.code() != 0);
  }
}

} // namespace counter_plan_test
