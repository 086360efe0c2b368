// SPDX-License-Identifier: Apache-2.0
// How long a configuration compiles, learned from those that were compiled: the logarithm of the time as
// a linear function of what a surrogate learns from, since unrolled loops multiply. Ridge regression
// (Hoerl & Kennard, Technometrics 12, 1970): the mean until more is known.
#pragma once

#include <Eigen/Core>

#include <cstddef>

namespace gridsmith {

class CompileTime {
public:
  explicit CompileTime(std::size_t features);

  /// @param row its features, and whatever follows them
  /// @param ms more than 0
  void learn(const Eigen::VectorXf& row, double ms);

  /// Enough were compiled for a word about others.
  bool known() const { return count_ >= fewest; }

  /// Of each row, in ms; never far outside what was seen. @pre known()
  Eigen::ArrayXf foretell(const Eigen::MatrixXf& rows) const;

private:
  static constexpr double fewest = 8;

  double count_ = 0, shortest_, longest_; ///< the last two as logarithms to base 2, like …
  double sum_ = 0;                        ///< … their sum
  Eigen::VectorXd row_sum_, products_;    ///< of the rows; of rows and logarithms
  Eigen::MatrixXd squares_;
};

} // namespace gridsmith
