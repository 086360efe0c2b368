// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/replay/simulation.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"
#include "gridsmith/tuner/replay/recorded_evaluator.hpp"
#include "gridsmith/tuner/replay/simulated_machine.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <thread>

namespace gridsmith {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double near = 0.95;            // of the way from the median to the optimum
constexpr std::size_t score_points = 50; // as the methodology's reference implementation

RatioSpread spread_of(std::vector<double> ratios, std::size_t evaluations) {
  std::sort(ratios.begin(), ratios.end());
  return {evaluations, quantile(ratios, 0.25), quantile(ratios, 0.5), quantile(ratios, 0.75)};
}

/// @throws InputError
void check_open(const Strategy& strategy, const std::string& name, std::size_t open) {
  if (open > strategy.most_pending())
    throw InputError("strategy '" + name + "' takes at most " +
                     std::to_string(strategy.most_pending()) +
                     " questions before it needs an answer, not " + std::to_string(open));
}

/// What became of one simulated run.
struct SimulatedRun {
  std::vector<double> best;            ///< ratio after 1, 2, … evaluations
  std::vector<double> at_s;            ///< when each was known, in recorded time
  double end_s = 0;                    ///< in recorded time
  double search_us = 0;                ///< in all
  std::size_t asked = 0, given_up = 0; ///< evaluations; compilations

  void add(double ratio, double now_s) {
    best.push_back(best.empty() ? ratio : std::min(best.back(), ratio));
    at_s.push_back(now_s);
  }

  /// An exhausted space: what was found stays found.
  void end(double now_s, std::size_t budget) {
    asked = best.size();
    best.resize(budget, best.empty() ? infinite : best.back());
    at_s.resize(budget, now_s);
    end_s = now_s;
  }
};

/// A strategy whose questions are looked at.
class CheckedStrategy final : public Strategy {
public:
  CheckedStrategy(const StrategyEntry& entry, const SearchProblem& problem)
      : name_(entry.name), strategy_(entry.make(problem)), asked_(problem.space.size(), false) {}

  /// @throws std::logic_error for a question outside the space, or asked before.
  std::vector<ConfigurationId> ask(std::size_t count) override {
    std::vector<ConfigurationId> ids = strategy_->ask(count);
    for (const ConfigurationId id : ids) {
      if (id >= asked_.size() || asked_[id])
        throw std::logic_error("strategy '" + name_ + "' asked for configuration " +
                               std::to_string(id) + " of " + std::to_string(asked_.size()) +
                               (id < asked_.size() ? " twice" : ""));
      asked_[id] = true;
    }
    return ids;
  }

  void tell(std::span<const Observation> observations) override { strategy_->tell(observations); }

  void withdraw(ConfigurationId id) override { strategy_->withdraw(id); }

  std::size_t batch() const override { return strategy_->batch(); }

  std::size_t most_pending() const override { return strategy_->most_pending(); }

  bool wants_counters() const override { return strategy_->wants_counters(); }

private:
  const std::string& name_;
  std::unique_ptr<Strategy> strategy_;
  std::vector<bool> asked_;
};

SimulatedRun run_once(const Judge& judge, const StrategyEntry& entry,
                      const SimulationSettings& settings, std::size_t budget, std::uint64_t seed) {
  const SearchProblem problem{.space = judge.space(),
                              .seed = seed,
                              .budget = budget,
                              .seeds = settings.seeds,
                              .transfer_prior = settings.prior,
                              .compilers = settings.priced ? settings.compilers.value_or(0) : 0};
  const auto begin = std::chrono::steady_clock::now();
  CheckedStrategy strategy(entry, problem);
  const std::chrono::duration<double, std::micro> made = std::chrono::steady_clock::now() - begin;
  check_open(strategy, entry.name, settings.in_flight.value_or(settings.batch.value_or(1)));
  SimulatedMachine machine(settings.compilers.value_or(0));
  RecordedEvaluator evaluator(judge.recorded().recording(), judge.recorded(), &machine);
  SimulatedRun run;
  const RecordKeeping keeping{.find = [](const Configuration&) { return std::nullopt; },
                              .add =
                                  [&](std::span<const Measurement> some) {
                                    for (const Measurement& one : some)
                                      if (compile_given_up(one))
                                        ++run.given_up;
                                      else
                                        run.add(judge.ratio(one), machine.clock().now_s());
                                  }};
  const TuningSettings as_tuned{.repeatable = !settings.in_flight,
                                .most_open =
                                    settings.in_flight ? settings.in_flight : settings.batch,
                                .compile_timeout = settings.compile_timeout,
                                .clock = &machine.clock()};
  Tuning tuning({{judge.space(), [&] { return OpenJob{evaluator, keeping}; }}}, as_tuned, {},
                settings.stop);
  if (tuning.search(strategy, budget, settings.seconds) == Ended::stopped)
    throw SimulationStopped("the simulation was stopped");
  run.search_us = made.count() + 1000 * tuning.result(0).search_ms;
  run.end(tuning.seconds(), budget);
  return run;
}

/// body(i) for every i below count, on some threads; the first exception is thrown on.
template <typename Body>
void for_each_parallel(std::size_t count, unsigned threads, const Body& body) {
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++)
        body(i);
    } catch (...) {
      const std::scoped_lock lock(failing);
      if (!failure)
        failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned extra = 1; extra < std::min<std::size_t>(threads, count); ++extra)
    workers.emplace_back(work);
  work();
  workers.clear();
  if (failure)
    std::rethrow_exception(failure);
}

std::vector<SimulatedRun> run_all(const Judge& judge, const StrategyEntry& strategy,
                                  const SimulationSettings& settings, std::size_t budget) {
  std::vector<SimulatedRun> runs(settings.runs);
  std::mutex telling;
  std::size_t done = 0;
  for_each_parallel(settings.runs, settings.threads, [&](std::size_t i) {
    runs[i] = run_once(judge, strategy, settings, budget, settings.seed + i);
    const std::scoped_lock lock(telling);
    ++done;
    if (settings.progress)
      settings.progress(done);
  });
  return runs;
}

RatioSpread spread_after(const std::vector<SimulatedRun>& runs, std::size_t evaluations) {
  std::vector<double> ratios;
  ratios.reserve(runs.size());
  for (const SimulatedRun& run : runs)
    ratios.push_back(run.best[evaluations - 1]);
  return spread_of(std::move(ratios), evaluations);
}

Reached reached(const std::vector<SimulatedRun>& runs, double bound) {
  std::vector<double> needed;
  Reached result;
  for (const SimulatedRun& run : runs) {
    const auto first = std::find_if(run.best.begin(), run.best.end(),
                                    [bound](double ratio) { return ratio <= bound; });
    result.runs += first != run.best.end();
    needed.push_back(first == run.best.end() ? infinite
                                             : static_cast<double>(first - run.best.begin() + 1));
  }
  std::sort(needed.begin(), needed.end());
  if (const double median = quantile(needed, 0.5); std::isfinite(median))
    result.median = median;
  return result;
}

/// Median over the runs; nothing where half of them or more never got there.
std::optional<double> seconds_to(const std::vector<SimulatedRun>& runs, double bound) {
  std::vector<double> needed;
  for (const SimulatedRun& run : runs) {
    const auto first = std::find_if(run.best.begin(), run.best.end(),
                                    [bound](double ratio) { return ratio <= bound; });
    needed.push_back(first == run.best.end()
                         ? infinite
                         : run.at_s[static_cast<std::size_t>(first - run.best.begin())]);
  }
  std::sort(needed.begin(), needed.end());
  const double median = quantile(needed, 0.5);
  return std::isfinite(median) ? std::optional(median) : std::nullopt;
}

RecordedSeconds seconds_of(const std::vector<SimulatedRun>& runs) {
  std::vector<double> ends;
  double given_up = 0;
  for (const SimulatedRun& run : runs) {
    ends.push_back(run.end_s);
    given_up += static_cast<double>(run.given_up);
  }
  std::sort(ends.begin(), ends.end());
  return {seconds_to(runs, 1.05), seconds_to(runs, 1.01), median(ends),
          given_up / static_cast<double>(runs.size())};
}

std::vector<double> mean_ratios(const std::vector<SimulatedRun>& runs, double worst) {
  std::vector<double> means(runs.front().best.size(), 0.0);
  for (const SimulatedRun& run : runs)
    for (std::size_t i = 0; i < means.size(); ++i)
      means[i] += std::min(run.best[i], worst) / static_cast<double>(runs.size());
  return means;
}

double search_us_per_evaluation(const std::vector<SimulatedRun>& runs) {
  double us = 0, asked = 0;
  for (const SimulatedRun& run : runs) {
    us += run.search_us;
    asked += static_cast<double>(run.asked);
  }
  return asked > 0 ? us / asked : 0;
}

/// Ascending, without repetition. @throws InputError when there is nothing to run.
std::vector<std::size_t> budgets_of(const SimulationSettings& settings) {
  std::vector<std::size_t> budgets = settings.evaluations;
  std::sort(budgets.begin(), budgets.end());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  if (budgets.empty() || budgets.front() == 0 || settings.runs == 0 || settings.batch == 0u ||
      settings.in_flight == 0u || settings.compilers == 0u)
    throw InputError("a simulation needs at least one run, a batch of at least one, one in flight, "
                     "one compiler, and budgets of at least one evaluation");
  if (budgets.back() > most_simulated_evaluations ||
      settings.runs > most_simulated / budgets.back())
    throw InputError("a simulation of " + std::to_string(settings.runs) + " runs of " +
                     std::to_string(budgets.back()) + " evaluations is too large; at most " +
                     std::to_string(most_simulated_evaluations) + " evaluations and " +
                     std::to_string(most_simulated) + " in all runs together");
  return budgets;
}

std::vector<double> ratios_of(const Judge& judge) {
  std::vector<double> ratios(judge.space().size());
  for (ConfigurationId id = 0; id < ratios.size(); ++id)
    ratios[id] = judge.ratio(id);
  return ratios;
}

} // namespace

RandomBaseline::RandomBaseline(std::vector<double> ratios) : ratios_(std::move(ratios)) {
  std::sort(ratios_.begin(), ratios_.end());
  const auto correct = std::find_if(ratios_.begin(), ratios_.end(),
                                    [](double ratio) { return !std::isfinite(ratio); });
  if (correct == ratios_.begin())
    throw InputError("a recording without a correct configuration cannot judge a strategy");
  median_ = median({ratios_.begin(), correct});
  worst_ = *(correct - 1);
}

double RandomBaseline::expected(std::size_t draws) const {
  const std::size_t count = ratios_.size();
  draws = std::min(draws, count);
  double missed = 1, sum = 0; // missed: probability that none of the best `rank` was drawn
  for (std::size_t rank = 0; rank < count && missed > 0; ++rank) {
    const double left = static_cast<double>(count - rank);
    const double after = missed * std::max(0.0, left - static_cast<double>(draws)) / left;
    sum += (missed - after) * std::min(ratios_[rank], worst_);
    missed = after;
  }
  return sum;
}

double RandomBaseline::quantile(std::size_t draws, double probability) const {
  const std::size_t count = ratios_.size();
  draws = std::min(draws, count);
  double missed = 1;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const double left = static_cast<double>(count - rank);
    missed *= std::max(0.0, left - static_cast<double>(draws)) / left;
    if (1 - missed >= probability)
      return ratios_[rank];
  }
  return ratios_.back();
}

std::size_t RandomBaseline::near_optimum() const {
  const double target = ratios_.front() + (1 - near) * (median_ - ratios_.front());
  std::size_t low = 1, high = ratios_.size(); // all draws always reach it
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (expected(middle) <= target)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

Judge::Judge(const RecordedSpace& recorded)
    : recorded_(&recorded), optimum_ms_(recorded.optimum_ms()), random_(ratios_of(*this)) {
}

double Judge::ratio(const Measurement& measurement) const {
  const auto cost = cost_ms(measurement);
  return cost ? *cost / optimum_ms_ : infinite;
}

double aggregate_score(const RandomBaseline& random, const std::vector<double>& mean_ratios) {
  const std::size_t last = std::min(random.near_optimum(), mean_ratios.size());
  const std::size_t points = std::min(score_points, last);
  double sum = 0;
  for (std::size_t point = 0; point < points; ++point) {
    const double place =
        points > 1 ? static_cast<double>(point) / static_cast<double>(points - 1) : 1;
    const auto draws =
        1 + static_cast<std::size_t>(std::lround(place * static_cast<double>(last - 1)));
    const double baseline = random.expected(draws);
    // Where every configuration is equally good, nobody is better than random.
    if (baseline > 1)
      sum += (baseline - mean_ratios[draws - 1]) / (baseline - 1);
  }
  return points > 0 ? sum / static_cast<double>(points) : 0;
}

SimulationResult simulate(const Judge& judge, const std::string& recording,
                          const StrategyEntry& strategy, const SimulationSettings& settings) {
  const std::vector<std::size_t> budgets = budgets_of(settings);
  SimulationResult result{recording, strategy.name, settings.runs, {}, {}, {}, {}, 0, 0};
  const std::vector<SimulatedRun> runs = run_all(judge, strategy, settings, budgets.back());
  for (const std::size_t budget : budgets)
    result.budgets.push_back(spread_after(runs, budget));
  for (std::size_t evaluations = 1; evaluations <= budgets.back(); ++evaluations)
    result.curve.push_back(spread_after(runs, evaluations));
  result.within_5_percent = reached(runs, 1.05);
  result.within_1_percent = reached(runs, 1.01);
  if (settings.compilers)
    result.seconds = seconds_of(runs);
  result.score = aggregate_score(judge.random(), mean_ratios(runs, judge.random().worst()));
  result.search_us = search_us_per_evaluation(runs);
  return result;
}

SimulationResult random_exact(const Judge& judge, const std::string& recording,
                              const SimulationSettings& settings) {
  const std::vector<std::size_t> budgets = budgets_of(settings);
  SimulationResult result{recording, "random (exact)", 0, {}, {}, {}, {}, 0, 0};
  const RandomBaseline& random = judge.random();
  const auto spread = [&](std::size_t draws) {
    return RatioSpread{draws, random.quantile(draws, 0.25), random.quantile(draws, 0.5),
                       random.quantile(draws, 0.75)};
  };
  for (const std::size_t budget : budgets)
    result.budgets.push_back(spread(budget));
  for (std::size_t draws = 1; draws <= budgets.back(); ++draws)
    result.curve.push_back(spread(draws));
  const auto first_within = [&](double bound) {
    Reached within;
    for (const RatioSpread& point : result.curve)
      if (!within.median && point.median <= bound)
        within.median = static_cast<double>(point.evaluations);
    return within;
  };
  result.within_5_percent = first_within(1.05);
  result.within_1_percent = first_within(1.01);
  return result;
}

std::vector<Observation> prior_from(const RecordedSpace& other, const SearchSpace& space) {
  std::vector<Observation> prior;
  for (ConfigurationId id = 0; id < other.space().size(); ++id) {
    Observation observation = other.observation(id);
    if (const auto here = space.find(other.space().at(id))) {
      observation.id = *here;
      prior.push_back(std::move(observation));
    }
  }
  return prior;
}

std::vector<SimulationSummary> summarise(const SimulationTable& table) {
  std::vector<SimulationSummary> summaries;
  for (const SimulationResult& cell : table) {
    auto entry = std::find_if(summaries.begin(), summaries.end(),
                              [&](const auto& s) { return s.strategy == cell.strategy; });
    if (entry == summaries.end()) {
      entry = summaries.insert(summaries.end(), {cell.strategy, 0, {}, 0, 0});
      for (const RatioSpread& budget : cell.budgets)
        entry->budgets.push_back({budget.evaluations, 0, 0, 0});
    }
    ++entry->recordings;
    entry->score += cell.score;
    entry->search_us += cell.search_us;
    for (std::size_t b = 0; b < entry->budgets.size(); ++b) { // sums of logarithms until all are in
      entry->budgets[b].low += std::log(cell.budgets[b].low);
      entry->budgets[b].median += std::log(cell.budgets[b].median);
      entry->budgets[b].high += std::log(cell.budgets[b].high);
    }
  }
  for (SimulationSummary& summary : summaries) {
    const double count = static_cast<double>(summary.recordings);
    summary.score /= count;
    summary.search_us /= count;
    for (RatioSpread& budget : summary.budgets)
      for (double* value : {&budget.low, &budget.median, &budget.high})
        *value = std::exp(*value / count);
  }
  return summaries;
}

} // namespace gridsmith
