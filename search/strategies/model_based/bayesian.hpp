// SPDX-License-Identifier: Apache-2.0
// The Bayesian strategy with its settings, for strategies that build on it.
#pragma once

#include "gridsmith/search/models/expert_mean.hpp"
#include "gridsmith/search/strategies/strategy.hpp"

#include <memory>
#include <vector>

namespace gridsmith {

struct BayesianOptions {
  /// Configurations looked at before each ask; cost per ask is proportional to it.
  std::size_t pool = 768;
  /// What holds for most kernels on GPUs (LaunchMean) as mean before any measurement.
  bool launch_mean = true;
  /// Knowledge beside it.
  std::vector<MeanTerm> terms = {};
  /// Learn from hardware counters, where answers carry them, and consult foresight then.
  bool counters = false;
};

std::unique_ptr<Strategy> make_bayesian_with(const SearchProblem& problem, BayesianOptions options);

} // namespace gridsmith
