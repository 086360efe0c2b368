// Prior knowledge of cost, as a surrogate takes it in: terms of a linear model of log cost whose
// weights are believed but not certain. A Gaussian process adds each term to its mean and the
// uncertainty of its weight to its covariance, so measurements correct what is wrong for this
// kernel (Rasmussen & Williams, Gaussian Processes for Machine Learning, 2006, section 2.7).
#pragma once

#include "search/surrogate/features.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gridsmith {

/// One term: value(configuration) times a weight ~ N(mean, spread^2), both in units of the standard
/// deviation of the log cost, so that flat spaces are believed flat.
struct PriorTerm {
  std::string name;
  float mean = 0;
  float spread = 0;
  /// The term's value, best near 0 … 3; higher is worse when mean > 0.
  std::function<float(ConfigurationId, std::span<const Position>)> value;
};

/// What holds for most kernels on GPUs: blocks of 64 to 256 threads in whole warps, a block at
/// least a warp wide along x, some work per thread, and that work along y rather than x
/// (neighbouring threads read neighbouring addresses). Empty where the names tell no launch shape.
/// @param features lives as long as the terms.
std::vector<PriorTerm> launch_prior(const FeatureMap& features);

} // namespace gridsmith
