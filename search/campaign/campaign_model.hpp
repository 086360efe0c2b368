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

/// Costs are logarithms of cost over the best of the size; how slow the slow ones are counts less.
class CampaignModel {
public:
  /// What a failure counts as: bad, but no cliff.
  static constexpr double failed_loss = 1;

  /// @param sizes outlive it, and change between calls
  /// @pre at least one
  CampaignModel(const std::vector<CampaignSize>& sizes, Random& random);

  /// A place from now on; until it is told it counts as `predicted`, over the best of its size as of now. Known
  /// already: nothing changes.
  void see(const JobConfiguration& cell, float predicted);
  /// The model as of all that was told, at these pairs.
  void look_at(std::vector<JobConfiguration> cells);
  /// Again at the same pairs, with what was seen since.
  void learn();

  const std::vector<JobConfiguration>& candidates() const { return candidates_; }

  Eigen::ArrayXf mean() const { return model_.mean(); }

  Eigen::ArrayXf deviation() const { return model_.deviation(); }

private:
  struct Seen {
    JobConfiguration cell;
    float predicted; ///< logarithm of cost, which counts until it is told
  };

  void forget();
  float target(const Seen& seen) const;
  SharedCosts::Row row(const JobConfiguration& cell) const;
  std::vector<Eigen::Index> fit_subset();

  const std::vector<CampaignSize>& sizes_;
  Random& random_;
  SharedCosts model_;
  std::vector<JobConfiguration> candidates_;
  std::vector<Seen> seen_;
  std::size_t fitted_ = 0; ///< places at the last fit
};

} // namespace gridsmith
