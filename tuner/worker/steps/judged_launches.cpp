// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/steps/judged_launches.hpp"

#include <utility>

namespace gridsmith {

JudgedLaunches::JudgedLaunches(Workspace& workspace, Observer& observer, Verification compared_with,
                               std::optional<Acceptance> accept)
    : workspace_(workspace), observer_(observer), compared_with_(compared_with),
      accept_(std::move(accept)) {
}

void JudgedLaunches::run(Candidates candidates, Occasion which) {
  std::erase_if(candidates, [](const Candidate* candidate) { return candidate->failed; });
  run_all(candidates, which);
  for (Candidate* one : candidates)
    if (one->failed && one->execution.status == Status::correctness && !one->saw_damage)
      run_again(*one, which);
}

void JudgedLaunches::run_again(Candidate& wrong, Occasion which) {
  const std::string before = wrong.execution.reason;
  wrong.failed = false;
  run_all({&wrong}, which);
  if (!wrong.failed ||
      (wrong.execution.status == Status::correctness && wrong.execution.reason != before))
    fail(wrong, Status::correctness, std::string(differs_by_launch) + ": " + before);
}

void JudgedLaunches::run_all(Candidates candidates, Occasion which) {
  while (true) {
    std::erase_if(candidates, [](const Candidate* candidate) { return candidate->failed; });
    if (candidates.empty())
      return;
    const ProfiledSection section(observer_);
    const std::size_t settled = run_once(candidates, which);
    candidates.erase(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(settled));
  }
}

std::size_t JudgedLaunches::run_once(const Candidates& candidates, Occasion which) {
  const HostClock whole;
  Verifier verifier(workspace_, candidates, compared_with_, which, accept_);
  for (std::size_t number = 0; number < candidates.size(); ++number) {
    Candidate& candidate = *candidates[number];
    verifier.prepare(number);
    const Stage stage(observer_, candidate, "verify");
    guarded(candidate, observer_, [&] { workspace_.launch(number, *candidate.kernel); });
    verifier.launched(number);
  }
  const std::size_t settled = verifier.settle();
  const double share_ms = whole.ms() / static_cast<double>(candidates.size());
  for (Candidate* candidate : candidates)
    candidate->execution.spent.verify_ms += share_ms;
  return settled;
}

} // namespace gridsmith
