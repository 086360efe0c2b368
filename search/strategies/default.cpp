// The default is our best, chosen by evidence: the Bayesian strategy with a larger pool. Mixing the
// forest in, or giving the portfolio the choice, was no better at any budget
// (tests/bench/README.md).
#include "search/strategies/all.hpp"
#include "search/strategies/bayesian.hpp"

namespace gridsmith {

std::unique_ptr<Strategy> make_default(const SearchProblem& problem) {
  return make_bayesian(problem, {.pool = 1024});
}

} // namespace gridsmith
