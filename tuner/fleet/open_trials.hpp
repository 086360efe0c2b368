// SPDX-License-Identifier: Apache-2.0
// What the GPUs of a fleet were asked and have not answered, by numbers of its own. Counts and lists;
// who asks and what comes of an answer is the fleet's.
#pragma once

#include "gridsmith/tuner/loop/evaluator.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gridsmith {

/// Why something was asked of a member.
enum class Purpose {
  race,
  final,  ///< on the GPU that is answered for …
  second, ///< … and on another
  anchor,
  count, ///< for counters alone
};

struct Asked {
  Purpose purpose;
  std::size_t member;
  Trial trial; ///< by its caller's number
};

class OpenTrials {
public:
  explicit OpenTrials(std::size_t members) : of_(members) {}

  /// The trials by numbers under which this member is to know them.
  std::vector<Trial> ask(std::size_t member, Purpose purpose, std::vector<Trial> trials);

  struct Place {
    std::size_t member;
    TrialId number; ///< there
  };

  /// Where a race is, by its caller's number; none: nowhere yet, or not any more.
  std::optional<Place> race(TrialId id) const;
  /// None: it was withdrawn.
  std::optional<Asked> answered(TrialId number);

  /// Those of a member for which `wanted` holds are no longer asked; by their numbers there.
  template <typename Wanted>
  std::vector<std::pair<TrialId, Asked>> take_back(const Wanted& wanted) {
    std::vector<std::pair<TrialId, Asked>> taken;
    std::erase_if(open_, [&](const auto& one) {
      if (!wanted(one.second))
        return false;
      forget(one.second);
      taken.push_back(one);
      return true;
    });
    return taken;
  }

  bool empty() const { return open_.empty(); }

  std::size_t size() const { return open_.size(); }

  std::size_t of(std::size_t member) const { return of_[member]; }

  std::size_t races() const { return races_; }

  std::size_t finals() const { return finals_; } ///< on any GPU

private:
  void forget(const Asked& asked);

  std::map<TrialId, Asked> open_;
  std::vector<std::size_t> of_; ///< how many, by member
  TrialId numbers_ = 0;
  std::size_t races_ = 0, finals_ = 0;
};

} // namespace gridsmith
