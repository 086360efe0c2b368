// SPDX-License-Identifier: Apache-2.0
// Several campaigns, each of a kernel of its own, as one search: what is asked next is where the most is expected
// of a millisecond.
#pragma once

#include "gridsmith/search/campaign/campaign_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridsmith {

struct CampaignsSettings {
  std::size_t compilers = 1; ///< that compile side by side
  bool by_time = false;      ///< an answer costs what it took; false: all cost the same
  /// A round of one campaign at a time, so that the next one is chosen by all of its answers.
  bool whole_rounds = false;
};

/// Ids are joint ones of the campaigns, whose own are joint ones of their problems.
class Campaigns final : public Strategy {
public:
  /// @param plans outlive it. @pre at least one. @throws InputError as JointIds
  explicit Campaigns(const std::vector<CampaignPlan*>& plans, CampaignsSettings settings = {});

  std::vector<ConfigurationId> ask(std::size_t count) override;
  void tell(std::span<const Observation> observations) override;
  void withdraw(ConfigurationId id) override;
  std::size_t batch() const override;
  /// Of several as many as keep compilers at work, so that those go on which promise most.
  std::size_t most_pending() const override;
  std::vector<ConfigurationId> likely(std::size_t count) const override;

  /// Nothing more is asked of this one.
  void drop(std::size_t plan) { members_[plan].dropped = true; }

  /// Of all, as CampaignPlan::finals_over.
  void finals_over();

private:
  struct Member {
    CampaignPlan* plan;
    bool dropped = false;
    double spent_ms = 0; ///< of its answers
    std::uint64_t answers = 0;
  };

  std::vector<std::size_t> by_promise();
  double cost_of(const Member& member) const;

  std::vector<Member> members_;
  CampaignsSettings settings_;
  JointIds ids_;
  std::vector<std::size_t> order_; ///< of the last question
};

} // namespace gridsmith
