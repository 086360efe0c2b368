// SPDX-License-Identifier: Apache-2.0
// What a tuning keeps of its jobs and of each question that is open. Internal to the loop.
#pragma once

#include "gridsmith/tuner/loop/hopeless.hpp"
#include "gridsmith/tuner/loop/late_counters.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>

namespace gridsmith {

/// A job, from its first question on.
struct JobState {
  explicit JobState(const Job& of) : job(of) {}

  const Job& job;
  const Objective& objective = raced_by(job.objective); ///< of all but the finals
  std::optional<OpenJob> open = {}; ///< none: nothing of it was asked, or it is lost
  std::optional<LateCounters> late_counters = {};
  bool lost = false;
  TuningResult result = {};
  std::map<ConfigurationId, std::optional<Measurement>> stored = {}; ///< what was looked up
  Hopeless hopeless = {};
  std::optional<double> best_cost = {}, to_beat_ms = {};
  std::optional<double> best = {}; ///< value of that objective
  /// The best of its finals, while further counters of it are asked for …
  Measurement* winner = nullptr;
  TrialId winner_trial = 0; ///< … by this
};

enum class Patience {
  waiting,
  less, ///< put off: others are asked in its place
  over  ///< given up
};

/// A question, until it is told.
struct Question {
  Question(JobState& job, ConfigurationId of, TrialId as) : state(&job), id(of), trial(as) {}

  JobState* state;
  ConfigurationId id; ///< joint
  TrialId trial;
  std::optional<Measurement> answer = {};
  bool judged = true;
  Patience patience = Patience::waiting;
  std::uint64_t arrival = std::numeric_limits<std::uint64_t>::max(); ///< of the answer: its turn

  /// @pre its job is open
  Evaluator& evaluator() const { return state->open->evaluator; }

  bool is_put_off() const { return patience == Patience::less && !answer; }
};

using Questions = std::deque<Question>; ///< in the order in which they are told

} // namespace gridsmith
