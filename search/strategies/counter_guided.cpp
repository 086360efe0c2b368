// Counter-guided search: a model from parameters over counters to cost is learned from every answer
// that carries counters; the configuration with the greatest expected improvement is asked next.
// What the compiler and the occupancy calculator say of the few best is asked for before one of
// them is measured.
#include "gridsmith/search/strategies/counter_guided.hpp"

#include "gridsmith/search/strategies/all.hpp"
#include "gridsmith/search/strategies/common.hpp"
#include "gridsmith/search/models/candidates.hpp"
#include "gridsmith/search/models/counter_model.hpp"
#include "gridsmith/search/models/improvement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

namespace gridsmith {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t warm_up = 8;           // answers before the model is asked
constexpr std::size_t kernel_budget = 16000; // kernel values per question: bounds its cost
constexpr std::size_t least_pool = 128, most_pool = 2048;
constexpr std::size_t roots = 3;      // configurations whose neighbours are looked at, per round
constexpr std::size_t shortlist = 24; // looked at exactly
constexpr std::size_t most_consulted = 18; // when some of them cannot be launched
constexpr std::size_t foreseen = 6;        // asked for compile facts
constexpr double failure_length = 0.3;     // in features' lengths: how far a failure warns
constexpr double negligible = 20;          // squared distance in these lengths
constexpr double usual_success = 0.85;     // weight 1, before anything was seen

/// Learned feasibility: how many of the answers nearby were failures.
class Feasibility {
public:
  void add(const VectorXd& point, bool valid) { (valid ? good_ : bad_).push_back(point); }

  double log_success(const VectorXd& point) const {
    if (bad_.empty())
      return 0;
    const double good = near(good_, point) + usual_success;
    return std::log(good / (good + near(bad_, point) + 1 - usual_success));
  }

private:
  static double near(const std::vector<VectorXd>& points, const VectorXd& point) {
    double sum = 0;
    for (const VectorXd& other : points) {
      const double squared = (other - point).squaredNorm() / (failure_length * failure_length);
      sum += squared < negligible ? std::exp(-0.5 * squared) : 0;
    }
    return sum;
  }

  std::vector<VectorXd> good_, bad_;
};

class CounterGuided final : public ProposingStrategy {
public:
  CounterGuided(const SearchProblem& problem, std::unique_ptr<Strategy> unguided)
      : ProposingStrategy(without_seeds(problem)), unguided_(std::move(unguided)),
        describer_(problem.space, {}, false),
        model_(static_cast<Index>(describer_.features().size())) {}

  std::size_t batch() const override { return guiding() ? 1 : unguided_->batch(); }

private:
  struct Pool {
    std::vector<ConfigurationId> ids;
    std::unordered_set<ConfigurationId> known;
  };

  struct Scored {
    double score = 0;
    ConfigurationId id = 0;
    VectorXd point;
  };

  static SearchProblem without_seeds(SearchProblem problem) {
    problem.seeds.clear();
    problem.prior.clear();
    return problem;
  }

  bool guiding() const {
    return told_ >= warm_up && model_.usable() && describer_.features().size() > 0;
  }

  std::vector<ConfigurationId> propose(std::size_t count) override {
    if (!guiding())
      return unguided_->ask(count);
    model_.refresh();
    const std::vector<Scored> best = choose();
    std::vector<ConfigurationId> out;
    out.reserve(best.size());
    for (const Scored& one : best)
      out.push_back(one.id); // the first is meant; the others where the base drops it
    likely_.assign(out.begin() + std::min<std::ptrdiff_t>(1, std::ssize(out)), out.end());
    return out;
  }

  std::vector<ConfigurationId> foresee(std::size_t count) const override {
    return guiding() ? likely_ : unguided_->likely(count);
  }

  void learn(std::span<const Observation> observations) override {
    if (!guiding())
      unguided_->tell(observations);
    for (const Observation& observation : observations) {
      const VectorXd point = point_of(observation.id);
      feasibility_.add(point, observation.valid);
      ++told_;
      if (!observation.valid)
        continue;
      model_.add(point, observation.cost, observation.facts);
      good_.emplace_back(observation.cost, observation.id);
      best_ = std::min(best_, std::log(std::max(observation.cost, 1e-12)));
    }
  }

  VectorXd point_of(ConfigurationId id) const { return points_of({id}).row(0); }

  MatrixXd points_of(const std::vector<ConfigurationId>& ids) const {
    const auto& features = describer_.features().features();
    MatrixXd points = describer_.rows(ids).leftCols(std::ssize(features)).cast<double>();
    for (std::size_t f = 0; f < features.size(); ++f)
      points.col(static_cast<Index>(f)) *= std::sqrt(static_cast<double>(features[f].weight));
    return points;
  }

  void add(Pool& pool, ConfigurationId id) const {
    if (!asked(id) && !unlaunchable_.contains(id) && pool.known.insert(id).second)
      pool.ids.push_back(id);
  }

  void add_neighbours(Pool& pool, ConfigurationId id) const {
    for (const ConfigurationId near : space().neighbours(id, Neighbourhood::hamming))
      add(pool, near);
  }

  /// Unasked configurations worth a look: uniform ones, what looked good last time, and the
  /// neighbours of the best measured.
  Pool gather() {
    Pool pool;
    const std::size_t most =
        std::clamp(kernel_budget / std::max<std::size_t>(1, model_.size()), least_pool, most_pool);
    pool.known.reserve(2 * most);
    for (const ConfigurationId id : kept_)
      add(pool, id);
    std::sort(good_.begin(), good_.end());
    for (std::size_t i = 0; i < std::min(roots, good_.size()); ++i)
      add_neighbours(pool, good_[i].second);
    if (unasked_count() <= most)
      for (ConfigurationId id = 0; id < space().size(); ++id)
        add(pool, id);
    for (std::size_t draws = 2 * most; draws > 0 && pool.ids.size() < most; --draws)
      add(pool, below(random(), space().size()));
    return pool;
  }

  /// By the model's first glance, best first; at most `shortlist`.
  std::vector<Scored> glance(const std::vector<ConfigurationId>& ids) const {
    const MatrixXd points = points_of(ids);
    const CostOutlook outlook = model_.glance(points, model_.correlate(points));
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto at = static_cast<Index>(i);
      order.emplace_back(-log_improvement(outlook.mean[at], outlook.variance[at], best_), i);
    }
    const std::size_t keep = std::min(order.size(), shortlist);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(keep),
                      order.end());
    std::vector<Scored> out;
    for (std::size_t i = 0; i < keep; ++i)
      out.push_back(
          {-order[i].first, ids[order[i].second], points.row(static_cast<Index>(order[i].second))});
    return out;
  }

  /// Exact variances and feasibility; sorts, best first.
  void score(std::vector<Scored>& list, const std::vector<double>& occupancies) const {
    MatrixXd points(std::ssize(list), static_cast<Index>(describer_.features().size()));
    for (std::size_t i = 0; i < list.size(); ++i)
      points.row(static_cast<Index>(i)) = list[i].point;
    const CostOutlook outlook = model_.estimate(points, model_.correlate(points), occupancies);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto at = static_cast<Index>(i);
      list[i].score = log_improvement(outlook.mean[at], outlook.variance[at], best_) +
                      feasibility_.log_success(list[i].point);
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const Scored& a, const Scored& b) { return a.score > b.score; });
  }

  std::vector<Scored> choose() {
    const Pool pool = gather();
    if (pool.ids.empty())
      return {};
    std::vector<Scored> list = glance(pool.ids);
    Pool around;
    around.known = pool.known;
    for (std::size_t i = 0; i < std::min(roots, list.size()); ++i)
      add_neighbours(around, list[i].id);
    if (!around.ids.empty()) {
      const std::vector<Scored> more = glance(around.ids);
      list.insert(list.end(), more.begin(), more.end());
    }
    score(list, {});
    list.resize(std::min(list.size(), shortlist));
    consult_foresight(list);
    kept_.clear();
    for (const Scored& one : list)
      kept_.push_back(one.id);
    return list;
  }

  /// The first few again, with the occupancy that their compiled code will have. What cannot be
  /// launched (a predicted occupancy of 0) is out of the running.
  void consult_foresight(std::vector<Scored>& list) {
    if (!problem().foresight)
      return;
    std::vector<Scored> few;
    std::vector<double> occupancies;
    std::size_t next = 0;
    for (; next < std::min(list.size(), most_consulted) && few.size() < foreseen; ++next) {
      const std::map<std::string, double> facts = problem().foresight(list[next].id);
      const auto predicted = facts.find("occupancy");
      if (predicted != facts.end() && predicted->second <= 0) {
        unlaunchable_.insert(list[next].id);
        continue;
      }
      occupancies.push_back(
          occupancy_percent(facts).value_or(std::numeric_limits<double>::quiet_NaN()));
      few.push_back(std::move(list[next]));
    }
    if (!few.empty())
      score(few, occupancies);
    few.insert(few.end(), std::make_move_iterator(list.begin() + static_cast<std::ptrdiff_t>(next)),
               std::make_move_iterator(list.end()));
    list = std::move(few);
  }

  std::unique_ptr<Strategy> unguided_;
  Describer describer_;
  CounterModel model_;
  Feasibility feasibility_;
  std::size_t told_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, ConfigurationId>> good_; ///< cost, id
  std::vector<ConfigurationId> kept_, likely_;
  std::unordered_set<ConfigurationId> unlaunchable_;
};

} // namespace

std::unique_ptr<Strategy> guide_by_counters(const SearchProblem& problem,
                                            std::unique_ptr<Strategy> unguided) {
  return std::make_unique<CounterGuided>(problem, std::move(unguided));
}

std::unique_ptr<Strategy> make_counter_guided(const SearchProblem& problem) {
  return guide_by_counters(problem, make_strategy("default", problem));
}

} // namespace gridsmith
