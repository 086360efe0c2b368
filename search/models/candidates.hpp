// SPDX-License-Identifier: Apache-2.0
// The configurations a surrogate looks at before each ask: everything in a small space, and in a
// large one a pool that is renewed from what the surrogate thinks best, the neighbours of the best
// measured, and fresh uniform draws.
#pragma once

#include "gridsmith/search/models/expert_mean.hpp"
#include "gridsmith/search/models/features.hpp"
#include "gridsmith/search/models/gaussian_process.hpp"
#include "gridsmith/search/space/space.hpp"

#include <Eigen/Core>

#include <functional>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

namespace gridsmith {

/// Turns configurations into rows of numbers: the features, then the values of the expert
/// mean's terms.
class Describer {
public:
  /// @param extra terms beside those of the launch mean; `launch` false leaves these out.
  Describer(const SearchSpace& space, std::vector<MeanTerm> extra, bool launch);
  Describer(const Describer&) = delete;
  Describer& operator=(const Describer&) = delete;

  const FeatureMap& features() const { return features_; }

  const std::vector<MeanTerm>& terms() const { return terms_; }

  const SearchSpace& space() const { return space_; }

  Eigen::VectorXf row(ConfigurationId id) const;
  Eigen::MatrixXf rows(std::span<const ConfigurationId> ids) const;
  /// Sum of the terms at their mean weights, in standard deviations of log cost.
  float expert_mean(const Eigen::VectorXf& row) const;
  /// What a process of these rows believes before any observation.
  ProcessBelief belief() const;

private:
  const SearchSpace& space_;
  FeatureMap features_;
  std::optional<LaunchMean> launch_;
  std::vector<MeanTerm> extra_;
  std::vector<MeanTerm> terms_; ///< of both, for their weights
};

/// Scores rows, lower is better.
using RowScore = std::function<Eigen::ArrayXf(const Eigen::MatrixXf&)>;

class CandidatePool {
public:
  /// @param capacity configurations looked at; a space up to that size is held whole.
  CandidatePool(const Describer& describer, std::size_t capacity, Random& random);

  std::size_t size() const { return ids_.size(); }

  ConfigurationId id(std::size_t index) const { return ids_[index]; }

  const Eigen::MatrixXf& rows() const { return rows_; }

  bool used(std::size_t index) const { return used_[index]; }

  /// Takes a configuration out of the running, whether it is in the pool or not.
  void use(ConfigurationId id);
  /// Puts it back.
  void release(ConfigurationId id);

  /// True when the whole space is held, so that nothing is ever renewed.
  bool whole() const { return whole_; }

  /// Keeps the better part by `scores` (one per candidate, lower is better), adds the neighbours of
  /// `centres` and the best by `score` of uniform draws and of changes to several parameters of a
  /// centre at once.
  void renew(const Eigen::ArrayXf& scores, std::span<const ConfigurationId> centres,
             const RowScore& score);

private:
  using Ids = std::vector<ConfigurationId>;

  void fill_first();
  using Known = std::unordered_set<ConfigurationId>;

  Ids fresh(std::size_t count, const Known& known);
  Ids changed(std::size_t count, std::span<const ConfigurationId> centres, const Known& known);
  void set(Ids ids);

  const Describer& describer_;
  std::size_t capacity_;
  Random& random_;
  bool whole_;
  Ids ids_;
  Eigen::MatrixXf rows_;
  std::vector<char> used_;
  std::unordered_set<ConfigurationId> all_used_;
};

/// First places to measure, in this order: far from each other and liked by the expert mean.
/// Each maximises its distance to the nearest one before it (at most 1: farther is no better) less
/// that mean.
std::vector<ConfigurationId> spread_design(const Describer& describer, Random& random);

} // namespace gridsmith
