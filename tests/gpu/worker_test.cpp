// Drives gridsmith-compiler and gridsmith-worker as processes, through their messages, with kernels
// of its own: what is right, every way to be wrong, every way to die; then prints what the worker
// costs. Ends with 77 where there is no device.
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/metrics/counters/counters.hpp"
#include "gridsmith/tests/gpu/worker_cases.hpp"
#include "gridsmith/tests/gpu/worker_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace {

using namespace gridsmith;
using namespace gridsmith::testing;

int failures = 0;

void expect(bool good, const std::string& what, const std::string& found = "") {
  fmt::print("{} {}{}\n", good ? "ok  " : "FAIL", what, found.empty() ? "" : ": " + found);
  std::fflush(stdout);
  failures += good ? 0 : 1;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<EvaluateJob> jobs_of(const std::vector<Case>& cases,
                                 const std::vector<CompileOutcome>& compiled) {
  std::vector<EvaluateJob> jobs;
  for (std::size_t i = 0; i < cases.size(); ++i)
    jobs.push_back({.id = i + 1,
                    .label = cases[i].name,
                    .launchable = {compiled[i].cubin, compiled[i].kernel, cases[i].geometry},
                    .best_ms = 0});
  return jobs;
}

std::vector<CompileRequest> requests_of(const std::vector<Case>& cases) {
  std::vector<CompileRequest> requests;
  for (const Case& one : cases)
    requests.push_back({one.source, one.name + ".cu", {}, one.kernel, {}});
  return requests;
}

class Trial {
public:
  explicit Trial(Programs programs)
      : programs_(std::move(programs)), compilers_(programs_.compiler) {
    device_ = programs_.device;
    utilities_ = compilers_.utilities(device_.compute_capability);
    counters_ = counter_set("default").names(device_.chip);
  }

  void living() {
    const auto cases = living_cases();
    const auto compiled = compilers_.all(requests_of(cases), device_.compute_capability);
    for (std::size_t i = 0; i < cases.size(); ++i)
      expect(compiled[i].ok, "compiles: " + cases[i].name, compiled[i].reason);
    for (const bool counted : {true, false}) {
      Driver worker = Driver::open(programs_.worker, scale_work(counted));
      expect(worker.opened().uncounted_because.empty(), "counters can be read",
             worker.opened().uncounted_because);
      expect(worker.opened().reference_problem.empty(), "the reference is right",
             worker.opened().reference_problem);
      const auto outcomes = worker.evaluate(jobs_of(cases, compiled));
      for (std::size_t i = 0; i < cases.size(); ++i)
        judge(cases[i], outcomes.at(i + 1), counted);
      const EvaluateOutcome& slow = outcomes.at(cases.size());
      expect(slow.raced_out && slow.times_ms.size() == 1,
             "the slow one is raced out after 1 sample",
             fmt::format("{} samples", slow.times_ms.size()));
    }
    check_finals(compiled.front(), compiled[1]);
  }

  void deadly() {
    auto cases = deadly_cases();
    cases.push_back({"right", scale_source(right)});
    const auto compiled = compilers_.all(requests_of(cases), device_.compute_capability);
    const auto jobs = jobs_of(cases, compiled);
    for (std::size_t i = 0; i + 1 < cases.size(); ++i) {
      Driver worker = Driver::open(programs_.worker, scale_work(true));
      const auto outcomes = worker.evaluate({jobs.back(), jobs[i]});
      const auto& lost = worker.lost();
      expect(lost && lost->id == jobs[i].id && contains(lost->reason, cases[i].reason),
             cases[i].name + " is named", lost ? lost->reason : "no ContextLost");
      expect(worker.ends(), "the worker ends after it");
    }
    hang(jobs.back());
    refusals();
  }

  void in_place() {
    const std::string source =
        "extern \"C\" __global__ void add(float* sum, const float* in, int n)"
        "{ const int i = blockIdx.x * blockDim.x + threadIdx.x;"
        "  if (i < n) sum[i] += in[i]; }";
    const auto compiled =
        compilers_.all({{source, "add.cu", {}, "add", {}}}, device_.compute_capability);
    OpenWork open = scale_work(true);
    open.arguments = {vector_argument("sum", Access::read_write, n, true),
                      vector_argument("in", Access::read_only, n), int_argument("n", n)};
    open.reference_kernel = Launchable{compiled[0].cubin, compiled[0].kernel, blocks_of(128)};
    Driver worker = Driver::open(programs_.worker, open);
    for (int i = 0; i < 2; ++i) {
      const auto outcomes = worker.evaluate(
          {{.id = 1, .label = "add", .launchable = *open.reference_kernel, .best_ms = 0}});
      expect(outcomes.at(1).status == Status::correct, "in-place kernel, again and again",
             outcomes.at(1).reason);
    }
  }

  void counting() {
    const std::vector<Case> cases = {
        {"coalesced", scale_source(right)},
        {"scattered", scale_source("const int j = (i % 32) * (n / 32) + i / 32;"
                                   "out[j] = 3.0f * in[j];")}};
    const auto compiled = compilers_.all(requests_of(cases), device_.compute_capability);
    std::vector<double> medians;
    for (const bool counted : {false, true}) {
      Driver worker = Driver::open(programs_.worker, scale_work(counted));
      const auto outcomes = worker.evaluate(jobs_of(cases, compiled));
      medians.push_back(median(outcomes.at(1).times_ms));
      if (!counted)
        continue;
      for (const std::size_t i : {1u, 2u}) {
        const MetricFacts facts{outcomes.at(i).counters, device_, 1, 0, 0};
        const auto sectors = metric_value("store_sectors_per_request", facts);
        expect(sectors && std::abs(*sectors - (i == 1 ? 4 : 32)) < 0.1,
               cases[i - 1].name + ": store sectors per request",
               sectors ? fmt::format("{}", *sectors) : "none");
        for (const auto& [name, value] : outcomes.at(i).counters)
          fmt::print("       {} = {}\n", name, value);
      }
    }
    fmt::print("     median without a counter session {:.5f} ms, with one stopped {:.5f} ms\n",
               medians[0], medians[1]);
  }

  /// NVRTC's own cache must not cost the compile facts.
  void cached_compilation() {
    const std::string source = scale_source("__shared__ float tile[256]; tile[threadIdx.x] = in[i];"
                                            "__syncthreads(); out[i] = tile[255 - threadIdx.x];");
    std::vector<CompileOutcome> twice;
    for (int i = 0; i < 2; ++i)
      twice.push_back(
          compilers_.all({{source, "twice.cu", {}, "scale", {}}}, device_.compute_capability)
              .front());
    expect(twice[0].facts == twice[1].facts && twice[0].facts.static_shared_bytes == 1024,
           "compile facts of a cached compilation",
           fmt::format("{} and {} registers, {:.1f} and {:.1f} ms",
                       twice[0].facts.registers_per_thread, twice[1].facts.registers_per_thread,
                       twice[0].ms, twice[1].ms));
  }

  void figures() {
    starts();
    many_small(true, false);
    many_small(false, false);
    many_small(true, true);
  }

private:
  OpenWork scale_work(bool counted) {
    const auto compiled = compilers_.all({{scale_source(right), "scale.cu", {}, "scale", {}}},
                                         device_.compute_capability);
    OpenWork open;
    open.label = "scale";
    open.utilities = utilities_;
    open.arguments = {vector_argument("in", Access::read_only, n),
                      vector_argument("out", Access::write_only, n, true), int_argument("n", n)};
    open.reference_kernel = Launchable{compiled[0].cubin, compiled[0].kernel, blocks_of(128)};
    open.relative_tolerance = 1e-6;
    if (counted)
      open.counters = counters_;
    return open;
  }

  static void judge(const Case& one, const EvaluateOutcome& outcome, bool counted) {
    const bool good = outcome.status == one.status &&
                      (one.reason.empty() || contains(outcome.reason, one.reason)) &&
                      (outcome.status == Status::correct) == !outcome.times_ms.empty() &&
                      (!counted || outcome.status != Status::correct || !outcome.counters.empty());
    expect(good, one.name,
           fmt::format("{} {}", to_text(outcome.status),
                       outcome.reason.empty()
                           ? fmt::format("{:.4f} ms, {} samples, {:.0f} MHz, {} registers",
                                         median(outcome.times_ms), outcome.times_ms.size(),
                                         outcome.sm_clock_mhz, outcome.facts.registers_per_thread)
                           : outcome.reason));
  }

  void check_finals(const CompileOutcome& first, const CompileOutcome& second) {
    OpenWork open = scale_work(true);
    // Right for the first seed alone: it knows an element of it.
    const double known = filled_value(*open.arguments[0].buffer, open.seed, 0, 0);
    const auto cheat = compilers_.all(
        {{scale_source(fmt::format("out[i] = (in[0] == {:a}f ? 3.0f : 4.0f) * in[i];", known)),
          "cheat.cu",
          {},
          "scale",
          {}}},
        device_.compute_capability);
    Driver worker = Driver::open(programs_.worker, open);
    FinalsJob job;
    for (const auto* compiled : {&first, &cheat[0], &second})
      job.jobs.push_back({.id = job.jobs.size() + 1,
                          .label = "finalist",
                          .launchable = {compiled->cubin, compiled->kernel, blocks_of(128)},
                          .best_ms = 0});
    const auto once = worker.evaluate({job.jobs[1]});
    expect(once.at(2).status == Status::correct, "right for the first seed", once.at(2).reason);
    const auto done = worker.finals(job);
    expect(done.outcomes.size() == 3 && done.outcomes[0].times_ms.size() == 15 &&
               done.outcomes[2].times_ms.size() == 15,
           "finalists have a sample of every round");
    expect(done.outcomes[1].status == Status::correctness,
           "a second seed finds who is right for the first alone", done.outcomes[1].reason);
    const auto again = worker.evaluate({job.jobs[0]});
    expect(again.at(1).status == Status::correct, "after the finals the first seed is back",
           again.at(1).reason);
  }

  void hang(const EvaluateJob& good) {
    const auto compiled =
        compilers_.all({{scale_source(right + " while (((volatile float*)out)[i] != -1.0f) {}"),
                         "hang.cu",
                         {},
                         "scale",
                         {}}},
                       device_.compute_capability);
    {
      Driver worker = Driver::open(programs_.worker, scale_work(true));
      worker.send(EvaluateJob{.id = 77,
                              .label = "hang",
                              .launchable = {compiled[0].cubin, compiled[0].kernel, blocks_of(256)},
                              .best_ms = 0});
      const auto stage = worker.last_stage_after(std::chrono::milliseconds(1500));
      expect(stage && stage->id == 77 && stage->stage == "count",
             "a launch that never ends is the last that was begun", stage ? stage->stage : "none");
    } // killed here
    Driver fresh = Driver::open(programs_.worker, scale_work(true));
    expect(fresh.evaluate({good}).at(good.id).status == Status::correct,
           "a new worker works after one was killed in a launch");
  }

  void refusals() {
    OpenWork open = scale_work(false);
    open.arguments[0].buffer->elements = std::uint64_t{1} << 40;
    const auto refused = Driver::refusal(programs_.worker, open);
    expect(refused && contains(refused->reason, "cudaErrorMemoryAllocation") && !refused->no_device,
           "too much data is refused", refused ? refused->reason : "opened");
    open = scale_work(false);
    open.ordinal = 99;
    const auto nowhere = Driver::refusal(programs_.worker, open);
    expect(nowhere && nowhere->no_device, "a device that is not there is refused",
           nowhere ? nowhere->reason : "opened");
  }

  void starts() {
    const std::int64_t side = 8192;
    OpenWork open = scale_work(true);
    open.arguments[0].buffer->elements = open.arguments[1].buffer->elements =
        static_cast<std::uint64_t>(side * side);
    open.arguments[2].scalar->value = static_cast<double>(side * side);
    open.reference_kernel->geometry.grid[0] = side * side / 128;
    for (const bool copy : {false, true}) {
      for (const bool warm : {false, true}) {
        open.measure_copy = copy;
        open.warm = warm;
        const auto begun = std::chrono::steady_clock::now();
        Driver worker = Driver::open(programs_.worker, open);
        const double ms = ms_since(begun);
        expect(ms < 1500, "cold start with two buffers of 256 MiB within 1.5 s",
               fmt::format("{:.0f} ms, by its own clock {:.0f}; copy {} {:.0f} GB/s", ms,
                           worker.opened().start_ms, warm ? "warm" : "cold",
                           worker.opened().device.measured_copy_gb_per_s));
        const auto outcome = worker.evaluate(
            {{.id = 1, .label = "256 MiB", .launchable = *open.reference_kernel, .best_ms = 0}});
        print_costs("one configuration, 256 MiB", {outcome.at(1)}, 0);
      }
    }
  }

  void many_small(bool counted, bool warm) {
    std::vector<Case> cases;
    for (int threads = 32; cases.size() < 140; threads = threads == 1024 ? 32 : threads + 32)
      cases.push_back({fmt::format("{} threads, {}", threads, cases.size()),
                       scale_source(right + fmt::format(" // {}", cases.size())),
                       blocks_of(threads)});
    const auto begun = std::chrono::steady_clock::now();
    const auto compiled = compilers_.all(requests_of(cases), device_.compute_capability);
    fmt::print("     140 compilations in {:.0f} ms\n", ms_since(begun));
    OpenWork open = scale_work(counted);
    open.warm = warm;
    Driver worker = Driver::open(programs_.worker, open);
    const auto first = std::chrono::steady_clock::now();
    const auto outcomes = worker.evaluate(jobs_of(cases, compiled));
    const double wall_ms = ms_since(first);
    std::vector<EvaluateOutcome> list;
    for (const auto& [id, outcome] : outcomes)
      list.push_back(outcome);
    print_costs(fmt::format("140 small kernels, {}, {}", counted ? "counted" : "not counted",
                            warm ? "warm" : "cold"),
                list, wall_ms);
    expect(wall_ms < 1000, "140 configurations in one second", fmt::format("{:.0f} ms", wall_ms));
  }

  static void print_costs(const std::string& what, const std::vector<EvaluateOutcome>& outcomes,
                          double wall_ms) {
    double gpu = 0, verify = 0, count = 0, time = 0, samples = 0;
    for (const auto& one : outcomes) {
      gpu += one.gpu_ms;
      verify += one.verify_ms;
      count += one.count_ms;
      time += one.time_ms;
      samples += static_cast<double>(one.times_ms.size());
    }
    const double k = static_cast<double>(outcomes.size());
    fmt::print("     {}: each GPU {:.3f}, verify {:.3f}, count {:.3f}, time {:.3f} ms, {:.1f} "
               "samples; wall {:.3f} ms each; median of the first {:.4f} ms\n",
               what, gpu / k, verify / k, count / k, time / k, samples / k, wall_ms / k,
               median(outcomes.front().times_ms));
  }

  Programs programs_;
  Compilers compilers_;
  Device device_;
  Bytes utilities_;
  std::vector<std::string> counters_;
};

} // namespace

int main(int count, char** arguments) {
  try {
    const auto programs = find_programs(count > 1 ? arguments[1] : GRIDSMITH_PROGRAMS_DIR);
    if (!programs)
      return 77;
    fmt::print("{} ({})\n", programs->device.name, programs->device.chip);
    Trial trial(*programs);
    trial.cached_compilation();
    trial.living();
    trial.in_place();
    trial.counting();
    trial.deadly();
    trial.figures();
  } catch (const std::exception& error) {
    fmt::print("FAIL {}\n", error.what());
    return 1;
  }
  fmt::print("{} failures\n", failures);
  return failures == 0 ? 0 : 1;
}
