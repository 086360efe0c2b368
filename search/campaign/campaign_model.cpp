// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/campaign/campaign_model.hpp"

#include "gridsmith/search/space/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t most_places = 640; // that the model holds: its cost is cubic
constexpr std::size_t most_fitted = 200; // of them in a fit: likewise
constexpr double fit_growth = 1.3;       // each fit after so many more places
// Above this the logarithm of cost over the best counts less: how slow the slow ones are says little.
constexpr double knee = 0.4, above_knee = 0.5;

std::vector<std::vector<std::int64_t>> extents_of(const std::vector<CampaignSize>& sizes) {
  std::vector<std::vector<std::int64_t>> out;
  out.reserve(sizes.size());
  for (const CampaignSize& one : sizes)
    out.push_back(one.given.extents);
  return out;
}

} // namespace

CampaignModel::CampaignModel(const std::vector<CampaignSize>& sizes, Random& random)
    : sizes_(sizes), random_(random),
      model_(sizes.front().given.space->parameters(), extents_of(sizes)) {
}

void CampaignModel::see(const JobConfiguration& cell, float predicted) {
  const auto same = [&](const Seen& one) {
    return one.cell.job == cell.job && one.cell.id == cell.id;
  };
  if (std::any_of(seen_.begin(), seen_.end(), same))
    return;
  model_.observe(row(cell));
  seen_.push_back({cell, predicted + static_cast<float>(sizes_[cell.job].log_best)});
}

SharedCosts::Row CampaignModel::row(const JobConfiguration& cell) const {
  const CampaignProblem& given = sizes_[cell.job].given;
  return model_.row(cell.job, positions_of(*given.space, cell.id),
                    given.load ? given.load(cell.id) : LaunchLoad{});
}

/// Logarithm of cost over the best of the size, compressed; what is not told as predicted.
float CampaignModel::target(const Seen& seen) const {
  const CampaignSize& size = sizes_[seen.cell.job];
  const auto told = size.costs.find(seen.cell.id);
  if (told == size.costs.end())
    return seen.predicted - static_cast<float>(size.log_best);
  const double loss = told->second ? std::log(*told->second) - size.log_best : failed_loss;
  return static_cast<float>(loss > knee ? knee + above_knee * (loss - knee) : loss);
}

void CampaignModel::learn() {
  Eigen::VectorXf targets(std::ssize(seen_));
  for (std::size_t i = 0; i < seen_.size(); ++i)
    targets[static_cast<Eigen::Index>(i)] = target(seen_[i]);
  model_.learn(targets);
}

void CampaignModel::look_at(std::vector<JobConfiguration> cells) {
  candidates_ = std::move(cells);
  model_.set_candidates(Eigen::MatrixXf(0, model_.width()));
  forget();
  learn();
  if (static_cast<double>(seen_.size()) >= fit_growth * static_cast<double>(fitted_)) {
    model_.fit(fit_subset());
    fitted_ = seen_.size();
  }
  Eigen::MatrixXf rows(std::ssize(candidates_), model_.width());
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    rows.row(static_cast<Eigen::Index>(i)) = row(candidates_[i]).transpose();
  model_.set_candidates(rows);
  learn();
}

/// Keeps the best.
void CampaignModel::forget() {
  if (seen_.size() <= most_places)
    return;
  std::stable_sort(seen_.begin(), seen_.end(),
                   [&](const Seen& a, const Seen& b) { return target(a) < target(b); });
  seen_.resize(most_places * 3 / 4);
  model_.clear();
  for (const Seen& one : seen_)
    model_.observe(row(one.cell));
}

std::vector<Eigen::Index> CampaignModel::fit_subset() {
  std::vector<Eigen::Index> all;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (sizes_[seen_[i].cell.job].costs.contains(seen_[i].cell.id)) // else it is what was predicted
      all.push_back(static_cast<Eigen::Index>(i));
  const std::size_t count = std::min(most_fitted, all.size());
  for (std::size_t i = 0; i < count; ++i)
    std::swap(all[i], all[i + below(random_, all.size() - i)]);
  all.resize(count);
  return all;
}

} // namespace gridsmith
