// SPDX-License-Identifier: Apache-2.0
// One search over many problem sizes of one kernel on one device: which size is visited next, and
// which configurations are measured there. What one size teaches decides at all others. Pure: it
// knows spaces and costs, runs nothing, and asks the same after the same answers.
//
// The course: every size begins with its seeds and a few draws; then rounds, in each of which the
// pairs of size and configuration of greatest expected improvement (relative, times the size's
// weight) are measured, until that is not worth another round; then the leaders of all sizes go to
// every size where they may be within `leader_reach` of the best; then the finals; then what is missing
// to speak of all sizes together, in a few rounds.
#pragma once

#include "gridsmith/search/space/observation.hpp"
#include "gridsmith/search/space/space.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace gridsmith {

/// How far a launch fills the device; it changes with the problem.
struct LaunchLoad {
  double blocks_per_sm = 1;  ///< all blocks of the grid over the device's multiprocessors
  double threads_per_sm = 1; ///< likewise, over the threads that fit there
};

/// What the choice is made for.
enum class Across {
  each,  ///< every size has its own best
  mean,  ///< one configuration: least weighted geometric mean of cost / best of the size
  worst, ///< one configuration: least worst cost / best of the size
};

/// One size; the space outlives the plan, and all have the same parameters.
struct CampaignProblem {
  const SearchSpace* space = nullptr;
  std::vector<std::int64_t> extents;
  double weight = 1;
  std::vector<ConfigurationId> seeds = {};              ///< asked first: the definition's default
  std::function<LaunchLoad(ConfigurationId)> load = {}; ///< empty: not known
};

struct CampaignSettings {
  std::uint64_t seed = 1;
  Across across = Across::each;
  std::optional<std::uint64_t> evaluations = {}; ///< in all; none: until it is not worth while
  double worth = 1e-3;        ///< mean expected improvement that another round needs
  double leader_reach = 0.02; ///< relative
  /// What has to be known in addition to the finals, by problem; asked for until it has nothing new. Empty: nothing.
  std::function<std::vector<std::vector<ConfigurationId>>()> missing = {};
};

/// What is to be measured at one size before the next.
struct Visit {
  std::size_t problem = 0;
  std::vector<ConfigurationId> ask; ///< in the finals what was not measured yet; may be empty
  bool final = false; ///< once for every size: its best and its seeds are measured again
};

/// A configuration at a size.
struct CampaignPair {
  std::size_t problem = 0;
  ConfigurationId id = 0;
};

class CampaignPlan {
public:
  /// @pre at least one problem, no empty space
  CampaignPlan(std::vector<CampaignProblem> problems, CampaignSettings settings);
  ~CampaignPlan();
  CampaignPlan(CampaignPlan&&) noexcept;
  CampaignPlan& operator=(CampaignPlan&&) noexcept;

  /// Nothing once the finals are over and nothing is missing. Unanswered questions of an earlier visit are not asked again.
  std::optional<Visit> next();
  /// How many rounds were planned until now.
  std::size_t rounds() const;
  /// The visits of this round that are still to come, in their order; without planning another.
  std::vector<Visit> ahead() const;
  /// What this search would ask in addition, the most promising first: probably asked in a later round.
  /// Nothing outside the search itself. Changes nothing.
  std::vector<CampaignPair> likely(std::size_t most) const;
  /// The gain expected from the next visit's round: mean expected improvement, of the logarithm of cost.
  /// Infinite for the first round, 0 for what follows the search and where nothing follows.
  double promised();
  /// Answers, also to questions not asked (known from a store), and again for those that have failed since.
  void tell(std::size_t problem, std::span<const Observation> observations);
  /// Goes to the finals at once: the time is up.
  void finish();
  /// Whether the finals are over.
  bool finals_over() const;

  std::uint64_t asked() const;

  /// What was reported for one problem; nothing: it failed.
  const std::map<ConfigurationId, std::optional<double>>& costs(std::size_t problem) const;

  /// For Across::mean and worst: the one configuration by what was measured, as a place in the
  /// space of each problem; nothing where none ran at every problem.
  std::optional<std::vector<ConfigurationId>> common() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace gridsmith
