// SPDX-License-Identifier: Apache-2.0
// How fast strategies are simulated: runs of 200 evaluations per second on one core, and
// microseconds of search per evaluation, on made-up recordings of 10,000 and 250,000
// configurations. Figures, no assertions.
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tuner/replay/simulation.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace bench_simulate {

using namespace gridsmith;

namespace {

/// Parameters with `counts` values each; the time has a valley, some interplay and some failures.
Recording made_up(const std::vector<int>& counts) {
  Recording recording;
  for (std::size_t p = 0; p < counts.size(); ++p) {
    Parameter parameter{fmt::format("p{}", p), {}};
    for (int value = 0; value < counts[p]; ++value)
      parameter.values.emplace_back(std::int64_t{value});
    recording.parameters.push_back(parameter);
  }
  std::vector<int> at(counts.size(), 0);
  for (std::size_t p = 0; p < counts.size();) {
    Measurement measurement;
    double time = 1;
    for (std::size_t q = 0; q < counts.size(); ++q) {
      const double place = static_cast<double>(at[q]) / counts[q];
      time += std::pow(place - 0.6, 2) + 0.2 * std::abs(std::sin(7.0 * place * (at[0] + 1)));
      measurement.configuration.emplace_back(recording.parameters[q].name,
                                             Value{std::int64_t{at[q]}});
    }
    measurement.status =
        at.front() + at.back() > counts.front() ? Status::runtime : Status::correct;
    if (measurement.correct())
      measurement.times_ms = {time};
    recording.measurements.push_back(std::move(measurement));
    for (p = 0; p < counts.size() && ++at[p] == counts[p]; ++p)
      at[p] = 0;
  }
  return recording;
}

void measure(const std::string& title, const Recording& recording) {
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  fmt::print("\n{}: {} configurations\n{:<16}{:>14}{:>16}\n", title, judge.space().size(),
             "strategy", "runs/s", "us/evaluation");
  for (const StrategyEntry& strategy : strategies()) {
    SimulationSettings settings;
    settings.evaluations = {200};
    settings.threads = 1;
    settings.runs = 4;
    double seconds = 0;
    SimulationResult result;
    do { // until it takes long enough to be measured
      settings.runs *= 4;
      const auto begin = std::chrono::steady_clock::now();
      result = simulate(judge, title, strategy, settings);
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    } while (seconds < 0.2);
    fmt::print("{:<16}{:>14.0f}{:>16.2f}\n", strategy.name,
               static_cast<double>(settings.runs) / seconds, result.search_us);
  }
}

} // namespace

int run(int, char**) {
  measure("small", made_up({10, 10, 10, 10}));
  measure("large", made_up({25, 20, 10, 10, 5}));
  return 0;
}

const Bench entry("simulate", run);

} // namespace bench_simulate
