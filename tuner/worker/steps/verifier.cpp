// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/steps/verifier.hpp"

#include <algorithm>
#include <string_view>

namespace gridsmith {
namespace {

/// What comes first on this data is kept.
bool same_as_before(Candidate& candidate, const ResultDigest& digest) {
  for (const ResultDigest& one : candidate.digests)
    if (one.of == digest.of)
      return one.value == digest.value;
  candidate.digests.push_back(digest);
  return true;
}

} // namespace

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

Verifier::Verifier(Workspace& workspace, const Candidates& candidates, Verification compared_with,
                   Occasion which, const std::optional<Acceptance>& accept)
    : workspace_(workspace), candidates_(candidates), compared_with_(compared_with), which_(which),
      accept_(accept) {
  workspace_.begin(candidates_.size());
}

void Verifier::judge_last() {
  if (unjudged_ && !candidates_[*unjudged_]->failed)
    workspace_.judge(*unjudged_);
  unjudged_.reset();
}

void Verifier::prepare(std::size_t number) {
  judge_last();
  workspace_.prepare(number, which_);
}

void Verifier::take(Candidate& candidate, const JudgedLaunch& launch) const {
  candidate.execution.spent.gpu_ms += launch.gpu_ms;
  if (which_ == Occasion::first)
    candidate.first_ms = launch.launch_ms;
  else if (which_ == Occasion::again)
    candidate.again_ms = launch.launch_ms;
}

/// How far the first result is from what is expected is what is kept of it.
void Verifier::settle(Candidate& candidate, const JudgedLaunch& launch) const {
  constexpr std::string_view begins[] = {
      "", "wrong when launched again: ", "wrong right behind another launch: "}; // by Occasion
  candidate.execution.verification = compared_with_;
  std::string mismatch = launch.judgement.mismatch.value_or("");
  if (mismatch.empty() && accept_)
    mismatch = accept_->refusal(launch.differences);
  if (mismatch.empty() && launch.digest && !same_as_before(candidate, *launch.digest))
    mismatch = "not the same to the bit as an earlier result on the same data";
  if (which_ == Occasion::first)
    candidate.execution.counters.insert(launch.differences.begin(), launch.differences.end());
  if (!mismatch.empty())
    fail(candidate, Status::correctness,
         std::string(begins[static_cast<std::size_t>(which_)]) + mismatch);
  else if (which_ == Occasion::again)
    candidate.execution.compared_after = compared_with_ != Verification::none;
}

std::size_t Verifier::settle() {
  judge_last();
  const std::vector<JudgedLaunch> launches = workspace_.read();
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    take(*candidates_[i], launches[i]);
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    Candidate& candidate = *candidates_[i];
    if (candidate.failed)
      continue;
    const Judgement& judgement = launches[i].judgement;
    const bool doubtful = judgement.damage && !candidate.saw_damage &&
                          (which_ != Occasion::first || judgement.expected_changed);
    candidate.saw_damage = candidate.saw_damage || judgement.damage;
    if (!doubtful)
      settle(candidate, launches[i]);
    if (judgement.damage) {
      workspace_.repair();
      return doubtful ? i : i + 1;
    }
  }
  return candidates_.size();
}

} // namespace gridsmith
