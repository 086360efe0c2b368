// The tuning loop: asks the strategy, schedules the evaluator, records before it tells. Knows
// neither GPU nor recording, neither terminal nor file.
#pragma once

#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

struct TuningSettings {
  std::uint64_t max_evaluations = 0; ///< 0: as many as the space has
  double max_seconds = 0;            ///< 0: no limit; what runs is finished
  std::size_t most_finalists = 6;    ///< measured again at the end; 0: none
  double finalist_within = 0.05;     ///< finalists are within this fraction of the best
};

/// Where measurements live. `add` returns after the records are safe: one commit for all that came
/// in at once, since forcing a disk costs milliseconds.
struct RecordKeeping {
  std::function<std::optional<Measurement>(const Configuration&)> find;
  std::function<void(std::span<const Measurement>)> add;
};

/// One step, for the progress line.
struct TuningProgress {
  std::uint64_t done = 0, total = 0; ///< evaluations; total 0: bounded by time alone
  std::uint64_t failed = 0, reused = 0, raced_out = 0;
  std::optional<double> best_ms;
  double seconds = 0;
  double seconds_left = 0; ///< estimate; 0: unknown
  EvaluatorState evaluator;
};

struct TuningResult {
  std::vector<Measurement> measurements; ///< in the order told to the strategy
  std::vector<Measurement> finals; ///< finalists, with the counters of their first measurement
  std::uint64_t reused = 0;        ///< came from the store
  bool interrupted = false;
  bool out_of_time = false;
  double search_ms = 0; ///< the strategy's and loop's own time
  double seconds = 0;   ///< from the first ask to the answer
  double finals_ms = 0; ///< of it, for the finalists
  EvaluatorState evaluator;
};

/// Called now and then; returns true when the user wants to stop.
using Interrupted = std::function<bool()>;
using ProgressSink = std::function<void(const TuningProgress&)>;

/// Runs to the end of space, budget, time or patience. A failed configuration is data and goes on;
/// what makes all evaluation impossible (WorkerRefused) is thrown after everything measured was
/// recorded.
TuningResult run_tuning(const SearchSpace& space, Strategy& strategy, Evaluator& evaluator,
                        const RecordKeeping& records, const TuningSettings& settings,
                        const ProgressSink& progress, const Interrupted& interrupted);

/// What a strategy is told of a measurement.
Observation observation_of(ConfigurationId id, const Measurement& measurement);

} // namespace gridsmith
