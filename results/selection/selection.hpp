// What is shipped of a table of times: a few configurations, the rule that chooses among them at any
// size, its numbers, and what that loses. Knows no format; a header is one way to write it.
#pragma once

#include "gridsmith/results/selection/choice_rule.hpp"

namespace gridsmith {

struct SelectedConfiguration {
  SizedConfiguration of;
  CostModel model;
  /// Per measured problem; 0: not measured there, or not valid.
  std::vector<double> times_ms;
  /// Per measured problem: time / time by the model; 0 where there is none. What `corrected` uses.
  std::vector<double> ratios;
};

/// A measured problem, and what the set gives there. Indices are of Selection::configurations.
struct SelectedProblem {
  ProblemSize problem;
  double weight = 1;
  std::size_t best = 0;             ///< the fastest of the set
  double time_ms = 0;               ///< its time
  double least_ms = 0;              ///< of all configurations measured there
  std::optional<double> margin;     ///< time of the set's second / time_ms; none: there is none
  std::optional<double> default_ms; ///< of the definition's default; none: invalid or not measured
};

struct Selection {
  std::string kernel;
  Device device; ///< driver and toolkit too
  std::string date, source_hash, conditions;
  std::vector<SelectedConfiguration> configurations; ///< what serves most weight first
  std::vector<SelectedProblem> problems;             ///< in the order of their extents
  ChoiceRule rule;
  /// The definition's default, whether or not it is among the configurations.
  std::optional<Configuration> default_configuration;
  LossFigures measured;           ///< of the set at the measured sizes
  LossFigures left_out;           ///< of the rule at sizes that neither set nor rule had seen
  std::vector<RuleFigures> rules; ///< all that were judged, the chosen one first
  std::vector<CoverStep> curve;   ///< indices of the table
};

struct SelectionRules {
  CoverRules cover;
  std::optional<ChoiceRule> rule; ///< this instead of what does best
};

/// @throws InputError as cover()
Selection select(const SizeTable& table, const SelectionRules& rules = {});

/// How a problem relates to what was measured.
enum class Match { measured, within_range, outside_range };

struct Choice {
  std::size_t configuration = 0; ///< of Selection::configurations
  Match match = Match::outside_range;
  double predicted_ms = 0; ///< measured there, else by the rule; 0: the rule foretells none
};

/// Never one that is not valid; nothing where none is. A measured problem has its measured best.
/// @param launches one per configuration of the selection (quantities_at())
/// @param sm_count of the device that it is for
std::optional<Choice> choose(const Selection& selection, const ProblemSize& problem,
                             std::span<const LaunchQuantities> launches, int sm_count);

} // namespace gridsmith
