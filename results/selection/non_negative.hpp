// SPDX-License-Identifier: Apache-2.0
// Least squares with coefficients that are not negative.
#pragma once

#include <Eigen/Core>

namespace gridsmith {

/// The x >= 0 that makes |a x - b| least. Lawson and Hanson, Solving Least Squares Problems (1974),
/// chapter 23, algorithm NNLS. Columns of `a` may be of any size; one of zeros has coefficient 0.
/// @pre as many rows in `a` as in `b`
Eigen::VectorXd non_negative_least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

} // namespace gridsmith
