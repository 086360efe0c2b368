// The Bayesian strategy with its settings, for strategies that build on it.
#pragma once

#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/search/models/expert_prior.hpp"

#include <memory>
#include <vector>

namespace gridsmith {

struct BayesianOptions {
  /// Configurations looked at before each ask; cost per ask is proportional to it.
  std::size_t pool = 768;
  /// What holds for most kernels on GPUs (launch_prior) as prior mean.
  bool launch_prior = true;
  /// Knowledge beside it: another device's measurements, predicted occupancy.
  std::vector<PriorTerm> terms = {};
};

std::unique_ptr<Strategy> make_bayesian(const SearchProblem& problem, BayesianOptions options);

} // namespace gridsmith
