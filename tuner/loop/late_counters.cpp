// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/loop/late_counters.hpp"

#include <chrono>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t counted_together = 64;

} // namespace

/// Not for what shares another's measurement.
bool LateCounters::waits(const Measurement& one) const {
  return one.correct() && one.counters.empty() && !one.uncounted_because &&
         one.same_code_as.empty();
}

void LateCounters::see(std::size_t place) {
  if (!later_)
    return;
  Measurement& newest = results_[place];
  if (waits(newest))
    waiting_.push_back(place);
  if (newest.same_code_as.empty() || !newest.counters.empty())
    return;
  for (const Measurement& one : results_)
    if (to_text(one.configuration) == newest.same_code_as)
      add(newest, one);
}

void LateCounters::see_all() {
  for (std::size_t place = 0; place < results_.size(); ++place)
    see(place);
}

bool LateCounters::enough() const {
  return waiting_.size() >= counted_together;
}

void LateCounters::ask(TrialId& next_trial) {
  std::vector<Trial> trials;
  for (const std::size_t place : std::exchange(waiting_, {})) {
    asked_.emplace(next_trial, place);
    trials.push_back({.id = next_trial++,
                      .configuration = results_[place].configuration,
                      .mode = Mode::race,
                      .count = false,
                      .time = false});
  }
  if (!trials.empty())
    evaluator_.submit(std::move(trials));
}

bool LateCounters::take(const Evaluated& evaluated) {
  const auto asked = asked_.find(evaluated.id);
  if (asked == asked_.end())
    return false;
  Measurement& measurement = results_[asked->second];
  asked_.erase(asked);
  measurement.spent.count_ms += evaluated.measurement.spent.count_ms;
  measurement.spent.gpu_ms += evaluated.measurement.spent.gpu_ms;
  add(measurement, evaluated.measurement);
  const std::string text = to_text(measurement.configuration);
  for (Measurement& twin : results_)
    if (twin.same_code_as == text)
      add(twin, measurement);
  return true;
}

void LateCounters::withdraw() {
  for (const auto& [trial, place] : asked_)
    evaluator_.withdraw(trial);
  asked_.clear();
}

void LateCounters::add(Measurement& to, const Measurement& counted) const {
  to.uncounted_because =
      counted.correct() ? counted.uncounted_because : std::optional(counted.reason);
  to.counters = counted.counters;
  if (!to.counters.empty() && records_.add_counters)
    records_.add_counters(to);
}

namespace {

using namespace std::chrono_literals;

/// What has none is given those of the same configuration as it was raced.
void add_to_finals(TuningResult& result) {
  for (Measurement& final : result.finals)
    for (const Measurement& raced : result.measurements)
      if (raced.configuration == final.configuration) {
        final.counters.insert(raced.counters.begin(), raced.counters.end());
        if (final.counters.empty())
          final.uncounted_because = raced.uncounted_because;
      }
}

} // namespace

void count_races(Evaluator& evaluator, const RecordKeeping& records, TuningResult& result,
                 const GiveUp& give_up) {
  LateCounters late(evaluator, records, result.measurements, evaluator.counts_later());
  late.see_all();
  TrialId next_trial = 1;
  if (!give_up())
    late.ask(next_trial);
  while (late.open() && !give_up())
    for (const Evaluated& one : evaluator.collect(100ms))
      late.take(one);
  late.withdraw();
  add_to_finals(result);
}

void count_final(Evaluator& evaluator, const RecordKeeping& records, Measurement& final,
                 const GiveUp& give_up) {
  constexpr TrialId trial = 1;
  if (!evaluator.counts_later() || !final.correct() || give_up())
    return;
  evaluator.submit({{.id = trial,
                     .configuration = final.configuration,
                     .mode = Mode::final,
                     .count = false,
                     .time = false}});
  std::vector<Evaluated> done;
  while (done.empty() && !give_up()) {
    done = evaluator.collect(100ms);
    std::erase_if(done, [](const Evaluated& one) { return one.id != trial; });
  }
  if (done.empty())
    return evaluator.withdraw(trial);
  const Measurement& counted = done.front().measurement;
  for (const auto& [name, value] : counted.counters)
    final.counters.insert_or_assign(name, value);
  if (final.counters.empty())
    final.uncounted_because =
        counted.correct() ? counted.uncounted_because : std::optional(counted.reason);
  if (!counted.counters.empty() && records.add_counters)
    records.add_counters(final);
}

} // namespace gridsmith
