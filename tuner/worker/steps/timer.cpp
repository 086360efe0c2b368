// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/steps/timer.hpp"

#include "gridsmith/results/measurement/time_summary.hpp"

#include <algorithm>
#include <numeric>

namespace gridsmith {

namespace {

/// Sample number `index` is this candidate's.
void note(Candidate& candidate, const Samples& samples, std::size_t index) {
  Execution& execution = candidate.execution;
  execution.times_ms.push_back(samples.times_ms[index]);
  execution.taken_at_ms.push_back(samples.taken_at_ms[index]);
  if (samples.sm_clock_mhz)
    execution.clocks_mhz.push_back(*samples.sm_clock_mhz);
  execution.spent.gpu_ms += samples.gpu_ms / static_cast<double>(samples.times_ms.size());
}

void forget_samples(Execution& execution) {
  execution.times_ms.clear();
  execution.taken_at_ms.clear();
  execution.clocks_mhz.clear();
}

/// After the last sample.
void finish(Execution& execution) {
  execution.status = Status::correct;
  std::vector<double>& clocks = execution.clocks_mhz;
  if (!clocks.empty())
    execution.sm_clock_mhz =
        std::accumulate(clocks.begin(), clocks.end(), 0.0) / static_cast<double>(clocks.size());
  if (clocks.size() != execution.times_ms.size())
    clocks.clear(); // of some samples only: whose they are would not be known
}

} // namespace

Timer::Timer(Stopwatch& stopwatch, Observer& observer, BestTime& best, const Sampling& rules)
    : stopwatch_(stopwatch), observer_(observer), best_(best), rules_(rules) {
}

void Timer::race(Candidate& candidate, const std::optional<Sampling>& rules) {
  sample(candidate, rules.value_or(rules_));
}

void Timer::offer(const Candidate& candidate) {
  if (const auto summary = summarise(candidate.execution.times_ms))
    best_.offer(summary->high_ms); // what was pruned lies above the best and changes nothing
}

bool Timer::leads(const Candidate& candidate) const {
  constexpr double far = 0.95; // what leads by less prunes little (cannot_win())
  const auto summary = summarise(candidate.execution.times_ms);
  const auto best_ms = best_.ms();
  return summary && (!best_ms || summary->high_ms < far * *best_ms);
}

bool Timer::spares_work(const Candidate& candidate, double now_ms) const {
  constexpr double factor = 1.5,
                   slack_ms = 0.02; // one launch alone may be late by some microseconds
  // The median: the first of the samples may have found another's output.
  const auto summary = summarise(candidate.execution.times_ms);
  return stopwatch_.regime() == Regime::cold && summary && candidate.again_ms &&
         *candidate.again_ms > factor * std::max(summary->median_ms, now_ms) + slack_ms;
}

std::optional<double> Timer::time_now(Candidate& candidate) {
  std::optional<double> ms;
  guarded(candidate, observer_,
          [&] { ms = stopwatch_.take({turn_of(candidate)}).times_ms.front(); });
  return ms;
}

void Timer::settle(Candidate& candidate, const std::optional<Sampling>& rules) {
  Sampling unpruned = rules.value_or(rules_);
  unpruned.prune = false;
  sample(candidate, unpruned);
}

void Timer::sample(Candidate& candidate, const Sampling& rules) {
  const Stage stage(observer_, candidate, "time");
  const ProfiledSection section(observer_);
  const HostClock clock;
  Execution& execution = candidate.execution;
  const bool good = guarded(candidate, observer_, [&] { take_samples(candidate, rules); });
  execution.spent.time_ms = clock.ms();
  if (good)
    finish(execution);
}

/// The verified launch is timed with flushed caches too. Without a profiler in it, and long enough
/// that being the first launch of its code (some microseconds) does not matter, it can be the one
/// sample that shows that a configuration cannot win; it is never part of a result that counts.
bool Timer::first_launch_decides(const Candidate& candidate, const Sampling& rules) const {
  constexpr double long_enough_ms = 0.5;
  return rules.prune && stopwatch_.regime() == Regime::cold &&
         candidate.first_ms.value_or(0) >= long_enough_ms &&
         cannot_win({&*candidate.first_ms, 1}, best_.ms());
}

void Timer::take_samples(Candidate& candidate, const Sampling& rules) {
  Execution& execution = candidate.execution;
  if (first_launch_decides(candidate, rules)) {
    execution.times_ms = {*candidate.first_ms};
    execution.pruned_early = true;
    return;
  }
  int launches = 1;
  NextStep next = NextStep::sample;
  while (next == NextStep::sample) {
    const std::size_t group = next_group(execution.times_ms.size(), rules);
    const Samples samples =
        stopwatch_.take(std::vector<Turn>(group, Turn{candidate.kernel.get(), launches}));
    for (std::size_t i = 0; i < group; ++i)
      note(candidate, samples, i);
    next = next_step(execution.times_ms, best_.ms(), rules);
    // Too short for one launch per sample: start again.
    if (const int wanted = launches_per_sample(stopwatch_.regime(), execution.times_ms.front());
        next == NextStep::sample && launches == 1 && wanted > 1) {
      launches = wanted;
      forget_samples(execution);
    }
  }
  execution.pruned_early = next == NextStep::prune;
}

Turn Timer::turn_of(const Candidate& candidate) const {
  return {candidate.kernel.get(),
          candidate.first_ms ? launches_per_sample(stopwatch_.regime(), *candidate.first_ms) : 1};
}

void Timer::interleave(Candidates candidates, BatchOrder order, int rounds) {
  const ProfiledSection section(observer_);
  const HostClock clock;
  for (int round = 0; round < std::max(rounds, 1) && !candidates.empty(); ++round) {
    Candidates in_order = candidates;
    if (order == BatchOrder::mirrored && round % 2 == 1)
      std::reverse(in_order.begin(), in_order.end());
    const Candidate& named = *candidates[static_cast<std::size_t>(round) % candidates.size()];
    // The first round one by one, so that whoever cannot be launched again is known.
    if (round == 0 || !sample_together(in_order, named))
      sample_singly(in_order);
    std::erase_if(candidates, [](const Candidate* candidate) { return candidate->failed; });
  }
  for (Candidate* candidate : candidates) {
    candidate->execution.spent.time_ms = clock.ms() / static_cast<double>(candidates.size());
    finish(candidate->execution);
  }
}

/// Without a host round trip in between. False when the device refused: nobody got a sample.
/// @param named who answers for a round that never ends or loses the context: another each time
bool Timer::sample_together(const Candidates& in_order, const Candidate& named) {
  const Stage stage(observer_, named, "time");
  std::vector<Turn> turns;
  for (const Candidate* candidate : in_order)
    turns.push_back(turn_of(*candidate));
  try {
    const Samples samples = stopwatch_.take(turns);
    for (std::size_t i = 0; i < in_order.size(); ++i)
      note(*in_order[i], samples, i);
    return true;
  } catch (const DeviceError& error) {
    if (error.context_lost())
      observer_.context_lost(named, error.plain());
    return false;
  }
}

void Timer::sample_singly(const Candidates& in_order) {
  for (Candidate* candidate : in_order) {
    const Stage stage(observer_, *candidate, "time");
    guarded(*candidate, observer_,
            [&] { note(*candidate, stopwatch_.take({turn_of(*candidate)}), 0); });
  }
}

} // namespace gridsmith
