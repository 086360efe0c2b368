// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/campaign/shared_costs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gridsmith {
namespace {

// Squared inverse length scales before any fit: cost changes slowly with the extents (a length of 7
// doublings), slower still with how often 2 divides them, and with how full the device is.
constexpr float extent_weight = 0.02f, halvings_weight = 0.005f, load_weight = 0.05f,
                tail_weight = 0.2f;
constexpr int most_halvings = 6;  // 64 elements of 4 bytes are two cache lines
constexpr float level_spread = 8; // of a problem's level, in standard deviations: anything
constexpr double least_load = -7, most_load = 3; // doublings: beyond, nothing changes any more
constexpr std::size_t load_features = 3;

std::vector<float> features_of(const std::vector<std::int64_t>& extents) {
  std::vector<float> out;
  for (const std::int64_t extent : extents)
    out.push_back(static_cast<float>(std::log2(static_cast<double>(extent))));
  for (const std::int64_t extent : extents)
    out.push_back(static_cast<float>(
        std::min(most_halvings, std::countr_zero(static_cast<std::uint64_t>(extent)))));
  return out;
}

float doublings(double load) {
  return static_cast<float>(std::clamp(std::log2(std::max(load, 1e-9)), least_load, most_load));
}

} // namespace

SharedCosts::SharedCosts(const std::vector<Parameter>& parameters,
                         std::vector<std::vector<std::int64_t>> extents)
    : features_(parameters), problems_([&] {
        std::vector<std::vector<float>> out;
        for (const auto& one : extents)
          out.push_back(features_of(one));
        return out;
      }()),
      process_(belief()) {
}

ProcessBelief SharedCosts::belief() const {
  ProcessBelief belief;
  for (const Feature& feature : features_.features())
    belief.weights.push_back(feature.weight);
  const std::size_t extents = problems_.front().size() / 2;
  belief.weights.insert(belief.weights.end(), extents, extent_weight);
  belief.weights.insert(belief.weights.end(), extents, halvings_weight);
  belief.weights.insert(belief.weights.end(), {load_weight, load_weight, tail_weight});
  belief.term_means.assign(problems_.size(), 0.0f);
  belief.term_spreads.assign(problems_.size(), level_spread);
  return belief;
}

/// Features of the configuration, of the problem, of both together; then the problem's level.
SharedCosts::Row SharedCosts::row(std::size_t problem, std::span<const Position> positions,
                                  const LaunchLoad& load) const {
  const std::vector<float>& own = problems_[problem];
  const std::size_t together = features_.size() + own.size();
  Row row = Row::Zero(static_cast<Index>(together + load_features + problems_.size()));
  features_.describe(positions, {row.data(), features_.size()});
  std::copy(own.begin(), own.end(), row.data() + features_.size());
  const double waves = std::max(load.blocks_per_sm, 1e-9);
  float* const of_load = row.data() + together;
  of_load[0] = doublings(waves);
  of_load[1] = doublings(load.threads_per_sm);
  of_load[2] = static_cast<float>(std::min(1.0, std::log2(std::ceil(waves) / waves))); // idle SMs
  row[static_cast<Index>(together + load_features + problem)] = 1;
  return row;
}

Eigen::ArrayXf SharedCosts::deviation() const {
  return static_cast<float>(process_.scale()[0]) * process_.variance().sqrt();
}

} // namespace gridsmith
