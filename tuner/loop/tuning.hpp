// SPDX-License-Identifier: Apache-2.0
// One tuning: a strategy's questions are measured, recorded before they are reported, and the best
// measured again, interleaved. Knows neither GPU nor recording, neither terminal nor file.
#pragma once

#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/tuner/loop/ask_tell.hpp"
#include "gridsmith/tuner/loop/compile_patience.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"

#include <functional>
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
  Budget budget;
  FinalsRules finals;
  const Objective& objective = objectives().front();
  Workload workload = {};
  bool repeatable = false; ///< as AskTellLimits
  CompileTimeout compile_timeout = {};
  /// Of a longer search, which goes on with the same evaluator: what is compiled ahead goes on, and what
  /// can be counted later is left to count_races() and count_final() (late_counters.hpp).
  bool is_part = false;
};

/// Where measurements live. `add` returns after the records are safe: one commit for all that came
/// in at once, since forcing a disk costs milliseconds.
struct RecordKeeping {
  std::function<std::optional<Measurement>(const Configuration&)> find;
  std::function<void(std::span<const Measurement>)> add;
  /// Counters that came later, for a configuration that was added; may be empty.
  std::function<void(const Measurement&)> add_counters = {};
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
  /// Which of several that are tuned together, by the order in which they began; none: the last that did.
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

/// Runs to the end of space, budget or time, or to a stop. A failed configuration is data and goes on;
/// what makes all evaluation impossible is thrown after everything measured was recorded. A stop,
/// in any phase, is answered within a second: what runs is withdrawn.
/// @throws InputError where the first failed in a way that no configuration escapes
TuningResult tune(const SearchSpace& space, Strategy& strategy, Evaluator& evaluator,
                  const RecordKeeping& records, const TuningSettings& settings,
                  const ProgressSink& progress = {}, std::stop_token stop = {});

/// What is reported to a strategy of a measurement.
Observation observation_of(ConfigurationId id, const Measurement& measurement,
                           const Objective& objective = objectives().front(),
                           const Workload& workload = {});

} // namespace gridsmith
