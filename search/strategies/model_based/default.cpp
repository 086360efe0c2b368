// SPDX-License-Identifier: Apache-2.0
// The default is our best, chosen by evidence: the Bayesian strategy with a larger pool, and what
// another device or problem has taught beside it. Mixing the forest in, or giving the portfolio the
// choice, was no better at any budget (tests/bench/search.md).
#include "gridsmith/search/strategies/model_based/bayesian.hpp"
#include "gridsmith/search/strategies/model_based/transfer_prior.hpp"

namespace gridsmith {

std::unique_ptr<Strategy> make_default(const SearchProblem& problem) {
  return with_transfer_prior(problem, [](const SearchProblem& inner) {
    return make_bayesian_with(inner, {.pool = 1024});
  });
}

} // namespace gridsmith
