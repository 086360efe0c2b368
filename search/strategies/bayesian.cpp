// Bayesian optimisation: a Gaussian process of log cost with a prior mean, expected improvement
// times the probability of running, over a pool of candidates.
//
// Several configurations may be asked before an answer: each one asked is believed to cost what the
// process expects ("kriging believer", Ginsbourger, Le Riche & Carraro 2010), so that the next one
// looks elsewhere.
#include "gridsmith/search/strategies/bayesian.hpp"

#include "gridsmith/search/strategies/all.hpp"
#include "gridsmith/search/strategies/common.hpp"
#include "gridsmith/search/models/acquisition.hpp"
#include "gridsmith/search/models/candidates.hpp"
#include "gridsmith/search/models/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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
constexpr Index most_observed = 320;    // then the process forgets down to
constexpr std::size_t kept_best = 128;  // the best,
constexpr std::size_t kept_last = 64;   // and the last
constexpr std::size_t centres = 5;      // best measured, whose neighbours join the pool
constexpr float least_chance = 0.02f;   // of running: a failure nearby is no proof
constexpr std::size_t batch_size = 8;   // in flight: no worse than one at a time (tests/bench)

ProcessPrior process_prior(const Describer& describer) {
  ProcessPrior prior;
  for (const Feature& feature : describer.features().features())
    prior.weights.push_back(feature.weight);
  for (const PriorTerm& term : describer.terms()) {
    prior.term_means.push_back(term.mean);
    prior.term_spreads.push_back(term.spread);
  }
  return prior;
}

class Bayesian final : public ProposingStrategy {
public:
  Bayesian(const SearchProblem& problem, BayesianOptions options)
      : ProposingStrategy(problem),
        describer_(space(), std::move(options.terms), options.launch_prior),
        process_(process_prior(describer_)), pool_(describer_, options.pool, random()) {
    process_.set_candidates(pool_.rows());
    design_ = spread_design(describer_, random());
    std::reverse(design_.begin(), design_.end());
  }

  std::size_t batch() const override { return batch_size; }

private:
  struct Seen {
    ConfigurationId id;
    bool told;
    Answer answer;
  };

  std::vector<ConfigurationId> propose(std::size_t count) override;
  void learn(std::span<const Observation> observations) override;
  std::vector<ConfigurationId> foresee(std::size_t count) const override;

  void observe(ConfigurationId id, bool told, const Answer& answer);
  void update_posterior();
  ArrayXf scores() const;
  std::optional<std::size_t> best_candidate() const;
  void believe(std::size_t candidate);
  void refresh();
  void forget();
  std::vector<Index> fit_subset();
  std::vector<std::size_t> best_seen(std::size_t count) const;

  const Describer describer_;
  GaussianProcess process_;
  CandidatePool pool_;
  std::vector<ConfigurationId> design_; ///< the next one last
  std::vector<Seen> seen_;              ///< as the process observed them
  VectorXf targets_;
  ArrayXf failing_; ///< per candidate: probability of failing; empty while nothing failed
  bool current_ = false;
  Index next_fit_ = first_fit;
};

void Bayesian::observe(ConfigurationId id, bool told, const Answer& answer) {
  process_.observe(describer_.row(id));
  pool_.use(id);
  seen_.push_back({id, told, answer});
  current_ = false;
}

void Bayesian::update_posterior() {
  if (current_)
    return;
  std::vector<Answer> answers;
  for (const Seen& seen : seen_)
    answers.push_back(seen.answer);
  const std::vector<double> targets = learning_targets(answers);
  targets_ = Eigen::Map<const Eigen::VectorXd>(targets.data(), std::ssize(targets)).cast<float>();
  process_.set_targets(targets_);
  VectorXf failed(std::ssize(seen_));
  for (std::size_t i = 0; i < seen_.size(); ++i)
    failed[static_cast<Index>(i)] = seen_[i].answer.valid ? 0.0f : 1.0f;
  if (failed.size() > 0 && failed.maxCoeff() > 0)
    failing_ = process_.smooth(failed).max(0.0f).min(1.0f);
  else
    failing_.resize(0);
  current_ = true;
}

/// Expected improvement times the chance of running; -1 for what was asked.
ArrayXf Bayesian::scores() const {
  float best = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (seen_[i].told && seen_[i].answer.valid)
      best = std::min(best, targets_[static_cast<Index>(i)]);
  const ArrayXf& mean = process_.mean();
  if (!std::isfinite(best)) // nothing ran yet: hope for a standard deviation below the mean
    best = mean.mean() - static_cast<float>(process_.scale());
  ArrayXf out = expected_improvement(mean, process_.deviation(), best);
  if (failing_.size() > 0)
    out *= (1.0f - failing_).max(least_chance);
  for (std::size_t i = 0; i < pool_.size(); ++i)
    if (pool_.used(i))
      out[static_cast<Index>(i)] = -1;
  return out;
}

std::optional<std::size_t> Bayesian::best_candidate() const {
  if (pool_.size() == 0)
    return std::nullopt;
  Index best = 0;
  if (scores().maxCoeff(&best) < 0)
    return std::nullopt;
  return static_cast<std::size_t>(best);
}

/// Counts a configuration as measured at what is expected of it, until it is told.
void Bayesian::believe(std::size_t candidate) {
  const double expected = process_.mean()[static_cast<Index>(candidate)];
  observe(pool_.id(candidate), false, {true, expected});
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
    believe(*candidate);
  }
  return out;
}

void Bayesian::learn(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    const Answer answer{observation.valid, observation.valid ? std::log(observation.cost) : 0.0};
    const auto pending = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& seen) {
      return !seen.told && seen.id == observation.id;
    });
    if (pending == seen_.end()) {
      observe(observation.id, true, answer);
      continue;
    }
    pending->told = true;
    pending->answer = answer;
    current_ = false;
  }
  if (process_.observations() >= next_fit_)
    refresh();
}

/// Indices into seen_ of the best that ran, best first.
std::vector<std::size_t> Bayesian::best_seen(std::size_t count) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (seen_[i].told && seen_[i].answer.valid)
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return seen_[a].answer.log_cost < seen_[b].answer.log_cost;
  });
  order.resize(std::min(count, order.size()));
  return order;
}

/// All, or half of the limit from the best and the rest uniform.
std::vector<Index> Bayesian::fit_subset() {
  std::vector<Index> order(seen_.size());
  std::iota(order.begin(), order.end(), Index{0});
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
  pool_.renew(process_.mean() - process_.deviation(), around,
              [&](const Eigen::MatrixXf& rows) { return process_.mean_at(rows); });
  if (process_.observations() >= first_fit)
    process_.fit(targets_, fit_subset());
  if (process_.observations() > most_observed)
    forget();
  process_.set_candidates(pool_.rows());
  next_fit_ = std::max(
      process_.observations() + 1,
      static_cast<Index>(std::ceil(refit_growth * static_cast<double>(process_.observations()))));
  current_ = false;
}

/// Keeps the best and the last, so that thousands of observations cost what hundreds do.
void Bayesian::forget() {
  std::vector<char> keep(seen_.size(), 0);
  for (const std::size_t i : best_seen(kept_best))
    keep[i] = 1;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (!seen_[i].told || i + kept_last >= seen_.size())
      keep[i] = 1;
  const std::vector<Seen> before = std::exchange(seen_, {});
  process_.clear();
  for (std::size_t i = 0; i < before.size(); ++i)
    if (keep[i])
      observe(before[i].id, before[i].told, before[i].answer);
}

std::vector<ConfigurationId> Bayesian::foresee(std::size_t count) const {
  std::vector<ConfigurationId> out(design_.rbegin(), design_.rend());
  if (!current_ || out.size() >= count)
    return out;
  const ArrayXf value = scores();
  std::vector<Index> order(static_cast<std::size_t>(value.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const std::size_t top = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(),
                    [&](Index a, Index b) { return value[a] > value[b]; });
  for (std::size_t i = 0; i < top && value[order[i]] >= 0; ++i)
    out.push_back(pool_.id(static_cast<std::size_t>(order[i])));
  return out;
}

} // namespace

std::unique_ptr<Strategy> make_bayesian(const SearchProblem& problem, BayesianOptions options) {
  return std::make_unique<Bayesian>(problem, std::move(options));
}

std::unique_ptr<Strategy> make_bayesian(const SearchProblem& problem) {
  return make_bayesian(problem, BayesianOptions{});
}

} // namespace gridsmith
