// SPDX-License-Identifier: Apache-2.0
// Launches whose answer is judged: the first of every configuration, warm-up and verified at once, and
// one more after it was timed, which finds what is right only once.
#pragma once

#include "gridsmith/tuner/worker/steps/candidate.hpp"
#include "gridsmith/tuner/worker/steps/verifier.hpp"

#include <cstddef>

namespace gridsmith {

class JudgedLaunches {
public:
  /// @param compared_with what the workspace's expected outputs are from
  /// @param accept decides in addition to the workspace's tolerances; none: they alone do
  JudgedLaunches(Workspace& workspace, Observer& observer, Verification compared_with,
                 std::optional<Acceptance> accept = {});

  /// Launches and verifies. What comes after a launch that damaged the data is launched and
  /// verified again. So is what gave a wrong result: if it then gives another one, the reason says so.
  void run(Candidates candidates, Occasion which);

private:
  void run_all(Candidates candidates, Occasion which);
  void run_again(Candidate& wrong, Occasion which);
  /// How many of the first are settled.
  std::size_t run_once(const Candidates& candidates, Occasion which);

  Workspace& workspace_;
  Observer& observer_;
  Verification compared_with_;
  std::optional<Acceptance> accept_;
};

} // namespace gridsmith
