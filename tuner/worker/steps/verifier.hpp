// SPDX-License-Identifier: Apache-2.0
// Whether the judged launches of a batch did what they should. Each is judged after it was launched
// and before the next is prepared; the verdicts are read at the end of the round, all at once, so
// that nothing waits in between.
#pragma once

#include "gridsmith/metrics/catalogue/acceptance.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/steps/candidate.hpp"

#include <cstddef>
#include <optional>

namespace gridsmith {

/// What outputs are compared with.
Verification verification_by(const OpenWork& work);

/// One round of judged launches. Numbers are places in `candidates`.
class Verifier {
public:
  /// @param compared_with what the workspace's expected outputs are from
  /// @param accept decides in addition to the workspace's tolerances; none: they alone do
  Verifier(Workspace& workspace, const Candidates& candidates, Verification compared_with,
           Occasion which, const std::optional<Acceptance>& accept = {});

  /// Before a launch whose answer counts.
  void prepare(std::size_t number);

  /// Its answer lies in the workspace now.
  void launched(std::size_t number) { unjudged_ = number; }

  /// Reads the verdicts; fails those that are wrong. How many of the first are settled: all, or up
  /// to one that did damage, which was repaired: whoever was launched after it saw the damage. After
  /// timing the damage may be of an earlier launch that was not judged, and what is expected may have been
  /// changed while it was kept: who sees that is launched once more before it is blamed.
  std::size_t settle();

private:
  void judge_last();
  void take(Candidate& candidate, const JudgedLaunch& launch) const;
  void settle(Candidate& candidate, const JudgedLaunch& launch) const;

  Workspace& workspace_;
  const Candidates& candidates_;
  Verification compared_with_;
  Occasion which_;
  std::optional<Acceptance> accept_;
  std::optional<std::size_t> unjudged_;
};

} // namespace gridsmith
