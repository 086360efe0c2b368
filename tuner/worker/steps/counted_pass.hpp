// The first launch of every configuration: warm-up, verified, and counted, all at once.
#pragma once

#include "gridsmith/metrics/counters/counter_source.hpp"
#include "gridsmith/tuner/worker/steps/candidate.hpp"
#include "gridsmith/tuner/worker/steps/verifier.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

class CountedPass {
public:
  /// @param counters none: nothing is ever counted, and `uncounted_because` says why where counters
  /// were wanted.
  CountedPass(Workspace& workspace, Observer& observer, Verification compared_with,
              std::unique_ptr<CounterSource> counters,
              std::optional<std::string> uncounted_because = {});

  /// Launches, verifies and, where asked, counts. What comes after a launch that damaged the data
  /// is launched and verified again. When counting breaks off, all goes on by time alone.
  void run(Candidates candidates, bool count);

  /// Why wanted counters are not read; none when they are.
  const std::optional<std::string>& uncounted_because() const { return uncounted_because_; }

private:
  /// How many of the first are settled.
  std::size_t run_once(const Candidates& candidates, bool counting);
  void launch(Candidate& candidate, const CountedLaunch& at, bool counting);
  void take_counters(const Candidates& candidates, const std::vector<CounterValues>& values);

  Workspace& workspace_;
  Observer& observer_;
  Verification compared_with_;
  std::unique_ptr<CounterSource> counters_;
  std::optional<std::string> uncounted_because_;
};

} // namespace gridsmith
