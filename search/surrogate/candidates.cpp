#include "search/surrogate/candidates.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t first_look =
    16384;                           // configurations scored by the prior before any measurement
constexpr std::size_t kept_part = 3; // of the pool: a third stays,
constexpr std::size_t near_part = 3; // at most a third are neighbours of the best,
constexpr std::size_t draws_per_place = 2; // the rest is the better half of fresh draws

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

Describer::Describer(const SearchSpace& space, std::vector<PriorTerm> extra, bool launch)
    : space_(space), features_(space.parameters()) {
  if (launch)
    terms_ = launch_prior(features_);
  std::move(extra.begin(), extra.end(), std::back_inserter(terms_));
}

Eigen::VectorXf Describer::row(ConfigurationId id) const {
  return rows(std::span(&id, 1)).row(0).transpose();
}

Eigen::MatrixXf Describer::rows(std::span<const ConfigurationId> ids) const {
  const std::size_t width = features_.size();
  Eigen::MatrixXf out(static_cast<Eigen::Index>(ids.size()),
                      static_cast<Eigen::Index>(width + terms_.size()));
  std::vector<Position> positions(space_.parameters().size());
  std::vector<float> described(width);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    space_.positions(ids[i], positions);
    features_.describe(positions, described);
    const auto row = static_cast<Eigen::Index>(i);
    for (std::size_t f = 0; f < width; ++f)
      out(row, static_cast<Eigen::Index>(f)) = described[f];
    for (std::size_t t = 0; t < terms_.size(); ++t)
      out(row, static_cast<Eigen::Index>(width + t)) = terms_[t].value(ids[i], positions);
  }
  return out;
}

float Describer::prior_mean(const Eigen::VectorXf& row) const {
  float sum = 0;
  for (std::size_t t = 0; t < terms_.size(); ++t)
    sum += terms_[t].mean * row[static_cast<Eigen::Index>(features_.size() + t)];
  return sum;
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

/// Half of the pool from what the prior likes best, half uniform.
void CandidatePool::fill_first() {
  const SearchSpace& space = describer_.space();
  Ids drawn = space.sample(whole_ ? capacity_ : std::max(first_look, capacity_), random_);
  if (whole_)
    return set(std::move(drawn));
  const Eigen::MatrixXf rows = describer_.rows(drawn);
  Eigen::ArrayXf scores(rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    scores[i] = describer_.prior_mean(rows.row(i).transpose());
  Ids ids;
  std::unordered_set<ConfigurationId> known;
  for (const std::size_t i : lowest(scores, capacity_ / 2)) {
    ids.push_back(drawn[i]);
    known.insert(drawn[i]);
  }
  for (const ConfigurationId id : fresh(capacity_ - ids.size(), known))
    ids.push_back(id);
  set(std::move(ids));
}

CandidatePool::Ids CandidatePool::fresh(std::size_t count,
                                        const std::unordered_set<ConfigurationId>& known) {
  Ids out;
  for (const ConfigurationId id : describer_.space().sample(count, random_))
    if (!known.contains(id) && !all_used_.contains(id))
      out.push_back(id);
  return out;
}

void CandidatePool::use(ConfigurationId id) {
  all_used_.insert(id);
  const auto place = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (place != ids_.end() && *place == id)
    used_[static_cast<std::size_t>(place - ids_.begin())] = 1;
}

void CandidatePool::renew(const Eigen::ArrayXf& scores, std::span<const ConfigurationId> centres,
                          const RowScore& score) {
  if (whole_)
    return;
  Ids ids;
  std::unordered_set<ConfigurationId> known;
  const auto add = [&](ConfigurationId id) {
    if (!all_used_.contains(id) && known.insert(id).second)
      ids.push_back(id);
  };
  for (const std::size_t i : lowest(scores, capacity_ / kept_part))
    add(ids_[i]);
  const std::size_t near_limit = ids.size() + capacity_ / near_part;
  for (const ConfigurationId centre : centres)
    for (const auto kind : {Neighbourhood::hamming})
      for (const ConfigurationId id : describer_.space().neighbours(centre, kind))
        if (ids.size() < near_limit)
          add(id);
  const std::size_t places = capacity_ - ids.size();
  const Ids drawn = fresh(places * draws_per_place, known);
  for (const std::size_t i : lowest(score(describer_.rows(drawn)), places))
    add(drawn[i]);
  set(std::move(ids));
}

} // namespace gridsmith
