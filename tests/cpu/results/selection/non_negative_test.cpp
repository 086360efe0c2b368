// SPDX-License-Identifier: Apache-2.0
// Least squares with coefficients that are not negative.
#include "gridsmith/base/random.hpp"
#include "gridsmith/results/selection/non_negative.hpp"
#include "gridsmith/tests/catch.hpp"

namespace non_negative_test {

using namespace gridsmith;

TEST_CASE("Coefficients that are positive are found exactly, columns of any size") {
  Eigen::MatrixXd a(4, 3);
  a << 1, 1e9, 0, 1, 2e9, 0, 1, 4e9, 0, 1, 9e9, 0;
  const Eigen::VectorXd x = non_negative_least_squares(a, a * Eigen::Vector3d(3, 2e-9, 0));
  CHECK(x(0) == Approx(3));
  CHECK(x(1) == Approx(2e-9));
  CHECK(x(2) == 0);
}

TEST_CASE("The conditions of an optimum hold for random problems") {
  Random random(7);
  int bound = 0;
  for (int round = 0; round < 200; ++round) {
    const auto number = [&] { return 2 * unit(random) - 1; };
    const Eigen::MatrixXd a = Eigen::MatrixXd::NullaryExpr(12, 6, number);
    const Eigen::VectorXd b = Eigen::VectorXd::NullaryExpr(12, number);
    const Eigen::VectorXd x = non_negative_least_squares(a, b);
    const Eigen::VectorXd gain = a.transpose() * (b - a * x); // Kuhn and Tucker
    for (Eigen::Index i = 0; i < 6; ++i) {
      CHECK(x(i) >= 0);
      CHECK(gain(i) <= 1e-8);
      CHECK(x(i) * gain(i) == Approx(0).margin(1e-8));
      bound += x(i) == 0;
    }
  }
  CHECK(bound > 100); // most have some
}

TEST_CASE("Nothing to fit gives zeros") {
  CHECK(non_negative_least_squares(Eigen::MatrixXd(0, 3), Eigen::VectorXd(0)).norm() == 0);
  CHECK(non_negative_least_squares(Eigen::MatrixXd::Zero(3, 2), Eigen::VectorXd::Ones(3)).norm() ==
        0);
}

} // namespace non_negative_test
