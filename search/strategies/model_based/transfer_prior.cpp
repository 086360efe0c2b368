// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/strategies/model_based/transfer_prior.hpp"

#include "gridsmith/search/models/acquisition.hpp"
#include "gridsmith/search/models/candidates.hpp"
#include "gridsmith/search/models/gaussian_process.hpp"
#include "gridsmith/search/space/neighbours.hpp"
#include "gridsmith/search/strategies/proposing.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace gridsmith {
namespace {

using Eigen::Index;

constexpr std::size_t opening = 3;          // asks that follow the prior's ranking alone
constexpr std::size_t apart = 2;            // parameters in which these differ from one another
constexpr std::size_t least_known = 5;      // answers before a model is asked
constexpr std::size_t most_known = 64;      // observations the model holds: its cost is cubic
constexpr std::size_t top_candidates = 256; // of the prior's ranking, unasked
constexpr std::size_t other_candidates = 64;
constexpr std::size_t first_pause = 2; // asks of the strategy between two turns of the prior
constexpr std::size_t most_pause = 16;
constexpr double worthwhile = 1e-3; // relative
constexpr double relearn_growth = 1.25;
// How the cost here follows the prior's, in standard deviations of log cost from the prior's best
// to the end of its scale, and how far that is doubted. Less of both is a little worse.
constexpr float believed = 2.0f, doubted = 2.0f;

bool tells_something(const Observation& one, const SearchSpace& space) {
  return one.cost && std::isfinite(*one.cost) && *one.cost > 0 && one.id < space.size();
}

/// What the prior says, the best first.
class Ranking {
public:
  explicit Ranking(const SearchProblem& problem) {
    costs_.reserve(problem.transfer_prior.size());
    std::vector<std::pair<double, ConfigurationId>> ranked;
    for (const Observation& one : problem.transfer_prior)
      if (tells_something(one, problem.space) && costs_.emplace(one.id, std::log(*one.cost)).second)
        ranked.emplace_back(*one.cost, one.id);
    std::sort(ranked.begin(), ranked.end());
    for (const auto& [cost, id] : ranked)
      order_.push_back(id);
  }

  const std::vector<ConfigurationId>& order() const { return order_; }

  /// Excess over the prior's best in units of its median's, at most 2, as a coordinate 0 … 1;
  /// nothing where the prior knows nothing.
  std::optional<double> coordinate(ConfigurationId id) const {
    const auto found = costs_.find(id);
    if (found == costs_.end())
      return std::nullopt;
    const double best = costs_.at(order_.front());
    const double usual = std::max(costs_.at(order_[order_.size() / 2]) - best, 1e-6);
    return std::min((found->second - best) / usual, 2.0) / 2;
  }

private:
  std::unordered_map<ConfigurationId, double> costs_; ///< natural logs
  std::vector<ConfigurationId> order_;
};

/// Cost here, over the parameters and what the prior says.
class Translator {
public:
  Translator(const SearchSpace& space, const Ranking& ranking)
      : describer_(space, {term(ranking)}, false), process_(describer_.belief()) {}

  std::size_t size() const { return known_.size(); }

  /// @pre the ranking knows it
  void add(ConfigurationId id, double cost) {
    known_.emplace_back(std::log(std::max(cost, 1e-12)), id);
  }

  /// The candidate of greatest expected worthwhile. @pre size() > 0, candidates not empty, the
  /// ranking knows them
  ConfigurationId choose(const std::vector<ConfigurationId>& candidates) {
    observe_known();
    process_.set_candidates(describer_.rows(candidates));
    process_.set_targets(costs_);
    const float scale = static_cast<float>(process_.scale()[0]);
    Index pick = 0;
    expected_improvement(process_.mean().col(0).array(), scale * process_.variance().sqrt(),
                         costs_.minCoeff())
        .maxCoeff(&pick);
    return candidates[static_cast<std::size_t>(pick)];
  }

private:
  static MeanTerm term(const Ranking& ranking) {
    return {"cost in the transfer prior", believed, doubted,
            [&ranking](ConfigurationId id, std::span<const Position>) {
              return static_cast<float>(ranking.coordinate(id).value_or(1));
            }};
  }

  /// The better half and the newest; now and then it learns which parameters matter.
  void observe_known() {
    if (known_.size() > most_known) {
      std::stable_sort(known_.begin(), known_.end() - most_known / 2, std::greater<>());
      known_.erase(known_.begin(), known_.end() - most_known);
    }
    process_.set_candidates(Eigen::MatrixXf(0, static_cast<Index>(process_.width())));
    process_.clear();
    costs_.resize(std::ssize(known_));
    std::vector<Index> all(known_.size());
    for (std::size_t i = 0; i < known_.size(); ++i) {
      process_.observe(describer_.row(known_[i].second));
      costs_[static_cast<Index>(i)] = static_cast<float>(known_[i].first);
      all[i] = static_cast<Index>(i);
    }
    if (known_.size() < learn_at_)
      return;
    process_.set_targets(costs_);
    process_.fit(all);
    learn_at_ =
        static_cast<std::size_t>(std::ceil(static_cast<double>(known_.size()) * relearn_growth));
  }

  const Describer describer_;
  GaussianProcess process_;
  std::vector<std::pair<double, ConfigurationId>> known_; ///< natural log of cost
  Eigen::VectorXf costs_;
  std::size_t learn_at_ = 0;
};

class PriorGuided final : public ProposingStrategy {
public:
  PriorGuided(const SearchProblem& problem, const StrategyMaker& make)
      : ProposingStrategy(without_prior(problem)), ranking_(problem),
        translator_(problem.space, ranking_), inner_(make(without_prior(problem))) {}

  std::size_t batch() const override { return inner_->batch(); }

  std::size_t most_pending() const override { return inner_->most_pending(); }

  std::optional<Hope> hope() const override { return inner_->hope(); }

private:
  static SearchProblem without_prior(SearchProblem problem) {
    problem.transfer_prior.clear();
    return problem;
  }

  std::vector<ConfigurationId> propose(std::size_t count) override {
    std::vector<ConfigurationId> out;
    count = std::min(count, most_pending());
    if (turn_ >= next_turn_)
      if (const auto pick = by_prior()) {
        of_prior_.insert(*pick);
        out.push_back(*pick);
        ++turns_taken_;
        next_turn_ = ++turn_ + (turns_taken_ < opening ? 0 : pause_);
      }
    if (out.size() < count)
      by_strategy(count, out);
    return out;
  }

  /// What the strategy asks and is known already is answered at once.
  void by_strategy(std::size_t count, std::vector<ConfigurationId>& out) {
    for (std::size_t before = out.size(); out.size() == before;) {
      const std::vector<ConfigurationId> candidates = inner_->ask(count - before);
      if (candidates.empty())
        return;
      std::vector<Observation> known;
      for (const ConfigurationId id : candidates) {
        if (const auto heard = heard_.find(id); heard != heard_.end()) {
          known.push_back(heard->second);
          continue;
        }
        of_strategy_.insert(id);
        if (std::find(out.begin(), out.end(), id) == out.end())
          out.push_back(id);
        ++turn_;
      }
      if (!known.empty())
        inner_->tell(known);
    }
  }

  std::vector<ConfigurationId> likely_next(std::size_t count) const override {
    return inner_->likely(count);
  }

  void learn(std::span<const Observation> observations) override {
    std::vector<Observation> awaited;
    for (const Observation& one : observations) {
      if (of_strategy_.contains(one.id))
        awaited.push_back(one);
      else
        heard_.emplace(one.id, one);
      const double cost = one.cost.value_or(failed_cost);
      if (of_prior_.contains(one.id) && turns_taken_ > opening)
        credit(cost < best_ * (1 - worthwhile));
      if (one.cost && ranking_.coordinate(one.id))
        translator_.add(one.id, cost);
      best_ = std::min(best_, cost);
    }
    if (!awaited.empty())
      inner_->tell(awaited);
  }

  void unlearn(ConfigurationId id) override {
    of_prior_.erase(id);
    if (of_strategy_.erase(id) > 0)
      inner_->withdraw(id);
  }

  /// Turns that improve come more often, turns that do not more rarely.
  void credit(bool better) {
    pause_ = better ? std::max<std::size_t>(1, pause_ / 2) : std::min(most_pause, pause_ * 2);
  }

  std::optional<ConfigurationId> by_prior() {
    if (turns_taken_ < opening || translator_.size() < least_known)
      return next_ranked();
    std::vector<ConfigurationId> candidates;
    for (const ConfigurationId id : ranking_.order()) {
      if (candidates.size() == top_candidates)
        break;
      if (!asked(id))
        candidates.push_back(id);
    }
    for (std::size_t i = 0; i < other_candidates; ++i)
      if (const auto id = ranking_.order()[below(random(), ranking_.order().size())]; !asked(id))
        candidates.push_back(id);
    if (candidates.empty())
      return std::nullopt;
    return translator_.choose(candidates);
  }

  /// The best ranked that differs enough from those taken so.
  std::optional<ConfigurationId> next_ranked() {
    for (const ConfigurationId id : ranking_.order())
      if (!asked(id) && far_from_taken(id)) {
        taken_.push_back(positions_of(space(), id));
        return id;
      }
    return std::nullopt;
  }

  bool far_from_taken(ConfigurationId id) const {
    const std::vector<Position> here = positions_of(space(), id);
    return std::all_of(taken_.begin(), taken_.end(), [&](const std::vector<Position>& there) {
      std::size_t different = 0;
      for (std::size_t p = 0; p < here.size(); ++p)
        different += here[p] != there[p] ? 1 : 0;
      return different >= apart;
    });
  }

  Ranking ranking_;
  Translator translator_;
  std::unique_ptr<Strategy> inner_;
  std::unordered_set<ConfigurationId> of_prior_, of_strategy_; ///< who asked
  std::unordered_map<ConfigurationId, Observation> heard_;     ///< not asked by the strategy
  std::vector<std::vector<Position>> taken_;
  std::size_t turn_ = 0, next_turn_ = 0, turns_taken_ = 0, pause_ = first_pause;
  double best_ = std::numeric_limits<double>::infinity();
};

} // namespace

std::unique_ptr<Strategy> with_transfer_prior(const SearchProblem& problem,
                                              const StrategyMaker& make) {
  const bool any =
      std::any_of(problem.transfer_prior.begin(), problem.transfer_prior.end(),
                  [&](const Observation& one) { return tells_something(one, problem.space); });
  if (!any)
    return make(problem);
  return std::make_unique<PriorGuided>(problem, make);
}

} // namespace gridsmith
