// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/loop/late_counters.hpp"

#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t counted_together = 64;

} // namespace

/// Not for what shares another's measurement.
bool LateCounters::waits(const Measurement& one) const {
  return one.correct() && !profiled(one.counters) && !one.uncounted_because &&
         one.same_code_as.empty();
}

void LateCounters::see(std::size_t place) {
  if (!later_)
    return;
  Measurement& newest = results_[place];
  if (waits(newest))
    waiting_.push_back(place);
  if (newest.same_code_as.empty() || profiled(newest.counters))
    return;
  for (const Measurement& one : results_)
    if (to_text(one.configuration) == newest.same_code_as)
      add(newest, one);
}

bool LateCounters::enough() const {
  return waiting_.size() >= counted_together;
}

void LateCounters::ask(TrialId& next_trial) {
  std::vector<Trial> trials;
  for (const std::size_t place : std::exchange(waiting_, {})) {
    if (!waits(results_[place])) // it has failed since
      continue;
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
  to.counters.insert(counted.counters.begin(), counted.counters.end());
  if (profiled(to.counters) && records_.add_counters)
    records_.add_counters(to);
}

} // namespace gridsmith
