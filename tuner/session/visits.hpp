// SPDX-License-Identifier: Apache-2.0
// One problem of a campaign: visited again and again, each time to measure some more, and answered
// at the end from what all visits measured.
#pragma once

#include "gridsmith/search/campaign/campaign_plan.hpp"
#include "gridsmith/tuner/loop/ask_tell.hpp"
#include "gridsmith/tuner/session/task.hpp"

#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

/// Stays where it was made, as its task does.
class Visits {
public:
  /// As Task, and throws what it throws.
  Visits(const SessionSettings& settings, const KernelDefinition& definition,
         const ProblemSize& problem, const Source& source, const Listener& listener,
         SharedTurn& turn, const std::stop_token& stop);

  /// The first `most` of these that the space has are asked first beside the default, and measured
  /// again at the end.
  void begin_with(const std::vector<Configuration>& wanted, std::size_t most);
  /// As a plan sees it; refers to this object.
  CampaignProblem campaign_problem() const;
  /// Measures these, and at the end the best and the default again.
  /// @param seconds at most; none: as long as it takes
  /// @return what is new, as a plan is told, and what has failed when it was measured again
  std::vector<Observation> visit(const std::vector<ConfigurationId>& ask, bool final,
                                 std::optional<double> seconds, const ProgressSink& progress,
                                 const std::stop_token& stop);

  /// Compilers begin with those of them that nobody has measured.
  void compile_ahead(std::span<const ConfigurationId> ids, const std::stop_token& stop);

  /// As Task.
  std::size_t spare_compilers() const { return task_.spare_compilers(); }

  // ---- Counters that were left for the end.

  /// Of the best of the finals, as those of a single tuning are counted.
  void count_winner(const GiveUp& give_up, const std::stop_token& stop);
  /// Of all that was raced.
  void count_races(const GiveUp& give_up, const std::stop_token& stop);

  /// Leaves the GPU's processes until the next visit.
  void rest();

  /// How many configurations the visits have measured.
  std::size_t known() const { return known_.size(); }

  /// Of all visits, what the finals measured again as there.
  Recording recording() const;

  const SearchSpace& space() const { return task_.space(); }

  /// Of all visits. @pre known() > 0
  Outcome outcome(Ended ended);
  /// This configuration beside the best here. @pre it was measured
  SharedChoice shared_choice(ConfigurationId id) const;

private:
  const std::optional<Measurement>& stored(const Configuration& configuration);
  RecordKeeping keeping_known();
  std::vector<Configuration> witnesses() const;
  void add_state(const EvaluatorState& visited);
  void take(TuningResult visited);

  const SessionSettings& settings_;
  const Listener& listener_;
  Task task_;
  std::vector<ConfigurationId> first_;       ///< of begin_with()
  std::map<std::string, std::size_t> known_; ///< configuration -> place in result_.measurements
  std::map<std::string, std::optional<Measurement>> stored_; ///< what was looked up in the store
  TuningResult result_;                                      ///< of all visits
  EvaluatorState before_rest_;                               ///< of evaluators that are gone
};

} // namespace gridsmith
