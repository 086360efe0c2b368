#include "gridsmith/tuner/loop/tuning.hpp"

#include "gridsmith/results/measurement/answer.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <unordered_map>

namespace gridsmith {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t chunk = 16;       // asked at once of strategies that need no answer
constexpr std::size_t ahead_factor = 2; // batches of likely next configurations compiled ahead

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// One run; the state that the steps below share.
class Run {
public:
  Run(const SearchSpace& space, Strategy& strategy, Evaluator& evaluator,
      const RecordKeeping& records, const TuningSettings& settings, const ProgressSink& progress,
      const Interrupted& interrupted)
      : space_(space), strategy_(strategy), evaluator_(evaluator), records_(records),
        settings_(settings), progress_(progress), interrupted_(interrupted) {
    budget_ =
        settings.max_evaluations ? std::min(settings.max_evaluations, space.size()) : space.size();
  }

  TuningResult run() {
    while (ask_more() || !asked_.empty()) {
      if (take_answers(); !asked_.empty())
        wait();
      report();
      if (result_.interrupted)
        break;
    }
    finals();
    result_.seconds = ms_since(start_) / 1000;
    result_.evaluator = evaluator_.state();
    return std::move(result_);
  }

private:
  /// A configuration the strategy asked for, until it is told.
  struct Asked {
    ConfigurationId id;
    std::optional<Measurement> measurement;
  };

  bool may_ask() {
    if (result_.interrupted || finished_ || asked_count_ >= budget_)
      return false;
    if (settings_.max_seconds > 0 && ms_since(start_) >= settings_.max_seconds * 1000) {
      result_.out_of_time = true;
      return false;
    }
    return true;
  }

  /// A batch at a time, so that a strategy sees the same answers in the same groups on every run.
  bool ask_more() {
    const bool free_running = strategy_.batch() == unlimited_batch;
    bool any = false;
    while (may_ask() && (free_running ? asked_.size() < evaluator_.depth() : asked_.empty())) {
      const auto left =
          static_cast<std::size_t>(std::min<std::uint64_t>(budget_ - asked_count_, 1u << 20));
      const auto begun = Clock::now();
      const auto ids = strategy_.ask(std::min(left, free_running ? chunk : strategy_.batch()));
      result_.search_ms += ms_since(begun);
      finished_ = ids.empty();
      for (const ConfigurationId id : ids)
        submit(id);
      any = any || !ids.empty();
    }
    if (any && !free_running)
      compile_ahead();
    return any;
  }

  void submit(ConfigurationId id) {
    ++asked_count_;
    Configuration configuration = space_.at(id);
    asked_.push_back({id, records_.find(configuration)});
    if (asked_.back().measurement)
      ++result_.reused;
    else
      evaluator_.submit({id, std::move(configuration)});
  }

  void compile_ahead() {
    std::vector<Configuration> likely;
    for (const ConfigurationId id : strategy_.likely(strategy_.batch() * ahead_factor))
      likely.push_back(space_.at(id));
    if (!likely.empty())
      evaluator_.expect(likely);
  }

  void wait() {
    const bool stop = interrupted_();
    record(evaluator_.collect(stop ? 10'000ms : 100ms));
    if (stop) {
      result_.interrupted = true;
      keep_what_is_there();
    }
  }

  /// Safe first, told later.
  void record(std::vector<Evaluated> evaluated) {
    if (evaluated.empty())
      return;
    std::vector<Measurement> measurements;
    for (Evaluated& one : evaluated)
      measurements.push_back(std::move(one.measurement));
    records_.add(measurements);
    for (std::size_t i = 0; i < evaluated.size(); ++i) {
      note_best(measurements[i]);
      const auto place = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& asked) {
        return asked.id == evaluated[i].ticket;
      });
      if (place != asked_.end())
        place->measurement = std::move(measurements[i]);
    }
  }

  /// The order of the answers is lost with the interruption; the measurements are not.
  void keep_what_is_there() {
    for (Asked& asked : asked_)
      if (asked.measurement)
        result_.measurements.push_back(std::move(*asked.measurement));
    asked_.clear();
  }

  void note_best(const Measurement& measurement) {
    const auto time = summarise(measurement.times_ms);
    if (!measurement.correct() || measurement.raced_out || !time)
      return;
    if (!best_high_ms_ || time->high_ms < *best_high_ms_) {
      best_high_ms_ = time->high_ms;
      evaluator_.best_so_far(time->high_ms);
    }
  }

  /// Tells in the order asked; a batch is told whole.
  void take_answers() {
    const bool free_running = strategy_.batch() == unlimited_batch;
    const bool whole = std::all_of(asked_.begin(), asked_.end(), [](const Asked& asked) {
      return asked.measurement.has_value();
    });
    if (!free_running && !whole)
      return;
    std::vector<Observation> observations;
    while (!asked_.empty() && asked_.front().measurement) {
      Measurement& measurement = *asked_.front().measurement;
      note_best(measurement);
      observations.push_back(observation_of(asked_.front().id, measurement));
      result_.measurements.push_back(std::move(measurement));
      count(result_.measurements.back());
      asked_.pop_front();
    }
    const auto begun = Clock::now();
    strategy_.tell(observations);
    result_.search_ms += ms_since(begun);
  }

  void count(const Measurement& measurement) {
    failed_ += measurement.correct() ? 0 : 1;
    raced_ += measurement.raced_out ? 1 : 0;
    if (const auto cost = cost_ms(measurement))
      best_ms_ = std::min(best_ms_.value_or(*cost), *cost);
  }

  void report() {
    TuningProgress now;
    now.done = result_.measurements.size();
    now.total = budget_;
    now.failed = failed_;
    now.reused = result_.reused;
    now.raced_out = raced_;
    now.best_ms = best_ms_;
    now.seconds = ms_since(start_) / 1000;
    const std::uint64_t fresh = now.done - std::min(now.done, now.reused);
    if (fresh > 0)
      now.seconds_left =
          now.seconds / static_cast<double>(fresh) * static_cast<double>(budget_ - now.done);
    if (settings_.max_seconds > 0)
      now.seconds_left =
          std::min(now.seconds_left, std::max(0.0, settings_.max_seconds - now.seconds));
    now.evaluator = evaluator_.state();
    progress_(now);
  }

  /// The best ones again, interleaved, so that drift hits all of them alike.
  void finals() {
    if (result_.interrupted || settings_.most_finalists == 0)
      return;
    const auto chosen =
        finalists(result_.measurements, settings_.most_finalists, settings_.finalist_within);
    if (chosen.empty())
      return;
    std::vector<Configuration> configurations;
    for (const Measurement* measurement : chosen)
      configurations.push_back(measurement->configuration);
    const auto begun = Clock::now();
    result_.finals = evaluator_.finals(configurations);
    result_.finals_ms = ms_since(begun);
    for (std::size_t i = 0; i < chosen.size(); ++i) { // counted once, in the first measurement
      result_.finals[i].counters = chosen[i]->counters;
      result_.finals[i].uncounted_because = chosen[i]->uncounted_because;
      if (chosen[i]->compile_facts)
        result_.finals[i].compile_facts = chosen[i]->compile_facts;
    }
  }

  const SearchSpace& space_;
  Strategy& strategy_;
  Evaluator& evaluator_;
  const RecordKeeping& records_;
  const TuningSettings& settings_;
  const ProgressSink& progress_;
  const Interrupted& interrupted_;
  const Clock::time_point start_ = Clock::now();
  std::uint64_t budget_ = 0, asked_count_ = 0, failed_ = 0, raced_ = 0;
  bool finished_ = false;
  std::deque<Asked> asked_;
  std::optional<double> best_ms_, best_high_ms_;
  TuningResult result_;
};

} // namespace

TuningResult run_tuning(const SearchSpace& space, Strategy& strategy, Evaluator& evaluator,
                        const RecordKeeping& records, const TuningSettings& settings,
                        const ProgressSink& progress, const Interrupted& interrupted) {
  return Run(space, strategy, evaluator, records, settings, progress, interrupted).run();
}

Observation observation_of(ConfigurationId id, const Measurement& measurement) {
  return {id, cost_ms(measurement), facts_of(measurement)};
}

} // namespace gridsmith
