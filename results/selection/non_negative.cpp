// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/selection/non_negative.hpp"

#include <Eigen/QR>

#include <limits>
#include <vector>

namespace gridsmith {
namespace {

using Eigen::Index;

/// Least squares over some of the columns; the others have 0.
Eigen::VectorXd solve_over(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                           const std::vector<Index>& columns) {
  const Eigen::MatrixXd part = a(Eigen::all, columns);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(a.cols());
  x(columns) = part.colPivHouseholderQr().solve(b);
  return x;
}

/// From x towards `aim` until the first coefficient of the columns becomes 0, which leaves them.
void step_towards(Eigen::VectorXd& x, const Eigen::VectorXd& aim, std::vector<Index>& columns) {
  double share = 1;
  Index first = columns.front();
  for (const Index i : columns)
    if (aim(i) <= 0 && x(i) / (x(i) - aim(i)) <= share) {
      share = x(i) / (x(i) - aim(i));
      first = i;
    }
  x += share * (aim - x);
  x(first) = 0;
  std::erase(columns, first);
}

} // namespace

Eigen::VectorXd non_negative_least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  Eigen::VectorXd sizes = a.colwise().norm();
  sizes = (sizes.array() > 0).select(sizes, 1);
  const Eigen::MatrixXd scaled = a * sizes.cwiseInverse().asDiagonal();
  const double enough = 1e-10 * b.norm();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(a.cols());
  std::vector<Index> columns; // whose coefficients are free
  for (Index round = 0; round < 3 * a.cols(); ++round) {
    Eigen::VectorXd gain = scaled.transpose() * (b - scaled * x);
    for (const Index i : columns)
      gain(i) = 0;
    Index best = 0;
    if (!(gain.size() && gain.maxCoeff(&best) > enough))
      break;
    columns.push_back(best);
    Eigen::VectorXd aim = solve_over(scaled, b, columns);
    if (aim(best) <= 0) // rounding: it has nothing to give
      break;
    while (!columns.empty() && aim(columns).minCoeff() <= 0) {
      step_towards(x, aim, columns);
      aim =
          columns.empty() ? Eigen::VectorXd::Zero(a.cols()).eval() : solve_over(scaled, b, columns);
    }
    x = aim;
  }
  return x.cwiseQuotient(sizes);
}

} // namespace gridsmith
