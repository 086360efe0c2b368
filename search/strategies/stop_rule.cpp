// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/strategies/stop_rule.hpp"

#include "gridsmith/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gridsmith {
namespace {

// In the order of StopRule::features(), printed by bench_stop --runs 40 --seed 1001 --learn, and
// with --runs 10 --hopeless --in-flight 4 --strategy default,forest,genetic,greedy.
constexpr StopRule::Features with_hope{1.83,    -1.93,  -0.276, -0.107, 0.4,   0.0205, 0.304,
                                       -0.0394, 0.0285, 0.4,    2.51,   0.629, -0.149, 0.156};
constexpr StopRule::Features without_hope{1.09,   -1.03, -0.249, -0.233, -0.316, 0.0161, 0.0264,
                                          -0.175, 0.314, 0.344,  1.44,   2.39,   0,      0};

constexpr double least_hope = 1e-6; // of gain or chance: below it both are none

} // namespace

StopRule::StopRule(const SearchSpace& space, bool by_hope_alone)
    : size_(space.size()), by_hope_alone_(by_hope_alone) {
  for (const Parameter& parameter : space.parameters())
    parameters_ += parameter.values.size() > 1 ? 1 : 0;
}

void StopRule::hear(std::span<const Observation> observations, const std::optional<Hope>& hope) {
  for (const Observation& one : observations) {
    double best = bests_.empty() ? std::numeric_limits<double>::infinity() : bests_.back();
    if (one.cost && *one.cost > 0) {
      const double cost = std::log(*one.cost);
      costs_.insert(std::upper_bound(costs_.begin(), costs_.end(), cost), cost);
      best = std::min(best, cost);
    }
    const bool gained = bests_.empty() || best < bests_.back() - worthwhile;
    bests_.push_back(best);
    if (bests_.size() < least || costs_.empty())
      continue;
    if (by_hope_alone_)
      chance_ = hope ? std::optional(hope->chance) : std::nullopt;
    else
      chance_ = chance_of(features(hope), hope ? with_hope : without_hope);
    low_ = chance_ && *chance_ < unlikely && !gained ? low_ + 1 : 0;
  }
}

bool StopRule::over() const {
  return low_ >= in_a_row && bests_.size() + ahead < size_;
}

StopRule::Features StopRule::features(const std::optional<Hope>& hope) const {
  const double told = static_cast<double>(bests_.size()), best = bests_.back();
  // Evaluations since the best was worse by more than this.
  const auto since = [&](double gain) {
    const auto then = std::find_if(bests_.rbegin(), bests_.rend(),
                                   [&](double earlier) { return earlier > best + gain; });
    return static_cast<double>(then - bests_.rbegin());
  };
  const auto gained_in = [&](std::size_t last) {
    const double earlier = bests_[bests_.size() - std::min(bests_.size(), last + 1)];
    return std::log1p(100 * std::min(1.0, earlier - best));
  };
  const auto behind = [&](std::size_t rank) {
    return std::log1p(100 * std::min(1.0, costs_[std::min(rank, costs_.size() - 1)] - best));
  };
  const auto size = static_cast<double>(size_);
  const double left = std::max(1e-3, 1 - told / size);
  return {1,
          std::log(told),
          std::log1p(since(worthwhile)),
          std::log1p(since(0)),
          since(worthwhile) / told,
          gained_in(10),
          gained_in(ahead),
          behind(1),
          behind(4),
          std::log1p(100 * std::min(3.0, median(costs_) - best)),
          parameters_ / 10 + std::log(size) / 20,
          std::log(left),
          hope ? std::log(std::max(least_hope, hope->gain)) : 0,
          hope ? std::log(std::max(least_hope, hope->chance)) : 0};
}

double StopRule::chance_of(const Features& features, const Features& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < feature_count; ++i)
    sum += weights[i] * features[i];
  return 1 / (1 + std::exp(-sum));
}

} // namespace gridsmith
