// SPDX-License-Identifier: Apache-2.0
// Replaying a strategy against a recording: how soon it finds how good a configuration. Pure: no
// device, no file; the same settings give the same figures on any number of threads.
//
// Words: the ratio is best-found cost / lowest cost of the recording, 1 is perfect; an evaluation
// is one configuration asked, failed ones included. A run that has found nothing correct has the
// ratio infinity.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/tuner/loop/compile_patience.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

struct SimulationSettings {
  std::size_t runs = 100;
  std::vector<std::size_t> evaluations = {25, 50, 100, 200}; ///< the budgets, each at least 1
  std::uint64_t seed = 1; ///< of the first run; run i has seed + i
  unsigned threads = 0;   ///< 0: as many as the machine has
  /// Asked for at once and answered whole; none: the strategy's own.
  std::optional<std::size_t> batch = {};
  /// Open at once, each answer reported as soon as it is there; none: in batches.
  std::optional<std::size_t> in_flight = {};
  /// So many configurations are compiled side by side while the GPU measures; none: one thing after
  /// the other.
  std::optional<std::size_t> compilers = {};
  CompileTimeout compile_timeout = {}; ///< where there are compilers
  bool priced = true; ///< strategies know the compilers, and may prefer what is compiled sooner
  std::optional<double> seconds = {};      ///< of recorded time, after which a run ends
  std::vector<ConfigurationId> seeds = {}; ///< SearchProblem::seeds of every run
  std::vector<Observation> prior = {};     ///< SearchProblem::prior of every run
  std::stop_token stop = {};               ///< a stop ends the simulation with SimulationStopped
  /// How many runs of one strategy on one recording are done; from any thread, one at a time.
  std::function<void(std::size_t)> progress = {};
};

/// Runs times evaluations, for which 8 bytes each are held, and evaluations: beyond these a number
/// is a slip, and would end in an allocation that fails.
inline constexpr std::size_t most_simulated = 200'000'000, most_simulated_evaluations = 1'000'000;

/// A simulation was stopped before its end; what is unfinished is dropped.
class SimulationStopped : public Error {
public:
  using Error::Error;
};

/// Random search without repetition on a recording, computed, not run.
class RandomBaseline {
public:
  /// @param ratios one per configuration, any order; infinity for a failed one, at least one
  /// finite.
  explicit RandomBaseline(std::vector<double> ratios);

  /// Expected ratio after `draws` draws. Draws that all failed count as the worst correct ratio.
  /// With N configurations in ascending order, P(the best j are not among k draws) =
  /// C(N-j, k) / C(N, k).
  double expected(std::size_t draws) const;
  /// Smallest ratio that `draws` draws reach or beat with at least this probability.
  double quantile(std::size_t draws, double probability) const;
  /// Fewest draws whose expected ratio has come 95 % of the way from the median of the correct
  /// ratios to the optimum: the budget of the community's score.
  std::size_t near_optimum() const;

  double worst() const { return worst_; }

private:
  std::vector<double> ratios_; ///< ascending, failed ones last
  double median_ = 1, worst_ = 1;
};

/// How good what was recorded is, compared with the best of the recording.
class Judge {
public:
  /// @param recorded outlives it. @throws InputError when nothing in it is correct.
  explicit Judge(const RecordedSpace& recorded);

  const RecordedSpace& recorded() const { return *recorded_; }

  const SearchSpace& space() const { return recorded_->space(); }

  double ratio(const Measurement& measurement) const;

  double ratio(ConfigurationId id) const { return ratio(recorded_->measurement(id)); }

  const RandomBaseline& random() const { return random_; }

private:
  const RecordedSpace* recorded_;
  double optimum_ms_;
  RandomBaseline random_;
};

/// Median and quartiles of the ratio over the runs, after a number of evaluations. Quantiles as
/// numpy's and R's default (linear between order statistics).
struct RatioSpread {
  std::size_t evaluations = 0;
  double low = 1, median = 1, high = 1;
};

/// Evaluations until the ratio is within a bound.
struct Reached {
  std::optional<double>
      median;           ///< over all runs; nothing when half of them or more never got there
  std::size_t runs = 0; ///< that got there
};

/// Recorded seconds from the first question on, medians over the runs.
struct RecordedSeconds {
  /// Until the ratio is within 5 and 1 %; nothing when half of the runs or more never got there.
  std::optional<double> to_5_percent, to_1_percent;
  double to_the_end = 0;
  double given_up = 0; ///< compilations of a run, the mean
};

/// One strategy on one recording.
struct SimulationResult {
  std::string recording, strategy;
  std::size_t runs = 0;
  std::vector<RatioSpread> budgets; ///< ascending
  std::vector<RatioSpread> curve;   ///< after 1, 2, … evaluations of the largest budget
  Reached within_5_percent, within_1_percent;
  double score = 0;     ///< see aggregate_score()
  double search_us = 0; ///< microseconds of search (create, ask, tell) per evaluation
  std::optional<RecordedSeconds> seconds = {}; ///< where there are compilers
};

/// Runs a strategy by the loop that tunes, to the largest budget.
/// @throws std::logic_error when the strategy asks twice or outside the space, InputError for
/// settings that are none or too large, or more at once than the strategy takes, SimulationStopped
SimulationResult simulate(const Judge& judge, const std::string& recording,
                          const StrategyEntry& strategy, const SimulationSettings& settings);

/// The computed random search as a row among the others; its score is 0 by definition.
SimulationResult random_exact(const Judge& judge, const std::string& recording,
                              const SimulationSettings& settings);

/// The community's score: the mean over 50 equidistant points t of
///   P(t) = (F_random(t) - F_strategy(t)) / (F_random(t) - F_optimum),
/// F the expected (for the strategy: mean) best ratio after t evaluations, from t = 1 to the budget
/// where the computed random search has come 95 % of the way from the median to the optimum, or to
/// the last evaluation simulated where that is less. 0 is random search, 1 the optimum at once.
/// Willemsen et al., A Methodology for Comparing Auto-Tuning Optimization Algorithms, Future
/// Generation Computer Systems 159 (2024); over evaluations instead of seconds, and with the exact
/// expectation where they take the value at the expected rank. A run with nothing correct yet
/// counts as the worst correct.
/// @param mean_ratios F_strategy after 1, 2, … evaluations.
double aggregate_score(const RandomBaseline& random, const std::vector<double>& mean_ratios);

/// What another recording says about configurations of `space`: SearchProblem::prior.
std::vector<Observation> prior_from(const RecordedSpace& other, const SearchSpace& space);

/// One strategy over all recordings of a table.
struct SimulationSummary {
  std::string strategy;
  std::size_t recordings = 0;
  std::vector<RatioSpread> budgets; ///< geometric means over the recordings of low, median, high
  double score = 0;                 ///< mean over the recordings
  double search_us = 0;             ///< mean over the recordings
};

using SimulationTable = std::vector<SimulationResult>;

/// One entry per strategy, in the order of first appearance. @pre the same budgets throughout
std::vector<SimulationSummary> summarise(const SimulationTable& table);

} // namespace gridsmith
