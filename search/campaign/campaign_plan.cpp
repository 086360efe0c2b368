// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/campaign/campaign_plan.hpp"

#include "gridsmith/base/random.hpp"
#include "gridsmith/search/campaign/campaign_model.hpp"
#include "gridsmith/search/models/acquisition.hpp"
#include "gridsmith/search/space/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
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
constexpr double least_share = 0.25;    // of the mean promise: a size below it is not asked about
constexpr std::size_t most_likely = 64; // compiled ahead: more than compilers finish in one round

std::vector<std::uint64_t> space_sizes(const std::vector<CampaignProblem>& problems) {
  std::vector<std::uint64_t> out;
  out.reserve(problems.size());
  for (const CampaignProblem& one : problems)
    out.push_back(one.space->size());
  return out;
}

/// The places of those that are not for later.
std::vector<std::size_t> first_of(const std::vector<CampaignSize>& problems) {
  std::vector<std::size_t> places;
  for (std::size_t p = 0; p < problems.size(); ++p)
    if (!problems[p].given.later)
      places.push_back(p);
  return places;
}

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
  using Wanted = std::vector<std::vector<ConfigurationId>>; ///< by problem

  Impl(std::vector<CampaignProblem> problems, CampaignSettings settings);

  const JointIds& ids() const { return ids_; }

  std::vector<ConfigurationId> ask(std::size_t count);
  void tell(std::span<const Observation> observations);
  void withdraw(ConfigurationId id);
  std::vector<ConfigurationId> likely(std::size_t most) const;
  double promised();
  void finals_over();
  void continue_with(const std::vector<std::size_t>& problems, const Wanted& first);

  void leave(std::size_t problem) { std::erase(searched_, problem); }

  std::optional<std::vector<ConfigurationId>> common() const;

  std::size_t problems() const { return problems_.size(); }

  std::uint64_t asked() const { return asked_; }

  const std::map<ConfigurationId, std::optional<double>>& costs(std::size_t problem) const {
    return problems_[problem].costs;
  }

private:
  enum class Stage { begin, search, leaders, common, finals, filling, over };

  static void take_back(CampaignSize& problem, ConfigurationId id);
  void tell(const JobConfiguration& cell, const Observation& answer);
  void plan_if_due();
  void plan();
  void begin(Wanted& wanted);
  bool search(Wanted& wanted);
  void send_leaders(Wanted& wanted);
  void send_common(Wanted& wanted);
  bool send_missing(Wanted& wanted);
  double pick(Wanted& wanted);
  void ask(const JobConfiguration& cell, Wanted& wanted);
  void take_back_questions();
  std::vector<JobConfiguration> anywhere(std::size_t most) const;
  std::uint64_t left() const;

  std::vector<ConfigurationId> pool_of(std::size_t problem);
  std::vector<double> improvements() const;

  std::set<std::vector<Position>> leaders() const;
  std::optional<std::vector<ConfigurationId>> everywhere(std::span<const Position> positions) const;
  std::optional<double> loss(std::size_t problem, ConfigurationId id) const;

  JointIds ids_;
  std::vector<CampaignSize> problems_;
  std::vector<double> weights_;
  std::vector<std::size_t> searched_; ///< the problems that are asked about
  CampaignSettings settings_;
  Random random_;
  CampaignModel model_; ///< of the sizes above
  Stage stage_ = Stage::begin;
  std::deque<ConfigurationId> queue_; ///< of this round, to be asked
  std::set<ConfigurationId> pending_; ///< asked and not told
  double promised_ = 0;               ///< by this round
  std::size_t common_rounds_ = 0, fillings_ = 0;
  std::uint64_t asked_ = 0;
};

CampaignPlan::Impl::Impl(std::vector<CampaignProblem> problems, CampaignSettings settings)
    : ids_(space_sizes(problems)), problems_(sizes_of(std::move(problems))),
      searched_(first_of(problems_)), settings_(std::move(settings)), random_(settings_.seed),
      model_(problems_, random_) {
  for (const CampaignSize& one : problems_)
    weights_.push_back(one.given.weight);
}

/// A round follows all answers of the one before.
void CampaignPlan::Impl::plan_if_due() {
  while (queue_.empty() && pending_.empty() && stage_ != Stage::finals && stage_ != Stage::over)
    plan();
}

std::vector<ConfigurationId> CampaignPlan::Impl::ask(std::size_t count) {
  plan_if_due();
  count = std::min(count, queue_.size());
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<ConfigurationId> ids(queue_.begin(), end);
  queue_.erase(queue_.begin(), end);
  pending_.insert(ids.begin(), ids.end());
  return ids;
}

double CampaignPlan::Impl::promised() {
  plan_if_due();
  return queue_.empty() ? 0 : promised_;
}

void CampaignPlan::Impl::withdraw(ConfigurationId id) {
  if (pending_.erase(id) == 0)
    return;
  const JobConfiguration cell = ids_.apart(id);
  problems_[cell.job].asked.erase(cell.id);
  --asked_;
}

void CampaignPlan::Impl::take_back_questions() {
  for (const ConfigurationId id : std::exchange(queue_, {}))
    pending_.insert(id);
  for (const ConfigurationId id : std::set(pending_))
    withdraw(id);
}

void CampaignPlan::Impl::finals_over() {
  if (stage_ >= Stage::filling)
    return;
  take_back_questions();
  stage_ = Stage::filling;
  fillings_ = 0;
}

void CampaignPlan::Impl::continue_with(const std::vector<std::size_t>& problems,
                                       const Wanted& first) {
  take_back_questions();
  searched_ = problems;
  settings_.evaluations.reset();
  for (const std::size_t p : searched_)
    for (const ConfigurationId id : first[p])
      problems_[p].given.seeds.push_back(id);
  stage_ = searched_.empty() ? Stage::over : Stage::begin;
}

void CampaignPlan::Impl::plan() {
  Wanted wanted(problems_.size());
  promised_ = 0;
  switch (stage_) {
  case Stage::begin:
    begin(wanted);
    promised_ = std::numeric_limits<double>::infinity();
    stage_ = settings_.first_round_alone ? Stage::finals : Stage::search;
    break;
  case Stage::search:
    if (!search(wanted))
      stage_ = Stage::leaders;
    break;
  case Stage::leaders:
    send_leaders(wanted);
    stage_ = settings_.across == Across::each ? Stage::finals : Stage::common;
    break;
  case Stage::common:
    send_common(wanted);
    if (++common_rounds_ == most_common_rounds)
      stage_ = Stage::finals;
    break;
  case Stage::filling:
    if (!send_missing(wanted) || ++fillings_ == most_fillings)
      stage_ = Stage::over;
    break;
  case Stage::finals:
  case Stage::over:
    break;
  }
  for (std::size_t p = 0; p < problems_.size(); ++p)
    for (const ConfigurationId id : wanted[p])
      queue_.push_back(ids_.joint({p, id}));
}

std::uint64_t CampaignPlan::Impl::left() const {
  const std::uint64_t most = settings_.evaluations.value_or(~std::uint64_t{0});
  return most - std::min(most, asked_);
}

void CampaignPlan::Impl::ask(const JobConfiguration& cell, Wanted& wanted) {
  if (left() == 0 || !problems_[cell.job].asked.insert(cell.id).second)
    return;
  wanted[cell.job].push_back(cell.id);
  ++asked_;
}

/// What the definition says, or a draw.
void CampaignPlan::Impl::begin(Wanted& wanted) {
  for (const std::size_t p : searched_) {
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

void CampaignPlan::Impl::tell(std::span<const Observation> observations) {
  for (const Observation& one : observations) {
    pending_.erase(one.id);
    tell(ids_.apart(one.id), one);
  }
}

void CampaignPlan::Impl::tell(const JobConfiguration& cell, const Observation& answer) {
  CampaignSize& problem = problems_[cell.job];
  const auto& cost = answer.cost;
  const bool ran = cost && std::isfinite(*cost) && *cost > 0;
  const bool fresh = problem.costs.emplace(cell.id, ran ? cost : std::nullopt).second;
  if (!fresh && !ran)
    take_back(problem, cell.id);
  if (!fresh)
    return;
  problem.asked.insert(cell.id);
  if (ran && (!problem.best || std::log(*cost) < problem.log_best)) {
    problem.best = cell.id;
    problem.log_best = std::log(*cost);
  }
  model_.see(cell, 0);
}

/// All of a small space; of a large one the best elsewhere, the neighbours of the best here, and
/// draws.
std::vector<ConfigurationId> CampaignPlan::Impl::pool_of(std::size_t p) {
  const CampaignSize& problem = problems_[p];
  const SearchSpace& space = *problem.given.space;
  const std::size_t most = std::max(least_pool, most_candidates / searched_.size());
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
  double all = 0;
  for (const std::size_t p : searched_)
    all += weights_[p];
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (!problems_[candidates[i].job].best)
      mean[static_cast<Eigen::Index>(i)] -= static_cast<float>(CampaignModel::failed_loss);
  const Eigen::ArrayXf gain = expected_improvement(mean, model_.deviation(), 0);
  std::vector<double> out(candidates.size(), 0.0);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!problems_[candidates[i].job].asked.contains(candidates[i].id))
      out[i] = static_cast<double>(gain[static_cast<Eigen::Index>(i)]) *
               weights_[candidates[i].job] / all;
  return out;
}

/// Before the model knows anything: of a small space, most of which is asked at one size or another, some
/// from everywhere.
std::vector<JobConfiguration> CampaignPlan::Impl::anywhere(std::size_t most) const {
  const SearchSpace& space = *problems_.front().given.space;
  std::vector<JobConfiguration> some;
  if (space.size() <= largest_small * most)
    for (std::size_t i = 0; i < most; ++i)
      some.push_back({0, i * space.size() / most});
  return some;
}

std::vector<ConfigurationId> CampaignPlan::Impl::likely(std::size_t most) const {
  if (stage_ != Stage::search)
    return {};
  most = std::min(most, most_likely);
  std::vector<JobConfiguration> cells = model_.candidates();
  if (cells.empty()) {
    cells = anywhere(most);
  } else {
    const std::vector<double> gains = improvements();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < gains.size(); ++i)
      if (gains[i] > 0)
        order.push_back(i);
    most = std::min(most, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                      [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
    for (std::size_t i = 0; i < most; ++i)
      cells[i] = model_.candidates()[order[i]];
    cells.resize(most);
  }
  std::vector<ConfigurationId> ids;
  ids.reserve(cells.size());
  for (const JobConfiguration& cell : cells)
    ids.push_back(ids_.joint(cell));
  return ids;
}

/// The best of each size, the most promising sizes first; what all of them promise together.
double CampaignPlan::Impl::pick(Wanted& wanted) {
  const auto& candidates = model_.candidates();
  const std::vector<double> gains = improvements();
  std::map<std::size_t, std::size_t> best; // size -> candidate
  for (std::size_t i = 0; i < gains.size(); ++i) {
    const auto [entry, fresh] = best.emplace(candidates[i].job, i);
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
    if (gains[i] > promised * least_share / static_cast<double>(searched_.size()) && left() > 0) {
      ask(candidates[i], wanted);
      model_.see(candidates[i], mean[static_cast<Eigen::Index>(i)]);
    }
  return promised;
}

/// One round. False: it would not be worth while.
bool CampaignPlan::Impl::search(Wanted& wanted) {
  std::vector<JobConfiguration> cells;
  for (const std::size_t p : searched_) // none where all were left
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
  std::vector<JobConfiguration> cells;
  for (const auto& positions : leaders())
    for (const std::size_t p : searched_)
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
  std::vector<JobConfiguration> cells; // of each one, one after the other for all sizes
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
    : impl_(std::make_unique<Impl>(std::move(problems), std::move(settings))) {
}

CampaignPlan::~CampaignPlan() = default;

const JointIds& CampaignPlan::ids() const {
  return impl_->ids();
}

std::vector<ConfigurationId> CampaignPlan::ask(std::size_t count) {
  return impl_->ask(count);
}

void CampaignPlan::tell(std::span<const Observation> observations) {
  impl_->tell(observations);
}

void CampaignPlan::withdraw(ConfigurationId id) {
  impl_->withdraw(id);
}

std::size_t CampaignPlan::batch() const {
  return most_candidates;
}

std::vector<ConfigurationId> CampaignPlan::likely(std::size_t most) const {
  return impl_->likely(most);
}

double CampaignPlan::promised() {
  return impl_->promised();
}

void CampaignPlan::finals_over() {
  impl_->finals_over();
}

void CampaignPlan::continue_with(const std::vector<std::size_t>& problems,
                                 const std::vector<std::vector<ConfigurationId>>& first) {
  impl_->continue_with(problems, first);
}

void CampaignPlan::leave(std::size_t problem) {
  impl_->leave(problem);
}

std::size_t CampaignPlan::problems() const {
  return impl_->problems();
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
