// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/strategies/strategy.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/named.hpp"

namespace gridsmith {

using Maker = std::unique_ptr<Strategy>(const SearchProblem&);

// Each is defined in the file of its name.
Maker make_default, make_exhaustive, make_random, make_greedy, make_annealing, make_genetic,
    make_differential, make_swarm, make_bayesian, make_forest, make_portfolio, make_counter_guided,
    make_front;

const std::vector<StrategyEntry>& strategies() {
  static const std::vector<StrategyEntry> table = {
      {"default",
       "bayesian with a larger pool and what other recordings taught; did best in simulations",
       make_default},
      {"exhaustive", "every configuration, largest values first", make_exhaustive},
      {"random", "uniform draws without repetition", make_random},
      {"greedy", "local search to the first better neighbour, with restarts", make_greedy},
      {"annealing", "simulated annealing with restarts", make_annealing},
      {"genetic", "genetic algorithm, steady state", make_genetic},
      {"differential", "differential evolution on value positions", make_differential},
      {"swarm", "particle swarm on value positions", make_swarm},
      {"bayesian", "Gaussian process, expected improvement", make_bayesian},
      {"forest", "extremely randomised trees, expected improvement", make_forest},
      {"portfolio", "Bayesian, forest, genetic and greedy, by what pays off", make_portfolio},
      {"counter_guided", "learns parameters -> hardware counters -> time; default without counters",
       make_counter_guided},
      {"front", "the front of two objectives: expected growth of the area that it dominates",
       make_front},
  };
  return table;
}

const StrategyEntry& strategy_entry(std::string_view name) {
  return entry_named(name, strategies(), "strategy");
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchProblem& problem) {
  return strategy_entry(name).make(problem);
}

} // namespace gridsmith
