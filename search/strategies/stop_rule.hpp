// Whether going on is likely to pay: from the course of a run and what its strategy hopes for, the
// chance that the next evaluations find something better. Learned from recordings, a logistic
// regression; knows no kernel, device or parameter by name.
#pragma once

#include "gridsmith/search/strategies/strategy.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gridsmith {

class StopRule {
public:
  /// What going on is judged by: this many more evaluations, and by how much the best falls.
  static constexpr std::size_t ahead = 20;
  static constexpr double worthwhile = 0.01;
  /// Below this chance it is not worth going on.
  static constexpr double unlikely = 0.05;
  /// Evaluations before anything is said: fewer say little, and spaces that small are finished.
  static constexpr std::size_t least = 30;

  static constexpr std::size_t feature_count = 14;
  using Features = std::array<double, feature_count>;

  explicit StopRule(const SearchSpace& space);

  void hear(std::span<const Observation> observations);

  /// Of the run so far. @param hope nothing where the strategy has none
  Features features(const std::optional<Hope>& hope) const;

  /// That one of the next `ahead` evaluations is better than the best by more than `worthwhile`;
  /// nothing while fewer than `least` are told, or none of them ran.
  std::optional<double> chance(const std::optional<Hope>& hope) const;

  /// One weight a feature.
  static double chance_of(const Features& features, const Features& weights);

  std::size_t told() const { return bests_.size(); }

private:
  double parameters_, log_size_;
  std::vector<double> bests_; ///< natural log of the best cost after each; infinite before one ran
  std::vector<double> costs_; ///< natural logs of those that ran, ascending
};

} // namespace gridsmith
