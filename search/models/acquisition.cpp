// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/models/acquisition.hpp"

#include "gridsmith/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gridsmith {
namespace {

constexpr double compressed_above = 0.6; // quantile of the costs that ran
constexpr double compression = 0.3;      // slope above it
constexpr double failed_at = 0.7;        // quantile that a failure counts as

} // namespace

Eigen::ArrayXf expected_improvement(const Eigen::ArrayXf& mean, const Eigen::ArrayXf& deviation,
                                    float best) {
  constexpr float root_half = std::numbers::sqrt2_v<float> / 2;
  constexpr float density = 0.39894228f; // 1/sqrt(2 pi)
  Eigen::ArrayXf out(mean.size());
  for (Eigen::Index i = 0; i < mean.size(); ++i) {
    const float z = (best - mean[i]) / deviation[i];
    if (z > -6) {
      const float below = 0.5f * std::erfc(-z * root_half);
      out[i] = deviation[i] * (z * below + density * std::exp(-0.5f * z * z));
    } else { // both parts cancel in single precision: the first term of the tail's series
      out[i] = deviation[i] * density * std::exp(-0.5f * std::min(z * z, 160.0f)) / (z * z);
    }
  }
  return out.max(0.0f);
}

std::vector<double> learning_targets(const std::vector<LearnedCost>& costs) {
  std::vector<double> sorted;
  for (const LearnedCost& cost : costs)
    if (cost.valid)
      sorted.push_back(cost.log_cost);
  std::vector<double> targets(costs.size(), 0.0);
  if (sorted.empty())
    return targets;
  std::sort(sorted.begin(), sorted.end());
  const double knee = quantile(sorted, compressed_above);
  const double failed = quantile(sorted, failed_at);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double cost = costs[i].valid ? costs[i].log_cost : failed;
    targets[i] = cost <= knee ? cost : knee + compression * (cost - knee);
  }
  return targets;
}

} // namespace gridsmith
