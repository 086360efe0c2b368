// SPDX-License-Identifier: Apache-2.0
// What the worker costs: figures in print, and the limits that they must keep.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/gpu/worker_bench.hpp"

#include <fmt/format.h>

namespace worker_figures {

using namespace gridsmith;
using namespace gridsmith::testing;

namespace {

void print_costs(const std::string& what, const std::map<std::uint64_t, Execution>& executions,
                 double wall_ms) {
  TimeSpent sum;
  double samples = 0;
  for (const auto& [id, one] : executions) {
    add_fields(sum, one.spent);
    samples += static_cast<double>(one.times_ms.size());
  }
  const double k = static_cast<double>(executions.size());
  const Execution& first = executions.begin()->second;
  fmt::print("     {}: each GPU {:.3f}, verify {:.3f}, count {:.3f}, time {:.3f} ms, {:.1f} "
             "samples; wall {:.3f} ms each; median of the first {:.4f} ms at {:.0f} MHz\n",
             what, sum.gpu_ms / k, sum.verify_ms / k, sum.count_ms / k, sum.time_ms / k,
             samples / k, wall_ms / k, median_of(first.times_ms), first.sm_clock_mhz.value_or(0));
}

} // namespace

TEST_CASE_METHOD(WorkerBench, "a start with two buffers of 256 MiB takes less than 1.5 s") {
  const std::int64_t side = 8192;
  OpenWork open = scale_work(true);
  open.arguments[0].buffer->elements = open.arguments[1].buffer->elements =
      static_cast<std::uint64_t>(side * side);
  open.arguments[2].scalar->value = static_cast<double>(side * side);
  open.reference.kernel->geometry.grid[0] = side * side / 128;
  for (const bool copy : {false, true})
    for (const Regime regime : {Regime::cold, Regime::warm}) {
      open.measure_copy = copy;
      open.conditions.regime = regime;
      const auto begun = std::chrono::steady_clock::now();
      Driver worker = start(open);
      const double ms = ms_since(begun);
      const Peaks& peaks = worker.opened().peaks;
      CHECK(ms < 1500);
      REQUIRE(peaks.size() == (copy ? 1 : 0));
      if (copy) {
        CHECK(peak_of(peaks, "copy").value_or(0) > 0);
        CHECK(peaks.front().unit == "GB/s");
        CHECK(peaks.front().device_uuid == device().uuid);
        CHECK(peaks.front().date.size() == std::string("2026-11-21T08:15:00Z").size());
        CHECK_THAT(peaks.front().conditions, contains_text("0.27 GB buffers, median of 11"));
      }
      fmt::print("     start {:.0f} ms, by its own clock {:.0f}; copy {} {:.0f} GB/s\n", ms,
                 worker.opened().at_ms, to_text(regime), peak_of(peaks, "copy").value_or(0));
      const auto executions = worker.race({job_of(1, "256 MiB", *open.reference.kernel)});
      CHECK(executions.at(1).correct());
      print_costs("one configuration, 256 MiB", executions, 0);
    }
}

TEST_CASE_METHOD(WorkerBench, "140 small configurations take less than two seconds") {
  std::vector<Case> cases;
  for (int threads = 32; cases.size() < 140; threads = threads == 1024 ? 32 : threads + 32)
    cases.push_back({fmt::format("{} threads, {}", threads, cases.size()),
                     scale_source(right + fmt::format(" // {}", cases.size())),
                     blocks_of(threads)});
  const auto begun = std::chrono::steady_clock::now();
  const auto compiled = compile(cases);
  fmt::print("     140 compilations in {:.0f} ms\n", ms_since(begun));

  struct Way {
    bool counted;
    Regime regime;
  };

  for (const Way way :
       {Way{true, Regime::cold}, Way{false, Regime::cold}, Way{true, Regime::warm}}) {
    OpenWork open = scale_work(way.counted);
    open.conditions.regime = way.regime;
    Driver worker = start(open);
    const auto first = std::chrono::steady_clock::now();
    const auto executions = worker.race(jobs_of(cases, compiled));
    const double wall_ms = ms_since(first);
    print_costs(fmt::format("140 small kernels, {}, {}", way.counted ? "counted" : "not counted",
                            to_text(way.regime)),
                executions, wall_ms);
    CHECK(wall_ms < 2000); // 0.7 to 1.1 s, counted; the host's speed decides
  }
}

} // namespace worker_figures
