// SPDX-License-Identifier: Apache-2.0
// Counter-guided search: the default strategy with a model from parameters over hardware counters
// to cost, learned from every answer that carries counters. What the occupancy calculator says of
// the few best is asked for before one of them is measured. Without counters it is the default.
#include "gridsmith/search/strategies/model_based/bayesian.hpp"
#include "gridsmith/search/strategies/model_based/transfer_prior.hpp"

namespace gridsmith {

std::unique_ptr<Strategy> make_counter_guided(const SearchProblem& problem) {
  return with_transfer_prior(problem, [](const SearchProblem& inner) {
    return make_bayesian_with(inner, {.pool = 1024, .counters = true});
  });
}

} // namespace gridsmith
