// SPDX-License-Identifier: Apache-2.0
// The front of points by two costs, both to be small, and what a candidate is expected to add to the area that it
// dominates.
#pragma once

#include <Eigen/Core>

#include <vector>

namespace gridsmith {

class CostFront {
public:
  struct Point {
    double first = 0, second = 0; ///< logarithms of costs
  };

  /// What lies between the front and a corner counts, which is as much worse than the ends of the front as they are apart,
  /// so that better ends are worth something.
  /// @param points any; @pre not empty
  explicit CostFront(std::vector<Point> points);

  /// Ascending by the first cost, descending by the second.
  const std::vector<Point>& points() const { return front_; }

  /// The area between the front and the corner.
  double area() const;

  /// Expected growth of area() by one more point of independent normal beliefs: by the strips between
  /// neighbours of the front, each the product of two expected improvements (Emmerich, Deutz & Klinkenberg,
  /// Hypervolume-based expected improvement, CEC 2011).
  Eigen::ArrayXf expected_growth(const Eigen::ArrayXf& first_mean,
                                 const Eigen::ArrayXf& first_deviation,
                                 const Eigen::ArrayXf& second_mean,
                                 const Eigen::ArrayXf& second_deviation) const;

  /// The chance that a point of such a belief is not dominated even where both its costs are worse by `margin`.
  double chance(Point mean, Point deviation, double margin) const;

private:
  std::vector<Point> front_;
  Point corner_;
};

} // namespace gridsmith
