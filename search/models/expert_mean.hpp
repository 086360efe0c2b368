// SPDX-License-Identifier: Apache-2.0
// What experts know of cost before any measurement, as a surrogate takes it in: terms of a linear
// model of log cost whose weights are believed but not certain. A Gaussian process adds each term
// to its mean and the uncertainty of its weight to its covariance, so measurements correct what is
// wrong for this kernel (Rasmussen & Williams, Gaussian Processes for Machine Learning, 2006,
// section 2.7).
#pragma once

#include "gridsmith/search/models/features.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gridsmith {

/// One term: value(configuration) times a weight ~ N(mean, spread^2), both in units of the standard
/// deviation of the log cost, so that flat spaces are believed flat.
struct MeanTerm {
  std::string name;
  float mean = 0;
  float spread = 0;
  /// The term's value, best near 0 … 3; higher is worse when mean > 0.
  std::function<float(ConfigurationId, std::span<const Position>)> value;
};

/// What holds for most kernels on GPUs: blocks of 64 to 256 threads in whole warps, a block at
/// least a warp wide along x, some work per thread, and that work along y rather than x
/// (neighbouring threads read neighbouring addresses). Empty where the names tell no launch shape.
class LaunchMean {
public:
  explicit LaunchMean(const FeatureMap& features);

  std::size_t size() const { return terms_.size(); }

  /// Mean and spread of each term's weight; `value` is empty, evaluate() gives all at once.
  const std::vector<MeanTerm>& terms() const { return terms_; }

  /// @pre out.size() == size()
  void evaluate(const LaunchShape& shape, std::span<float> out) const;

private:
  std::vector<MeanTerm> terms_;
  std::vector<float (*)(const LaunchShape&)> values_;
};

} // namespace gridsmith
