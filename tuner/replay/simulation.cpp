#include "gridsmith/tuner/replay/simulation.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/tuner/loop/ask_tell.hpp"
#include "gridsmith/tuner/loop/compile_patience.hpp"

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
#include <utility>

namespace gridsmith {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double near = 0.95;            // of the way from the median to the optimum
constexpr std::size_t score_points = 50; // as the methodology's reference implementation

RatioSpread spread_of(std::vector<double> ratios, std::size_t evaluations) {
  std::sort(ratios.begin(), ratios.end());
  return {evaluations, quantile(ratios, 0.25), quantile(ratios, 0.5), quantile(ratios, 0.75)};
}

struct Run {
  std::vector<double> best;            ///< ratio after 1, 2, … evaluations
  std::vector<double> at_s;            ///< when each was known, in recorded time
  double end_s = 0;                    ///< in recorded time
  double search_us = 0;                ///< in all
  std::size_t asked = 0, given_up = 0; ///< evaluations; compilations
};

/// Answers from a recording, in recorded time.
class Replay final : public Answerer {
public:
  Replay(const Judge& judge, const SimulationSettings& settings, std::size_t budget,
         const std::string& strategy)
      : judge_(judge), strategy_(strategy), asked_(judge.space().size(), false), budget_(budget),
        useful_(settings.in_flight.value_or(1)), patience_(settings.compile_timeout),
        compilers_(settings.compilers.value_or(0)) {
    run_.best.reserve(budget);
  }

  std::size_t depth() const override { return useful_; }

  std::size_t put_off() const override {
    return static_cast<std::size_t>(std::count_if(compiling_.begin(), compiling_.end(),
                                                  [](const Work& work) { return work.put_off; }));
  }

  std::size_t given_up() const override { return run_.given_up; }

  /// @throws std::logic_error for a question outside the space, or asked before.
  void begin(std::span<const ConfigurationId> ids) override {
    for (const ConfigurationId id : ids) {
      if (id >= asked_.size() || asked_[id])
        throw std::logic_error("strategy '" + strategy_ + "' asked for configuration " +
                               std::to_string(id) + " of " + std::to_string(asked_.size()) +
                               (id < asked_.size() ? " twice" : ""));
      asked_[id] = true;
      waiting_.push_back({id, begun_++});
    }
    start_some();
  }

  std::span<const Observation> take(std::size_t least, Order order,
                                    const GiveUp& give_up) override {
    taken_.clear();
    told_.clear();
    by_arrival_ = order == Order::arrival;
    bool more_wanted = false; // than those that are open
    while (taken_.size() < least && open() > 0 && !more_wanted && !(!taken_.empty() && give_up()))
      more_wanted = step();
    if (order == Order::asked)
      std::sort(taken_.begin(), taken_.end(),
                [](const Work& a, const Work& b) { return a.number < b.number; });
    for (const Work& one : taken_)
      told_.push_back(answer_of(one));
    return told_;
  }

  const Clock& clock() const { return clock_; }

  Run finish(std::size_t budget, double search_us) {
    run_.asked = run_.best.size();
    run_.best.resize(budget, best_); // an exhausted space: what was found stays found
    run_.at_s.resize(budget, clock_.now_s());
    run_.end_s = clock_.now_s();
    run_.given_up += put_off();
    run_.search_us = search_us;
    return std::move(run_);
  }

private:
  struct Work {
    ConfigurationId id;
    std::uint64_t number; ///< in the order asked
    double begun_s = 0;   ///< compiling; or, where nothing is compiled side by side, nothing
    double ready_s = 0;   ///< compiled, or measured
    bool put_off = false, given_up = false;
  };

  using Queue = std::vector<Work>;

  std::size_t open() const {
    return waiting_.size() + compiling_.size() + compiled_.size() + (measuring_ ? 1 : 0);
  }

  /// A given-up one tells only how long it was waited for.
  Observation answer_of(const Work& work) const {
    if (!work.given_up)
      return judge_.answer(work.id);
    return {.id = work.id, .compile_ms = 1000 * (work.ready_s - work.begun_s)};
  }

  /// Whoever is free takes the first that waits for it.
  void start_some() {
    const double now = clock_.now_s();
    while (compiling_.size() < compilers_ && !waiting_.empty()) {
      Work& work = compiling_.emplace_back(waiting_.front());
      waiting_.erase(waiting_.begin());
      work.begun_s = now;
      work.ready_s = now + judge_.compile_s(work.id);
    }
    if (measuring_)
      return;
    Queue& ready = compilers_ > 0 ? compiled_ : waiting_;
    if (ready.empty())
      return;
    measuring_ = ready.front();
    ready.erase(ready.begin());
    measuring_->ready_s = now + judge_.measure_s(measuring_->id) +
                          (compilers_ > 0 ? 0 : judge_.compile_s(measuring_->id));
  }

  /// All is asked, and compilers have nothing to do.
  bool last() const { return waiting_.empty() && begun_ >= budget_ + put_off() + run_.given_up; }

  /// When a compilation is not waited for any longer.
  double patience_s(const Work& work) const {
    const double put_off_s =
        work.put_off || !by_arrival_ ? infinite : patience_.put_off_after_s(last());
    return work.begun_s + std::min(put_off_s, patience_.give_up_after_s());
  }

  /// Until something has happened. True: more may be asked than before.
  bool step() {
    const auto compiled =
        std::min_element(compiling_.begin(), compiling_.end(),
                         [](const Work& a, const Work& b) { return a.ready_s < b.ready_s; });
    const auto slow =
        std::min_element(compiling_.begin(), compiling_.end(), [&](const Work& a, const Work& b) {
          return patience_s(a) < patience_s(b);
        });
    const double compiled_s = compiled == compiling_.end() ? infinite : compiled->ready_s;
    const double slow_s = slow == compiling_.end() ? infinite : patience_s(*slow);
    const double measured_s = measuring_ ? measuring_->ready_s : infinite;
    clock_.advance(std::max(0.0, std::min({compiled_s, slow_s, measured_s}) - clock_.now_s()));
    bool more = false;
    if (measured_s <= std::min(compiled_s, slow_s))
      answer(*std::exchange(measuring_, std::nullopt));
    else if (compiled_s <= slow_s)
      take_compiled(compiled);
    else
      more = lose_patience(slow);
    start_some();
    return more;
  }

  /// What the device does not see is known now.
  void take_compiled(Queue::iterator which) {
    const Work work = *which;
    compiling_.erase(which);
    patience_.learn(1000 * judge_.compile_s(work.id));
    if (judge_.measure_s(work.id) > 0)
      compiled_.push_back(work);
    else
      answer(work);
  }

  bool lose_patience(Queue::iterator which) {
    if (clock_.now_s() >= which->begun_s + patience_.give_up_after_s())
      give_up(which);
    else
      which->put_off = true;
    while (put_off() > CompilePatience::most_put_off(compilers_))
      give_up(std::find_if(compiling_.begin(), compiling_.end(),
                           [](const Work& work) { return work.put_off; }));
    return by_arrival_;
  }

  void give_up(Queue::iterator which) {
    Work work = *which;
    compiling_.erase(which);
    work.given_up = true;
    work.ready_s = clock_.now_s();
    patience_.learn(1000 * (work.ready_s - work.begun_s));
    ++run_.given_up;
    taken_.push_back(work);
  }

  void answer(const Work& work) {
    best_ = std::min(best_, judge_.ratio(work.id));
    run_.best.push_back(best_);
    run_.at_s.push_back(clock_.now_s());
    taken_.push_back(work);
  }

  const Judge& judge_;
  const std::string& strategy_;
  std::vector<bool> asked_;
  std::size_t budget_, useful_;
  CompilePatience patience_;
  bool by_arrival_ = false; ///< answers are wanted as they come
  std::size_t compilers_;   ///< 0: each is compiled when its turn comes
  std::uint64_t begun_ = 0;
  Queue waiting_, compiling_, compiled_; ///< the first first
  std::optional<Work> measuring_;
  std::vector<Work> taken_;
  std::vector<Observation> told_;
  VirtualClock clock_;
  double best_ = infinite;
  Run run_;
};

/// @throws InputError
void check_open(const Strategy& strategy, const std::string& name, std::size_t open) {
  if (open > strategy.most_pending())
    throw InputError("strategy '" + name + "' takes at most " +
                     std::to_string(strategy.most_pending()) +
                     " questions before it needs an answer, not " + std::to_string(open));
}

Run run_once(const Judge& judge, const StrategyEntry& entry, const SimulationSettings& settings,
             std::size_t budget, std::uint64_t seed) {
  Replay replay(judge, settings, budget, entry.name);
  const SearchProblem problem{.space = judge.space(),
                              .seed = seed,
                              .budget = budget,
                              .seeds = settings.seeds,
                              .transfer_prior = settings.prior,
                              .compilers = settings.priced ? settings.compilers.value_or(0) : 0};
  const auto begin = std::chrono::steady_clock::now();
  const std::unique_ptr<Strategy> strategy = entry.make(problem);
  check_open(*strategy, entry.name, settings.in_flight.value_or(settings.batch.value_or(1)));
  ask_and_tell(*strategy, replay,
               {.evaluations = budget,
                .seconds = settings.seconds,
                .repeatable = !settings.in_flight,
                .most_open = settings.in_flight ? settings.in_flight : settings.batch},
               replay.clock(), settings.stop);
  if (settings.stop.stop_requested())
    throw SimulationStopped("the simulation was stopped");
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
  return replay.finish(budget, spent.count());
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

std::vector<Run> run_all(const Judge& judge, const StrategyEntry& strategy,
                         const SimulationSettings& settings, std::size_t budget) {
  std::vector<Run> runs(settings.runs);
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

RatioSpread spread_after(const std::vector<Run>& runs, std::size_t evaluations) {
  std::vector<double> ratios;
  ratios.reserve(runs.size());
  for (const Run& run : runs)
    ratios.push_back(run.best[evaluations - 1]);
  return spread_of(std::move(ratios), evaluations);
}

Reached reached(const std::vector<Run>& runs, double bound) {
  std::vector<double> needed;
  Reached result;
  for (const Run& run : runs) {
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
std::optional<double> seconds_to(const std::vector<Run>& runs, double bound) {
  std::vector<double> needed;
  for (const Run& run : runs) {
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

RecordedSeconds seconds_of(const std::vector<Run>& runs) {
  std::vector<double> ends;
  double given_up = 0;
  for (const Run& run : runs) {
    ends.push_back(run.end_s);
    given_up += static_cast<double>(run.given_up);
  }
  std::sort(ends.begin(), ends.end());
  return {seconds_to(runs, 1.05), seconds_to(runs, 1.01), median(ends),
          given_up / static_cast<double>(runs.size())};
}

std::vector<double> mean_ratios(const std::vector<Run>& runs, double worst) {
  std::vector<double> means(runs.front().best.size(), 0.0);
  for (const Run& run : runs)
    for (std::size_t i = 0; i < means.size(); ++i)
      means[i] += std::min(run.best[i], worst) / static_cast<double>(runs.size());
  return means;
}

double search_us_per_evaluation(const std::vector<Run>& runs) {
  double us = 0, asked = 0;
  for (const Run& run : runs) {
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

std::vector<double> ratios_of(const RecordedSpace& recorded) {
  const double optimum = recorded.optimum_ms();
  std::vector<double> ratios(recorded.space().size(), infinite);
  for (ConfigurationId id = 0; id < ratios.size(); ++id)
    if (const auto cost = cost_ms(recorded.measurement(id)))
      ratios[id] = *cost / optimum;
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
    : space_(&recorded.space()), ratios_(ratios_of(recorded)), random_(ratios_) {
  answers_.reserve(ratios_.size());
  for (ConfigurationId id = 0; id < ratios_.size(); ++id) {
    answers_.push_back(recorded.observation(id));
    const TimeSpent& spent = recorded.measurement(id).spent;
    const double measure_ms = spent.verify_ms + spent.time_ms + spent.count_ms;
    answers_.back().compile_ms = spent.compile_ms;
    answers_.back().run_ms = measure_ms;
    compile_s_.push_back(spent.compile_ms / 1000);
    measure_s_.push_back(measure_ms / 1000);
  }
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
  const std::vector<Run> runs = run_all(judge, strategy, settings, budgets.back());
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
