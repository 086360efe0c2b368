// SPDX-License-Identifier: Apache-2.0
// How often a check is wrong, on a GPU: unchanged kernels that are called slower, and planted slow-downs
// that are not. Figures, no assertions.
//   bench_check unchanged --runs 200     (every second run just after seconds of other work)
//   bench_check planted --runs 20        (2, 3, 5, 10 %, uncoalesced stores, spills, lower occupancy)
//   bench_check recordings FOLDER        (no GPU: shared/spaces/dev, those with 32 samples)
#include "gridsmith/results/check/paired.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tests/gpu/check/planted.hpp"
#include "gridsmith/tuner/guard/baseline_save.hpp"
#include "gridsmith/tuner/guard/check.hpp"

#include <CLI/CLI.hpp>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>

namespace bench_check {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Kernels of the catalogue at sizes from some microseconds to some milliseconds.
struct Unchanged {
  const char* kernel;
  std::vector<std::int64_t> size;
};

const std::vector<Unchanged> kernels{{"copy", {1000003}},         {"copy", {268435456}},
                                     {"vector_add", {1048576}},   {"transpose", {4096, 4096}},
                                     {"transpose", {8192, 8192}}, {"matmul", {1024, 1024, 1024}},
                                     {"stencil", {2048, 2048}},   {"matmul", {4096, 4096, 4096}}};

void save(const SaveSettings& settings, Baseline& baseline) {
  put_entries(baseline, made_entries(wanted_entries(settings), settings, {}, {}));
  write_baseline(settings.baseline, baseline);
}

/// A second of copying on the GPU.
void keep_busy() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  void *from = nullptr, *to = nullptr;
  const auto check = [](cudaError_t code) {
    if (code != cudaSuccess)
      throw std::runtime_error(cudaGetErrorString(code));
  };
  check(cudaMalloc(&from, bytes));
  check(cudaMalloc(&to, bytes));
  for (const auto start = Clock::now(); seconds_since(start) < 1;) {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
    check(cudaDeviceSynchronize());
  }
  check(cudaDeviceReset()); // and gone from it
}

/// Counts of verdicts by name, as a line.
std::string text_of(const std::map<CheckVerdict, int>& counts) {
  std::string text;
  for (const auto& [verdict, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_text(verdict), count);
  return text;
}

void unchanged(int runs, double seconds) {
  const auto began = Clock::now();
  const fs::path folder = fs::temp_directory_path() / "gridsmith-bench-check";
  fs::create_directories(folder);
  SaveSettings saving;
  saving.baseline = folder / "baseline.json";
  saving.binaries_beside = true;
  Baseline baseline;
  for (const Unchanged& one : kernels) {
    saving.kernels = {one.kernel};
    saving.session.problems = {{one.size}};
    save(saving, baseline);
  }
  CheckSettings settings;
  settings.baseline = saving.baseline;
  settings.identical_too = true;
  settings.counters = CounterUse::none;
  std::map<std::string, std::map<CheckVerdict, int>> by_kernel;
  std::map<std::string, double> spent;
  std::map<Gate, int> gates[2];
  int run = 0;
  for (; run < runs && seconds_since(began) < seconds; ++run) {
    const bool busy = run % 2 == 1;
    if (busy)
      keep_busy();
    const auto start = Clock::now();
    const CheckResult result = run_check(settings);
    ++gates[busy ? 1 : 0][result.gate()];
    for (const CheckCase& one : result.cases) {
      ++by_kernel[title_of(one)][one.verdict];
      spent[title_of(one)] += one.seconds;
      if (one.verdict != CheckVerdict::same)
        fmt::print("  run {}: {} {} {}\n", run, title_of(one), to_text(one.verdict), one.reason);
    }
    fmt::print("run {}{}: {}, {:.1f} s\n", run, busy ? " (busy before)" : "",
               to_text(result.gate()), seconds_since(start));
    std::fflush(stdout);
  }
  for (const auto& [kernel, counts] : by_kernel)
    fmt::print("{:<32} {:.2f} s a check; {}\n", kernel, spent[kernel] / run, text_of(counts));
  for (const int busy : {0, 1})
    fmt::print("{} of {} runs {} red\n", gates[busy][Gate::red], (run + 1 - busy) / 2,
               busy ? "after other work" : "from rest");
}

struct Plant {
  const char* name;
  double effect; ///< new / old - 1 that extra work is to cost
  int kind;
};

constexpr std::array<Plant, 8> plants{{{"nothing", 0, 0},
                                       {"2 %", 0.02, 0},
                                       {"3 %", 0.03, 0},
                                       {"5 %", 0.05, 0},
                                       {"10 %", 0.1, 0},
                                       {"uncoalesced", 0, 1},
                                       {"spill", 0, 2},
                                       {"occupancy", 0, 3}}};

CheckSettings check_of(const test::PlantedKernel& kernel) {
  CheckSettings settings;
  settings.baseline = kernel.baseline();
  settings.identical_too = true;
  return settings;
}

/// How many blocks of a thousand have to work twice for the effect, by trying.
int extra_permille(const test::PlantedKernel& kernel, double effect) {
  double extra = 1000 * effect;
  for (int attempt = 0; effect > 0 && attempt < 3; ++attempt) {
    kernel.plant(static_cast<int>(extra), 0);
    const auto time = run_check(check_of(kernel)).cases.front().time;
    if (time && time->ratio > 1.002)
      extra = std::clamp(extra * effect / (time->ratio - 1), 1.0, 1000.0);
  }
  return static_cast<int>(extra);
}

/// Told with the median of the measured ratios: what is planted costs what it costs.
void planted(int runs) {
  for (const std::int64_t rounds : {1, 64})
    for (const Plant& plant : plants) {
      const test::PlantedKernel kernel;
      SaveSettings saving;
      saving.baseline = kernel.baseline();
      saving.kernels = {kernel.definition().string()};
      saving.session.only = {Configuration{{"ROUNDS", Value{rounds}}}};
      saving.binaries_beside = true;
      Baseline baseline;
      save(saving, baseline);
      kernel.plant(extra_permille(kernel, plant.effect), plant.kind);
      CheckSettings settings = check_of(kernel);
      std::map<CheckVerdict, int> counts;
      std::vector<double> ratios;
      std::string why;
      const auto start = Clock::now();
      const int times = plant.kind == 0 ? runs : std::min(runs, 5); // no doubt about those
      for (int run = 0; run < times; ++run) {
        settings.counters = run + 1 < times ? CounterUse::none : CounterUse::explain;
        const CheckResult result = run_check(settings);
        const CheckCase& one = result.cases.front();
        ++counts[one.verdict];
        if (one.time)
          ratios.push_back(one.time->ratio);
        why = fmt::format("{}", fmt::join(one.changes, "; "));
      }
      std::sort(ratios.begin(), ratios.end());
      fmt::print("rounds {:<3} {:<12} measured {:.4f}; {}; {:.1f} s a check; {}\n", rounds,
                 plant.name, ratios.empty() ? 0 : ratios[ratios.size() / 2], text_of(counts),
                 seconds_since(start) / times, why);
      std::fflush(stdout);
    }
}

/// 32 consecutive samples of one configuration as A B B A: 8 pairs. Truth: no change, but for what is
/// multiplied onto B.
std::vector<PairsOfWorker> as_pairs(const std::vector<double>& times, double effect) {
  PairsOfWorker worker;
  for (std::size_t i = 0; i + 1 < times.size(); i += 2) {
    const bool turned = i / 2 % 2 == 1;
    worker.old_ms.push_back(times[turned ? i + 1 : i]);
    worker.new_ms.push_back(times[turned ? i : i + 1] * effect);
  }
  return {worker};
}

void recordings(const fs::path& folder) {
  constexpr std::size_t samples = 32,
                        most = 800; // configurations of a recording, its fastest fifth
  PairRules rules;
  rules.error = 0.02; // 8 pairs can show no more than 1 / 256 on one side
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!is_recording(entry.path()))
      continue;
    std::vector<Measurement> fast;
    for (Measurement& one : read_recording(entry.path()).measurements)
      if (one.correct() && one.times_ms.size() >= samples)
        fast.push_back(std::move(one));
    if (fast.empty())
      continue;
    std::sort(fast.begin(), fast.end(),
              [](const Measurement& a, const Measurement& b) { return cost_ms(a) < cost_ms(b); });
    fast.resize(std::max<std::size_t>(1, std::min(most, fast.size() / 5)));
    std::string line = fmt::format("{:<48} {:>4}", entry.path().filename().string(), fast.size());
    for (const double effect : {1.0, 1.03, 1.05, 1.10}) {
      std::size_t slower = 0;
      for (const Measurement& one : fast) {
        const std::vector<std::vector<PairsOfWorker>> kernel{as_pairs(one.times_ms, effect)};
        slower += judge(kernel, rules).front().verdict == CheckVerdict::slower ? 1 : 0;
      }
      line += fmt::format("  {:.0f} %: {:6.2f} %", 100 * (effect - 1),
                          100 * static_cast<double>(slower) / static_cast<double>(fast.size()));
    }
    fmt::print("{}\n", line);
  }
}

} // namespace

int run(int count, char** words) {
  CLI::App app("How often a check is wrong");
  app.require_subcommand(1);
  int runs = 20;
  double seconds = 3600;
  fs::path folder;
  CLI::App* first = app.add_subcommand("unchanged");
  CLI::App* second = app.add_subcommand("planted");
  CLI::App* third = app.add_subcommand("recordings");
  for (CLI::App* one : {first, second})
    one->add_option("--runs", runs)->capture_default_str();
  third->add_option("folder", folder)->required();
  first->add_option("--seconds", seconds, "End after these")->capture_default_str();
  first->callback([&] { unchanged(runs, seconds); });
  second->callback([&] { planted(runs); });
  third->callback([&] { recordings(folder); });
  CLI11_PARSE(app, count, words);
  return 0;
}

const Bench entry("check", run);

} // namespace bench_check
