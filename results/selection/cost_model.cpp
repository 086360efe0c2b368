// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/selection/cost_model.hpp"

#include "gridsmith/results/selection/non_negative.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {

const std::array<CostFeature, feature_count>& features() {
  using Launch = const LaunchQuantities&;
  static constexpr std::array<CostFeature, feature_count> table = {{
      {"launch", "1.0", [](Launch, double, double) { return 1.0; }},
      {"bytes", "bytes", [](Launch launch, double, double) { return launch.bytes; }},
      {"block", "block_work", [](Launch launch, double, double) { return launch.block_work; }},
      {"waves", "ceil(blocks / (sm_count * resident_blocks)) * block_work",
       [](Launch launch, double sm_count, double resident_blocks) {
         return std::ceil(launch.blocks / (sm_count * resident_blocks)) * launch.block_work;
       }},
      {"blocks of an SM", "ceil(blocks / sm_count) * block_work",
       [](Launch launch, double sm_count, double) {
         return std::ceil(launch.blocks / sm_count) * launch.block_work;
       }},
      {"blocks that share an SM",
       "max(0.0, ceil(blocks / sm_count) - resident_blocks / 2) * block_work",
       [](Launch launch, double sm_count, double resident_blocks) {
         return std::max(0.0, std::ceil(launch.blocks / sm_count) - resident_blocks / 2) *
                launch.block_work;
       }},
  }};
  return table;
}

double CostModel::time_ms(const LaunchQuantities& launch, int sm_count, int resident_blocks) const {
  double time = 0;
  for (std::size_t i = 0; i < feature_count; ++i)
    time += coefficients[i] * features()[i].value(launch, sm_count, resident_blocks);
  return time;
}

CostModel fit_cost_model(const SizeTable& table, std::size_t configuration) {
  std::vector<const SizeCell*> rows;
  for (std::size_t p = 0; p < table.problems.size(); ++p)
    if (const SizeCell& cell = table.cell(p, configuration);
        cell.state == CellState::measured && cell.launch.valid)
      rows.push_back(&cell);
  if (rows.size() < fewest_modelled_sizes)
    return {};
  const int resident_blocks = table.configurations[configuration].resident_blocks;
  const auto count = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd terms(count, static_cast<Eigen::Index>(feature_count));
  for (Eigen::Index i = 0; i < count; ++i) {
    const SizeCell& cell = *rows[static_cast<std::size_t>(i)];
    for (std::size_t j = 0; j < feature_count; ++j)
      terms(i, static_cast<Eigen::Index>(j)) =
          features()[j].value(cell.launch, std::max(1, table.device.sm_count), resident_blocks) /
          cell.time_ms;
  }
  const Eigen::VectorXd x = non_negative_least_squares(terms, Eigen::VectorXd::Ones(count));
  CostModel model;
  std::copy(x.begin(), x.end(), model.coefficients.begin());
  return model;
}

} // namespace gridsmith
