// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/campaign/campaign_plan.hpp"

#include "gridsmith/base/random.hpp"
#include "gridsmith/search/campaign/campaign_model.hpp"
#include "gridsmith/search/models/acquisition.hpp"
#include "gridsmith/search/space/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t passes = 2;             // picks of one size in a round
constexpr std::size_t most_candidates = 8192; // pairs the model looks at, of all sizes together
constexpr std::size_t least_pool = 64;        // … of one size
constexpr std::size_t most_common_rounds = 4;
constexpr std::size_t most_common = 2;     // candidates for all sizes, measured everywhere
constexpr std::uint64_t largest_small = 4; // times the pairs that are named of a small space
constexpr std::size_t most_fillings = 4;   // what is learned of what was missing may ask for more
constexpr double least_share = 0.25;       // of the mean promise: a size below it is not visited

std::vector<CampaignSize> sizes_of(std::vector<CampaignProblem> problems) {
  std::vector<CampaignSize> out;
  out.reserve(problems.size());
  for (CampaignProblem& one : problems)
    out.push_back({std::move(one)});
  return out;
}

/// Losses of one configuration, by size, as one number.
double joined(const std::vector<double>& losses, const std::vector<double>& weights,
              Across across) {
  if (across == Across::worst)
    return *std::max_element(losses.begin(), losses.end());
  return std::inner_product(losses.begin(), losses.end(), weights.begin(), 0.0) /
         std::accumulate(weights.begin(), weights.end(), 0.0);
}

} // namespace

class CampaignPlan::Impl {
public:
  Impl(std::vector<CampaignProblem> problems, CampaignSettings settings);
  std::optional<Visit> next();

  std::vector<Visit> ahead() const { return {visits_.rbegin(), visits_.rend()}; }

  std::vector<CampaignPair> likely(std::size_t most) const;
  std::vector<CampaignPair> anywhere(std::size_t most) const;
  double promised();
  void tell(std::size_t problem, std::span<const Observation> observations);
  void finish();
  bool finals_over() const;

  std::size_t rounds() const { return rounds_; }

  std::optional<std::vector<ConfigurationId>> common() const;

  std::uint64_t asked() const { return asked_; }

  const std::map<ConfigurationId, std::optional<double>>& costs(std::size_t problem) const {
    return problems_[problem].costs;
  }

private:
  enum class Stage { begin, search, leaders, common, finals, filling, over };

  using Wanted = std::vector<std::vector<ConfigurationId>>; ///< by problem

  static void take_back(CampaignSize& problem, ConfigurationId id);
  void plan();
  void begin(Wanted& wanted);
  bool search(Wanted& wanted);
  void send_leaders(Wanted& wanted);
  void send_common(Wanted& wanted);
  bool send_missing(Wanted& wanted);
  double pick(Wanted& wanted);
  void ask(const CampaignCell& cell, Wanted& wanted);
  std::uint64_t left() const;

  std::vector<ConfigurationId> pool_of(std::size_t problem);
  std::vector<double> improvements() const;

  std::set<std::vector<Position>> leaders() const;
  std::optional<std::vector<ConfigurationId>> everywhere(std::span<const Position> positions) const;
  std::optional<double> loss(std::size_t problem, ConfigurationId id) const;

  std::vector<CampaignSize> problems_;
  std::vector<double> weights_;
  CampaignSettings settings_;
  Random random_;
  CampaignModel model_; ///< of the sizes above
  Stage stage_ = Stage::begin;
  std::vector<Visit> visits_; ///< of this round, the next one last
  double promised_ = 0;       ///< by them
  std::size_t rounds_ = 0, common_rounds_ = 0, fillings_ = 0;
  std::uint64_t asked_ = 0;
};

CampaignPlan::Impl::Impl(std::vector<CampaignProblem> problems, CampaignSettings settings)
    : problems_(sizes_of(std::move(problems))), settings_(settings), random_(settings.seed),
      model_(problems_, random_) {
  for (const CampaignSize& one : problems_)
    weights_.push_back(one.given.weight);
}

std::optional<Visit> CampaignPlan::Impl::next() {
  while (visits_.empty() && stage_ != Stage::over)
    plan();
  if (visits_.empty())
    return std::nullopt;
  Visit visit = std::move(visits_.back());
  visits_.pop_back();
  return visit;
}

double CampaignPlan::Impl::promised() {
  while (visits_.empty() && stage_ != Stage::over)
    plan();
  return visits_.empty() ? 0 : promised_;
}

void CampaignPlan::Impl::finish() {
  if (stage_ >= Stage::filling) // it is in the finals or behind them
    return;
  visits_.clear();
  promised_ = 0;
  ++rounds_;
  for (std::size_t p = problems_.size(); p-- > 0;)
    visits_.push_back({p, {}, true});
  stage_ = Stage::filling;
}

bool CampaignPlan::Impl::finals_over() const {
  return stage_ >= Stage::filling && (visits_.empty() || !visits_.front().final);
}

void CampaignPlan::Impl::plan() {
  Wanted wanted(problems_.size());
  promised_ = 0;
  ++rounds_;
  const bool final = stage_ == Stage::finals;
  switch (stage_) {
  case Stage::begin:
    begin(wanted);
    promised_ = std::numeric_limits<double>::infinity();
    stage_ = Stage::search;
    break;
  case Stage::search:
    if (!search(wanted))
      stage_ = settings_.across == Across::each ? Stage::finals : Stage::leaders;
    break;
  case Stage::leaders:
    send_leaders(wanted);
    stage_ = Stage::common;
    break;
  case Stage::common:
    send_common(wanted);
    if (++common_rounds_ == most_common_rounds)
      stage_ = Stage::finals;
    break;
  case Stage::finals:
    if (settings_.across == Across::each)
      send_leaders(wanted);
    stage_ = Stage::filling;
    break;
  case Stage::filling:
    if (!send_missing(wanted) || ++fillings_ == most_fillings)
      stage_ = Stage::over;
    break;
  case Stage::over:
    break;
  }
  for (std::size_t p = problems_.size(); p-- > 0;)
    if (final || !wanted[p].empty())
      visits_.push_back({p, std::move(wanted[p]), final});
}

std::uint64_t CampaignPlan::Impl::left() const {
  const std::uint64_t most = settings_.evaluations.value_or(~std::uint64_t{0});
  return most - std::min(most, asked_);
}

void CampaignPlan::Impl::ask(const CampaignCell& cell, Wanted& wanted) {
  if (left() == 0 || !problems_[cell.problem].asked.insert(cell.id).second)
    return;
  wanted[cell.problem].push_back(cell.id);
  ++asked_;
}

/// What the definition says, or a draw.
void CampaignPlan::Impl::begin(Wanted& wanted) {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    const CampaignProblem& given = problems_[p].given;
    for (const ConfigurationId id : given.seeds)
      ask({p, id}, wanted);
    if (given.seeds.empty())
      ask({p, given.space->sample(1, random_).front()}, wanted);
  }
}

/// It has failed since it was told.
void CampaignPlan::Impl::take_back(CampaignSize& problem, ConfigurationId id) {
  problem.costs.at(id).reset();
  problem.best.reset();
  for (const auto& [other, cost] : problem.costs)
    if (cost && (!problem.best || std::log(*cost) < problem.log_best)) {
      problem.best = other;
      problem.log_best = std::log(*cost);
    }
}

void CampaignPlan::Impl::tell(std::size_t p, std::span<const Observation> observations) {
  CampaignSize& problem = problems_[p];
  for (const Observation& one : observations) {
    const bool ran = one.cost && std::isfinite(*one.cost) && *one.cost > 0;
    const bool fresh = problem.costs.emplace(one.id, ran ? one.cost : std::nullopt).second;
    if (!fresh && !ran)
      take_back(problem, one.id);
    if (!fresh)
      continue;
    problem.asked.insert(one.id);
    if (ran && (!problem.best || std::log(*one.cost) < problem.log_best)) {
      problem.best = one.id;
      problem.log_best = std::log(*one.cost);
    }
    model_.see({p, one.id}, 0);
  }
}

/// All of a small space; of a large one the best elsewhere, the neighbours of the best here, and
/// draws.
std::vector<ConfigurationId> CampaignPlan::Impl::pool_of(std::size_t p) {
  const CampaignSize& problem = problems_[p];
  const SearchSpace& space = *problem.given.space;
  const std::size_t most = std::max(least_pool, most_candidates / problems_.size());
  std::vector<ConfigurationId> pool;
  if (space.size() <= most) {
    for (ConfigurationId id = 0; id < space.size(); ++id)
      pool.push_back(id);
  } else {
    for (const auto& positions : leaders())
      if (const auto id = space.find(positions))
        pool.push_back(*id);
    if (problem.best)
      for (const ConfigurationId id : space.neighbours(*problem.best, Neighbourhood::hamming))
        pool.push_back(id);
    pool.resize(std::min(pool.size(), most));
    for (const ConfigurationId id : space.sample(most - pool.size(), random_))
      pool.push_back(id);
    std::sort(pool.begin(), pool.end());
    pool.erase(std::unique(pool.begin(), pool.end()), pool.end());
  }
  std::erase_if(pool, [&](ConfigurationId id) { return problem.asked.contains(id); });
  return pool;
}

/// Expected improvement of each candidate, of the logarithm of cost, times the weight of its size
/// among all. Where nothing ran yet a size hopes for anything that runs.
std::vector<double> CampaignPlan::Impl::improvements() const {
  const auto& candidates = model_.candidates();
  Eigen::ArrayXf mean = model_.mean();
  const double all = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (!problems_[candidates[i].problem].best)
      mean[static_cast<Eigen::Index>(i)] -= static_cast<float>(CampaignModel::failed_loss);
  const Eigen::ArrayXf gain = expected_improvement(mean, model_.deviation(), 0);
  std::vector<double> out(candidates.size(), 0.0);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!problems_[candidates[i].problem].asked.contains(candidates[i].id))
      out[i] = static_cast<double>(gain[static_cast<Eigen::Index>(i)]) *
               weights_[candidates[i].problem] / all;
  return out;
}

/// Before the model knows anything: of a small space, most of which is asked at one size or another, some
/// from everywhere.
std::vector<CampaignPair> CampaignPlan::Impl::anywhere(std::size_t most) const {
  const SearchSpace& space = *problems_.front().given.space;
  std::vector<CampaignPair> pairs;
  if (space.size() <= largest_small * most)
    for (std::size_t i = 0; i < most; ++i)
      pairs.push_back({0, i * space.size() / most});
  return pairs;
}

std::vector<CampaignPair> CampaignPlan::Impl::likely(std::size_t most) const {
  const auto& candidates = model_.candidates();
  if (stage_ == Stage::search && candidates.empty())
    return anywhere(most);
  if (stage_ != Stage::search)
    return {};
  const std::vector<double> gains = improvements();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < gains.size(); ++i)
    if (gains[i] > 0)
      order.push_back(i);
  most = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                    [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
  std::vector<CampaignPair> pairs;
  for (std::size_t i = 0; i < most; ++i)
    pairs.push_back({candidates[order[i]].problem, candidates[order[i]].id});
  return pairs;
}

/// The best of each size, the most promising sizes first; what all of them promise together.
double CampaignPlan::Impl::pick(Wanted& wanted) {
  const auto& candidates = model_.candidates();
  const std::vector<double> gains = improvements();
  std::map<std::size_t, std::size_t> best; // size -> candidate
  for (std::size_t i = 0; i < gains.size(); ++i) {
    const auto [entry, fresh] = best.emplace(candidates[i].problem, i);
    if (!fresh && gains[i] > gains[entry->second])
      entry->second = i;
  }
  std::vector<std::size_t> order;
  double promised = 0;
  for (const auto& [problem, candidate] : best) {
    promised += gains[candidate];
    order.push_back(candidate);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
  const Eigen::ArrayXf mean = model_.mean();
  for (const std::size_t i : order)
    if (gains[i] > promised * least_share / static_cast<double>(problems_.size()) && left() > 0) {
      ask(candidates[i], wanted);
      model_.see(candidates[i], mean[static_cast<Eigen::Index>(i)]);
    }
  return promised;
}

/// One round. False: it would not be worth while.
bool CampaignPlan::Impl::search(Wanted& wanted) {
  std::vector<CampaignCell> cells;
  for (std::size_t p = 0; p < problems_.size(); ++p)
    for (const ConfigurationId id : pool_of(p))
      cells.push_back({p, id});
  if (cells.empty() || left() == 0)
    return false;
  model_.look_at(std::move(cells));
  for (std::size_t pass = 0; pass < passes; ++pass) {
    const double promise = pick(wanted);
    if (promise < settings_.worth)
      return pass > 0;
    promised_ += promise;
    model_.learn();
  }
  return true;
}

/// The best of every size, each once.
std::set<std::vector<Position>> CampaignPlan::Impl::leaders() const {
  std::set<std::vector<Position>> out;
  for (const CampaignSize& problem : problems_)
    if (problem.best)
      out.insert(positions_of(*problem.given.space, *problem.best));
  return out;
}

/// Everywhere where one may be within reach of the best, by what the model is not sure of.
void CampaignPlan::Impl::send_leaders(Wanted& wanted) {
  std::vector<CampaignCell> cells;
  for (const auto& positions : leaders())
    for (std::size_t p = 0; p < problems_.size(); ++p)
      if (const auto id = problems_[p].given.space->find(positions);
          id && !problems_[p].asked.contains(*id))
        cells.push_back({p, *id});
  if (cells.empty())
    return;
  model_.look_at(std::move(cells));
  const auto& candidates = model_.candidates();
  const Eigen::ArrayXf hoped = model_.mean() - model_.deviation();
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto value = [&](std::size_t i) { return hoped[static_cast<Eigen::Index>(i)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
  for (const std::size_t i : order)
    if (static_cast<double>(value(i)) < std::log1p(settings_.leader_reach))
      ask(candidates[i], wanted);
}

/// False: nothing new is missing.
bool CampaignPlan::Impl::send_missing(Wanted& wanted) {
  const std::uint64_t before = asked_;
  const Wanted missing = settings_.missing ? settings_.missing() : Wanted();
  for (std::size_t p = 0; p < missing.size(); ++p)
    for (const ConfigurationId id : missing[p])
      ask({p, id}, wanted);
  return asked_ > before;
}

/// Those that look best for all sizes together, everywhere.
void CampaignPlan::Impl::send_common(Wanted& wanted) {
  std::set<std::vector<Position>> tried;
  for (const CampaignSize& problem : problems_)
    for (const auto& [id, cost] : problem.costs)
      if (cost)
        tried.insert(positions_of(*problem.given.space, id));
  std::vector<CampaignCell> cells; // of each one, one after the other for all sizes
  for (const auto& positions : tried)
    if (const auto ids = everywhere(positions))
      for (std::size_t p = 0; p < problems_.size(); ++p)
        cells.push_back({p, (*ids)[p]});
  if (cells.empty())
    return;
  model_.look_at(std::move(cells));
  const auto& candidates = model_.candidates();
  const Eigen::ArrayXf mean = model_.mean();
  std::vector<std::pair<double, std::size_t>> ranked; // joined loss, place of its first cell
  for (std::size_t first = 0; first < candidates.size(); first += problems_.size()) {
    std::vector<double> losses;
    for (std::size_t p = 0; p < problems_.size(); ++p) {
      const ConfigurationId id = candidates[first + p].id;
      losses.push_back(
          loss(p, id).value_or(static_cast<double>(mean[static_cast<Eigen::Index>(first + p)])));
    }
    ranked.emplace_back(joined(losses, weights_, settings_.across), first);
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), most_common));
  for (const auto& [loss, first] : ranked)
    for (std::size_t p = 0; p < problems_.size(); ++p)
      ask(candidates[first + p], wanted);
}

std::optional<std::vector<ConfigurationId>>
CampaignPlan::Impl::everywhere(std::span<const Position> positions) const {
  std::vector<ConfigurationId> ids;
  for (const CampaignSize& problem : problems_) {
    const auto id = problem.given.space->find(positions);
    if (!id)
      return std::nullopt;
    ids.push_back(*id);
  }
  return ids;
}

/// Log cost over the best of the size; what failed is infinitely worse; nothing where not measured.
std::optional<double> CampaignPlan::Impl::loss(std::size_t p, ConfigurationId id) const {
  const auto told = problems_[p].costs.find(id);
  if (told == problems_[p].costs.end())
    return std::nullopt;
  return told->second ? std::log(*told->second) - problems_[p].log_best
                      : std::numeric_limits<double>::infinity();
}

std::optional<std::vector<ConfigurationId>> CampaignPlan::Impl::common() const {
  std::optional<std::vector<ConfigurationId>> chosen;
  double least = std::numeric_limits<double>::infinity();
  const CampaignSize& first = problems_.front();
  for (const auto& [id, cost] : first.costs) {
    const auto ids = everywhere(positions_of(*first.given.space, id));
    std::vector<double> losses;
    for (std::size_t p = 0; ids && p < ids->size(); ++p)
      if (const auto here = loss(p, (*ids)[p]))
        losses.push_back(*here);
    if (losses.size() < problems_.size())
      continue;
    if (const double value = joined(losses, weights_, settings_.across); value < least) {
      least = value;
      chosen = ids;
    }
  }
  return chosen;
}

CampaignPlan::CampaignPlan(std::vector<CampaignProblem> problems, CampaignSettings settings)
    : impl_(std::make_unique<Impl>(std::move(problems), settings)) {
}

CampaignPlan::~CampaignPlan() = default;
CampaignPlan::CampaignPlan(CampaignPlan&&) noexcept = default;
CampaignPlan& CampaignPlan::operator=(CampaignPlan&&) noexcept = default;

std::optional<Visit> CampaignPlan::next() {
  return impl_->next();
}

std::size_t CampaignPlan::rounds() const {
  return impl_->rounds();
}

std::vector<Visit> CampaignPlan::ahead() const {
  return impl_->ahead();
}

std::vector<CampaignPair> CampaignPlan::likely(std::size_t most) const {
  return impl_->likely(most);
}

double CampaignPlan::promised() {
  return impl_->promised();
}

void CampaignPlan::tell(std::size_t problem, std::span<const Observation> observations) {
  impl_->tell(problem, observations);
}

void CampaignPlan::finish() {
  impl_->finish();
}

bool CampaignPlan::finals_over() const {
  return impl_->finals_over();
}

std::uint64_t CampaignPlan::asked() const {
  return impl_->asked();
}

const std::map<ConfigurationId, std::optional<double>>&
CampaignPlan::costs(std::size_t problem) const {
  return impl_->costs(problem);
}

std::optional<std::vector<ConfigurationId>> CampaignPlan::common() const {
  return impl_->common();
}

} // namespace gridsmith
