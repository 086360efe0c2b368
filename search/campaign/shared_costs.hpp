// SPDX-License-Identifier: Apache-2.0
// Cost of one kernel over configurations and problems at once: a Gaussian process of log cost whose
// places are pairs of both, so that what is measured at one problem tells something at all others.
// How much, along which extents, is learned; the level of each problem is its own.
#pragma once

#include "gridsmith/search/campaign/campaign_plan.hpp"
#include "gridsmith/search/models/features.hpp"
#include "gridsmith/search/models/gaussian_process.hpp"
#include "gridsmith/search/space/space.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gridsmith {

class SharedCosts {
public:
  using Index = Eigen::Index;
  using Row = GaussianProcess::Row;

  /// @param extents of each problem, all of the same number
  SharedCosts(const std::vector<Parameter>& parameters,
              std::vector<std::vector<std::int64_t>> extents);

  Row row(std::size_t problem, std::span<const Position> positions, const LaunchLoad& load) const;

  Index width() const { return static_cast<Index>(process_.width()); }

  void set_candidates(const Eigen::MatrixXf& rows) { process_.set_candidates(rows); }

  void clear() { process_.clear(); }

  /// One more place; its cost comes with the next learn().
  void observe(const Row& row) { process_.observe(row); }

  /// @param log_costs of all places, in the order observed
  void learn(const Eigen::VectorXf& log_costs) { process_.set_targets(log_costs); }

  /// Of log cost, per candidate.
  Eigen::ArrayXf mean() const { return process_.mean().col(0).array(); }

  Eigen::ArrayXf deviation() const;

  /// Learns what matters from these of the observed places. @pre learn() was called, and the
  /// candidates are set again before they are looked at.
  void fit(const std::vector<Index>& subset) { process_.fit(subset); }

private:
  ProcessBelief belief() const;

  FeatureMap features_;
  std::vector<std::vector<float>> problems_; ///< features of each
  GaussianProcess process_;
};

} // namespace gridsmith
