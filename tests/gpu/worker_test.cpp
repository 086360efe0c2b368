// SPDX-License-Identifier: Apache-2.0
// Drives gridsmith-compiler and gridsmith-worker as processes, through their messages, with kernels
// of its own: what is right, every way to be wrong, every way to die.
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/gpu/worker_bench.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

namespace worker_test {

using namespace gridsmith;
using namespace gridsmith::testing;

namespace {

void check_case(const Case& one, const Execution& execution, bool counted) {
  INFO(one.name << ": " << to_text(execution.status) << " " << execution.reason);
  CHECK(execution.status == one.status);
  CHECK_THAT(execution.reason, contains_text(one.reason));
  CHECK(execution.correct() == !execution.times_ms.empty());
  if (execution.status == Status::correct || execution.status == Status::correctness)
    CHECK(execution.verification == Verification::kernel);
  if (!execution.correct())
    return;
  CHECK((!counted || !execution.counters.empty()));
  CHECK_FALSE((counted && execution.uncounted_because));
  CHECK(execution.compile_facts);
  // The first launch alone may decide; else every sample has its time.
  if (!execution.taken_at_ms.empty()) {
    CHECK(execution.taken_at_ms.size() == execution.times_ms.size());
    CHECK(std::is_sorted(execution.taken_at_ms.begin(), execution.taken_at_ms.end()));
    CHECK(execution.taken_at_ms.front() > 0);
  }
}

/// Right for the first seed alone: it knows an element of it.
std::string cheat_source(const OpenWork& open) {
  const double known = filled_value(*open.arguments[0].buffer, open.seed, 0, 0);
  return scale_source(fmt::format("out[i] = (in[0] == {:a}f ? 3.0f : 4.0f) * in[i];", known));
}

/// Two good ones around the cheat.
EvaluateBatch batch_with_cheat(WorkerBench& bench, const OpenWork& open, Mode mode,
                               BatchOrder order) {
  const CodeObject good = bench.compile(scale_source(right));
  const CodeObject cheat = bench.compile(cheat_source(open));
  EvaluateBatch batch;
  batch.mode = mode;
  batch.order = order;
  for (const CodeObject* code : {&good, &cheat, &good})
    batch.jobs.push_back(job_of(batch.jobs.size() + 1, "finalist", launchable(*code, 128)));
  return batch;
}

} // namespace

TEST_CASE_METHOD(WorkerBench, "compile facts survive NVRTC's own cache") {
  const std::string source = scale_source("__shared__ float tile[256]; tile[threadIdx.x] = in[i];"
                                          "__syncthreads(); out[i] = tile[255 - threadIdx.x];");
  const CodeObject first = compile(source), second = compile(source);
  CHECK(first.facts == second.facts);
  CHECK(first.facts.static_shared_bytes == 1024);
}

TEST_CASE_METHOD(WorkerBench, "what is right is measured, what is wrong is named") {
  const auto cases = living_cases();
  const auto compiled = compile(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].name << ": " << compiled[i].error.value_or(""));
    CHECK(compiled[i].cubin);
  }
  for (const bool counted : {true, false}) {
    Driver worker = start(scale_work(counted));
    INFO(worker.opened().uncounted_because.value_or(""));
    CHECK_FALSE(worker.opened().uncounted_because);
    CHECK_FALSE(worker.opened().reference_problem);
    const auto executions = worker.race(jobs_of(cases, compiled));
    REQUIRE(executions.size() == cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i)
      check_case(cases[i], executions.at(i + 1), counted);
    const Execution& slow = executions.at(cases.size());
    CHECK(slow.pruned_early);
    CHECK(slow.times_ms.size() == 1);
  }
}

TEST_CASE_METHOD(WorkerBench, "what is right and has other bits each time fails where bits count") {
  const CodeObject steady = compile(scale_source(right));
  const CodeObject wavering = compile(scale_source(
      "if (i < n) out[i] = 3.0f * in[i] * (1.0f + 2.4e-7f * (float)(1 + clock64() % 2));"));
  for (const bool bitwise : {false, true}) {
    OpenWork open = scale_work(false);
    open.conditions.bitwise = bitwise;
    Driver worker = start(open);
    const auto executions = worker.race({job_of(1, "steady", launchable(steady, 128)),
                                         job_of(2, "wavering", launchable(wavering, 128))});
    CHECK(executions.at(1).correct());
    CHECK(executions.at(2).correct() == !bitwise);
    if (bitwise)
      CHECK_THAT(executions.at(2).reason, contains_text("not the same to the bit"));
  }
}

TEST_CASE_METHOD(WorkerBench, "an in-place kernel is right again and again") {
  const CodeObject add = compile("extern \"C\" __global__ void add(float* sum, const float* in, "
                                 "int n) { const int i = blockIdx.x * blockDim.x + threadIdx.x;"
                                 "  if (i < n) sum[i] += in[i]; }",
                                 "add");
  OpenWork open = scale_work(true);
  open.arguments = {vector_argument("sum", Access::read_write, n, true),
                    vector_argument("in", Access::read_only, n), int_argument("n", n)};
  open.reference.kernel = launchable(add, 128);
  for (std::size_t i = 0; i < Words<Regime>::list.size(); ++i) {
    open.conditions.regime = static_cast<Regime>(i);
    Driver worker = start(open);
    for (int turn = 0; turn < 2; ++turn) {
      const auto executions = worker.race({job_of(1, "add", *open.reference.kernel)});
      INFO(Words<Regime>::list[i] << ": " << executions.at(1).reason);
      CHECK(executions.at(1).correct());
      CHECK(executions.at(1).counters.size() == open.counters.size());
    }
  }
}

TEST_CASE_METHOD(WorkerBench, "a kernel whose data the L2 holds is faster where they are there") {
  OpenWork open = scale_work(false, std::int64_t{1} << 20);
  std::vector<double> medians;
  for (std::size_t i = 0; i < Words<Regime>::list.size(); ++i) {
    open.conditions.regime = static_cast<Regime>(i);
    Driver worker = start(open);
    std::vector<double> times =
        worker.race({job_of(1, "scale", *open.reference.kernel)}).at(1).times_ms;
    REQUIRE_FALSE(times.empty());
    std::sort(times.begin(), times.end());
    medians.push_back(times[times.size() / 2]);
    fmt::print("     {}: {:.2f} us\n", Words<Regime>::list[i], 1000 * medians.back());
  }
  const auto of = [&](Regime regime) { return medians[static_cast<std::size_t>(regime)]; };
  for (const Regime there : {Regime::warm, Regime::back_to_back, Regime::graph})
    for (const Regime not_there : {Regime::cold, Regime::rotate})
      CHECK(of(there) < of(not_there));
}

TEST_CASE_METHOD(WorkerBench, "the probe of counters finds what a worker that counts finds") {
  std::optional<std::string> uncounted_because;
  {
    const Driver worker = start(scale_work(true));
    uncounted_because = worker.opened().uncounted_because;
  } // one at a time holds the counters
  const ProgramOutput output = run_program(worker(), {"--counters", "0"}, std::chrono::seconds(30));
  INFO(output.text << uncounted_because.value_or(""));
  CHECK(output.good);
  const auto probe = nlohmann::json::parse(output.text);
  CHECK((probe.at("code") == 0) == !uncounted_because);
  CHECK((probe.at("message") == "") == !uncounted_because);
}

TEST_CASE_METHOD(WorkerBench, "counters tell coalesced from scattered stores") {
  const std::vector<Case> cases = {
      {"coalesced", scale_source(right)},
      {"scattered", scale_source("const int j = (i % 32) * (n / 32) + i / 32;"
                                 "out[j] = 3.0f * in[j];")}};
  const auto compiled = compile(cases);
  std::vector<double> medians;
  for (const bool counted : {false, true}) {
    Driver worker = start(scale_work(counted));
    const auto executions = worker.race(jobs_of(cases, compiled));
    medians.push_back(median_of(executions.at(1).times_ms));
    if (!counted)
      continue;
    for (const std::size_t i : {1u, 2u}) {
      const MetricFacts facts{executions.at(i).counters, device(), 1, 0, 0};
      const auto sectors = metric_value("store_sectors_per_request", facts);
      INFO(cases[i - 1].name);
      REQUIRE(sectors);
      CHECK(*sectors == Approx(i == 1 ? 4 : 32).margin(0.1));
      for (const auto& [name, value] : executions.at(i).counters)
        fmt::print("       {} = {}\n", name, value);
    }
  }
  fmt::print("     median without a counter session {:.5f} ms, with one stopped {:.5f} ms\n",
             medians[0], medians[1]);
}

TEST_CASE_METHOD(WorkerBench, "finalists are verified with a second seed and interleaved") {
  const OpenWork open = scale_work(true);
  Driver worker = start(open);
  for (const BatchOrder order : {BatchOrder::rotating, BatchOrder::mirrored}) {
    const EvaluateBatch finals = batch_with_cheat(*this, open, Mode::final, order);
    worker.race({finals.jobs[0]}); // what leads a race is judged with the second seed too
    const auto once = worker.race({finals.jobs[1]});
    INFO(once.at(2).reason);
    CHECK(once.at(2).correct()); // for the first seed
    const auto done = worker.run(finals);
    REQUIRE(done.size() == 3);
    for (const std::uint64_t good : {1u, 3u}) {
      INFO(done.at(good).reason);
      CHECK(done.at(good).correct());
      CHECK(done.at(good).times_ms.size() == 15);
      CHECK(done.at(good).taken_at_ms.size() == 15);
      CHECK(done.at(good).counters.empty());
      CHECK_FALSE(done.at(good).uncounted_because);
    }
    CHECK(done.at(2).status == Status::correctness);
    const auto again = worker.race({finals.jobs[0]});
    INFO(again.at(1).reason);
    CHECK(again.at(1).correct()); // the first seed is back
  }
}

TEST_CASE_METHOD(WorkerBench, "an anchor is settled by itself, whatever the best is") {
  const OpenWork open = scale_work(false);
  Driver worker = start(open);
  EvaluateBatch batch = batch_with_cheat(*this, open, Mode::anchor, BatchOrder::one_by_one);
  batch.best_ms = 1e-6;
  const auto done = worker.run(batch);
  REQUIRE(done.size() == 3);
  CHECK(done.at(1).correct());
  CHECK_FALSE(done.at(1).pruned_early);
  CHECK(done.at(1).times_ms.size() >= open.conditions.sampling.min_samples);
  CHECK(done.at(2).status == Status::correctness);
}

TEST_CASE_METHOD(WorkerBench, "who loses the context is named, and the worker ends") {
  auto cases = deadly_cases();
  cases.push_back({"right", scale_source(right)});
  const auto jobs = jobs_of(cases, compile(cases));
  for (std::size_t i = 0; i + 1 < cases.size(); ++i) {
    INFO(cases[i].name);
    Driver worker = start(scale_work(true));
    worker.race({jobs.back(), jobs[i]});
    REQUIRE(worker.lost());
    CHECK(worker.lost()->id == jobs[i].id);
    CHECK_THAT(worker.lost()->reason, contains_text(cases[i].reason));
    CHECK(worker.ends());
  }
}

TEST_CASE_METHOD(WorkerBench, "a guilty finalist is named too") {
  std::vector<Case> cases = {{"right", scale_source(right)}, deadly_cases().front()};
  EvaluateBatch finals;
  finals.mode = Mode::final;
  finals.order = BatchOrder::rotating;
  finals.jobs = jobs_of(cases, compile(cases));
  Driver worker = start(scale_work(false));
  worker.run(finals);
  REQUIRE(worker.lost());
  CHECK(worker.lost()->id == 2);
  CHECK(worker.ends());
}

TEST_CASE_METHOD(WorkerBench, "a launch that never ends is the last that was begun") {
  const CodeObject hang =
      compile(scale_source(right + " while (((volatile float*)out)[i] != -1.0f) {}"));
  {
    Driver worker = start(scale_work(true));
    worker.send(EvaluateBatch{.jobs = {job_of(77, "hang", launchable(hang, 256))},
                              .best_ms = std::nullopt});
    const auto stage = worker.last_stage_after(std::chrono::milliseconds(1500));
    REQUIRE(stage);
    CHECK(stage->id == 77);
    CHECK(stage->stage == "verify");
  } // killed here
  Driver fresh = start(scale_work(true));
  const LaunchJob good = job_of(1, "right", launchable(compile(scale_source(right)), 256));
  CHECK(fresh.race({good}).at(1).correct());
}

namespace {

/// What is right, wrong, damaging and right again, at this many elements.
std::vector<LaunchJob> jobs_for(WorkerBench& bench, std::int64_t elements) {
  const std::vector<Case> cases = {
      {"right", scale_source(right)},
      {"one wrong", scale_source(right + " if (i == 17) out[i] = 0.5f;")},
      {"past the end", scale_source(right + " if (i == 0) out[n] = 1;")},
      {"right again", scale_source(right)}};
  auto jobs = jobs_of(cases, bench.compile(cases));
  for (LaunchJob& job : jobs)
    job.launchable.geometry.grid[0] = (elements + 255) / 256;
  return jobs;
}

void check_same(const std::map<std::uint64_t, Execution>& alone,
                const std::map<std::uint64_t, Execution>& shared) {
  REQUIRE(alone.size() == shared.size());
  for (const auto& [id, one] : alone) {
    const Execution& other = shared.at(id);
    INFO("job " << id << ": " << one.reason << " / " << other.reason);
    CHECK(one.status == other.status);
    CHECK(one.reason == other.reason);
    CHECK(one.compile_facts == other.compile_facts);
    CHECK(one.counters.size() == other.counters.size());
    for (const char* exact :
         {"smsp__inst_executed.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"})
      if (one.counters.contains(exact))
        CHECK(one.counters.at(exact) == other.counters.at(exact));
  }
}

} // namespace

TEST_CASE_METHOD(WorkerBench, "two works one after another give what two workers give") {
  const std::array<std::int64_t, 2> sizes = {n, n / 4};
  for (const bool counted : {true, false}) {
    std::array<OpenWork, 2> works;
    std::array<std::vector<LaunchJob>, 2> jobs;
    std::array<std::map<std::uint64_t, Execution>, 2> alone;
    for (std::size_t i = 0; i < 2; ++i) {
      works[i] = scale_work(counted, sizes[i]);
      works[i].work = i;
      works[i].seed = i + 1;
      jobs[i] = jobs_for(*this, sizes[i]);
      alone[i] = start(works[i]).race(jobs[i]);
    }
    Driver both = start(works[0]);
    check_same(alone[0], both.race(jobs[0]));
    const double ms = both.open_too(works[1]);
    CHECK(both.opened().closed.empty());
    CHECK_FALSE((counted && both.opened().uncounted_because));
    const auto second = both.race(jobs[1]);
    check_same(alone[1], second);
    both.go_on_with(0);
    const auto first = both.race(jobs[0]); // the first is open still, with its own data
    check_same(alone[0], first);
    CHECK(ms < 200);
    fmt::print(
        "     a second work opens in {:.0f} ms; medians {:.5f} and {:.5f} ms alone, {:.5f} and "
        "{:.5f} in one worker\n",
        ms, median_of(alone[0].at(1).times_ms), median_of(alone[1].at(1).times_ms),
        median_of(first.at(1).times_ms), median_of(second.at(1).times_ms));
  }
}

TEST_CASE_METHOD(WorkerBench, "a finalist of one work leaves the other's data as it was") {
  const OpenWork first = scale_work(false);
  OpenWork second = scale_work(false, n / 4);
  second.work = 1;
  Driver both = start(first);
  both.open_too(second);
  EvaluateBatch finals{.mode = Mode::final, .order = BatchOrder::rotating};
  finals.jobs = jobs_for(*this, n / 4);
  CHECK(both.run(finals).at(1).correct());
  both.go_on_with(0);
  CHECK(both.race({jobs_for(*this, n).front()}).at(1).correct());
}

TEST_CASE_METHOD(WorkerBench,
                 "a work that needs most of the memory closes the others, which open again") {
  const OpenWork small = scale_work(true);
  Driver worker = start(small);
  OpenWork large = scale_work(true);
  large.work = 1;
  // The kernel reads the first n; what is kept free, half of the memory, is free no more.
  large.arguments[0].buffer->elements =
      static_cast<std::uint64_t>(device().memory_bytes) / 10 * 6 / sizeof(float);
  worker.open_too(large);
  CHECK(worker.opened().closed.empty());
  CHECK(worker.race({jobs_for(*this, n).front()}).at(1).correct());
  OpenWork again = small;
  again.work = 2;
  worker.open_too(again);
  CHECK(worker.opened().closed == std::vector<std::uint64_t>{0, 1});
  CHECK(worker.race({jobs_for(*this, n).front()}).at(1).correct());
}

TEST_CASE_METHOD(WorkerBench, "what cannot be opened is refused with a reason") {
  OpenWork open = scale_work(false);
  open.arguments[0].buffer->elements = std::uint64_t{1} << 40;
  const auto refused = Driver::refusal(worker(), device_for(open), open);
  REQUIRE(refused);
  CHECK_THAT(refused->reason, contains_text("cudaErrorMemoryAllocation"));
  CHECK_FALSE(refused->no_device);
  open = scale_work(false);
  UseDevice absent = device_for(open);
  absent.ordinal = 99;
  const auto nowhere = Driver::refusal(worker(), absent, open);
  REQUIRE(nowhere);
  CHECK(nowhere->no_device);
}

} // namespace worker_test
