// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/models/trees.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gridsmith {
namespace {

using Eigen::Index;

constexpr std::size_t least_split = 3; // rows; fewer stay together
constexpr float leaf_variance = 0.01f; // relative to the targets': a leaf of one row is no proof

} // namespace

class ExtraTrees::Grower {
public:
  Grower(const Eigen::MatrixXf& rows, const Eigen::VectorXf& targets, const Eigen::VectorXf& failed,
         std::vector<Node>& nodes, Random& random)
      : rows_(rows), targets_(targets), failed_(failed), nodes_(nodes), random_(random),
        order_(static_cast<std::size_t>(rows.rows())) {
    const float mean = targets.mean();
    floor_ = leaf_variance * (targets.array() - mean).square().mean();
  }

  std::uint32_t grow() {
    std::iota(order_.begin(), order_.end(), Index{0});
    const auto root = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    split(root, 0, order_.size());
    return root;
  }

private:
  struct Cut {
    Index feature = -1;
    float threshold = 0;
    float gain = 0;
  };

  void settle(std::uint32_t node, std::size_t begin, std::size_t end) {
    float sum = 0, squares = 0, failed = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const float target = targets_[order_[i]];
      sum += target;
      squares += target * target;
      failed += failed_[order_[i]];
    }
    const auto count = static_cast<float>(end - begin);
    Node& leaf = nodes_[node];
    leaf.mean = sum / count;
    leaf.variance = std::max(squares / count - leaf.mean * leaf.mean, 0.0f) + floor_;
    leaf.failing = failed / count;
  }

  /// Of one drawn threshold per feature the one that leaves the least variance.
  Cut draw_cut(std::size_t begin, std::size_t end) {
    Cut best;
    for (Index f = 0; f < rows_.cols(); ++f) {
      float least = rows_(order_[begin], f), most = least;
      for (std::size_t i = begin + 1; i < end; ++i) {
        least = std::min(least, rows_(order_[i], f));
        most = std::max(most, rows_(order_[i], f));
      }
      const float threshold = least + (most - least) * static_cast<float>(unit(random_));
      if (!(threshold > least && threshold <= most))
        continue;
      float sum[2] = {0, 0}, count[2] = {0, 0};
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t side = rows_(order_[i], f) < threshold ? 0 : 1;
        sum[side] += targets_[order_[i]];
        count[side] += 1;
      }
      const float apart = sum[0] / count[0] - sum[1] / count[1];
      const float gain = count[0] * count[1] * apart * apart; // between-group sum of squares
      if (best.feature < 0 || gain > best.gain)
        best = {f, threshold, gain};
    }
    return best;
  }

  void split(std::uint32_t node, std::size_t begin, std::size_t end) {
    settle(node, begin, end);
    if (end - begin < least_split)
      return;
    const Cut cut = draw_cut(begin, end);
    if (cut.feature < 0)
      return;
    const auto middle = static_cast<std::size_t>(
        std::partition(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                       order_.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](Index row) { return rows_(row, cut.feature) < cut.threshold; }) -
        order_.begin());
    const auto left = static_cast<std::uint32_t>(nodes_.size());
    nodes_.resize(nodes_.size() + 2);
    nodes_[node].feature = static_cast<std::int32_t>(cut.feature);
    nodes_[node].threshold = cut.threshold;
    nodes_[node].left = left;
    split(left, begin, middle);
    split(left + 1, middle, end);
  }

  const Eigen::MatrixXf& rows_;
  const Eigen::VectorXf& targets_;
  const Eigen::VectorXf& failed_;
  std::vector<Node>& nodes_;
  Random& random_;
  std::vector<Index> order_;
  float floor_ = 0;
};

void ExtraTrees::grow(const Eigen::MatrixXf& rows, const Eigen::VectorXf& targets,
                      const Eigen::VectorXf& failed, std::size_t trees, Random& random) {
  nodes_.clear();
  roots_.clear();
  Grower grower(rows, targets, failed, nodes_, random);
  for (std::size_t tree = 0; tree < trees; ++tree)
    roots_.push_back(grower.grow());
}

/// Mean and variance of a mixture of the trees' leaves: Hutter, Xu, Hoos & Leyton-Brown, Algorithm
/// runtime prediction, Artificial Intelligence 206 (2014), section 4.3.2.
ExtraTrees::Prediction ExtraTrees::predict(const Eigen::MatrixXf& rows) const {
  Prediction out{Eigen::ArrayXf(rows.rows()), Eigen::ArrayXf(rows.rows()),
                 Eigen::ArrayXf(rows.rows())};
  const auto trees = static_cast<float>(roots_.size());
  for (Index row = 0; row < rows.rows(); ++row) {
    float mean = 0, squares = 0, failing = 0;
    for (const std::uint32_t root : roots_) {
      const Node* node = &nodes_[root];
      while (node->feature >= 0)
        node = &nodes_[node->left + (rows(row, node->feature) < node->threshold ? 0u : 1u)];
      mean += node->mean;
      squares += node->mean * node->mean + node->variance;
      failing += node->failing;
    }
    mean /= trees;
    out.mean[row] = mean;
    out.deviation[row] = std::sqrt(std::max(squares / trees - mean * mean, 1e-12f));
    out.failing[row] = failing / trees;
  }
  return out;
}

} // namespace gridsmith
