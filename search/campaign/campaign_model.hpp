// SPDX-License-Identifier: Apache-2.0
// What a campaign knows of all sizes, and what its model believes of pairs of size and configuration.
#pragma once

#include "gridsmith/base/random.hpp"
#include "gridsmith/search/campaign/campaign_plan.hpp"
#include "gridsmith/search/campaign/shared_costs.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace gridsmith {

/// A size, and what was asked and told of it.
struct CampaignSize {
  CampaignProblem given;
  std::map<ConfigurationId, std::optional<double>> costs = {}; ///< told; nothing: it failed
  std::set<ConfigurationId> asked = {};                        ///< told or not
  std::optional<ConfigurationId> best = {};
  double log_best = 0;
};

/// A configuration at a size, both by their places.
struct CampaignCell {
  std::size_t problem;
  ConfigurationId id;
};

/// Costs are logarithms of cost over the best of the size; how slow the slow ones are counts less.
class CampaignModel {
public:
  /// What a failure counts as: bad, but no cliff.
  static constexpr double failed_loss = 1;

  /// @param sizes outlive it, and change between calls
  /// @pre at least one
  CampaignModel(const std::vector<CampaignSize>& sizes, Random& random);

  /// A place from now on; until it is told it counts as `believed`. Known already: nothing changes.
  void see(const CampaignCell& cell, float believed);
  /// The model as of all that was told, at these pairs.
  void look_at(std::vector<CampaignCell> cells);
  /// Again at the same pairs, with what was seen since.
  void learn();

  const std::vector<CampaignCell>& candidates() const { return candidates_; }

  Eigen::ArrayXf mean() const { return model_.mean(); }

  Eigen::ArrayXf deviation() const { return model_.deviation(); }

private:
  struct Seen {
    CampaignCell cell;
    float believed; ///< counts until it is told
  };

  void forget();
  float target(const Seen& seen) const;
  SharedCosts::Row row(const CampaignCell& cell) const;
  std::vector<Eigen::Index> fit_subset();

  const std::vector<CampaignSize>& sizes_;
  Random& random_;
  SharedCosts model_;
  std::vector<CampaignCell> candidates_;
  std::vector<Seen> seen_;
  std::size_t fitted_ = 0; ///< places at the last fit
};

} // namespace gridsmith
