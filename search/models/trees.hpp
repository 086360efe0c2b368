// SPDX-License-Identifier: Apache-2.0
// Extremely randomised trees (Geurts, Ernst & Wehenkel, Machine Learning 63, 2006) for regression
// with a spread: split features and thresholds are drawn, so a tree costs little to grow and many
// of them are smooth.
#pragma once

#include "gridsmith/base/random.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace gridsmith {

class ExtraTrees {
public:
  /// Grows `trees` trees on rows of features, their targets and whether they failed (1 or 0).
  void grow(const Eigen::MatrixXf& rows, const Eigen::VectorXf& targets,
            const Eigen::VectorXf& failed, std::size_t trees, Random& random);

  struct Prediction {
    Eigen::ArrayXf mean;
    Eigen::ArrayXf deviation; ///< within the leaves and between the trees
    Eigen::ArrayXf failing;   ///< share of failed rows
  };

  /// Not grown yet.
  bool empty() const { return roots_.empty(); }

  /// @pre grow() was called
  Prediction predict(const Eigen::MatrixXf& rows) const;

private:
  struct Node {
    std::int32_t feature = -1; ///< -1: a leaf
    float threshold = 0;       ///< left when the feature is below
    std::uint32_t left = 0;    ///< the right child follows it
    float mean = 0;
    float variance = 0;
    float failing = 0;
  };

  class Grower;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
};

} // namespace gridsmith
