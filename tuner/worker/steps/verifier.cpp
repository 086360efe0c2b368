#include "gridsmith/tuner/worker/steps/verifier.hpp"

#include <algorithm>

namespace gridsmith {

Verification verification_by(const OpenWork& work) {
  const bool any_output =
      std::any_of(work.arguments.begin(), work.arguments.end(), [](const ArgumentSpec& argument) {
        return argument.buffer && argument.buffer->output;
      });
  if (!any_output)
    return Verification::none;
  const ReferenceWork& reference = work.reference;
  if (reference.kernel)
    return reference.default_configuration ? Verification::default_configuration
                                           : Verification::kernel;
  if (!reference.expected.empty())
    return Verification::file;
  return reference.element.empty() ? Verification::none : Verification::host;
}

Verifier::Verifier(Workspace& workspace, const Candidates& candidates, Verification compared_with)
    : workspace_(workspace), candidates_(candidates), compared_with_(compared_with) {
  workspace_.begin(candidates_.size());
}

void Verifier::judge_last() {
  if (unjudged_ && !candidates_[*unjudged_]->failed)
    workspace_.judge(*unjudged_);
  unjudged_.reset();
}

void Verifier::prepare(std::size_t number) {
  judge_last();
  workspace_.prepare(number);
}

std::size_t Verifier::settle() {
  judge_last();
  const std::vector<FirstLaunch> launches = workspace_.read();
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    candidates_[i]->execution.spent.gpu_ms += launches[i].gpu_ms;
    candidates_[i]->first_ms = launches[i].launch_ms;
  }
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    Candidate& candidate = *candidates_[i];
    if (candidate.failed)
      continue;
    candidate.execution.verification = compared_with_;
    const Judgement& judgement = launches[i].judgement;
    if (judgement.mismatch)
      fail(candidate, Status::correctness, *judgement.mismatch);
    if (judgement.damage) {
      workspace_.repair();
      return i + 1;
    }
  }
  return candidates_.size();
}

} // namespace gridsmith
