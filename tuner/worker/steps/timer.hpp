// SPDX-License-Identifier: Apache-2.0
// Timed launches: of one configuration until its median is known well enough or it cannot be the
// best any more, or of several in turn, so that drift of clocks and temperature meets all alike.
#pragma once

#include "gridsmith/results/measurement/sampling.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/steps/best_time.hpp"
#include "gridsmith/tuner/worker/steps/candidate.hpp"

#include <optional>
#include <vector>

namespace gridsmith {

class Timer {
public:
  Timer(Stopwatch& stopwatch, Observer& observer, BestTime& best, const Sampling& rules);

  /// Against the best so far. @param rules other than the work's
  void race(Candidate& candidate, const std::optional<Sampling>& rules = {});

  /// The others are raced against it from here on, where it is better than the best so far.
  void offer(const Candidate& candidate);

  /// Whether it is so far ahead of the best so far that it would prune what is right.
  bool leads(const Candidate& candidate) const;

  /// Whether its last judged launch, which found its output overwritten, took so much longer than those
  /// that were timed, or than `now_ms`, that it must do less where its result lies there already. Cold caches only.
  bool spares_work(const Candidate& candidate, double now_ms = 0) const;

  /// A launch as those that are timed; no sample. None: it failed.
  std::optional<double> time_now(Candidate& candidate);

  /// By itself: never pruned.
  void settle(Candidate& candidate, const std::optional<Sampling>& rules = {});
  /// A sample of each per round, by `rotating` or `mirrored` order. One that the device refuses
  /// leaves the round.
  void interleave(Candidates candidates, BatchOrder order, int rounds);

private:
  void sample(Candidate& candidate, const Sampling& rules);
  /// Whether the first launch is the one sample that the race needs.
  bool first_launch_decides(const Candidate& candidate, const Sampling& rules) const;
  void take_samples(Candidate& candidate, const Sampling& rules);
  bool sample_together(const Candidates& in_order, const Candidate& named);
  void sample_singly(const Candidates& in_order);
  Turn turn_of(const Candidate& candidate) const;

  Stopwatch& stopwatch_;
  Observer& observer_;
  BestTime& best_;
  Sampling rules_;
};

} // namespace gridsmith
