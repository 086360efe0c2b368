// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/recorded_times.hpp"

#include "gridsmith/results/check/paired.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

constexpr double same_clock = 0.02; // relative

struct TimesOfNow {
  std::vector<double> ms;
  std::optional<double> sm_clock_mhz;
  std::optional<Measurement> failed;      ///< what did not give a right result
  std::vector<Measurement> measured = {}; ///< one of each process
};

/// In two processes, each with data of its own places in memory.
/// @param guarded counted too; null: nothing
TimesOfNow measure(const CheckSubject& subject, const CheckSettings& settings,
                   const Objective* guarded, const std::stop_token& stop) {
  SessionSettings session = session_of_one(settings.session, subject.instance->definition,
                                           subject.instance->problem, subject.now.configuration);
  session.conditions = conditions_of(subject, settings);
  if (guarded) {
    session.conditions.counter_set = "default";
    session.objective = guarded->name; // what it is made of is counted
  }
  TimesOfNow now;
  for (int process = 0; process < 2; ++process)
    for (const Outcome& outcome : Session(session).run(stop))
      for (const Measurement& measured : outcome.result.measurements) {
        if (!measured.correct()) {
          now.failed = measured;
          return now;
        }
        now.ms.insert(now.ms.end(), measured.times_ms.begin(), measured.times_ms.end());
        now.sm_clock_mhz = measured.sm_clock_mhz;
        now.measured.push_back(measured);
      }
  return now;
}

void settle(CheckCase& one, CheckVerdict verdict, std::string reason) {
  one.verdict = verdict;
  one.reason = std::move(reason);
}

/// As it was measured when it was saved.
Measurement recorded(const BaselineEntry& entry) {
  Measurement then;
  then.status = Status::correct;
  then.times_ms = {entry.time->median_ms};
  then.counters = entry.counters;
  then.compile_facts = entry.code.compile;
  then.geometry = entry.geometry;
  return then;
}

/// The better one of both processes against what was recorded.
GuardedObjective guarded_by_record(const CheckSubject& subject, const Objective& by,
                                   const std::vector<Measurement>& measured, double least_effect) {
  const Workload workload = workload_of(*subject.instance);
  const Measurement* best = nullptr;
  for (const Measurement& one : measured)
    if (const auto cost = by.cost(one, workload);
        cost && (!best || *cost < *by.cost(*best, workload)))
      best = &one;
  return guarded(by, by.value(recorded(subject.before), workload),
                 best ? by.value(*best, workload) : std::nullopt, least_effect,
                 why_not_counted(by));
}

} // namespace

void judge_by_times(const CheckSubject& subject, CheckCase& one, const CheckSettings& settings,
                    const Device& device, const std::stop_token& stop) {
  one.weaker = true;
  const auto& time = subject.before.time;
  if (!time || !(time->low_ms > 0))
    return settle(one, CheckVerdict::incomparable,
                  subject.no_old_binary + ", and no time was recorded");
  if (time->device != device.name)
    return settle(one, CheckVerdict::incomparable,
                  fmt::format("{}, and its time is of {}", subject.no_old_binary, time->device));
  const auto start = std::chrono::steady_clock::now();
  std::optional<Objective> by = objective_to_count(subject, settings, one);
  if (by && by->in_finals) // says that it is not judged: boards differ, and so do days
    by.reset();
  const TimesOfNow now = measure(subject, settings, by ? &*by : nullptr, stop);
  if (now.failed)
    return settle(one, CheckVerdict::wrong,
                  fmt::format("{}: {}", to_text(now.failed->status), now.failed->reason));
  one.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Judged judged =
      judge_times(now.ms, time->median_ms, time->low_ms, time->high_ms, settings.pairs);
  one.time = judged.time;
  if (by)
    one.objective = guarded_by_record(subject, *by, now.measured, settings.pairs.least_effect);
  if (time->sm_clock_mhz && now.sm_clock_mhz &&
      std::abs(*now.sm_clock_mhz / *time->sm_clock_mhz - 1) > same_clock)
    settle(one, CheckVerdict::incomparable,
           fmt::format("the SM clock was {:.0f} MHz and is {:.0f} MHz; {}", *time->sm_clock_mhz,
                       *now.sm_clock_mhz, subject.no_old_binary));
  else
    settle(
        one, judged.verdict,
        fmt::format("{}; {}, so times of two sessions are compared, which is weaker: only changes "
                    "beyond {:g} % count",
                    judged.reason, subject.no_old_binary,
                    100 * settings.pairs.widened * settings.pairs.least_effect));
  judge_objective(one);
}

} // namespace gridsmith
