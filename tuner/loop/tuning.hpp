// SPDX-License-Identifier: Apache-2.0
// A tuning, of one job or of many at once: a strategy's questions are measured, recorded before they are reported,
// and the best of each job measured again, interleaved. Knows neither GPU nor recording, neither terminal nor file.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/search/space/joint_ids.hpp"
#include "gridsmith/tuner/loop/ask_tell.hpp"
#include "gridsmith/tuner/loop/clock.hpp"
#include "gridsmith/tuner/loop/compile_patience.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace gridsmith {

/// When to stop. Nothing set: when more is not likely to pay (StopRule), or after the whole space;
/// strategies that do not learn go through all of it.
struct Budget {
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds; ///< what runs then is abandoned, and nothing is measured again

  bool open() const { return !evaluations && !seconds; }
};

struct TuningSettings {
  Budget budget = {};
  bool repeatable = false;                   ///< as AskTellLimits
  std::optional<std::size_t> most_open = {}; ///< likewise
  CompileTimeout compile_timeout = {};
  bool finals_count_more = true; ///< than races do
  /// Where several jobs are measured side by side: waits at most so long until something may have come of one.
  std::function<void(std::chrono::milliseconds)> wait = {};
  /// Hears what one job cannot do, once nothing refers to its evaluator any more; the others go on. Empty: it is
  /// thrown.
  std::function<void(std::size_t job, const Error& error)> failed = {};
  const Clock* clock = nullptr; ///< outlives the tuning; none: the time of the day
};

/// Where measurements live. `add` returns after the records are safe: one commit for all that came
/// in at once, since forcing a disk costs milliseconds.
struct RecordKeeping {
  std::function<std::optional<Measurement>(const Configuration&)> find;
  std::function<void(std::span<const Measurement>)> add;
  /// Counters that came later, for a configuration that was added; may be empty.
  std::function<void(const Measurement&)> add_counters = {};
};

/// What measures the configurations of a job, and where they are kept; both outlive the tuning.
struct OpenJob {
  Evaluator& evaluator;
  RecordKeeping records;
};

/// One problem of one kernel on one device.
struct Job {
  const SearchSpace& space;
  /// Called once, before its first question. @throws Error
  std::function<OpenJob()> open;
  FinalsRules finals = {};
  Workload workload = {};
  Objective objective = objectives().front();
  std::optional<Objective> against = {}; ///< the front of both is looked for
  bool counts_last = true; ///< what counts later than it is timed is counted at the end
};

/// One step, for a progress line.
struct Progress {
  std::uint64_t done = 0, total = 0; ///< evaluations
  std::uint64_t failed = 0, reused = 0, pruned_early = 0;
  std::optional<double> best; ///< value of the objective
  std::string_view unit;      ///< of the objective
  double seconds = 0;
  std::optional<double> seconds_left; ///< estimate
  EvaluatorState evaluator;
  std::span<const Measurement> told; ///< those that are new in this step; while it is reported
  /// Which of several jobs, by the order in which they began; none: there is one.
  std::optional<std::size_t> subject = {};
};

struct TuningResult {
  /// In the order reported to the strategy; what was right and failed in its final is that final (finals.hpp).
  std::vector<Measurement> measurements;
  std::vector<Measurement> finals;    ///< finalists, with the counters of their first measurement
  std::vector<Measurement> finalists; ///< the same as they were raced
  std::uint64_t reused = 0;           ///< came from the store
  std::uint64_t unjudged = 0;   ///< could not be measured for a reason of this machine: not kept …
  std::string unjudged_because; ///< … and the first such reason
  Ended ended = Ended::finished;
  /// That the next StopRule::ahead evaluations gain something, where the search ended for that.
  std::optional<double> chance_of_gain = {};
  double search_ms = 0; ///< the strategy's own time
  double seconds = 0;   ///< from the first ask to the answer
  EvaluatorState evaluator;
};

using ProgressSink = std::function<void(const Progress&)>;

/// Several jobs in one loop. A failed configuration is data and goes on; what makes all evaluation impossible is
/// thrown after everything measured was recorded. A stop, in any phase, is answered within a second: what runs is
/// withdrawn.
class Tuning {
public:
  /// @param jobs at least one
  /// @param settings outlive this, as strategies do
  /// @throws InputError as JointIds
  Tuning(std::vector<Job> jobs, const TuningSettings& settings, const ProgressSink& progress,
         std::stop_token stop);
  ~Tuning();
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;

  /// Asks a strategy whose ids are joint ones of all jobs, until it, the evaluations or the time come to their end.
  /// @param evaluations at most, in addition to those before
  /// @param seconds at most, from the beginning of the tuning; none: as long as it takes
  /// @param rule may be null
  Ended search(Strategy& strategy, std::uint64_t evaluations, std::optional<double> seconds,
               StopRule* rule = nullptr);
  /// What the job's finals measure in addition to its rules.
  void also_in_finals(std::size_t job, Configuration configuration);
  /// The best of each job that had none before, again; as far as they get until the tuning's seconds are over, or a stop.
  /// @return which of both, or finished
  Ended finals();
  /// The counters of races that are still to come, of one job.
  void count_races(const GiveUp& give_up);
  /// … of several jobs, which leave them to the end: those of each one's best, then those of all races.
  void count_last(const GiveUp& give_up);

  std::uint64_t measured() const; ///< of all jobs
  double seconds() const;         ///< since it began
  /// Until here; empty of a job that was never reached.
  const TuningResult& result(std::size_t job) const;
  /// The last one, with the evaluator's state.
  TuningResult take(std::size_t job, Ended ended);

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// One job, to the end of space, budget or time, or to a stop.
/// @throws InputError where the first failed in a way that no configuration escapes
TuningResult tune(const Job& job, Strategy& strategy, const TuningSettings& settings,
                  const ProgressSink& progress = {}, std::stop_token stop = {});

/// What is reported to a strategy of a measurement.
Observation observation_of(ConfigurationId id, const Measurement& measurement,
                           const Objective& objective = objectives().front(),
                           const Workload& workload = {});

} // namespace gridsmith
