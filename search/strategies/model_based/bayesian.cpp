// SPDX-License-Identifier: Apache-2.0
// Bayesian optimisation: a Gaussian process of log cost with an expert mean, expected improvement
// times the probability of running, over a pool of candidates. With counters the process foretells
// these, and the counter model makes the cost of them.
//
// Several configurations may be asked before an answer: each of them is believed to cost what the
// process expects of it by now ("kriging believer", Ginsbourger, Le Riche & Carraro 2010), so that
// the next one looks elsewhere.
#include "gridsmith/search/strategies/model_based/bayesian.hpp"

#include "gridsmith/search/models/acquisition.hpp"
#include "gridsmith/search/models/candidates.hpp"
#include "gridsmith/search/models/compile_time.hpp"
#include "gridsmith/search/models/counter_model.hpp"
#include "gridsmith/search/models/gaussian_process.hpp"
#include "gridsmith/search/strategies/proposing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

namespace gridsmith {
namespace {

using Eigen::ArrayXf;
using Eigen::Index;
using Eigen::VectorXf;

constexpr Index first_fit = 10;         // observations; fewer fit anything
constexpr double refit_growth = 1.35;   // each fit after a third more observations
constexpr std::size_t most_fitted = 96; // observations in a fit: cost is cubic
constexpr std::size_t centres = 5;      // best measured, whose neighbours join the pool
constexpr float least_chance = 0.02f;   // of running: a failure nearby is no proof
constexpr std::size_t whole_batch = 8;  // no worse than one at a time (tests/bench)
constexpr std::size_t most_open = 64;   // answered one by one
constexpr std::size_t hoped_for = 20;   // candidates that a hope is of
constexpr float noticeable = 0.01f;     // gain, of log cost
constexpr std::size_t warm_up = 8;      // answers before counters are asked
// Seconds that an evaluation takes anyway: asked, handed on, counted.
constexpr double least_price_s = 0.02;
// Expected gain is divided by this power of what a candidate costs. Less than 1, since what is expected
// is less certain than what is paid; more for the last ones, which everybody waits for.
constexpr float thrift = 0.5f, last_thrift = 2;
constexpr std::size_t consulted = 6;       // best candidates whose occupancy is predicted,
constexpr std::size_t most_consulted = 18; // when some of them cannot be launched

/// Above the first the process forgets, down to the best and the last.
struct Memory {
  Index most;
  std::size_t best, last;
};

constexpr Memory of_costs{320, 128, 64};
constexpr Memory of_counters{128, 48, 32}; // every output costs as much again

/// Indices of the highest scores, highest first.
std::vector<Index> highest(const ArrayXf& score, std::size_t count) {
  std::vector<Index> order(static_cast<std::size_t>(score.size()));
  std::iota(order.begin(), order.end(), Index{0});
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](Index a, Index b) { return score[a] > score[b]; });
  order.resize(count);
  return order;
}

class Bayesian final : public ProposingStrategy {
public:
  Bayesian(const SearchProblem& problem, BayesianOptions options)
      : ProposingStrategy(problem), with_counters_(options.counters),
        describer_(space(), std::move(options.terms), options.launch_mean),
        process_(describer_.belief()), compile_time_(describer_.features().size()),
        pool_(describer_, options.pool, random()) {
    process_.set_candidates(pool_.rows());
    design_ = spread_design(describer_, random());
    std::reverse(design_.begin(), design_.end());
  }

  std::size_t batch() const override { return whole_batch; }

  std::size_t most_pending() const override { return most_open; }

  bool wants_counters() const override { return with_counters_; }

  std::optional<Hope> hope() const override { return hope_; }

private:
  struct Seen {
    ConfigurationId id;
    bool told;
    LearnedCost cost;
    CounterModel::Reading reading;

    bool ran() const { return told && cost.valid; }
  };

  std::vector<ConfigurationId> propose(std::size_t count) override;
  void learn(std::span<const Observation> observations) override;
  void unlearn(ConfigurationId id) override;
  std::vector<ConfigurationId> likely_next(std::size_t count) const override;

  void observe(Seen seen);
  void update_posterior();
  bool learn_counters(const std::vector<Index>& told, const std::vector<Index>& pending);
  CostOutlook outlook(const Eigen::MatrixXf& outputs, const ArrayXf& variance) const;
  ArrayXf cost_at(const Eigen::MatrixXf& rows) const;
  float best_target() const;
  ArrayXf worth(const CostOutlook& outlook) const;
  ArrayXf scores() const;
  void learn_price(const Observation& observation);
  ArrayXf per_second(ArrayXf score) const;
  void set_hope(const ArrayXf& score);
  std::optional<std::size_t> best_candidate();
  std::optional<std::size_t> consult(const ArrayXf& score);
  void refresh();
  void forget();
  template <typename Keep>
  void keep_only(const Keep& keep);
  std::vector<Index> fit_subset();
  Index told() const;
  std::vector<std::size_t> best_seen(std::size_t count) const;

  const bool with_counters_;
  const Describer describer_;
  GaussianProcess process_;
  CompileTime compile_time_;
  double run_ms_ = 0, runs_ = 0; ///< the device's time, and of how many
  CandidatePool pool_;
  CounterModel counters_;
  bool guided_ = false;                 ///< the process foretells counters
  std::vector<ConfigurationId> design_; ///< the next one last
  std::vector<Seen> seen_;              ///< as the process observed them
  VectorXf targets_;
  CostOutlook outlook_; ///< per candidate
  ArrayXf failing_;     ///< per candidate: probability of failing; empty while nothing failed
  std::optional<Hope> hope_;
  bool current_ = false;
  Index next_fit_ = first_fit;
};

void Bayesian::observe(Seen seen) {
  process_.observe(describer_.row(seen.id));
  pool_.use(seen.id);
  seen_.push_back(std::move(seen));
  current_ = false;
}

/// Gives the process the counters where there are enough. What failed counts as its target.
bool Bayesian::learn_counters(const std::vector<Index>& told, const std::vector<Index>& pending) {
  if (!with_counters_)
    return false;
  std::vector<CounterModel::Row> rows;
  for (const Index i : told) {
    const Seen& seen = seen_[static_cast<std::size_t>(i)];
    rows.push_back(
        {seen.cost.valid ? seen.cost.log_cost : targets_[i], seen.ran() ? &seen.reading : nullptr});
  }
  if (rows.size() < warm_up || !CounterModel::usable(rows))
    return false;
  const auto places = [&](std::vector<Index> indices) {
    for (Index& i : indices)
      i = told[static_cast<std::size_t>(i)];
    return indices;
  };
  const Eigen::MatrixXf outputs =
      counters_.learn(rows, [&](const auto& known, const auto& values, const auto& unknown) {
        return process_.foretell(places(known), values, places(unknown));
      });
  Eigen::MatrixXf all = Eigen::MatrixXf::Zero(std::ssize(seen_), outputs.cols());
  all(told, Eigen::all) = outputs;
  process_.set_targets(all, 0, pending);
  return true;
}

/// Of log cost, of outputs of the process.
CostOutlook Bayesian::outlook(const Eigen::MatrixXf& outputs, const ArrayXf& variance) const {
  if (guided_)
    return counters_.outlook(outputs, variance, process_.scale(), {});
  return {outputs.col(0).array(), static_cast<float>(process_.scale()[0]) * variance.sqrt()};
}

ArrayXf Bayesian::cost_at(const Eigen::MatrixXf& rows) const {
  return outlook(process_.mean_at(rows), ArrayXf::Zero(rows.rows())).mean;
}

void Bayesian::update_posterior() {
  if (current_)
    return;
  std::vector<LearnedCost> costs;
  std::vector<Index> told, pending;
  VectorXf failed = VectorXf::Zero(std::ssize(seen_));
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    (seen_[i].told ? told : pending).push_back(static_cast<Index>(i));
    if (!seen_[i].told)
      continue;
    costs.push_back(seen_[i].cost);
    failed[static_cast<Index>(i)] = seen_[i].cost.valid ? 0.0f : 1.0f;
  }
  const std::vector<double> targets = learning_targets(costs);
  targets_ = VectorXf::Zero(std::ssize(seen_));
  targets_(told) =
      Eigen::Map<const Eigen::VectorXd>(targets.data(), std::ssize(targets)).cast<float>();
  guided_ = learn_counters(told, pending);
  if (!guided_)
    process_.set_targets(targets_, 1, pending);
  outlook_ = outlook(process_.mean(), process_.variance());
  if (failed.size() > 0 && failed.maxCoeff() > 0)
    failing_ = process_.smooth(failed, pending).max(0.0f).min(1.0f);
  else
    failing_.resize(0);
  current_ = true;
}

/// Of those that ran; infinite before one did.
float Bayesian::best_target() const {
  float best = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (seen_[i].ran())
      best = std::min(best, targets_[static_cast<Index>(i)]);
  return best;
}

/// Expected improvement.
ArrayXf Bayesian::worth(const CostOutlook& outlook) const {
  float best = best_target();
  if (!std::isfinite(best)) // nothing ran yet: hope for a standard deviation below the mean
    best = outlook.mean.mean() - static_cast<float>(process_.scale()[0]);
  return expected_improvement(outlook.mean, outlook.deviation, best);
}

/// Expected improvement times the chance of running; -1 for what was asked.
ArrayXf Bayesian::scores() const {
  ArrayXf out = worth(outlook_);
  if (failing_.size() > 0)
    out *= (1.0f - failing_).max(least_chance);
  for (std::size_t i = 0; i < pool_.size(); ++i)
    if (pool_.used(i))
      out[static_cast<Index>(i)] = -1;
  return out;
}

void Bayesian::learn_price(const Observation& observation) {
  if (problem().compilers == 0)
    return;
  if (observation.compile_ms.value_or(0) > 0)
    compile_time_.learn(describer_.row(observation.id), *observation.compile_ms);
  if (observation.run_ms) {
    run_ms_ += *observation.run_ms;
    ++runs_;
  }
}

/// What is expected of a candidate per second of what is scarce: of a compiler where all of them together
/// take longer for one than the device does, and where they do not, all cost the same.
/// @param score of scores()
ArrayXf Bayesian::per_second(ArrayXf score) const {
  if (problem().compilers == 0 || !compile_time_.known())
    return score;
  const auto compilers = static_cast<float>(problem().compilers);
  const auto least =
      static_cast<float>(std::max(least_price_s, runs_ > 0 ? run_ms_ / runs_ / 1000 : 0));
  const ArrayXf price_s = (compile_time_.foretell(pool_.rows()) / (1000 * compilers)).max(least);
  const bool last = problem().budget > 0 && asked_count() + problem().compilers >= problem().budget;
  return score / (price_s / least).pow(last ? last_thrift : thrift);
}

/// @param score of scores()
void Bayesian::set_hope(const ArrayXf& score) {
  if (told() < first_fit)
    return;
  const float goal = best_target() - noticeable;
  double none = 1;
  for (const Index i : highest(score, hoped_for)) {
    const float runs = failing_.size() > 0 ? 1.0f - failing_[i] : 1.0f;
    const float z = (outlook_.mean[i] - goal) / outlook_.deviation[i];
    if (score[i] >= 0)
      none *= 1 - 0.5 * runs * std::erfc(z * std::numbers::sqrt2_v<float> / 2);
  }
  hope_ = {std::max(0.0f, score.maxCoeff()), 1 - none};
}

std::optional<std::size_t> Bayesian::best_candidate() {
  if (pool_.size() == 0)
    return std::nullopt;
  ArrayXf score = scores();
  set_hope(score);
  score = per_second(std::move(score));
  Index best = 0;
  if (score.maxCoeff(&best) < 0)
    return std::nullopt;
  if (guided_ && problem().foresight)
    return consult(score);
  return static_cast<std::size_t>(best);
}

/// The best of a few once their occupancy is predicted; what cannot be launched leaves the pool
/// while there is a choice. @pre some score is not negative
std::optional<std::size_t> Bayesian::consult(const ArrayXf& score) {
  std::vector<Index> few;
  std::vector<std::optional<double>> occupancies;
  std::size_t looked_at = 0;
  for (const Index i : highest(score, most_consulted + 1)) {
    if (few.size() == consulted || score[i] < 0)
      break;
    const ConfigurationId id = pool_.id(static_cast<std::size_t>(i));
    if (++looked_at > most_consulted) {
      if (few.empty())
        return static_cast<std::size_t>(i);
      break;
    }
    const auto facts = problem().foresight(id);
    if (cannot_launch(facts)) {
      pool_.use(id);
      continue;
    }
    few.push_back(i);
    occupancies.push_back(occupancy_percent(facts));
  }
  if (few.empty())
    return std::nullopt;
  ArrayXf value = worth(counters_.outlook(process_.mean()(few, Eigen::all),
                                          process_.variance()(few), process_.scale(), occupancies));
  if (failing_.size() > 0)
    value *= (1.0f - failing_(few)).max(least_chance);
  Index best = 0;
  value.maxCoeff(&best);
  return static_cast<std::size_t>(few[static_cast<std::size_t>(best)]);
}

std::vector<ConfigurationId> Bayesian::propose(std::size_t count) {
  std::vector<ConfigurationId> out;
  while (!design_.empty() && out.size() < count) {
    if (!asked(design_.back()))
      out.push_back(design_.back());
    design_.pop_back();
  }
  while (out.size() < count) {
    update_posterior();
    auto candidate = best_candidate();
    if (!candidate && !pool_.whole()) { // a pool used up between two renewals
      refresh();
      update_posterior();
      candidate = best_candidate();
    }
    if (!candidate)
      break;
    out.push_back(pool_.id(*candidate));
    observe({.id = out.back(), .told = false, .cost = {}, .reading = {}});
  }
  return out;
}

void Bayesian::learn(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    Seen seen{observation.id, true, {observation.cost.has_value()}, {}};
    if (observation.cost)
      seen.cost.log_cost = std::log(*observation.cost);
    if (with_counters_)
      seen.reading = counters_.read(observation.facts);
    learn_price(observation);
    const auto pending = std::find_if(seen_.begin(), seen_.end(),
                                      [&](const Seen& one) { return one.id == observation.id; });
    if (pending == seen_.end()) {
      observe(std::move(seen));
      continue;
    }
    *pending = std::move(seen);
    current_ = false;
  }
  if (told() >= next_fit_)
    refresh();
}

void Bayesian::unlearn(ConfigurationId id) {
  pool_.release(id);
  if (std::any_of(seen_.begin(), seen_.end(), [id](const Seen& one) { return one.id == id; }))
    keep_only([id](const Seen& one, std::size_t) { return one.id != id; });
}

/// Indices into seen_ of the best that ran, best first.
std::vector<std::size_t> Bayesian::best_seen(std::size_t count) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (seen_[i].ran())
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return seen_[a].cost.log_cost < seen_[b].cost.log_cost;
  });
  order.resize(std::min(count, order.size()));
  return order;
}

Index Bayesian::told() const {
  return std::count_if(seen_.begin(), seen_.end(), [](const Seen& one) { return one.told; });
}

/// All that are told, or half of the limit from the best of them and the rest uniform.
std::vector<Index> Bayesian::fit_subset() {
  std::vector<Index> order;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (seen_[i].told)
      order.push_back(static_cast<Index>(i));
  if (order.size() <= most_fitted)
    return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return targets_[a] < targets_[b]; });
  for (std::size_t i = most_fitted / 2; i < most_fitted; ++i)
    std::swap(order[i], order[i + below(random(), order.size() - i)]);
  order.resize(most_fitted);
  return order;
}

/// Renews the pool as the process now sees it, then fits the process.
void Bayesian::refresh() {
  update_posterior();
  std::vector<ConfigurationId> around;
  for (const std::size_t i : best_seen(centres))
    around.push_back(seen_[i].id);
  pool_.renew(outlook_.mean - outlook_.deviation, around,
              [&](const Eigen::MatrixXf& rows) { return cost_at(rows); });
  const Index known = told();
  if (known >= first_fit)
    process_.fit(fit_subset());
  if (process_.observations() > (guided_ ? of_counters : of_costs).most)
    forget();
  process_.set_candidates(pool_.rows());
  next_fit_ =
      std::max(known + 1, static_cast<Index>(std::ceil(refit_growth * static_cast<double>(known))));
  current_ = false;
}

/// Keeps the best and the last, so that thousands of observations cost what hundreds do.
void Bayesian::forget() {
  const Memory& memory = guided_ ? of_counters : of_costs;
  std::vector<char> best(seen_.size(), 0);
  for (const std::size_t i : best_seen(memory.best))
    best[i] = 1;
  keep_only([&, size = seen_.size()](const Seen& seen, std::size_t i) {
    return best[i] || !seen.told || i + memory.last >= size;
  });
}

/// The process has to observe anew what stays.
template <typename Keep>
void Bayesian::keep_only(const Keep& keep) {
  std::vector<Seen> before = std::exchange(seen_, {});
  process_.clear();
  current_ = false;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (keep(before[i], i))
      observe(std::move(before[i]));
}

std::vector<ConfigurationId> Bayesian::likely_next(std::size_t count) const {
  std::vector<ConfigurationId> out(design_.rbegin(), design_.rend());
  if (!current_ || pool_.size() == 0 || out.size() >= count)
    return out;
  const ArrayXf score = per_second(scores());
  for (const Index i : highest(score, count))
    if (score[i] >= 0)
      out.push_back(pool_.id(static_cast<std::size_t>(i)));
  return out;
}

} // namespace

std::unique_ptr<Strategy> make_bayesian_with(const SearchProblem& problem,
                                             BayesianOptions options) {
  return std::make_unique<Bayesian>(problem, std::move(options));
}

std::unique_ptr<Strategy> make_bayesian(const SearchProblem& problem) {
  return make_bayesian_with(problem, {});
}

} // namespace gridsmith
