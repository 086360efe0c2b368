// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/gpu/launch_needs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace gridsmith {
namespace {

constexpr std::size_t fewest_rows = 8;  // before anything is foretold
constexpr std::size_t most_rows = 1024; // the newest: growing on more takes longer than it is worth
constexpr std::size_t tree_count = 24;

float log2_of_more(double value) {
  return static_cast<float>(std::log2(1 + std::max(0.0, value)));
}

/// Numbers as their logarithm: a tile of 8 is to 4 what 4 is to 2. Words as one of a few, by content.
float feature_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return static_cast<float>(std::hash<std::string>{}(*text) % 64);
  const double number = to_number(value);
  return number < 0 ? -log2_of_more(-number) : log2_of_more(number);
}

} // namespace

std::vector<float> LaunchNeeds::features_of(const Configuration& configuration,
                                            const Geometry& geometry) const {
  std::vector<float> features;
  features.reserve(configuration.size() + 2);
  for (const auto& [name, value] : configuration)
    features.push_back(feature_of(value));
  features.push_back(log2_of_more(static_cast<double>(geometry.threads_per_block())));
  features.push_back(log2_of_more(static_cast<double>(geometry.dynamic_shared_bytes)));
  return features;
}

bool LaunchNeeds::learn(const Configuration& configuration, const Geometry& geometry,
                        const CodeObject& code) {
  if (code.of_machine)
    return false;
  Row row{.features = features_of(configuration, geometry), .failed = !code.cubin};
  // From the cache: how long it took is not known.
  row.ms = code.ms > 0 ? log2_of_more(code.ms) : -1;
  if (code.cubin) {
    row.registers = log2_of_more(code.facts.registers_per_thread);
    row.shared = log2_of_more(static_cast<double>(code.facts.static_shared_bytes));
    bounded_ = bounded_ && code.facts.max_threads_per_block >= geometry.threads_per_block();
  }
  if (!rows_.empty() && rows_.front().features.size() != row.features.size())
    return false;
  if (rows_.size() == most_rows)
    rows_.erase(rows_.begin());
  rows_.push_back(std::move(row));
  ++seen_;
  if (rows_.size() < fewest_rows ||
      seen_ < learnt_from_ + std::max<std::size_t>(4, learnt_from_ / 4))
    return false;
  grow();
  return true;
}

void LaunchNeeds::grow() {
  learnt_from_ = seen_;
  Random random(1);
  const auto of = [&](ExtraTrees& trees, const auto& known, float Row::* target) {
    const auto count = std::count_if(rows_.begin(), rows_.end(), known);
    Eigen::MatrixXf features(count, static_cast<Eigen::Index>(rows_.front().features.size()));
    Eigen::VectorXf targets(count), failed(count);
    Eigen::Index at = 0;
    for (const Row& row : rows_)
      if (known(row)) {
        features.row(at) =
            Eigen::Map<const Eigen::RowVectorXf>(row.features.data(), features.cols());
        targets[at] = row.*target;
        failed[at++] = row.failed ? 1.0f : 0.0f;
      }
    trees = {};
    if (count > 0)
      trees.grow(features, targets, failed, tree_count, random);
  };
  const auto compiled = [](const Row& row) { return !row.failed; };
  of(ms_, [](const Row& row) { return row.ms >= 0; }, &Row::ms);
  of(registers_, compiled, &Row::registers);
  of(shared_, compiled, &Row::shared);
}

CompileForecast LaunchNeeds::expect(const Configuration& configuration,
                                    const Geometry& geometry) const {
  if (learnt_from_ == 0)
    return {};
  const std::vector<float> features = features_of(configuration, geometry);
  const Eigen::MatrixXf row = Eigen::Map<const Eigen::RowVectorXf>(
      features.data(), static_cast<Eigen::Index>(features.size()));
  const auto value = [&](const ExtraTrees& trees) {
    return trees.empty() ? 0.0 : std::exp2(static_cast<double>(trees.predict(row).mean[0])) - 1;
  };
  CompileForecast forecast{.ms = value(ms_)};
  CompileFacts facts;
  if (!bounded_)
    facts.registers_per_thread = static_cast<int>(std::lround(value(registers_)));
  facts.static_shared_bytes = std::lround(value(shared_));
  forecast.hopeless =
      launch_refusal(device_, facts, geometry.threads_per_block(), geometry.dynamic_shared_bytes)
          .has_value() ||
      (!ms_.empty() && ms_.predict(row).failing[0] > 0.5f);
  return forecast;
}

} // namespace gridsmith
