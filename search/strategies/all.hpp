// One maker per strategy; the table in search/strategy.cpp names them for people.
#pragma once

#include "gridsmith/search/strategies/strategy.hpp"

#include <memory>

namespace gridsmith {

std::unique_ptr<Strategy> make_exhaustive(const SearchProblem& problem);
std::unique_ptr<Strategy> make_random(const SearchProblem& problem);
std::unique_ptr<Strategy> make_greedy(const SearchProblem& problem);
std::unique_ptr<Strategy> make_annealing(const SearchProblem& problem);
std::unique_ptr<Strategy> make_genetic(const SearchProblem& problem);
std::unique_ptr<Strategy> make_differential(const SearchProblem& problem);
std::unique_ptr<Strategy> make_swarm(const SearchProblem& problem);
std::unique_ptr<Strategy> make_bayesian(const SearchProblem& problem);
std::unique_ptr<Strategy> make_forest(const SearchProblem& problem);
std::unique_ptr<Strategy> make_portfolio(const SearchProblem& problem);
std::unique_ptr<Strategy> make_default(const SearchProblem& problem);
std::unique_ptr<Strategy> make_counter_guided(const SearchProblem& problem);

} // namespace gridsmith
