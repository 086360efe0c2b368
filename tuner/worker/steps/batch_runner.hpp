// The way of one batch: load, verify, count, time, answer. Races and finals go the same way by
// different rules.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/steps/best_time.hpp"
#include "gridsmith/tuner/worker/steps/candidate.hpp"
#include "gridsmith/tuner/worker/steps/counted_pass.hpp"
#include "gridsmith/tuner/worker/steps/timer.hpp"

#include <cstdint>
#include <functional>

namespace gridsmith {

/// Most configurations that are verified and counted together, and races taken together. A counting
/// session has a fixed cost of tens of milliseconds, which 64 share as less than one each.
constexpr std::size_t largest_batch = 64;

class BatchRunner {
public:
  /// @throws DeviceError when the code cannot be loaded.
  using Load = std::function<LoadedCandidate(const Launchable&)>;

  /// @param seed of the data outside of batches with a seed of their own
  BatchRunner(Load load, Workspace& workspace, CountedPass& first_launches, Timer& timer,
              BestTime& best, Observer& observer, std::uint64_t seed);

  /// Every job's execution goes to the observer as soon as it is complete.
  void run(const EvaluateBatch& batch);

private:
  Candidate loaded(const LaunchJob& job);
  void verify(const Candidates& candidates, const EvaluateBatch& batch);
  void time_one_by_one(Candidates candidates, const EvaluateBatch& batch);
  void finish(Candidate& candidate, const EvaluateBatch& batch);

  Load load_;
  Workspace& workspace_;
  CountedPass& first_launches_;
  Timer& timer_;
  BestTime& best_;
  Observer& observer_;
  std::uint64_t seed_;
};

} // namespace gridsmith
