// SPDX-License-Identifier: Apache-2.0
// Whether going on is likely to pay: from the course of a run and the gain its strategy expects, the
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
  /// … as long as after so many answers without such a gain: who looks often finds a moment at which
  /// little seems to come.
  static constexpr std::size_t in_a_row = 6;
  /// Evaluations before the first verdict: fewer say little, and spaces that small are finished.
  static constexpr std::size_t least = 30;

  static constexpr std::size_t feature_count = 14;
  using Features = std::array<double, feature_count>;

  /// @param by_hope_alone the strategy looks for something else than the lowest cost: its chance is taken as it is
  explicit StopRule(const SearchSpace& space, bool by_hope_alone = false);

  /// Answers, and the gain that the asking strategy expects; nothing if it has no model.
  void hear(std::span<const Observation> observations, const std::optional<Hope>& hope);

  /// That one of the next `ahead` evaluations is better than the best by more than `worthwhile`, as
  /// of the last answer; nothing while fewer than `least` are known, or none of them ran.
  std::optional<double> chance() const { return chance_; }

  /// Going on is not likely to pay. Never where the next `ahead` are all that is left.
  bool over() const;

  /// Of the run so far. @pre something was heard
  Features features(const std::optional<Hope>& hope) const;

  /// One weight a feature.
  static double chance_of(const Features& features, const Features& weights);

  std::size_t told() const { return bests_.size(); }

private:
  std::uint64_t size_;
  bool by_hope_alone_;
  double parameters_ = 0; ///< that have more than one value
  std::optional<double> chance_;
  std::size_t low_ = 0;       ///< answers since the last gain, or chance of one
  std::vector<double> bests_; ///< natural log of the best cost after each; infinite before one ran
  std::vector<double> costs_; ///< natural logs of those that ran, ascending
};

} // namespace gridsmith
