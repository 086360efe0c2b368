// SPDX-License-Identifier: Apache-2.0
// One problem on one device, assembled from a session's settings: space, evaluator, store, strategy.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tuner/backends/back_end.hpp"
#include "gridsmith/tuner/session/record_book.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

/// What was tuned, as a recording that has no measurements yet.
Recording recording_of(const Subject& subject);

/// Its loop's Job refers to it. Stays where it was made: evaluator and strategy refer to its parts.
class SessionJob {
public:
  /// @param definition none: a recording of a kernel without one. Outlives the job, as settings,
  /// source and listener do.
  /// @throws SpaceNotBuilt: stopped, or out of time; StoppedWaiting
  SessionJob(const SessionSettings& settings, const KernelDefinition* definition,
             const ProblemSize& problem, const Source& source, const Listener& listener,
             const std::stop_token& stop);
  SessionJob(const SessionJob&) = delete;
  SessionJob& operator=(const SessionJob&) = delete;

  /// By itself: its strategy, to its budget or until more is not likely to pay; and once more where the store's times
  /// are of another state of the board.
  Outcome run(const std::stop_token& stop);

  // ---- as one of several

  /// As it is measured from its first question on: the GPU is ours then. Refers to this object.
  /// @param finals what is measured again at the end
  Job in_loop(FinalsRules finals, const std::stop_token& stop);

  /// Its problem was not asked for. What is doubtful there is not said: it is where it was asked for, too.
  void was_not_asked_for(bool drawn) { (drawn ? subject_.drawn : subject_.added) = true; }

  /// Leaves what measures, such as the GPU's processes, which others may go on with.
  void close();
  /// @pre its job was opened
  /// @param first of those that end now: it alone looks at all of the store
  /// @param is_answer false: what was measured is kept, and no answer of it, which an earlier one is better than
  Outcome outcome_of(TuningResult result, const FinalsRules& finals, bool first,
                     bool is_answer = true);

  const SearchSpace& space() const { return *space_; }

  const KernelInstance& instance() const { return *instance_; } ///< @pre there is a definition

  const Subject& subject() const { return subject_; }

private:
  void open(const std::stop_token& stop);
  RecordKeeping keeping();
  bool serves(const Measurement& record) const;
  void use_recording(const SpaceWatch& watch);
  void build(const SpaceWatch& watch);
  void first_questions();
  std::optional<Configuration> default_in_space() const;
  void open_book(const std::string& toolkit);
  void tell_difference() const;
  void use_prior();
  void describe();
  void describe_recording();
  Peaks peaks() const;
  bool needs_energy() const;
  std::string strategy_name() const;
  TuningResult search(const Job& job, const std::stop_token& stop);
  void look_back(const TuningResult& result);
  void say_doubts(const TuningResult& result) const;
  void finish_store(Outcome& outcome, bool first, bool is_answer);
  void note(const std::string& line) const;
  void note_of_answer(const std::string& line) const;
  Foresight foresight() const;
  SearchProblem search_problem() const;
  FoundBy found_by(const TuningResult& result) const;
  std::vector<GpuPart> gpu_parts(const std::vector<Ranked>& ranking) const;
  Answer answer_of(const Outcome& outcome, const FinalsRules& finals) const;
  Budget budget_left() const;
  void keep(Outcome& outcome, bool is_answer) const;

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const SessionSettings& settings_;
  const Objective objective_;
  const std::optional<Objective> against_; ///< of a front
  const Source& source_;
  const Listener& listener_;
  Conditions conditions_; ///< asked for; once it is opened, those that it is measured under
  std::optional<KernelInstance> instance_;
  std::optional<RecordedSpace> recorded_;
  std::optional<SearchSpace> built_;
  const SearchSpace* space_ = nullptr; ///< of the definition, or of the recording
  std::unique_ptr<RecordBook> book_;
  OpenedEvaluator opened_;
  std::optional<StoredDrift> drift_; ///< of what came from the store
  std::vector<ConfigurationId> seeds_;
  std::vector<Observation> prior_;
  Subject subject_;
};

} // namespace gridsmith
