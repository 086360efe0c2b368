// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/models/candidates.hpp"

#include "gridsmith/search/space/neighbours.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t first_look = 16384;   // scored by the expert mean before any measurement
constexpr std::size_t kept_part = 3;        // of the pool: a third stays,
constexpr std::size_t near_part = 3;        // at most a third are neighbours of the best,
constexpr std::size_t design_size = 6;      // more did not pay
constexpr std::size_t design_choices = 300; // uniform draws that a design is chosen from
constexpr std::size_t tries_per_place = 2;  // changes to the best tried; many leave the space

/// Indices of the `count` lowest scores, lowest first.
std::vector<std::size_t> lowest(const Eigen::ArrayXf& scores, std::size_t count) {
  std::vector<std::size_t> order(static_cast<std::size_t>(scores.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  const auto less = [&](std::size_t a, std::size_t b) {
    const float left = scores[static_cast<Eigen::Index>(a)];
    const float right = scores[static_cast<Eigen::Index>(b)];
    return left < right || (left == right && a < b);
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    less);
  order.resize(count);
  return order;
}

} // namespace

Describer::Describer(const SearchSpace& space, std::vector<MeanTerm> extra, bool launch)
    : space_(space), features_(space.parameters(), roles_of(space)), extra_(std::move(extra)) {
  if (launch)
    terms_ = launch_.emplace(features_).terms();
  terms_.insert(terms_.end(), extra_.begin(), extra_.end());
}

Eigen::VectorXf Describer::row(ConfigurationId id) const {
  return rows(std::span(&id, 1)).row(0).transpose();
}

Eigen::MatrixXf Describer::rows(std::span<const ConfigurationId> ids) const {
  std::vector<float> values(features_.size() + terms_.size());
  const std::size_t launch = launch_ ? launch_->size() : 0;
  const std::span all(values);
  const auto described = all.first(features_.size());
  const auto believed = all.subspan(features_.size(), launch);
  const auto extra = all.subspan(features_.size() + launch);
  std::vector<Position> positions(space_.parameters().size());
  Eigen::MatrixXf out(std::ssize(ids), std::ssize(values));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    space_.positions(ids[i], positions);
    features_.describe(positions, described);
    if (launch > 0)
      launch_->evaluate(features_.shape(positions), believed);
    for (std::size_t t = 0; t < extra_.size(); ++t)
      extra[t] = extra_[t].value(ids[i], positions);
    out.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXf>(values.data(), std::ssize(values));
  }
  return out;
}

float Describer::expert_mean(const Eigen::VectorXf& row) const {
  float sum = 0;
  for (std::size_t t = 0; t < terms_.size(); ++t)
    sum += terms_[t].mean * row[static_cast<Eigen::Index>(features_.size() + t)];
  return sum;
}

ProcessBelief Describer::belief() const {
  ProcessBelief belief;
  for (const Feature& feature : features_.features())
    belief.weights.push_back(feature.weight);
  for (const MeanTerm& term : terms_) {
    belief.term_means.push_back(term.mean);
    belief.term_spreads.push_back(term.spread);
  }
  return belief;
}

CandidatePool::CandidatePool(const Describer& describer, std::size_t capacity, Random& random)
    : describer_(describer), capacity_(capacity), random_(random),
      whole_(describer.space().size() <= capacity) {
  fill_first();
}

void CandidatePool::set(Ids ids) {
  std::sort(ids.begin(), ids.end());
  ids_ = std::move(ids);
  rows_ = describer_.rows(ids_);
  used_.resize(ids_.size());
  for (std::size_t i = 0; i < ids_.size(); ++i)
    used_[i] = all_used_.contains(ids_[i]) ? 1 : 0;
}

/// Half of the pool from what the expert mean likes best, half uniform.
void CandidatePool::fill_first() {
  const SearchSpace& space = describer_.space();
  Ids drawn = space.sample(whole_ ? capacity_ : std::max(first_look, capacity_), random_);
  if (whole_)
    return set(std::move(drawn));
  const Eigen::MatrixXf rows = describer_.rows(drawn);
  Eigen::ArrayXf scores(rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    scores[i] = describer_.expert_mean(rows.row(i).transpose());
  Ids ids;
  Known known;
  for (const std::size_t i : lowest(scores, capacity_ / 2)) {
    ids.push_back(drawn[i]);
    known.insert(drawn[i]);
  }
  for (const ConfigurationId id : fresh(capacity_ - ids.size(), known))
    ids.push_back(id);
  set(std::move(ids));
}

CandidatePool::Ids CandidatePool::fresh(std::size_t count, const Known& known) {
  Ids out;
  for (const ConfigurationId id : describer_.space().sample(count, random_))
    if (!known.contains(id) && !all_used_.contains(id))
      out.push_back(id);
  return out;
}

/// Two or more parameters of a centre changed: what lies behind a ridge that neighbours do not
/// cross.
CandidatePool::Ids CandidatePool::changed(std::size_t count,
                                          std::span<const ConfigurationId> centres,
                                          const Known& known) {
  Ids out;
  Known found;
  const auto& parameters = describer_.space().parameters();
  std::vector<std::size_t> free;
  for (std::size_t p = 0; p < parameters.size(); ++p)
    if (parameters[p].values.size() > 1)
      free.push_back(p);
  for (std::size_t tried = 0; tried < count && !centres.empty() && free.size() > 1; ++tried) {
    std::vector<Position> place = positions_of(describer_.space(), centres[tried % centres.size()]);
    const std::size_t changes = 2 + below(random_, std::min<std::size_t>(3, free.size() - 1));
    for (std::size_t change = 0; change < changes; ++change) {
      const std::size_t p = free[below(random_, free.size())];
      place[p] = static_cast<Position>(below(random_, parameters[p].values.size()));
    }
    const auto id = describer_.space().find(place);
    if (id && !known.contains(*id) && !all_used_.contains(*id) && found.insert(*id).second)
      out.push_back(*id);
  }
  return out;
}

void CandidatePool::use(ConfigurationId id) {
  all_used_.insert(id);
  const auto place = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (place != ids_.end() && *place == id)
    used_[static_cast<std::size_t>(place - ids_.begin())] = 1;
}

void CandidatePool::release(ConfigurationId id) {
  all_used_.erase(id);
  const auto place = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (place != ids_.end() && *place == id)
    used_[static_cast<std::size_t>(place - ids_.begin())] = 0;
}

void CandidatePool::renew(const Eigen::ArrayXf& scores, std::span<const ConfigurationId> centres,
                          const RowScore& score) {
  if (whole_)
    return;
  Ids ids;
  Known known;
  const auto add = [&](ConfigurationId id) {
    if (!all_used_.contains(id) && known.insert(id).second)
      ids.push_back(id);
  };
  for (const std::size_t i : lowest(scores, capacity_ / kept_part))
    add(ids_[i]);
  const std::size_t near_limit = ids.size() + capacity_ / near_part;
  for (const ConfigurationId centre : centres)
    for (const ConfigurationId id : describer_.space().neighbours(centre, Neighbourhood::hamming))
      if (ids.size() < near_limit)
        add(id);
  const std::size_t places = capacity_ - ids.size();
  Ids drawn = fresh(places, known);
  const Ids near = changed(places * tries_per_place, centres, known);
  drawn.insert(drawn.end(), near.begin(), near.end());
  for (const std::size_t i : lowest(score(describer_.rows(drawn)), places))
    add(drawn[i]);
  set(std::move(ids));
}

std::vector<ConfigurationId> spread_design(const Describer& describer, Random& random) {
  using Eigen::ArrayXf;
  using Eigen::Index;
  const std::vector<ConfigurationId> ids = describer.space().sample(design_choices, random);
  const Eigen::MatrixXf rows = describer.rows(ids);
  const auto& features = describer.features().features();
  ArrayXf nearest = ArrayXf::Constant(rows.rows(), 1.0f);
  ArrayXf liked(rows.rows());
  for (Index i = 0; i < rows.rows(); ++i)
    liked[i] = -describer.expert_mean(rows.row(i).transpose());
  std::vector<ConfigurationId> chosen;
  while (chosen.size() < std::min(design_size, ids.size())) {
    Index best = 0;
    (nearest.sqrt() + liked).maxCoeff(&best);
    chosen.push_back(ids[static_cast<std::size_t>(best)]);
    ArrayXf squared = ArrayXf::Zero(rows.rows());
    for (std::size_t f = 0; f < features.size(); ++f) {
      const auto column = static_cast<Index>(f);
      squared += features[f].weight * (rows.col(column).array() - rows(best, column)).square();
    }
    nearest = nearest.min(squared);
    liked[best] = -std::numeric_limits<float>::infinity();
  }
  return chosen;
}

} // namespace gridsmith
