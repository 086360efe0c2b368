#include "gridsmith/results/measurement/answer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gridsmith {
namespace {

constexpr double same_bytes = 0.01; // DRAM bytes of one kernel vary by less than this between runs

/// Intervals cannot overlap where a recording holds one number; then only equal times are a tie.
bool overlap(const TimeSummary& a, const TimeSummary& b) {
  return a.low_ms <= b.high_ms && b.low_ms <= a.high_ms;
}

double moved_bytes(const Measurement& measurement) {
  const Device any;
  const MetricFacts facts{.counters = measurement.counters, .device = any};
  return metric_value("dram_bytes", facts).value_or(std::numeric_limits<double>::infinity());
}

int registers(const Measurement& measurement) {
  return measurement.compile_facts ? measurement.compile_facts->registers_per_thread
                                   : std::numeric_limits<int>::max();
}

/// Whether `a` is the better of two that time cannot tell apart.
bool leaner(const Ranked& a, const Ranked& b) {
  const double bytes_a = moved_bytes(a.measurement), bytes_b = moved_bytes(b.measurement);
  if (bytes_a < bytes_b * (1 - same_bytes))
    return true;
  if (bytes_b < bytes_a * (1 - same_bytes))
    return false;
  const int registers_a = registers(a.measurement), registers_b = registers(b.measurement);
  return registers_a != registers_b ? registers_a < registers_b
                                    : a.time.median_ms < b.time.median_ms;
}

} // namespace

std::vector<const Measurement*> finalists(const std::vector<Measurement>& measurements,
                                          std::size_t most, double fraction,
                                          const Objective& objective, const Workload& workload) {
  std::vector<std::pair<double, const Measurement*>> costs;
  for (const Measurement& measurement : measurements)
    if (const auto cost = objective.cost(measurement, workload); cost && !measurement.pruned_early)
      costs.emplace_back(*cost, &measurement);
  std::stable_sort(costs.begin(), costs.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Measurement*> chosen;
  for (const auto& [cost, measurement] : costs)
    if (chosen.size() < most && cost <= costs.front().first * (1 + fraction))
      chosen.push_back(measurement);
  return chosen;
}

std::size_t Answer::ties() const {
  return static_cast<std::size_t>(
      std::count_if(ranking.begin(), ranking.end(), [](const Ranked& one) { return one.tied; }));
}

std::vector<Ranked> rank(const std::vector<Measurement>& finals, const Objective& objective,
                         const Workload& workload) {
  std::vector<Ranked> ranked;
  const auto cost = [&](const Ranked& one) {
    return objective.by_time ? one.time.median_ms : *objective.cost(one.measurement, workload);
  };
  for (const Measurement& measurement : finals)
    if (const auto time = summarise(measurement.times_ms);
        time && objective.cost(measurement, workload))
      ranked.push_back({measurement, *time, false});
  if (ranked.empty())
    return ranked;
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const Ranked& a, const Ranked& b) { return cost(a) < cost(b); });
  const auto tied = [&](const Ranked& a, const Ranked& b) {
    return objective.by_time
               ? overlap(a.time, b.time)
               : std::abs(cost(a) - cost(b)) <= same_bytes * std::min(cost(a), cost(b));
  };
  const Ranked lowest = ranked.front();
  const auto tie_end = std::stable_partition(ranked.begin(), ranked.end(),
                                             [&](const Ranked& one) { return tied(one, lowest); });
  // A strict order would need exact byte counts; with "within 1 %" the leanest is picked, not
  // sorted.
  auto winner = ranked.begin();
  for (auto one = std::next(ranked.begin()); one != tie_end; ++one)
    if (leaner(*one, *winner))
      winner = one;
  std::rotate(ranked.begin(), winner, std::next(winner));
  for (Ranked& one : ranked)
    one.tied = &one != &ranked.front() && tied(one, ranked.front());
  return ranked;
}

} // namespace gridsmith
