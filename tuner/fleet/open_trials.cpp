// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/fleet/open_trials.hpp"

namespace gridsmith {
namespace {

bool is_final(Purpose purpose) {
  return purpose == Purpose::final || purpose == Purpose::second;
}

} // namespace

std::vector<Trial> OpenTrials::ask(std::size_t member, Purpose purpose, std::vector<Trial> trials) {
  for (Trial& trial : trials) {
    const TrialId number = ++numbers_;
    open_.emplace(number, Asked{purpose, member, trial});
    trial.id = number;
  }
  of_[member] += trials.size();
  if (purpose == Purpose::race)
    races_ += trials.size();
  else if (is_final(purpose))
    finals_ += trials.size();
  return trials;
}

std::optional<OpenTrials::Place> OpenTrials::race(TrialId id) const {
  for (const auto& [number, asked] : open_)
    if (asked.purpose == Purpose::race && asked.trial.id == id)
      return Place{asked.member, number};
  return std::nullopt;
}

std::optional<Asked> OpenTrials::answered(TrialId number) {
  const auto found = open_.find(number);
  if (found == open_.end())
    return std::nullopt;
  Asked asked = std::move(found->second);
  open_.erase(found);
  forget(asked);
  return asked;
}

void OpenTrials::forget(const Asked& asked) {
  --of_[asked.member];
  if (asked.purpose == Purpose::race)
    --races_;
  else if (is_final(asked.purpose))
    --finals_;
}

} // namespace gridsmith
