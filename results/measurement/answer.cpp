#include "gridsmith/results/measurement/answer.hpp"

#include <algorithm>
#include <limits>

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
                                          std::size_t most, double fraction) {
  std::vector<const Measurement*> chosen;
  for (const Measurement& measurement : measurements)
    if (!measurement.raced_out && cost_ms(measurement))
      chosen.push_back(&measurement);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const auto* a, const auto* b) { return *cost_ms(*a) < *cost_ms(*b); });
  if (chosen.empty())
    return chosen;
  const double limit = *cost_ms(*chosen.front()) * (1 + fraction);
  std::erase_if(chosen, [&](const Measurement* one) { return *cost_ms(*one) > limit; });
  if (chosen.size() > most)
    chosen.resize(most);
  return chosen;
}

std::vector<Ranked> rank(const std::vector<Measurement>& finals) {
  std::vector<Ranked> ranked;
  for (const Measurement& measurement : finals)
    if (const auto time = summarise(measurement.times_ms); time && measurement.correct())
      ranked.push_back({measurement, *time, false});
  if (ranked.empty())
    return ranked;
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return a.time.median_ms < b.time.median_ms;
  });
  const TimeSummary fastest = ranked.front().time;
  const auto tie_end = std::stable_partition(
      ranked.begin(), ranked.end(), [&](const Ranked& one) { return overlap(one.time, fastest); });
  // A strict order would need exact byte counts; with "within 1 %" the leanest is picked, not
  // sorted.
  auto winner = ranked.begin();
  for (auto one = std::next(ranked.begin()); one != tie_end; ++one)
    if (leaner(*one, *winner))
      winner = one;
  std::rotate(ranked.begin(), winner, std::next(winner));
  for (Ranked& one : ranked)
    one.tied = &one != &ranked.front() && overlap(one.time, ranked.front().time);
  return ranked;
}

} // namespace gridsmith
