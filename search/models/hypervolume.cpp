// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/models/hypervolume.hpp"

#include "gridsmith/search/models/acquisition.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace gridsmith {
namespace {

// Of the front's extent: with less, ends count for little beside what lies between them (found on recordings).
constexpr double beyond = 1;
constexpr double least_beyond = 0.05; // of log cost

double corner_of(double low, double high) {
  return high + std::max(beyond * (high - low), least_beyond);
}

double below(double value, double mean, double deviation) {
  return 0.5 * std::erfc((mean - value) / deviation / std::numbers::sqrt2);
}

} // namespace

CostFront::CostFront(std::vector<Point> points) {
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  for (const Point& one : points)
    if (front_.empty() || one.second < front_.back().second)
      front_.push_back(one);
  corner_ = {corner_of(front_.front().first, front_.back().first),
             corner_of(front_.back().second, front_.front().second)};
}

double CostFront::area() const {
  double sum = 0;
  for (std::size_t i = 0; i < front_.size(); ++i) {
    const double right = i + 1 < front_.size() ? front_[i + 1].first : corner_.first;
    sum += (right - front_[i].first) * (corner_.second - front_[i].second);
  }
  return sum;
}

Eigen::ArrayXf CostFront::expected_growth(const Eigen::ArrayXf& first_mean,
                                          const Eigen::ArrayXf& first_deviation,
                                          const Eigen::ArrayXf& second_mean,
                                          const Eigen::ArrayXf& second_deviation) const {
  // Strips from left to right; the first is open to the left and reaches up to the corner.
  Eigen::ArrayXf growth = Eigen::ArrayXf::Zero(first_mean.size());
  Eigen::ArrayXf to_left = Eigen::ArrayXf::Zero(first_mean.size());
  for (std::size_t i = 0; i <= front_.size(); ++i) {
    const double right = i < front_.size() ? front_[i].first : corner_.first;
    const double top = i == 0 ? corner_.second : front_[i - 1].second;
    const Eigen::ArrayXf to_right =
        expected_improvement(first_mean, first_deviation, static_cast<float>(right));
    growth += (to_right - to_left).max(0.0f) *
              expected_improvement(second_mean, second_deviation, static_cast<float>(top));
    to_left = to_right;
  }
  return growth;
}

double CostFront::chance(Point mean, Point deviation, double margin) const {
  double sum = 0, left = 0;
  for (std::size_t i = 0; i <= front_.size(); ++i) {
    const double end = i < front_.size() ? front_[i].first : corner_.first;
    const double top = i == 0 ? corner_.second : front_[i - 1].second;
    const double right = below(end - margin, mean.first, deviation.first);
    sum += (right - left) * below(top - margin, mean.second, deviation.second);
    left = right;
  }
  return sum;
}

} // namespace gridsmith
