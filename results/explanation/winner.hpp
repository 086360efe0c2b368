// SPDX-License-Identifier: Apache-2.0
// Why the best configuration beat the others: against the default and the next best, and of each parameter what
// its value gains over others, from configurations that differ in it alone. And what lies beyond the space.
#pragma once

#include "gridsmith/metrics/analysis/verdict.hpp"
#include "gridsmith/results/influence/difference.hpp"
#include "gridsmith/results/measurement/answer.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// Another value in place of the best's.
struct Alternative {
  Value value;
  double times = 1;      ///< the time with it over the time with the best's value
  std::size_t pairs = 0; ///< of configurations that differ in this alone
  /// `times` is of the best and its own counterpart; else it is the median over the pairs.
  bool at_best = false;
  /// From it to the best's value: of that pair, or of the one nearest to the median.
  Contrast contrast;
};

/// What the best's value of one parameter gains.
struct ParameterChoice {
  std::string parameter;
  Value value; ///< the best's
  /// Those that it is faster than: of numbers the nearest below and above, of words the one that comes nearest in time.
  std::vector<Alternative> alternatives;
  /// The next value outside the space, where the best's is the first or last of at least three numbers, the time still
  /// fell towards it, and no limit of blocks and shared memory forbids it.
  std::optional<Value> beyond;
};

struct Winner {
  // Sentences, as why_faster() has them; "": there is none to compare with. Of an objective that time does not
  // decide the values of both and their times, and nothing is said of parameters, whose effect is on the time.
  std::string against_default,
      against_next; ///< next: the second of the ranking, unless that is the default
  /// Whose value matters, the one that matters most first.
  std::vector<ParameterChoice> parameters;
  /// Of which no other value tried makes 2 % of a difference.
  std::vector<std::string> no_difference;
};

/// @param ranking the best first; @pre not empty
/// @param standard the default configuration
/// @param objective of the ranking
Winner winner_of(const Recording& recording, std::span<const Ranked> ranking,
                 const std::optional<Configuration>& standard, const Influence& known,
                 const Objective& objective = objectives().front());

/// Sentences: against the default and the next, then a line for each of the first parameters.
std::vector<std::string> describe(const Winner& winner);

/// What to try next, a sentence each: a value beyond the space, and the remedy of the greatest cause, with what is to
/// be hoped for. Where nothing is left to gain, that only less work is faster.
std::vector<std::string> next_steps(const Winner& winner, const Verdict& verdict);

/// Names, ratios, numbers of pairs, and the sentences of describe() and next_steps().
nlohmann::ordered_json winner_json(const Winner& winner, const Verdict& verdict);

} // namespace gridsmith
