// SPDX-License-Identifier: Apache-2.0
// The answer of a tuning, as a query over measurements: who is best, how sure that is, and who
// is tied with it.
#pragma once

#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/results/measurement/doubt.hpp"
#include "gridsmith/results/measurement/gpu_part.hpp"
#include "gridsmith/results/measurement/origin.hpp"
#include "gridsmith/results/measurement/stored_drift.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// Who is measured again at the end.
struct FinalsRules {
  std::size_t most = 6; ///< 0: none
  double within = 0.05; ///< of the best cost; drift between two samples is less
  /// Those that are among them whatever their cost, where they gave a right result and there are any.
  std::vector<Configuration> always = {};
};

/// The best correct ones, best first. Those pruned early had too few samples to be among them, unless there
/// are no others. Of those that share a measurement there is one: which is among them whatever its cost,
/// where one is. Those that may not win for their rate come last, the best as many of them in addition to the others.
std::vector<const Measurement*> finalists(const std::vector<Measurement>& measurements,
                                          const FinalsRules& rules = {},
                                          const Objective& objective = objectives().front(),
                                          const Workload& workload = {}, const Board& board = {});

struct Ranked {
  Measurement measurement;
  TimeSummary time;
  bool tied = false; ///< one of those that the winner was chosen from
};

/// How an answer was looked for: what it needs to be judged, besides its ranking.
struct FoundBy {
  std::string version; ///< of Gridsmith; "" unknown, as is all of an answer older than this
  std::string strategy;
  std::uint64_t seed = 0;
  std::string objective;
  std::string against = {};                           ///< the second objective of a front; "": none
  std::uint64_t configurations = 0;                   ///< size of the space; 0: unknown
  Workload workload;                                  ///< of the definition's work model
  OwnMetrics own_metrics = {};                        ///< of the definition
  std::optional<Configuration> default_configuration; ///< the definition's
  std::string conditions;                             ///< one line, for people
  std::string recording;                              ///< the file that was replayed; "" on a GPU
  std::uint64_t evaluations = 0;                      ///< configurations that it tried; 0: unknown
  double seconds = 0;                                 ///< from the first question to the answer
  bool interrupted = false;
  /// Its problem was not asked for, but drawn to see what is lost where nothing was tuned.
  bool drawn = false;
  /// That 20 more evaluations gain more than 1 %, where the search ended because that was unlikely.
  std::optional<double> chance_of_gain = {};
  bool measured_again = false; ///< the ranked ones, interleaved
  /// None won: all that were measured again failed, and the ranking is of how they were first measured; or
  /// no rate of the ranking can be, nor were outputs compared after it was timed.
  bool unconfirmed = false;
  std::vector<GpuPart> gpus =
      {}; ///< that measured together, the one answered for first; empty: it alone
  std::optional<StoredDrift> stored_drift =
      {}; ///< of the records that came from the store; none: none was seen

  KernelModel model() const { return {workload, own_metrics, drawn}; }
};

template <Like<FoundBy> T>
void for_fields(T& v, auto&& visit) {
  visit("version", v.version);
  visit("strategy", v.strategy);
  visit("seed", v.seed);
  visit("objective", v.objective);
  visit("against", v.against);
  visit("configurations", v.configurations);
  visit("work_model", v.workload);
  visit("own_metrics", v.own_metrics);
  visit("default", v.default_configuration);
  visit("conditions", v.conditions);
  visit("recording", v.recording);
  visit("evaluations", v.evaluations);
  visit("seconds", v.seconds);
  visit("interrupted", v.interrupted);
  visit("drawn", v.drawn);
  visit("chance_of_gain", v.chance_of_gain);
  visit("measured_again", v.measured_again);
  visit("unconfirmed", v.unconfirmed);
  visit("gpus", v.gpus);
  visit("stored_drift", v.stored_drift);
}

/// The name of the objective that its ranking was made by; an answer that does not say was found by time.
std::string objective_name(const FoundBy& found_by);
/// What its ranking was made by.
/// @param device whose facts a metric may use
/// @throws InputError for one that this version does not know.
Objective objective_of(const FoundBy& found_by, const Device& device = {});
/// The second one of a front. @pre there is one @throws as objective_of()
Objective against_of(const FoundBy& found_by, const Device& device = {});

/// What was answered for one problem on one device, best first.
struct Answer {
  std::string when; ///< UTC, ISO 8601
  std::vector<Ranked> ranking;
  FoundBy found_by = {};

  /// The first; null where nothing was right, or the answer is not confirmed.
  const Ranked* winner() const;
  std::size_t ties() const; ///< with the winner, not counting it
};

/// The configurations that share the measurement of this one, without it, in the order measured.
std::vector<const Measurement*> same_code(const std::vector<Measurement>& measurements,
                                          const Measurement& as);

/// Correct finalists ranked; the winner first. Tied are the lowest one and those that follow it as
/// long as their time intervals overlap its own, or, for an objective that time does not decide,
/// their costs are within 1 % of it. Among them the winner is found by tie_break().
std::vector<Ranked> rank(const std::vector<Measurement>& finals,
                         const Objective& objective = objectives().front(),
                         const Workload& workload = {});

/// What a configuration costs over the best of a ranking, less 1: 0.02 is 2 % slower, or 2 % more of what is minimised; 0: it is
/// the best, or tied with it. None: it is not in the ranking.
std::optional<double> excess_cost(std::span<const Ranked> ranking,
                                  const Configuration& configuration, const Objective& objective,
                                  const Workload& workload = {});

/// The ranking of those that would be finalists, as they were first measured.
std::vector<Ranked> rank_as_measured(const std::vector<Measurement>& measurements,
                                     const FinalsRules& rules = {},
                                     const Objective& objective = objectives().front(),
                                     const Workload& workload = {}, const Board& board = {});

/// Rows of which those of the ranking have the samples that they are ranked by, so that all that is made of
/// rows and answer has one time for each.
std::vector<Measurement> as_ranked(std::vector<Measurement> rows,
                                   const std::vector<Ranked>& ranking);

/// Puts those that may not win for their rate behind the others; where there are no others the answer is not
/// confirmed.
void hold_against(Answer& answer, const Board& board);

/// What decided between the winner and those tied with it, step by step, with the numbers: first the fewest
/// DRAM bytes (within 1 % counting as equal), of these the fewest registers, of these the shortest
/// median; for an objective that time does not decide the shortest median at once. A step that one
/// of them has no number for is left out. Empty without a tie, and where a front was looked for, whose first one wins.
std::vector<std::string> tie_break(const std::vector<Ranked>& ranking,
                                   const FoundBy& found_by = {});

} // namespace gridsmith
