// SPDX-License-Identifier: Apache-2.0
// One search over many problem sizes of one kernel on one device: which size is visited next, and
// which configurations are measured there. What one size teaches decides at all others. Pure: it
// knows spaces and costs, runs nothing, and asks the same after the same answers.
//
// The course: every size begins with its seeds and a few draws; then rounds, in each of which the
// pairs of size and configuration of greatest expected improvement (relative, times the size's
// weight) are asked for, until that is not worth another round; then the leaders of all sizes go to
// every size where they may be within `leader_reach` of the best; then, after the finals, what is missing
// to speak of all sizes together, in a few rounds. Then later sizes take the same course, with what the
// others taught.
#pragma once

#include "gridsmith/base/words.hpp"
#include "gridsmith/search/space/joint_ids.hpp"
#include "gridsmith/search/strategies/strategy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
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

template <>
struct Words<Across> {
  static constexpr std::string_view kind = "choice";
  static constexpr std::array<std::string_view, 3> list{"each", "mean", "worst"};
};

/// One size; the space outlives the plan, and all have the same parameters.
struct CampaignProblem {
  const SearchSpace* space = nullptr;
  std::vector<std::int64_t> extents;
  double weight = 1;
  std::vector<ConfigurationId> seeds = {};              ///< asked first: the definition's default
  std::function<LaunchLoad(ConfigurationId)> load = {}; ///< empty: not known
  /// Nothing is asked of it until continue_with().
  bool later = false;
};

struct CampaignSettings {
  std::uint64_t seed = 1;
  Across across = Across::each;
  std::optional<std::uint64_t> evaluations = {}; ///< in all; none: until it is not worth while
  bool first_round_alone = false;                ///< no search follows what every size begins with
  double worth = 1e-3;        ///< mean expected improvement that another round needs
  double leader_reach = 0.02; ///< relative
  /// What has to be known in addition to the finals, by problem; asked for until it has nothing new. Empty: nothing.
  std::function<std::vector<std::vector<ConfigurationId>>()> missing = {};
};

/// Its ids are joint ones of all sizes. A round is planned once all answers of the one before are there: what is
/// asked knowing less is asked in vain (tests/bench/sizes.md). Its questions are worth having open all at once.
class CampaignPlan final : public Strategy {
public:
  /// @pre at least one problem that is not for later, no empty space
  /// @throws InputError as JointIds
  CampaignPlan(std::vector<CampaignProblem> problems, CampaignSettings settings);
  ~CampaignPlan() override;
  CampaignPlan(const CampaignPlan&) = delete;
  CampaignPlan& operator=(const CampaignPlan&) = delete;

  const JointIds& ids() const;

  /// None: nothing before all answers are there; where they are, before the finals, or at all.
  std::vector<ConfigurationId> ask(std::size_t count) override;
  /// Answers, also to questions not asked (known from a store), and again for those that have failed since.
  void tell(std::span<const Observation> observations) override;
  void withdraw(ConfigurationId id) override;
  /// As many as a round has.
  std::size_t batch() const override;
  /// What the search would ask in addition: probably asked in a later round. Nothing outside the search itself.
  std::vector<ConfigurationId> likely(std::size_t most) const override;

  /// The gain expected from the rest of this round, or of the next: mean expected improvement, of the logarithm of
  /// cost. Infinite for the first round; 0 for what follows the search and where nothing is to be asked now.
  double promised();
  /// The finals are over: what is missing after them follows. What was asked and not answered by then is not known.
  void finals_over();
  /// What was missing is known: these problems take their course now, however many evaluations were
  /// allowed, and no other is asked about but for what is missing then.
  /// @param first of each problem; asked first of these, with their seeds
  void continue_with(const std::vector<std::size_t>& problems,
                     const std::vector<std::vector<ConfigurationId>>& first);
  /// Nothing more is asked of this problem.
  void leave(std::size_t problem);

  std::size_t problems() const;
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
