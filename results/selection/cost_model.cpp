// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/selection/cost_model.hpp"

#include "gridsmith/results/selection/non_negative.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

constexpr auto term_count = static_cast<Eigen::Index>(feature_count);
constexpr double pull =
    0.05; // of the common model; up to 0.2 choices are alike, with less they are worse
constexpr std::size_t most_common_rows = 4096; // evenly taken of more: six numbers are learned

using Terms = Eigen::Matrix<double, Eigen::Dynamic, term_count>;

bool is_known(const SizeCell& cell) {
  return cell.state == CellState::measured && cell.launch.valid;
}

/// Of one cell, over its time.
Eigen::Matrix<double, 1, term_count> terms_of(const SizeTable& table, std::size_t problem,
                                              std::size_t configuration) {
  const SizeCell& cell = table.cell(problem, configuration);
  Eigen::Matrix<double, 1, term_count> row;
  for (std::size_t j = 0; j < feature_count; ++j)
    row(static_cast<Eigen::Index>(j)) =
        features()[j].value(cell.launch, std::max(1, table.device.sm_count),
                            table.configurations[configuration].resident_blocks) /
        cell.cost;
  return row;
}

CostModel model_of(const Terms& terms, const Eigen::VectorXd& wanted) {
  const Eigen::VectorXd x = non_negative_least_squares(terms, wanted);
  CostModel model;
  std::copy(x.begin(), x.end(), model.coefficients.begin());
  return model;
}

} // namespace

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

double CostModel::cost(const LaunchQuantities& launch, int sm_count, int resident_blocks) const {
  double time = 0;
  for (std::size_t i = 0; i < feature_count; ++i)
    time += coefficients[i] * features()[i].value(launch, sm_count, resident_blocks);
  return time;
}

CostModel common_cost_model(const SizeTable& table) {
  std::vector<std::pair<std::size_t, std::size_t>> measured; // problem and configuration
  for (std::size_t p = 0; p < table.problems.size(); ++p)
    for (std::size_t c = 0; c < table.configurations.size(); ++c)
      if (is_known(table.cell(p, c)))
        measured.emplace_back(p, c);
  const std::size_t step = measured.size() / most_common_rows + 1;
  const std::size_t count = (measured.size() + step - 1) / step;
  Terms terms(static_cast<Eigen::Index>(count), term_count);
  for (std::size_t i = 0; i < count; ++i)
    terms.row(static_cast<Eigen::Index>(i)) =
        terms_of(table, measured[i * step].first, measured[i * step].second);
  return model_of(terms, Eigen::VectorXd::Ones(terms.rows()));
}

CostModel fit_cost_model(const SizeTable& table, std::size_t configuration,
                         const CostModel& common) {
  std::vector<std::size_t> problems;
  for (std::size_t p = 0; p < table.problems.size(); ++p)
    if (is_known(table.cell(p, configuration)))
      problems.push_back(p);
  if (problems.empty())
    return {};
  const auto count = static_cast<Eigen::Index>(problems.size());
  Terms terms = Terms::Zero(count + term_count, term_count);
  for (Eigen::Index i = 0; i < count; ++i)
    terms.row(i) = terms_of(table, problems[static_cast<std::size_t>(i)], configuration);
  const Eigen::Map<const Eigen::VectorXd> shared(common.coefficients.data(), term_count);
  const Eigen::VectorXd by_common = terms.topRows(count) * shared;
  const double squares = by_common.squaredNorm();
  const double scale = squares > 0 ? by_common.sum() / squares : 0;
  Eigen::VectorXd wanted = Eigen::VectorXd::Ones(count + term_count);
  for (Eigen::Index j = 0; j < term_count; ++j) {
    terms(count + j, j) = pull * terms.col(j).head(count).mean();
    wanted(count + j) = terms(count + j, j) * scale * shared(j);
  }
  return model_of(terms, wanted);
}

} // namespace gridsmith
