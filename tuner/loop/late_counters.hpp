// SPDX-License-Identifier: Apache-2.0
// Counters of what was raced, counted after its time, many together: a session of counters costs tens of
// milliseconds whatever is counted in it. Of several jobs once all searches are over.
#pragma once

#include "gridsmith/tuner/loop/evaluator.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"

#include <map>
#include <vector>

namespace gridsmith {

/// Seconds that counters of the last ones may take when the time is up.
inline constexpr double counting_after_s = 1;

class LateCounters {
public:
  /// @param later false: they come with the times, and nothing is asked for here
  /// @param results to which they are added; all three outlive this
  LateCounters(Evaluator& evaluator, const RecordKeeping& records,
               std::vector<Measurement>& results, bool later)
      : evaluator_(evaluator), records_(records), results_(results), later_(later) {}

  bool later() const { return later_; }

  /// The newest result: its counters are still to come, or those of what it shares its measurement with
  /// are its own.
  void see_newest() { see(results_.size() - 1); }

  /// Whether so many wait that they are worth a session.
  bool enough() const;

  /// Asks for the counters of all that wait. @param next_trial is counted up
  void ask(TrialId& next_trial);

  /// True: that was such an answer, and is taken.
  bool take(const Evaluated& evaluated);

  /// Asked for, and not there.
  bool open() const { return !asked_.empty(); }

  /// Nobody waits for them any longer.
  void withdraw();

private:
  void see(std::size_t place);
  bool waits(const Measurement& one) const;
  void add(Measurement& to, const Measurement& counted) const;

  Evaluator& evaluator_;
  const RecordKeeping& records_;
  std::vector<Measurement>& results_;
  bool later_;
  std::vector<std::size_t> waiting_;     ///< places of results whose counters are to be asked for
  std::map<TrialId, std::size_t> asked_; ///< … and for which they were
};

} // namespace gridsmith
