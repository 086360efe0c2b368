// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/selection/coverage.hpp"

#include "gridsmith/results/selection/cost_model.hpp"
#include "gridsmith/results/selection/cover.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace gridsmith {
namespace {

/// Predicted times within this share of the least serve a probe alike.
constexpr double alike = 0.05;

using Places = std::vector<std::size_t>;

bool serves(const Probe& probe, const Places& set) {
  return std::any_of(set.begin(), set.end(),
                     [&](std::size_t c) { return probe.launches[c].valid; });
}

class Covering {
public:
  explicit Covering(const SizeTable& table)
      : table_(table), shippable_(shippable(table)), common_(common_cost_model(table)) {}

  Places extended(Places set) {
    std::vector<const Probe*> open;
    for (const Probe& probe : table_.probes)
      if (!serves(probe, set) && serves(probe, shippable_))
        open.push_back(&probe);
    while (!open.empty()) {
      set.push_back(best_for(open));
      std::erase_if(open, [&](const Probe* one) { return one->launches[set.back()].valid; });
    }
    return set;
  }

private:
  /// One that is among the fastest of the most probes.
  std::size_t best_for(const std::vector<const Probe*>& open) {
    std::map<std::size_t, std::size_t> votes;
    for (const Probe* probe : open) {
      std::vector<std::pair<double, std::size_t>> times;
      for (const std::size_t c : shippable_)
        if (probe->launches[c].valid)
          times.emplace_back(cost(*probe, c), c);
      const double least = std::min_element(times.begin(), times.end())->first;
      for (const auto& [time, c] : times)
        if (time <= least * (1 + alike))
          ++votes[c];
    }
    return std::max_element(votes.begin(), votes.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  double cost(const Probe& probe, std::size_t c) {
    const auto [model, fresh] = models_.try_emplace(c);
    if (fresh)
      model->second = fit_cost_model(table_, c, common_);
    return model->second.cost(probe.launches[c], std::max(1, table_.device.sm_count),
                              table_.configurations[c].resident_blocks);
  }

  const SizeTable& table_;
  const Places shippable_;
  const CostModel common_;
  std::map<std::size_t, CostModel> models_;
};

} // namespace

std::vector<std::size_t> covering(const SizeTable& table, std::vector<std::size_t> set) {
  const bool all = std::all_of(table.probes.begin(), table.probes.end(),
                               [&](const Probe& probe) { return serves(probe, set); });
  return all ? set : Covering(table).extended(std::move(set));
}

std::vector<ProblemSize> uncovered(const SizeTable& table) {
  const Places all = shippable(table);
  std::vector<ProblemSize> problems;
  for (const Probe& probe : table.probes)
    if (!serves(probe, all))
      problems.push_back(probe.problem);
  return problems;
}

} // namespace gridsmith
