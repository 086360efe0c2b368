// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/selection/loss.hpp"

#include "gridsmith/base/number_text.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {

double share_lost(const Objective& objective, double loss) {
  return objective.direction == Direction::minimise ? loss - 1 : 1 - 1 / loss;
}

std::string share_text(const Objective& objective, double loss) {
  constexpr double no_share = 1e6; // Objective::cost() of a best value of 0 is tiny, and positive
  const double share = share_lost(objective, loss);
  return share > no_share ? "over a million times" : percent_text(share, 1);
}

std::string worse_word(const Objective& objective) {
  return objective.by_time                            ? "slower"
         : objective.direction == Direction::minimise ? "more"
                                                      : "less";
}

LossFigures loss_figures(std::span<const Loss> losses, std::span<const double> weights) {
  LossFigures figures;
  figures.sizes = losses.size();
  double sum = 0, weight = 0, within = 0;
  bool first = true;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (!losses[i] || *losses[i] == cannot_run) {
      ++(losses[i] ? figures.invalid : figures.not_measured);
      continue;
    }
    const double loss = *losses[i];
    figures.worst = first ? loss : std::max(figures.worst, loss);
    figures.least = first ? loss : std::min(figures.least, loss);
    within += loss <= 1.05;
    sum += weights[i] * std::log(loss);
    weight += weights[i];
    first = false;
  }
  if (figures.known() > 0) {
    figures.geometric_mean = std::exp(sum / weight);
    figures.within_5_percent = within / static_cast<double>(figures.known());
  }
  return figures;
}

} // namespace gridsmith
