// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/loop/tuning.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/results/measurement/finals.hpp"
#include "gridsmith/tuner/loop/hopeless.hpp"
#include "gridsmith/tuner/loop/late_counters.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>
#include <utility>

namespace gridsmith {
namespace {

using namespace std::chrono_literals;

/// Answers by measuring; the state that the steps below share.
class Measuring final : public Answerer {
public:
  Measuring(const SearchSpace& space, Evaluator& evaluator, const RecordKeeping& records,
            const TuningSettings& settings, bool counters_at_once, const ProgressSink& progress)
      : space_(space), evaluator_(evaluator), records_(records), settings_(settings),
        progress_(progress), compile_patience_(settings.compile_timeout),
        late_counters_(evaluator, records, result_.measurements,
                       evaluator.counts_later() && !counters_at_once) {
    now_.unit = settings.objective.unit;
    now_.total = std::min(settings.budget.evaluations.value_or(space.size()), space.size());
  }

  std::uint64_t total() const { return now_.total; }

  double seconds() const { return clock_.now_s() - start_s_; }

  const Clock& clock() const { return clock_; }

  std::size_t depth() const override { return evaluator_.depth(); }

  std::size_t useful() const override { return evaluator_.useful(); }

  std::size_t put_off() const override {
    return static_cast<std::size_t>(std::count_if(open_.begin(), open_.end(), is_put_off));
  }

  void are_last(bool last) override { are_last_ = last; }

  std::size_t given_up() const override { return given_up_; }

  void begin(std::span<const ConfigurationId> ids) override {
    std::vector<Trial> trials;
    begun_ += ids.size();
    for (const ConfigurationId id : ids) {
      Question& question = open_.emplace_back(id, next_trial_++, records_.find(space_.at(id)));
      if (question.answer) {
        ++result_.reused;
        known_.push_back(question.answer->configuration);
        question.arrival = next_arrival_++;
      } else {
        trials.push_back(trial(question.trial, space_.at(id), Mode::race));
      }
    }
    if (!trials.empty())
      evaluator_.submit(std::move(trials));
  }

  void expect(std::span<const ConfigurationId> ids) override {
    std::vector<Configuration> likely;
    for (const ConfigurationId id : ids)
      likely.push_back(space_.at(id));
    if (!likely.empty())
      evaluator_.compile_ahead(likely);
  }

  std::span<const Observation> take(std::size_t least, Order order,
                                    const GiveUp& give_up) override {
    put_in(order);
    const std::size_t put_off_before = put_off();
    while (answered() < least && !give_up() &&
           (order == Order::asked || put_off() <= put_off_before)) {
      receive();
      look_after_compilations(order);
      put_in(order);
      report();
    }
    told_.clear();
    const std::size_t before = result_.measurements.size();
    while (!open_.empty() && open_.front().answer) {
      Measurement& measurement = *open_.front().answer;
      told_.push_back(
          observation_of(open_.front().id, measurement, settings_.objective, settings_.workload));
      count(measurement);
      given_up_told_ += compile_given_up(measurement) ? 1 : 0;
      if (open_.front().judged)
        hopeless_.see(measurement);
      if (const auto verdict = hopeless_.verdict())
        throw InputError(*verdict);
      if (open_.front().judged)
        keep(std::move(measurement));
      open_.pop_front();
    }
    if (!settings_.is_part && late_counters_.enough())
      late_counters_.ask(next_trial_);
    now_.told = std::span(result_.measurements).subspan(before);
    report();
    now_.told = {};
    return told_;
  }

  /// What was measured is kept, though the order of the answers is lost; the rest is withdrawn, and
  /// where nothing follows nobody compiles any more.
  void abandon() {
    for (Question& question : open_)
      if (is_put_off(question) && evaluator_.compiling_s(question.trial))
        give_up(question);
    receive(0ms);
    for (Question& question : open_) {
      if (question.answer && question.judged)
        keep(std::move(*question.answer));
      else if (!question.answer)
        evaluator_.withdraw(question.trial);
    }
    open_.clear();
    if (!settings_.is_part)
      evaluator_.compile_ahead({});
  }

  /// The counters that are still to come.
  void count_rest(const GiveUp& give_up) {
    if (!give_up())
      late_counters_.ask(next_trial_);
    while (late_counters_.open() && !give_up())
      receive();
    late_counters_.withdraw();
  }

  /// The best ones again, interleaved, so that drift hits all of them alike.
  void finals(const GiveUp& give_up) {
    const Peaks peaks = evaluator_.peaks();
    FinalsRules rules = settings_.finals;
    for (const Configuration& one : best_known())
      rules.always.push_back(one);
    const auto chosen = finalists(result_.measurements, rules, settings_.objective,
                                  settings_.workload, {&evaluator_.device(), &peaks});
    std::vector<Trial> trials;
    for (const Measurement* measurement : chosen) {
      result_.finalists.push_back(*measurement);
      open_.emplace_back(0, next_trial_++, std::nullopt);
      trials.push_back(trial(open_.back().trial, measurement->configuration, Mode::final));
    }
    if (!trials.empty())
      evaluator_.submit(std::move(trials));
    while (answered() < chosen.size()) {
      if (give_up())
        return abandon_finals();
      receive();
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      result_.finals.push_back(std::move(*open_[i].answer));
      if (result_.finals.back().correct())
        take_over(result_.finals.back(), *chosen[i]);
    }
    open_.clear();
    settle_by(result_.finals);
  }

  TuningResult finish(const AskTellResult& asked) {
    result_.ended = asked.ended;
    result_.search_ms = asked.search_ms;
    result_.seconds = seconds();
    result_.evaluator = evaluator_.state();
    return std::move(result_);
  }

private:
  enum class Patience {
    waiting,
    less, ///< put off: others are asked in its place
    over  ///< given up
  };

  /// A question, until it is told.
  struct Question {
    Question(ConfigurationId of, TrialId as, std::optional<Measurement> known)
        : id(of), trial(as), answer(std::move(known)) {}

    ConfigurationId id;
    TrialId trial;
    std::optional<Measurement> answer;
    bool judged = true;
    Patience patience = Patience::waiting;
    std::uint64_t arrival = std::numeric_limits<std::uint64_t>::max(); ///< of the answer: its turn
  };

  static bool is_put_off(const Question& question) {
    return question.patience == Patience::less && !question.answer;
  }

  Trial trial(TrialId id, Configuration configuration, Mode mode) const {
    return {.id = id,
            .configuration = std::move(configuration),
            .mode = mode,
            .count = !late_counters_.later() || (mode != Mode::race && !settings_.is_part)};
  }

  void keep(Measurement measurement) {
    result_.measurements.push_back(std::move(measurement));
    late_counters_.see_newest();
  }

  void put_in(Order order) {
    if (order == Order::arrival)
      std::stable_sort(open_.begin(), open_.end(),
                       [](const Question& a, const Question& b) { return a.arrival < b.arrival; });
  }

  /// How many of the first questions have their answer.
  std::size_t answered() const {
    const auto first_open = std::find_if(open_.begin(), open_.end(),
                                         [](const Question& question) { return !question.answer; });
    return static_cast<std::size_t>(first_open - open_.begin());
  }

  /// Safe first, told later.
  void receive(std::chrono::milliseconds limit = 100ms) {
    std::vector<Evaluated> evaluated = evaluator_.collect(limit);
    std::erase_if(evaluated, [&](const Evaluated& one) { return late_counters_.take(one); });
    if (evaluated.empty())
      return;
    std::vector<Measurement> measurements;
    for (Evaluated& one : evaluated)
      if (one.judged) {
        if (!one.measurement.other_gpu)
          mark_failed_final(one.measurement);
        measurements.push_back(one.measurement);
      } else if (++result_.unjudged == 1)
        result_.unjudged_because = one.measurement.reason;
    if (!measurements.empty())
      records_.add(measurements);
    for (Evaluated& one : evaluated)
      answer(std::move(one));
  }

  /// All that is to be asked has been.
  bool asked_all() const {
    return are_last_ || begun_ >= std::min(now_.total + given_up_, space_.size());
  }

  /// What takes too long is put off, or given up.
  void look_after_compilations(Order order) {
    const EvaluatorState state = evaluator_.state();
    compilers_ = std::max(compilers_, state.compiling);
    const bool last = asked_all() && state.queued == 0;
    for (Question& question : open_) {
      const auto for_s = question.answer ? std::nullopt : evaluator_.compiling_s(question.trial);
      if (!for_s || question.patience == Patience::over)
        continue;
      const bool full = put_off() >= CompilePatience::most_put_off(compilers_);
      if (*for_s >= compile_patience_.give_up_after_s() ||
          (order == Order::arrival && full && *for_s >= compile_patience_.hopeless_after_s(last)))
        give_up(question);
      else if (order == Order::arrival && !full && question.patience == Patience::waiting &&
               *for_s >= compile_patience_.put_off_after_s(last))
        put_off(question);
    }
    if (order == Order::arrival && settings_.compile_timeout.adapts)
      give_up_slow(state);
  }

  /// It goes on, and others are asked.
  void put_off(Question& question) {
    question.patience = Patience::less;
    evaluator_.put_off(question.trial);
  }

  /// Once nothing is left to be asked and the device has nothing to do.
  void give_up_slow(const EvaluatorState& state) {
    if (!asked_all() || compiled_ == 0 || state.compiling == 0 ||
        state.queued + state.measuring > 0) {
      if (given_up_ == 0) // what is asked in place of those that were is waited for no longer
        idle_since_s_.reset();
      return;
    }
    if (!idle_since_s_)
      idle_since_s_ = seconds();
    const auto open = static_cast<std::size_t>(
        std::count_if(open_.begin(), open_.end(), [](const auto& one) { return !one.answer; }));
    if (seconds() - *idle_since_s_ <
        CompilePatience::wait_in_the_end_s(*idle_since_s_, compiled_, open))
      return;
    for (Question& question : open_)
      if (!question.answer && question.patience != Patience::over &&
          compile_patience_.is_unusual(evaluator_.compiling_s(question.trial).value_or(0)))
        give_up(question);
  }

  void give_up(Question& question) {
    question.patience = Patience::over;
    ++given_up_;
    evaluator_.give_up(question.trial); // its answer comes like any other
  }

  void answer(Evaluated evaluated) {
    hear_of(evaluated.measurement);
    const auto place = std::find_if(open_.begin(), open_.end(), [&](const Question& question) {
      return question.trial == evaluated.id;
    });
    if (place == open_.end())
      return;
    compiled_ += compile_given_up(evaluated.measurement) ? 0 : 1;
    compile_patience_.learn(evaluated.measurement.spent.compile_ms);
    place->answer = std::move(evaluated.measurement);
    place->judged = evaluated.judged;
    place->arrival = next_arrival_++;
  }

  /// A better best is what everybody else is raced against.
  void hear_of(const Measurement& measurement) {
    const auto time = summarise(measurement.times_ms);
    if (!settings_.objective.by_time || !measurement.correct() || measurement.pruned_early || !time)
      return;
    if (!to_beat_ms_ || time->high_ms < *to_beat_ms_) {
      to_beat_ms_ = time->high_ms;
      evaluator_.best_so_far(time->high_ms);
    }
  }

  void count(const Measurement& measurement) {
    hear_of(measurement); // one from the store has not been heard of
    now_.failed += measurement.correct() ? 0 : 1;
    now_.pruned_early += measurement.pruned_early ? 1 : 0;
    const auto cost = settings_.objective.cost(measurement, settings_.workload);
    if (cost && (!best_cost_ || *cost < *best_cost_)) {
      best_cost_ = cost;
      now_.best = settings_.objective.value(measurement, settings_.workload);
    }
  }

  void report() {
    if (!progress_)
      return;
    now_.done = result_.measurements.size() + result_.unjudged - given_up_told_;
    now_.reused = result_.reused;
    now_.seconds = seconds();
    const std::uint64_t fresh = now_.done - std::min(now_.done, now_.reused);
    if (fresh > 0 && !settings_.budget.open())
      now_.seconds_left =
          now_.seconds / static_cast<double>(fresh) * static_cast<double>(now_.total - now_.done);
    if (const auto most = settings_.budget.seconds)
      now_.seconds_left =
          std::min(now_.seconds_left.value_or(*most), std::max(0.0, *most - now_.seconds));
    now_.evaluator = evaluator_.state();
    progress_(now_);
  }

  /// What has failed by then has failed.
  void abandon_finals() {
    std::vector<Measurement> answers;
    for (Question& question : open_)
      if (question.answer)
        answers.push_back(std::move(*question.answer));
      else
        evaluator_.withdraw(question.trial);
    open_.clear();
    result_.finalists.clear();
    settle_by(answers);
  }

  /// Of a part whoever has the whole knows what came from the store.
  std::vector<Configuration> best_known() const {
    std::vector<Measurement> from_store;
    for (const Measurement& one : result_.measurements)
      if (!settings_.is_part &&
          std::find(known_.begin(), known_.end(), one.configuration) != known_.end())
        from_store.push_back(one);
    return drift_witnesses(std::move(from_store), settings_.objective, settings_.workload);
  }

  /// What is known of a finalist by its race.
  static void take_over(Measurement& final, const Measurement& raced) {
    final.counters.insert(raced.counters.begin(), raced.counters.end());
    if (final.counters.empty())
      final.uncounted_because = raced.uncounted_because;
    if (raced.compile_facts)
      final.compile_facts = raced.compile_facts;
  }

  /// Those that share a failed final's code are kept as failed too.
  void settle_by(const std::vector<Measurement>& finals) {
    const auto shared = settle(result_.measurements, finals);
    if (!shared.empty())
      records_.add(shared);
  }

  const SearchSpace& space_;
  Evaluator& evaluator_;
  const RecordKeeping& records_;
  const TuningSettings& settings_;
  const ProgressSink& progress_;
  SteadyClock clock_;
  double start_s_ = clock_.now_s();
  TrialId next_trial_ = 1;
  std::uint64_t next_arrival_ = 0;
  std::deque<Question> open_; ///< in the order in which they are told
  std::vector<Observation> told_;
  std::optional<double> best_cost_, to_beat_ms_;
  std::uint64_t begun_ = 0;  ///< questions
  std::size_t compiled_ = 0; ///< answers of what was compiled to its end, or was known
  bool are_last_ = false;
  CompilePatience compile_patience_;
  std::size_t compilers_ = 0; ///< most that were at work at once
  std::size_t given_up_ = 0, given_up_told_ = 0;
  std::optional<double> idle_since_s_; ///< all is asked, and the device waits for compilers
  std::vector<Configuration> known_;   ///< from the store
  Progress now_;
  TuningResult result_;
  LateCounters late_counters_;
  Hopeless hopeless_;
};

} // namespace

TuningResult tune(const SearchSpace& space, Strategy& strategy, Evaluator& evaluator,
                  const RecordKeeping& records, const TuningSettings& settings,
                  const ProgressSink& progress, std::stop_token stop) {
  const bool counters_at_once = strategy.wants_counters() || !settings.objective.by_time;
  Measuring measuring(space, evaluator, records, settings, counters_at_once, progress);
  StopRule rule(space);
  const AskTellLimits limits{.evaluations = measuring.total(),
                             .seconds = settings.budget.seconds,
                             .repeatable = settings.repeatable,
                             .rule = settings.budget.open() ? &rule : nullptr};
  AskTellResult asked = ask_and_tell(strategy, measuring, limits, measuring.clock(), stop);
  measuring.abandon();
  const double end_s = measuring.seconds();
  if (!settings.is_part)
    measuring.count_rest([&] {
      return stop.stop_requested() ||
             (asked.ended == Ended::out_of_time && measuring.seconds() > end_s + counting_after_s);
    });
  if (asked.ended == Ended::finished || asked.ended == Ended::unlikely)
    measuring.finals([&] {
      if (stop.stop_requested())
        asked.ended = Ended::stopped;
      else if (settings.budget.seconds && measuring.seconds() >= *settings.budget.seconds)
        asked.ended = Ended::out_of_time;
      return asked.ended == Ended::stopped || asked.ended == Ended::out_of_time;
    });
  TuningResult result = measuring.finish(asked);
  if (asked.ended == Ended::unlikely)
    result.chance_of_gain = rule.chance();
  return result;
}

Observation observation_of(ConfigurationId id, const Measurement& measurement,
                           const Objective& objective, const Workload& workload) {
  return {.id = id,
          .cost = objective.cost(measurement, workload),
          .facts = facts_of(measurement),
          .compile_ms = measurement.spent.compile_ms,
          // What shares another's measurement cost nothing, which says nothing of how long it runs.
          .run_ms = measurement.same_code_as.empty() ? std::optional(measurement.spent.gpu_ms)
                                                     : std::nullopt};
}

} // namespace gridsmith
