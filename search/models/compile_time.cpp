// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/models/compile_time.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gridsmith {
namespace {

// Features are logarithms to base 2 as well: a weight of 1 doubles the time where a parameter doubles.
// What the rows leave unexplained, about half a doubling, over such weights, both squared.
constexpr double ridge = 0.5;

} // namespace

CompileTime::CompileTime(std::size_t features)
    : shortest_(std::numeric_limits<double>::infinity()), longest_(-shortest_),
      row_sum_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(features))), products_(row_sum_),
      squares_(Eigen::MatrixXd::Zero(row_sum_.size(), row_sum_.size())) {
}

void CompileTime::learn(const Eigen::VectorXf& row, double ms) {
  const Eigen::VectorXd features = row.head(row_sum_.size()).cast<double>();
  const double log = std::log2(ms);
  ++count_;
  shortest_ = std::min(shortest_, log);
  longest_ = std::max(longest_, log);
  sum_ += log;
  row_sum_ += features;
  products_ += log * features;
  squares_ += features * features.transpose();
}

Eigen::ArrayXf CompileTime::foretell(const Eigen::MatrixXf& rows) const {
  const Eigen::Index size = row_sum_.size();
  const double mean = sum_ / count_;
  const Eigen::VectorXd middle = row_sum_ / count_;
  const Eigen::MatrixXd spread = squares_ - count_ * middle * middle.transpose() +
                                 ridge * Eigen::MatrixXd::Identity(size, size);
  const Eigen::VectorXd weights = spread.ldlt().solve(products_ - count_ * mean * middle);
  const auto constant = static_cast<float>(mean - weights.dot(middle));
  const Eigen::ArrayXf logs = (rows.leftCols(size) * weights.cast<float>()).array() + constant;
  return logs.max(static_cast<float>(shortest_) - 1)
      .min(static_cast<float>(longest_) + 1)
      .unaryExpr([](float log) { return std::exp2(log); });
}

} // namespace gridsmith
