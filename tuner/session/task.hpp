// One problem on one device, assembled from a session's settings: space, evaluator, store, strategy.
// Tuned at once, or in the visits of a campaign.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/search/campaign/campaign_plan.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/processes/clock_lock.hpp"
#include "gridsmith/tuner/session/record_book.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

/// Where measurements come from.
struct Source {
  Device device;
  std::shared_ptr<const Recording> recording; ///< set: it stands in for the device
  std::filesystem::path file;                 ///< of the recording
  std::string replayed_because;               ///< "" on a GPU
};

/// Stays where it was made: evaluator and strategy refer to its parts.
class Task {
public:
  /// @param definition none: a recording of a kernel without one. Outlives the task, as settings,
  /// source and listener do.
  /// @throws SpaceNotBuilt: stopped, or out of time; StoppedWaiting
  Task(const SessionSettings& settings, const KernelDefinition* definition,
       const ProblemSize& problem, const Source& source, const Listener& listener,
       const std::stop_token& stop);
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  Outcome run(const std::stop_token& stop);

  // ---- in a campaign; @pre there is a definition

  CampaignProblem campaign_problem() const;
  /// Measures these, and at the end the best and the default again. The GPU is free before and after.
  /// @param seconds at most; none: as long as it takes
  /// @return what is new, as a plan is told
  std::vector<Observation> visit(const std::vector<ConfigurationId>& ask, bool final,
                                 std::optional<double> seconds, const ProgressSink& progress,
                                 const std::stop_token& stop);

  /// How many configurations the visits have measured.
  std::size_t known() const { return known_.size(); }

  /// Of all visits. @pre known() > 0
  Outcome outcome(Ended ended);
  /// This configuration beside the best here. @pre it was measured
  SharedChoice shared_choice(ConfigurationId id) const;

private:
  void use_recording(const SpaceWatch& watch);
  void build(const SpaceWatch& watch);
  void open(const std::stop_token& stop);
  void open_gpu(const std::stop_token& stop);
  void open_book(const std::string& toolkit);
  void close();
  bool keeps_worker() const;
  void take_gpu(const std::stop_token& stop);
  void tell_difference() const;
  void use_prior();
  void describe();
  void describe_recording();
  Peaks peaks() const;
  RecordKeeping keeping_known();
  TuningSettings tuning_settings(Budget budget, FinalsRules finals) const;
  void take(TuningResult visited);
  Outcome outcome_of(TuningResult result, const FinalsRules& finals);
  void say_doubts(const TuningResult& result) const;
  void finish_store(Outcome& outcome);
  void note(const std::string& line) const;
  Foresight foresight() const;
  SearchProblem search_problem() const;
  RecordKeeping keeping();
  FoundBy found_by(const TuningResult& result) const;
  Answer answer_of(const TuningResult& result, const FinalsRules& finals) const;
  Budget budget_left() const;
  void keep(Outcome& outcome) const;

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const SessionSettings& settings_;
  const Source& source_;
  const Listener& listener_;
  Conditions conditions_;
  std::optional<KernelInstance> instance_;
  std::optional<RecordedSpace> recorded_;
  std::optional<SearchSpace> built_;
  const SearchSpace* space_ = nullptr; ///< of the definition, or of the recording
  std::optional<GpuLock> gpu_lock_;    ///< outlives all that uses the GPU
  std::vector<std::string> beside_;    ///< other processes on the GPU when it was our turn
  std::unique_ptr<ClockLock> clock_;   ///< outlives the evaluator
  std::unique_ptr<RecordBook> book_;
  std::unique_ptr<Evaluator> evaluator_;
  std::vector<ConfigurationId> seeds_;
  std::vector<Observation> prior_;
  std::map<std::string, std::size_t> known_; ///< configuration -> place in result_.measurements
  TuningResult result_;                      ///< of all visits
  Subject subject_;
};

} // namespace gridsmith
