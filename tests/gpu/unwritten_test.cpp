// SPDX-License-Identifier: Apache-2.0
// Kernels that leave elements of their output unwritten: what the default configuration does not write is compared
// with nothing, what it writes all others have to write, and a reference of an author has to write all.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/gpu/worker_bench.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace unwritten_test {

using namespace gridsmith;
using namespace gridsmith::testing;

namespace {

const std::string every_second = "if (i < n && i % 2 == 0) out[i] = 3.0f * in[i];";

Case wrong(const std::string& name, const std::string& body, const std::string& reason) {
  return {name, scale_source(body), blocks_of(256), Status::correctness, reason};
}

Case good(const std::string& name, const std::string& body) {
  return {name, scale_source(body)};
}

/// The kernel with this body is the default configuration.
OpenWork work_of(WorkerBench& bench, const std::string& source) {
  OpenWork open = bench.scale_work(false);
  open.reference.kernel = launchable(bench.compile(source), 128);
  open.reference.default_configuration = open.reference.only_written = true;
  return open;
}

void check_cases(const std::vector<Case>& cases,
                 const std::map<std::uint64_t, Execution>& executions) {
  REQUIRE(executions.size() == cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Execution& execution = executions.at(i + 1);
    INFO(cases[i].name << ": " << to_text(execution.status) << " " << execution.reason);
    CHECK(execution.status == cases[i].status);
    CHECK_THAT(execution.reason, contains_text(cases[i].reason));
    CHECK(execution.verification == Verification::default_configuration);
  }
}

} // namespace

TEST_CASE_METHOD(WorkerBench, "what the default does not write counts for no configuration") {
  const std::vector<Case> cases = {
      good("the same", every_second),
      good("writes the others too", every_second + " else if (i < n) out[i] = 5;"),
      wrong("writes fewer", "if (i < n && i % 4 == 0) out[i] = 3.0f * in[i];",
            "element 2 of 'out' was not written"),
      wrong("writes the others alone", "if (i < n && i % 2 == 1) out[i] = 3.0f * in[i];",
            "2097152 of 4194304 differ, 2097152 of them not written"),
      wrong("writes nothing", "if (n < 0) out[i] = in[i];",
            "2097152 of 4194304 differ, 2097152 of them not written"),
      wrong("one wrong", every_second + " if (i == 16) out[i] = 0.5f;",
            "element 16 of 'out' is 0.5, expected"),
      wrong("NaN", every_second + " if (i == 16) out[i] = nanf(\"\");", "element 16 of 'out'"),
      good("the same, again", every_second)};
  const auto jobs = jobs_of(cases, compile(cases));
  for (const bool bitwise : {false, true}) {
    OpenWork open = work_of(*this, scale_source(every_second));
    open.conditions.bitwise = bitwise;
    Driver worker = start(open);
    CHECK(worker.opened().unverified_because.value_or("") == "");
    CHECK((worker.opened().only_written == WrittenPart{n / 2, n}));
    check_cases(cases, worker.race(jobs));
    EvaluateBatch finals{.mode = Mode::final, .jobs = jobs, .order = BatchOrder::rotating};
    check_cases(cases, worker.run(finals));
  }
}

TEST_CASE_METHOD(WorkerBench, "what the default writes has to be written at every launch") {
  const std::string once = "if (i < n && i % 2 == 0 && out[i] != out[i]) out[i] = 3.0f * in[i];";
  const std::vector<Case> cases = {
      good("the same", every_second),
      wrong("once", once, "wrong when launched again: element 0 of 'out' was not written")};
  EvaluateBatch finals{.mode = Mode::final, .order = BatchOrder::rotating};
  finals.jobs = jobs_of(cases, compile(cases));
  for (const std::string& body : {every_second, once}) { // the default itself is no better
    Driver worker = start(work_of(*this, scale_source(body)));
    CHECK((worker.opened().only_written == WrittenPart{n / 2, n}));
    check_cases(cases, worker.run(finals));
  }
}

TEST_CASE_METHOD(WorkerBench, "what counts is what the default writes of the data at hand") {
  const auto where_below = [](const char* limit) {
    return fmt::format("if (i < n && in[i] < {}) out[i] = 3.0f * in[i];", limit);
  };
  const std::vector<Case> cases = {good("the same", where_below("0.0f")),
                                   good("more", where_below("0.2f")),
                                   wrong("fewer", where_below("-0.2f"), "not written"),
                                   good("the same again", where_below("0.0f"))};
  const auto jobs = jobs_of(cases, compile(cases));
  Driver worker = start(work_of(*this, scale_source(where_below("0.0f"))));
  REQUIRE(worker.opened().only_written); // half of what is filled from -1 to 1
  CHECK(worker.opened().only_written->elements == n);
  CHECK(worker.opened().only_written->written > n / 3);
  CHECK(worker.opened().only_written->written < 2 * n / 3);
  for (int time = 0; time < 2; ++time) { // back and forth between the data of two seeds
    check_cases(cases, worker.race(jobs));
    EvaluateBatch finals{.mode = Mode::final, .jobs = jobs, .order = BatchOrder::rotating};
    check_cases(cases, worker.run(finals));
  }
}

TEST_CASE_METHOD(WorkerBench, "of a default that writes nothing nothing is verified") {
  Driver worker = start(work_of(*this, scale_source("if (n < 0) out[i] = in[i];")));
  CHECK(worker.opened().unverified_because.value_or("") ==
        "the default configuration writes no element of 'out'");
  CHECK_FALSE(worker.opened().only_written);
  const std::vector<Case> cases = {good("right", right)};
  const Execution done = worker.race(jobs_of(cases, compile(cases))).at(1);
  INFO(done.reason);
  CHECK(done.correct());
  CHECK(done.verification == Verification::none);
}

TEST_CASE_METHOD(WorkerBench, "who writes all elements is compared in all, whatever they are") {
  const std::vector<std::pair<std::string, ElementType>> types = {
      {"unsigned char", ElementType::uint8}, {"short", ElementType::int16},
      {"int", ElementType::int32},           {"unsigned long long", ElementType::uint64},
      {"float", ElementType::float32},       {"double", ElementType::float64}};
  for (const auto& [word, type] : types)
    for (const int step : {1, 2}) {
      INFO(word << ", every " << step);
      // Among them 0 and the bit that is the poison of integers.
      const std::string source = fmt::format(
          "extern \"C\" __global__ void scale(const float* in, {0}* out, int n) {{"
          "  const int i = blockIdx.x * blockDim.x + threadIdx.x;"
          "  if (i < n && i % {1} == 0) out[i] = i % 8 == 0 ? 0 : ({0})(1ull << (i / 2 % 64)); }}",
          word, step);
      OpenWork open = work_of(*this, source);
      open.arguments[1] = vector_argument("out", Access::write_only, n, true, type);
      Driver worker = start(open);
      CHECK(worker.opened().unverified_because.value_or("") == "");
      CHECK((worker.opened().only_written ==
             (step == 1 ? std::nullopt : std::optional(WrittenPart{n / 2, n}))));
      const Execution done = worker.race({job_of(1, "default", *open.reference.kernel)}).at(1);
      INFO(done.reason);
      CHECK(done.correct());
    }
}

TEST_CASE_METHOD(WorkerBench, "a NaN that looks like memory that was never written was written") {
  const Driver worker =
      start(work_of(*this, scale_source(right + " if (i == 5) out[i] = __int_as_float(-1);")));
  CHECK_FALSE(worker.opened().only_written);
  CHECK_THAT(worker.opened().unverified_because.value_or(""),
             contains_text("the default configuration: element 5 of 'out' is -nan") &&
                 contains_text("1 of 4194304 differ") && contains_text("no number itself"));
}

TEST_CASE_METHOD(WorkerBench, "a reference of an author has to write all elements") {
  OpenWork open = work_of(*this, scale_source(every_second));
  open.reference.only_written = false; // the old code of a check, an incumbent
  const std::string unwritten = ": element 1 of 'out' was not written";
  {
    const Driver worker = start(open);
    CHECK_FALSE(worker.opened().only_written);
    CHECK_THAT(worker.opened().unverified_because.value_or(""),
               contains_text("the default configuration" + unwritten));
  }
  open.reference.default_configuration = false;
  Driver worker = start(open);
  CHECK_FALSE(worker.opened().only_written);
  CHECK_THAT(worker.opened().reference_problem.value_or(""),
             contains_text("the reference kernel" + unwritten));
  CHECK_FALSE(worker.race({job_of(1, "default", *open.reference.kernel)}).at(1).correct());
}

} // namespace unwritten_test
