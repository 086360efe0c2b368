// SPDX-License-Identifier: Apache-2.0
// Search for the front of two costs: a Gaussian process foretells each, since what matters for one says nothing of
// the other, and what is asked next is expected to add most to the area that the front dominates. Answers without a second cost count as failures; where none has one,
// it is a search by the first.
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/search/models/candidates.hpp"
#include "gridsmith/search/models/gaussian_process.hpp"
#include "gridsmith/search/models/hypervolume.hpp"
#include "gridsmith/search/strategies/proposing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace gridsmith {
namespace {

using Eigen::ArrayXf;
using Eigen::Index;
using Eigen::MatrixXf;

constexpr std::size_t front_pool = 768; // configurations looked at
constexpr Index front_first_fit = 10;   // answers; fewer fit anything
constexpr double front_refit = 1.35;    // each fit after a third more answers
constexpr std::size_t fitted = 96;      // answers in a fit: cost is cubic
constexpr Index most_kept = 320;        // answers that the process has at once
constexpr double failure_at = 0.7;      // quantile that a failure counts as
constexpr float runs_at_least = 0.02f;  // a failure nearby is no proof
constexpr std::size_t front_batch = 8;
constexpr std::size_t front_open = 64;    // where each is answered by itself
constexpr double front_margin = 0.01;     // of log cost: what is closer to the front adds nothing
constexpr std::size_t front_hopeful = 20; // candidates that a hope is of

class Front final : public ProposingStrategy {
public:
  explicit Front(const SearchProblem& problem)
      : ProposingStrategy(problem), describer_(space(), {}, true),
        processes_{GaussianProcess(describer_.belief()), GaussianProcess(describer_.belief())},
        pool_(describer_, front_pool, random()), design_(spread_design(describer_, random())) {
    for (GaussianProcess& process : processes_)
      process.set_candidates(pool_.rows());
    std::reverse(design_.begin(), design_.end());
  }

  std::size_t batch() const override { return front_batch; }

  std::size_t most_pending() const override { return front_open; }

  std::optional<Hope> hope() const override { return hope_; }

private:
  struct Seen {
    ConfigurationId id;
    bool told = false, has_first = false, has_second = false;
    CostFront::Point costs = {}; ///< 0 where it has none
  };

  bool ran(const Seen& one) const { return one.has_first && (one.has_second || !both_); }

  bool any_ran() const {
    return std::any_of(seen_.begin(), seen_.end(), [&](const Seen& one) { return ran(one); });
  }

  std::vector<ConfigurationId> propose(std::size_t count) override;
  void learn(std::span<const Observation> observations) override;
  void unlearn(ConfigurationId id) override;

  void observe(const Seen& seen);
  void observe_again(const std::vector<Seen>& kept);
  MatrixXf targets() const;
  std::vector<Index> places(bool told) const;
  void update();
  CostFront front() const;

  /// Of every candidate, by the first or the second cost.
  ArrayXf mean(std::size_t cost) const { return processes_[cost].mean().col(0).array(); }

  ArrayXf deviation(std::size_t cost) const;
  void set_hope(const CostFront& front, const ArrayXf& gain);
  std::optional<std::size_t> best_candidate();
  std::vector<ConfigurationId> of_front(const CostFront& front) const;
  void refresh();
  void forget();

  const Describer describer_;
  std::array<GaussianProcess, 2> processes_; ///< of each cost, which have seen the same places
  CandidatePool pool_;
  std::vector<ConfigurationId> design_; ///< the next one last
  std::vector<Seen> seen_;              ///< as the process observed them
  ArrayXf failing_;                     ///< per candidate; empty while nothing failed
  std::optional<Hope> hope_;
  bool both_ = false; ///< some answer has a second cost
  bool current_ = false;
  Index next_fit_ = front_first_fit;
};

void Front::observe(const Seen& seen) {
  for (GaussianProcess& process : processes_)
    process.observe(describer_.row(seen.id));
  pool_.use(seen.id);
  seen_.push_back(seen);
  current_ = false;
}

void Front::observe_again(const std::vector<Seen>& kept) {
  seen_.clear();
  for (GaussianProcess& process : processes_)
    process.clear();
  for (const Seen& one : kept)
    observe(one);
}

std::vector<Index> Front::places(bool told) const {
  std::vector<Index> all;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (seen_[i].told == told)
      all.push_back(static_cast<Index>(i));
  return all;
}

/// Logarithms of both costs, one column each. @pre some ran
MatrixXf Front::targets() const {
  std::vector<double> first, second;
  for (const Seen& one : seen_)
    if (ran(one)) {
      first.push_back(one.costs.first);
      second.push_back(one.costs.second);
    }
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  const CostFront::Point failed{quantile(first, failure_at), quantile(second, failure_at)};
  MatrixXf all(std::ssize(seen_), 2);
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const CostFront::Point& costs = ran(seen_[i]) ? seen_[i].costs : failed;
    all(static_cast<Index>(i), 0) = static_cast<float>(costs.first);
    all(static_cast<Index>(i), 1) = static_cast<float>(costs.second);
  }
  return all;
}

/// The posterior of every candidate. @pre some ran
void Front::update() {
  if (current_)
    return;
  const std::vector<Index> pending = places(false);
  const MatrixXf all = targets();
  for (const std::size_t cost :
       {0U, 1U}) // what launches cost is known beforehand of the first alone
    processes_[cost].set_targets(all.col(static_cast<Index>(cost)), cost == 0 ? 1 : 0, pending);
  Eigen::VectorXf failed = Eigen::VectorXf::Zero(std::ssize(seen_));
  for (std::size_t i = 0; i < seen_.size(); ++i)
    failed[static_cast<Index>(i)] = seen_[i].told && !ran(seen_[i]) ? 1.0f : 0.0f;
  failing_.resize(0);
  if (failed.maxCoeff() > 0)
    failing_ = processes_[0].smooth(failed, pending).max(0.0f).min(1.0f);
  current_ = true;
}

/// @pre some ran
CostFront Front::front() const {
  std::vector<CostFront::Point> points;
  for (const Seen& one : seen_)
    if (ran(one))
      points.push_back(one.costs);
  return CostFront(std::move(points));
}

ArrayXf Front::deviation(std::size_t cost) const {
  const GaussianProcess& process = processes_[cost];
  return static_cast<float>(process.scale()[0]) * process.variance().sqrt();
}

/// @param gain negative for what was asked
void Front::set_hope(const CostFront& front, const ArrayXf& gain) {
  if (std::ssize(places(true)) < front_first_fit)
    return;
  std::vector<Index> order(static_cast<std::size_t>(gain.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const std::size_t count = std::min(front_hopeful, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](Index a, Index b) { return gain[a] > gain[b]; });
  const std::array means{mean(0), mean(1)}, deviations{deviation(0), deviation(1)};
  double none = 1;
  for (std::size_t k = 0; k < count; ++k)
    if (const Index i = order[k]; gain[i] >= 0) {
      const double runs = failing_.size() > 0 ? 1 - double{failing_[i]} : 1;
      none *= 1 - runs * front.chance({means[0][i], means[1][i]},
                                      {deviations[0][i], deviations[1][i]}, front_margin);
    }
  hope_ = {std::max(0.0, double{gain.maxCoeff()} / front.area()), 1 - none};
}

/// @pre some ran
std::optional<std::size_t> Front::best_candidate() {
  if (pool_.size() == 0)
    return std::nullopt;
  update();
  const CostFront now = front();
  ArrayXf gain = now.expected_growth(mean(0), deviation(0), mean(1), deviation(1));
  if (failing_.size() > 0)
    gain *= (1.0f - failing_).max(runs_at_least);
  for (std::size_t i = 0; i < pool_.size(); ++i)
    if (pool_.used(i))
      gain[static_cast<Index>(i)] = -1;
  set_hope(now, gain);
  Index best = 0;
  if (gain.maxCoeff(&best) < 0)
    return std::nullopt;
  return static_cast<std::size_t>(best);
}

std::vector<ConfigurationId> Front::propose(std::size_t count) {
  std::vector<ConfigurationId> out;
  while (!design_.empty() && out.size() < count) {
    if (!asked(design_.back()))
      out.push_back(design_.back());
    design_.pop_back();
  }
  while (out.size() < count && any_ran()) {
    auto candidate = best_candidate();
    if (!candidate && !pool_.whole()) { // a pool used up between two renewals
      refresh();
      candidate = best_candidate();
    }
    if (!candidate)
      break;
    out.push_back(pool_.id(*candidate));
    observe({.id = out.back()});
  }
  return out;
}

void Front::learn(std::span<const Observation> observations) {
  for (const Observation& one : observations) {
    const Seen seen{
        .id = one.id,
        .told = true,
        .has_first = one.cost.has_value(),
        .has_second = one.second_cost.has_value(),
        .costs = {std::log(one.cost.value_or(1)), std::log(one.second_cost.value_or(1))}};
    both_ = both_ || seen.has_second;
    const auto pending = std::find_if(seen_.begin(), seen_.end(),
                                      [&](const Seen& other) { return other.id == one.id; });
    if (pending == seen_.end()) {
      observe(seen);
      continue;
    }
    *pending = seen;
    current_ = false;
  }
  if (!any_ran()) {
    if (processes_[0].observations() > most_kept)
      forget();
  } else if (std::ssize(places(true)) >= next_fit_) {
    refresh();
  }
}

void Front::unlearn(ConfigurationId id) {
  pool_.release(id);
  std::vector<Seen> kept = seen_;
  std::erase_if(kept, [id](const Seen& one) { return one.id == id; });
  if (kept.size() < seen_.size())
    observe_again(kept);
}

std::vector<ConfigurationId> Front::of_front(const CostFront& front) const {
  std::vector<ConfigurationId> ids;
  for (const CostFront::Point& point : front.points())
    for (const Seen& one : seen_)
      if (ran(one) && one.costs.first == point.first && one.costs.second == point.second) {
        ids.push_back(one.id);
        break;
      }
  return ids;
}

/// Renews the pool, then fits the process. Another mixture of both costs each time, so that all of the front has
/// candidates near it.
void Front::refresh() {
  update();
  const auto share = static_cast<float>(unit(random()));
  const std::array scales{static_cast<float>(processes_[0].scale()[0]),
                          static_cast<float>(processes_[1].scale()[0])};
  const auto mixture = [&](const ArrayXf& first, const ArrayXf& second) -> ArrayXf {
    return share * first / scales[0] + (1 - share) * second / scales[1];
  };
  pool_.renew(mixture(mean(0) - deviation(0), mean(1) - deviation(1)), of_front(front()),
              [&](const MatrixXf& rows) {
                return mixture(processes_[0].mean_at(rows).col(0).array(),
                               processes_[1].mean_at(rows).col(0).array());
              });
  std::vector<Index> known = places(true);
  const Index told = std::ssize(known);
  if (told >= front_first_fit) {
    for (std::size_t i = 0; i < std::min(fitted, known.size()); ++i)
      std::swap(known[i], known[i + below(random(), known.size() - i)]);
    known.resize(std::min(fitted, known.size()));
    for (GaussianProcess& process : processes_)
      process.fit(known);
  }
  if (processes_[0].observations() > most_kept)
    forget();
  for (GaussianProcess& process : processes_)
    process.set_candidates(pool_.rows());
  next_fit_ =
      std::max(told + 1, static_cast<Index>(std::ceil(front_refit * static_cast<double>(told))));
  current_ = false;
}

/// Keeps the front, what is pending, and the last.
void Front::forget() {
  std::vector<ConfigurationId> best;
  if (any_ran())
    best = of_front(front());
  std::vector<Seen> kept;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (!seen_[i].told || i + most_kept / 2 >= seen_.size() ||
        std::find(best.begin(), best.end(), seen_[i].id) != best.end())
      kept.push_back(seen_[i]);
  observe_again(kept);
}

} // namespace

std::unique_ptr<Strategy> make_front(const SearchProblem& problem) {
  return std::make_unique<Front>(problem);
}

} // namespace gridsmith
