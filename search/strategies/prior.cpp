#include "gridsmith/search/strategies/prior.hpp"

#include "gridsmith/search/strategies/common.hpp"
#include "gridsmith/search/models/improvement.hpp"
#include "gridsmith/search/models/parameter_scale.hpp"
#include "gridsmith/search/models/shared_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace gridsmith {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t opening = 3;          // asks that follow the prior's ranking alone
constexpr std::size_t apart = 2;            // parameters in which these differ from one another
constexpr std::size_t least_known = 5;      // answers before a model is asked
constexpr std::size_t most_known = 64;      // observations the model holds: its cost is cubic
constexpr std::size_t top_candidates = 256; // of the prior's ranking, unasked
constexpr std::size_t other_candidates = 64;
constexpr std::size_t first_pause = 2; // asks of the strategy between two turns of the prior
constexpr std::size_t most_pause = 16;
constexpr double improvement = 1e-3; // relative
constexpr double refit_growth = 1.25;
constexpr int learning_steps = 10;

bool tells_something(const Observation& one, const SearchSpace& space) {
  return one.valid && std::isfinite(one.cost) && one.cost > 0 && one.id < space.size();
}

/// What the prior says, the best first.
class Ranking {
public:
  explicit Ranking(const SearchProblem& problem) {
    costs_.reserve(problem.prior.size());
    std::vector<std::pair<double, ConfigurationId>> ranked;
    for (const Observation& one : problem.prior)
      if (tells_something(one, problem.space) && costs_.emplace(one.id, std::log(one.cost)).second)
        ranked.emplace_back(one.cost, one.id);
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
      : ranking_(&ranking), scale_(space), process_(static_cast<Index>(scale_.axes() + 1)) {}

  std::size_t size() const { return known_.size(); }

  void add(ConfigurationId id, double cost) {
    if (const auto point = point_of(id))
      known_.push_back({std::log(std::max(cost, 1e-12)), *point});
  }

  void refresh() {
    const std::size_t first = known_.size() > most_known ? trim() : 0;
    const auto n = static_cast<Index>(known_.size() - first);
    MatrixXd points(n, static_cast<Index>(scale_.axes() + 1)), costs(n, 1);
    for (Index i = 0; i < n; ++i) {
      const Known& one = known_[first + static_cast<std::size_t>(i)];
      points.row(i) = one.point;
      costs(i, 0) = one.cost;
    }
    best_ = costs.minCoeff();
    if (known_.size() < learn_at_)
      return process_.condition(points, costs);
    process_.learn(points, costs, learning_steps);
    learn_at_ =
        static_cast<std::size_t>(std::ceil(static_cast<double>(known_.size()) * refit_growth));
  }

  /// The candidate of greatest expected improvement. @pre refresh(), candidates not empty and all
  /// known to the ranking
  ConfigurationId choose(const std::vector<ConfigurationId>& candidates) const {
    MatrixXd points(std::ssize(candidates), static_cast<Index>(scale_.axes() + 1));
    for (std::size_t i = 0; i < candidates.size(); ++i)
      points.row(static_cast<Index>(i)) = *point_of(candidates[i]);
    const auto correlations = process_.correlate(points);
    const VectorXd mean = process_.means(correlations).col(0);
    const VectorXd variance = process_.variances(points, correlations) * process_.spread()[0];
    Index pick = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (Index i = 0; i < mean.size(); ++i)
      if (const double gain = log_improvement(mean[i], variance[i], best_); gain > most) {
        most = gain;
        pick = i;
      }
    return candidates[static_cast<std::size_t>(pick)];
  }

private:
  struct Known {
    double cost; ///< natural log
    VectorXd point;
  };

  std::optional<VectorXd> point_of(ConfigurationId id) const {
    const auto coordinate = ranking_->coordinate(id);
    if (!coordinate)
      return std::nullopt;
    VectorXd point(static_cast<Index>(scale_.axes() + 1));
    scale_.point(id, point.data());
    point[point.size() - 1] = *coordinate;
    return point;
  }

  /// Keeps the better half and the newest; returns where those to be used begin.
  std::size_t trim() {
    std::stable_sort(known_.begin(), known_.end() - most_known / 2,
                     [](const Known& a, const Known& b) { return a.cost > b.cost; });
    return known_.size() - most_known;
  }

  const Ranking* ranking_;
  ParameterScale scale_;
  SharedProcess process_;
  std::vector<Known> known_;
  std::size_t learn_at_ = 0;
  double best_ = 0;
};

class PriorGuided final : public ProposingStrategy {
public:
  PriorGuided(const SearchProblem& problem, const StrategyMaker& make)
      : ProposingStrategy(without_prior(problem)), ranking_(problem),
        translator_(problem.space, ranking_), inner_(make(without_prior(problem))) {}

  std::size_t batch() const override { return inner_->batch(); }

private:
  static SearchProblem without_prior(SearchProblem problem) {
    problem.prior.clear();
    return problem;
  }

  std::vector<ConfigurationId> propose(std::size_t count) override {
    std::vector<ConfigurationId> out;
    count = std::min(count, batch());
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
      const std::vector<ConfigurationId> wished = inner_->ask(count - before);
      if (wished.empty())
        return;
      std::vector<Observation> known;
      for (const ConfigurationId id : wished) {
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

  std::vector<ConfigurationId> foresee(std::size_t count) const override {
    return inner_->likely(count);
  }

  void learn(std::span<const Observation> observations) override {
    std::vector<Observation> awaited;
    for (const Observation& one : observations) {
      if (of_strategy_.contains(one.id))
        awaited.push_back(one);
      else
        heard_.emplace(one.id, one);
      if (of_prior_.contains(one.id) && turns_taken_ > opening)
        credit(one.valid && one.cost < best_ * (1 - improvement));
      if (one.valid) {
        translator_.add(one.id, one.cost);
        best_ = std::min(best_, one.cost);
      }
    }
    if (!awaited.empty())
      inner_->tell(awaited);
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
    translator_.refresh();
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

std::unique_ptr<Strategy> with_prior(const SearchProblem& problem, const StrategyMaker& make) {
  const bool any =
      std::any_of(problem.prior.begin(), problem.prior.end(),
                  [&](const Observation& one) { return tells_something(one, problem.space); });
  if (!any)
    return make(problem);
  return std::make_unique<PriorGuided>(problem, make);
}

} // namespace gridsmith
