// SPDX-License-Identifier: Apache-2.0
// The way of one batch: load, verify, count, time, verify again, answer. Races and finals go the same way by
// different rules.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/steps/best_time.hpp"
#include "gridsmith/tuner/worker/steps/candidate.hpp"
#include "gridsmith/tuner/worker/steps/counting.hpp"
#include "gridsmith/tuner/worker/steps/energy_meter.hpp"
#include "gridsmith/tuner/worker/steps/judged_launches.hpp"
#include "gridsmith/tuner/worker/steps/timer.hpp"

#include <cstdint>
#include <functional>

namespace gridsmith {

class BatchRunner {
public:
  /// @throws DeviceError when the code cannot be loaded.
  using Load = std::function<LoadedCandidate(const Launchable&)>;

  /// What is counted, by the mode of the batch; empty: nothing.
  struct Counters {
    std::vector<std::string> race, others;
    EnergyMeter* energy = nullptr;      ///< of finals and checks; null: not wanted, or …
    std::string no_energy_because = {}; ///< … this
  };

  /// @param seed of the data outside of batches with a seed of their own
  BatchRunner(Load load, Workspace& workspace, JudgedLaunches& judged_launches, Counting& counting,
              Timer& timer, BestTime& best, Observer& observer, Counters counters,
              std::uint64_t seed);

  /// Every job's execution goes to the observer as soon as it is complete.
  void run(const EvaluateBatch& batch);

private:
  Candidate loaded(const LaunchJob& job);
  void judge(const Candidates& candidates, Occasion which);
  void verify(const Candidates& candidates, const EvaluateBatch& batch);
  void confirm(Candidates candidates, const EvaluateBatch& batch);
  void refuse_sparing(Candidate& candidate);
  bool can_use(DataSeed seed);
  void lead(Candidate& candidate, const EvaluateBatch& batch);
  const std::vector<std::string>& counters(const EvaluateBatch& batch) const;
  void time_one_by_one(Candidates candidates, const EvaluateBatch& batch);
  void count_only(const Candidates& candidates, const EvaluateBatch& batch);
  void launch_only(const Candidates& candidates, const EvaluateBatch& batch);
  void finish(Candidate& candidate, const EvaluateBatch& batch);

  Load load_;
  Workspace& workspace_;
  JudgedLaunches& launches_;
  Counting& counting_;
  Timer& timer_;
  BestTime& best_;
  Observer& observer_;
  Counters counters_;
  std::uint64_t seed_;
};

} // namespace gridsmith
