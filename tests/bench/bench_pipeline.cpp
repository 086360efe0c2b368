// SPDX-License-Identifier: Apache-2.0
// Exhaustive tuning of the three bench kernels on a GPU, from the first ask to the answer, with
// verification and the default counters on for every configuration, beside the rivals' figures.
// Needs a device; asserts nothing. Cold caches: no cubin cache, NVRTC's --no-cache; run it with
// CUDA_CACHE_DISABLE=1.
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/gpu/gpu_evaluator.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"
#include "gridsmith/tuner/processes/installation.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>

namespace bench_pipeline {

using namespace gridsmith;

namespace {

/// The rivals on the same kind of machine, same kernels and spaces, 2026-11-21, H200, 16 cores:
/// seconds for the whole space. KTT's figures with counters are given as configurations per second.
struct Case {
  const char* kernel;
  double kernel_tuner_s, ktt_s, ktt_counters_per_s;
};

constexpr Case cases[] = {{"transpose_bench", 15.5, 6.03, 1.08},
                          {"sgemm_bench", 79.3, 59.9, 1.83},
                          {"histogram_bench", 9.90, 9.08, 5.38}};

double peak_mb(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Row {
  std::size_t configurations = 0, correct = 0, pruned = 0;
  double start_s = 0, seconds = 0, busy_percent = 0, overhead_ms = 0, best_ms = 0;
  TuningResult result;
};

Row run(const Installation& installation, const char* kernel, const Device& device, bool counters) {
  const KernelDefinition definition =
      read_definition(find_definition(kernel, installation.catalogue));
  const KernelInstance instance = instantiate(definition, definition.default_problem(), device);
  const SearchSpace space = build_space(instance);
  Conditions conditions;
  conditions.counter_set = counters ? "default" : "none";
  const auto strategy = make_strategy("exhaustive", {.space = space, .seed = 1});
  GpuProcesses processes(instance, {.helpers = {.cache = false, .installation = installation},
                                    .conditions = conditions});
  processes.begin();
  GpuEvaluator evaluator(instance, {}, processes);
  evaluator.wait_until_open(); // start-up of processes is shown apart
  const RecordKeeping nothing{.find = [](const Configuration&) { return std::nullopt; },
                              .add = [](std::span<const Measurement>) {}};
  Row row;
  row.result = tune({space, [&] { return OpenJob{evaluator, nothing}; }}, *strategy, {});
  row.configurations = row.result.measurements.size();
  for (const Measurement& one : row.result.measurements) {
    row.correct += one.correct();
    row.pruned += one.pruned_early;
  }
  row.start_s = row.result.evaluator.start_ms / 1000;
  row.seconds = row.result.seconds;
  row.busy_percent = row.result.evaluator.spent.gpu_ms / row.seconds / 10;
  row.overhead_ms = (row.seconds * 1000 - row.result.evaluator.spent.gpu_ms) /
                    static_cast<double>(row.configurations);
  if (const auto ranked = rank(row.result.finals); !ranked.empty()) {
    row.best_ms = ranked.front().time.median_ms;
    std::printf("%s: best %s, %s ms\n", kernel,
                to_text(ranked.front().measurement.configuration).c_str(),
                number_text(row.best_ms).c_str());
  }
  for (const Measurement& one : row.result.measurements)
    if (!one.correct())
      std::printf("  %s: %s: %s\n", to_text(one.configuration).c_str(), to_text(one.status).data(),
                  one.reason.c_str());
  return row;
}

} // namespace

int run(int, char**) {
  const Installation installation = find_installation();
  const DeviceList list = query_devices(installation.programs);
  if (list.devices.empty()) {
    std::printf("skipped: %s\n", list.reason.c_str());
    return 0;
  }
  const Device& device = list.devices.front();
  Table table({{"kernel", "", true},
               {"counters", "", true},
               {"configs", ""},
               {"correct", ""},
               {"pruned", ""},
               {"start", "s"},
               {"ours", "s"},
               {"ours", "1/s"},
               {"GPU busy", "%"},
               {"not GPU", "ms/config"},
               {"Kernel Tuner", "s"},
               {"ratio", ""},
               {"KTT", "s"},
               {"ratio", ""},
               {"KTT counted", "1/s"},
               {"ratio", ""},
               {"best", "ms"}});
  Table stages({{"kernel", "", true},
                {"counters", "", true},
                {"compile", ""},
                {"last compiled at", ""},
                {"worker waited", ""},
                {"verify", ""},
                {"time", ""},
                {"count", ""},
                {"GPU busy", ""},
                {"search", ""},
                {"replaced", ""}});
  for (const Case& one : cases)
    for (const bool counters : {true, false}) {
      const Row row = run(installation, one.kernel, device, counters);
      const double rate = static_cast<double>(row.configurations) / row.seconds;
      table.add({one.kernel, counters ? "yes" : "no", fmt::format("{}", row.configurations),
                 fmt::format("{}", row.correct), fmt::format("{}", row.pruned),
                 number_text(row.start_s), number_text(row.seconds), number_text(rate),
                 number_text(row.busy_percent), number_text(row.overhead_ms),
                 number_text(one.kernel_tuner_s), number_text(one.kernel_tuner_s / row.seconds),
                 number_text(one.ktt_s), number_text(one.ktt_s / row.seconds),
                 number_text(one.ktt_counters_per_s), number_text(rate / one.ktt_counters_per_s),
                 number_text(row.best_ms)});
      const EvaluatorState& state = row.result.evaluator;
      stages.add({one.kernel, counters ? "yes" : "no", number_text(state.spent.compile_ms),
                  number_text(state.last_compiled_ms), number_text(state.wait_ms),
                  number_text(state.spent.verify_ms), number_text(state.spent.time_ms),
                  number_text(state.spent.count_ms), number_text(state.spent.gpu_ms),
                  number_text(row.result.search_ms),
                  fmt::format("{}", state.worker_restarts + state.compiler_restarts)});
    }
  std::printf("\n%s, L2 flushed before every sample, verification on, cold caches\n%s",
              device.name.c_str(), table.text().c_str());
  std::printf("\nwhere the time went, ms; compile is the sum over all compilers, the stages are "
              "the worker's\n%s",
              stages.text().c_str());
  std::printf("\npeak memory: tuner %.0f MB, largest of its children %.0f MB\n",
              peak_mb(RUSAGE_SELF), peak_mb(RUSAGE_CHILDREN));
  return 0;
}

const Bench entry("pipeline", run);

} // namespace bench_pipeline
