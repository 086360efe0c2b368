// SPDX-License-Identifier: Apache-2.0
// What is shipped of a table of costs: a few configurations, the rule that chooses among them at any
// size, its numbers, and what that loses. Knows no format; a header is one way to write it.
#pragma once

#include "gridsmith/results/selection/choice_rule.hpp"

namespace gridsmith {

struct SelectedConfiguration {
  SizedConfiguration of;
  CostModel model;
  /// Per measured problem; 0: not measured there, or not valid.
  std::vector<double> costs;
  /// Per measured problem: cost / cost by the model, for correction(); 0 where there is none.
  std::vector<double> ratios;
};

/// A measured problem, and what the set gives there. Indices are of Selection::configurations.
struct SelectedProblem {
  ProblemSize problem;
  double weight = 1;
  std::size_t best = 0;         ///< the best of the set, or one tied with it
  double cost = 0;              ///< its cost among those of the problem, as cells have it
  double plain_cost = 0;        ///< the same for people: SizeCell::plain_cost
  double least_cost = 0;        ///< of all configurations measured there
  std::optional<double> margin; ///< least cost of the set's others / cost; none: there is none
  std::optional<double>
      default_cost; ///< of the definition's default; none: invalid or not measured
};

/// What is selected of the problems that were asked for, judged at those that were drawn.
struct Calibration {
  Objective objective; ///< of the losses
  RuleFigures figures;
  std::vector<ProblemSize> problems; ///< of figures.choices
};

/// "at 20 sizes that were drawn and not tuned: 2.1 % slower than the best of each in the mean, 8.0 % at worst
/// (96x4096): 1.2 % because of the set, 0.9 % because of the choice within it"; of another objective than the
/// time "2.1 % more dram_traffic than".
std::string to_text(const Calibration& calibration);

struct Selection : Origin {
  Objective objective = objectives().front(); ///< of the costs
  std::vector<SelectedConfiguration>
      configurations;                    ///< best at the most weight first, then by text
  std::vector<SelectedProblem> problems; ///< by their extents
  ChoiceRule rule;
  /// The definition's default, whether or not it is among the configurations.
  std::optional<Configuration> default_configuration;
  double worst_loss = 1; ///< that the set had to keep at the measured sizes
  LossFigures measured;  ///< of the set at the measured sizes
  LossFigures
      left_out; ///< of sets and rule at sizes that were left out; no known() ones: not known
  std::optional<Calibration> calibrated; ///< none: no problem was drawn
  std::vector<RuleFigures> rules;        ///< all that were judged, the one that was taken first
  std::vector<CoverStep> curve;          ///< indices of the table
};

/// What was shipped for a problem before.
struct PreviousChoice {
  ProblemSize problem;
  Configuration configuration;
};

/// A selection of this set, with the numbers for every rule. Without figures of sizes left out.
/// @param configurations of the table. @pre some of them is measured at each problem
/// @param previous stays the best of its problem where it is within `tied` or samples do not tell it
/// from the best (TimeSummary)
Selection selection_of(const SizeTable& table, std::span<const std::size_t> configurations,
                       const ChoiceRule& rule, std::span<const PreviousChoice> previous = {});

/// Share of a cost within which a rerun may order two configurations the other way.
inline constexpr double tied = 0.01;

/// How a problem relates to what was measured: of its extents each is within the measured ones', or not.
enum class Match { measured, within_range, outside_range };

struct Choice {
  std::size_t configuration = 0; ///< of Selection::configurations
  Match match = Match::outside_range;
  double predicted_cost = 0; ///< measured there, else by the rule; 0: the rule foretells none
};

/// Never one that is not valid; nothing where none is. A measured problem has its measured best.
/// @param launches one per configuration of the selection (quantities_at())
/// @param sm_count of the device that it is for
std::optional<Choice> choose(const Selection& selection, const ProblemSize& problem,
                             std::span<const LaunchQuantities> launches, int sm_count);

/// How far the choice at a problem is uncertain: by the corrected model, the cost of the best of the nearest measured
/// problem over the least cost, less 1; where that is not predicted, the doublings to the nearest measured
/// problem; infinite where nothing is valid; 0 where it was measured. @param launches, sm_count as choose()
double doubt(const Selection& selection, const ProblemSize& problem,
             std::span<const LaunchQuantities> launches, int sm_count);

} // namespace gridsmith
