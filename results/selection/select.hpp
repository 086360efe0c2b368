// SPDX-License-Identifier: Apache-2.0
// From a table of costs to what is shipped: the set and the rule that lose least at sizes that were
// left out.
#pragma once

#include "gridsmith/results/selection/selection.hpp"

#include <optional>

namespace gridsmith {

struct SelectionRules {
  /// Of any measured size; what is shipped may keep a lower one.
  double worst_loss = 1.01;
  /// Configurations; then worst_loss is the least that so many keep. None: as many as worst_loss needs.
  std::optional<std::size_t> most = {};
  /// Sets that keep less than worst_loss are tried too, and taken where they lose less at left-out
  /// sizes.
  bool grow = true;
  std::vector<PreviousChoice> previous; ///< held on to where nothing is better
  std::optional<ChoiceRule> rule;       ///< this instead of what does best
};

/// Problems that are left out together.
using LeftOut = std::vector<std::size_t>;

/// Every problem alone.
std::vector<LeftOut> one_by_one(const SizeTable& table);

/// What sets of these losses with these rules lose at problems that were left out while set, model and
/// rule were learned; where the set has nothing valid, what the definition's default loses.
/// @param worst_losses each with each rule, in this order; the first is CoverRules::known_worst_loss too
std::vector<RuleFigures> judge(const SizeTable& table, std::span<const LeftOut> left_out,
                               std::span<const double> worst_losses,
                               std::span<const ChoiceRule> rules);

/// Rules are compared where the times of what both choose are known; of fewer problems than this no rule
/// is learned.
inline constexpr std::size_t fewest_left_out = 8;

/// With fewer than three problems nothing is left out. Figures of what is left out are those of the best
/// of a few rules, which flatters them a little.
/// @throws InputError as cover(); SelectionRules::most are too few to have a valid one at every problem
Selection select(const SizeTable& table, const SelectionRules& rules = {});

/// A pair of the table that is valid and that nobody measured.
struct Gap {
  std::size_t problem = 0, configuration = 0;

  bool operator==(const Gap&) const = default;
};

/// What select() would have to know and does not: the times of every configuration of its sets at every
/// problem; once they are known, of what its rules choose at problems left out. Once nothing is
/// missing, it knows what it says. By problem, each once.
/// @throws InputError as cover()
std::vector<Gap> gaps(const SizeTable& table, const SelectionRules& rules = {});

} // namespace gridsmith
