// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/campaign/campaigns.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t open_per_compiler = 2; // one that is compiled, one that waits or is measured

std::vector<std::uint64_t> sizes_of(const std::vector<CampaignPlan*>& plans) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(plans.size());
  for (const CampaignPlan* plan : plans)
    sizes.push_back(plan->ids().size());
  return sizes;
}

} // namespace

Campaigns::Campaigns(const std::vector<CampaignPlan*>& plans, CampaignsSettings settings)
    : settings_(settings), ids_(sizes_of(plans)) {
  for (CampaignPlan* plan : plans)
    members_.push_back({plan});
}

/// Of a round: an answer for each problem, and a compiler's part of its compilation.
double Campaigns::cost_of(const Member& member) const {
  const auto round = static_cast<double>(member.plan->problems());
  if (!settings_.by_time || member.answers == 0)
    return round;
  return round * std::max(member.spent_ms, 1e-3) / static_cast<double>(member.answers);
}

std::vector<std::size_t> Campaigns::by_promise() {
  std::vector<std::pair<double, std::size_t>> rates;
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (!members_[i].dropped)
      rates.emplace_back(members_[i].plan->promised() / cost_of(members_[i]), i);
  std::stable_sort(rates.begin(), rates.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::size_t> order;
  order.reserve(rates.size());
  for (const auto& [rate, member] : rates)
    order.push_back(member);
  return order;
}

std::vector<ConfigurationId> Campaigns::ask(std::size_t count) {
  std::vector<ConfigurationId> ids;
  order_ = by_promise();
  for (const std::size_t member : order_) {
    for (const ConfigurationId id : members_[member].plan->ask(count - ids.size()))
      ids.push_back(ids_.joint({member, id}));
    if (ids.size() == count || (settings_.whole_rounds && !ids.empty()))
      break;
  }
  return ids;
}

void Campaigns::tell(std::span<const Observation> observations) {
  std::vector<std::vector<Observation>> apart(members_.size());
  for (const Observation& one : observations) {
    const JobConfiguration where = ids_.apart(one.id);
    Member& member = members_[where.job];
    ++member.answers;
    member.spent_ms += one.run_ms.value_or(0) +
                       one.compile_ms.value_or(0) / static_cast<double>(settings_.compilers);
    apart[where.job].push_back(one);
    apart[where.job].back().id = where.id;
  }
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (!apart[i].empty())
      members_[i].plan->tell(apart[i]);
}

void Campaigns::withdraw(ConfigurationId id) {
  const JobConfiguration where = ids_.apart(id);
  members_[where.job].plan->withdraw(where.id);
}

std::size_t Campaigns::batch() const {
  return members_.front().plan->batch();
}

std::size_t Campaigns::most_pending() const {
  return members_.size() > 1 && !settings_.whole_rounds ? open_per_compiler * settings_.compilers
                                                        : batch();
}

std::vector<ConfigurationId> Campaigns::likely(std::size_t count) const {
  std::vector<ConfigurationId> ids;
  for (const std::size_t member : order_)
    if (ids.size() < count)
      for (const ConfigurationId id : members_[member].plan->likely(count - ids.size()))
        ids.push_back(ids_.joint({member, id}));
  return ids;
}

void Campaigns::finals_over() {
  for (Member& member : members_)
    member.plan->finals_over();
}

} // namespace gridsmith
