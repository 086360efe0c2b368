// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/loop/tuning.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/results/measurement/finals.hpp"
#include "gridsmith/results/measurement/front.hpp"
#include "gridsmith/tuner/loop/questions.hpp"
#include "gridsmith/tuner/loop/slow_compilations.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <utility>

namespace gridsmith {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_likely =
    64; // of several jobs; more than compilers finish until the next answer

std::vector<std::uint64_t> space_sizes(const std::vector<Job>& jobs) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(jobs.size());
  for (const Job& job : jobs)
    sizes.push_back(job.space.size());
  return sizes;
}

/// What shares another's result gets its counters too.
void add_to_finals(TuningResult& result) {
  for (Measurement& final : result.finals)
    for (const Measurement& raced : result.measurements)
      if (raced.configuration == final.configuration) {
        final.counters.insert(raced.counters.begin(), raced.counters.end());
        if (final.counters.empty() && raced.uncounted_because)
          final.uncounted_because = raced.uncounted_because;
      }
}

} // namespace

/// Answers by measuring; the state that the steps below share.
class Tuning::Impl final : public Answerer {
public:
  Impl(std::vector<Job> jobs, const TuningSettings& settings, const ProgressSink& progress,
       std::stop_token stop)
      : jobs_(std::move(jobs)), settings_(settings), progress_(progress), stop_(std::move(stop)),
        ids_(space_sizes(jobs_)), slow_(settings.compile_timeout) {
    for (const Job& job : jobs_)
      states_.emplace_back(job);
    now_.unit = raced_by(jobs_.front().objective).unit;
    if (settings.budget.evaluations || !several())
      now_.total = std::min(settings.budget.evaluations.value_or(ids_.size()), ids_.size());
  }

  double seconds() const { return clock_.now_s() - start_s_; }

  const TuningResult& result(std::size_t job) const { return states_[job].result; }

  std::uint64_t measured() const {
    std::uint64_t sum = 0;
    for (const JobState& state : states_)
      sum += state.result.measurements.size();
    return sum;
  }

  Ended search(Strategy& strategy, std::uint64_t evaluations, std::optional<double> until_s,
               StopRule* rule) {
    counters_at_once_ =
        strategy.wants_counters() || std::any_of(jobs_.begin(), jobs_.end(), [](const Job& job) {
          return !raced_by(job.objective).by_time || job.against;
        });
    open_first();
    evaluations_ = std::min(evaluations, ids_.size());
    begun_ = 0;
    slow_.begin();
    are_last_ = false;
    if (until_s)
      *until_s -= seconds();
    const AskTellLimits limits{.evaluations = evaluations_,
                               .seconds = until_s,
                               .repeatable = settings_.repeatable,
                               .most_open = settings_.most_open,
                               .rule = rule};
    const AskTellResult asked = ask_and_tell(strategy, *this, limits, clock_, stop_);
    for (JobState& state : states_)
      state.result.search_ms += asked.search_ms;
    abandon();
    return asked.ended;
  }

  std::size_t depth() const override { return std::max<std::size_t>(1, most(&Evaluator::depth)); }

  /// Of several jobs a round, which has its answers sooner the more of it is under way.
  std::size_t useful() const override {
    return several() ? depth() : std::max<std::size_t>(1, most(&Evaluator::useful));
  }

  std::size_t put_off() const override { return count_put_off(open_); }

  void are_last(bool last) override { are_last_ = last; }

  std::size_t given_up() const override { return slow_.given_up(); }

  void begin(std::span<const ConfigurationId> ids) override {
    std::map<JobState*, std::vector<Trial>> trials;
    begun_ += ids.size();
    for (const ConfigurationId id : ids) {
      const JobConfiguration where = ids_.apart(id);
      JobState& state = states_[where.job];
      Question& question = open_.emplace_back(state, id, next_trial_++);
      guarded(state, [&] {
        open(state);
        if (state.lost)
          return lose_question(question);
        const Configuration configuration = state.job.space.at(where.id);
        if (const auto& known = stored(state, where.id)) {
          ++state.result.reused;
          take_answer(question, *known);
        } else {
          trials[&state].push_back(trial(state, question.trial, configuration, Mode::race));
        }
      });
    }
    for (JobState& state : states_)
      if (const auto some = trials.find(&state); some != trials.end() && state.open)
        guarded(state, [&] { state.open->evaluator.submit(std::move(some->second)); });
  }

  /// Several jobs have many questions whose code is the same: compilers that have nothing to do say more than these.
  std::size_t ahead(std::size_t open) const override {
    if (!several())
      return Answerer::ahead(open);
    return most(&Evaluator::spare_compilers) > 0 ? most_likely : 0;
  }

  void expect(std::span<const ConfigurationId> ids) override {
    likely_.assign(ids.begin(), ids.end());
    compile_likely();
  }

  std::span<const Observation> take(std::size_t least, Order order,
                                    const GiveUp& give_up) override {
    put_in(order);
    const std::size_t put_off_before = put_off();
    while (answered() < least && !give_up() &&
           (order == Order::asked || put_off() <= put_off_before)) {
      receive();
      compile_likely();
      slow_.look_after(open_, state(), order, seconds(), [this] { return asked_all(); });
      put_in(order);
      report();
    }
    told_.clear();
    std::vector<std::size_t> before;
    before.reserve(states_.size());
    for (const JobState& state : states_)
      before.push_back(state.result.measurements.size());
    for (; !open_.empty() && open_.front().answer; open_.pop_front())
      tell(open_.front());
    for (JobState& state : states_)
      if (!several() && state.open && state.late_counters->enough())
        guarded(state, [&] { state.late_counters->ask(next_trial_); });
    report_news(before);
    return told_;
  }

  /// Once no race follows: counters of one job, before its finals.
  void count_races(const GiveUp& give_up) {
    for (JobState& state : states_)
      if (state.open && state.job.counts_last && !give_up())
        guarded(state, [&] { state.late_counters->ask(next_trial_); });
    const auto asked = [&] {
      return std::any_of(states_.begin(), states_.end(), [](const JobState& state) {
        return state.open && state.late_counters->open();
      });
    };
    while (asked() && !give_up())
      receive();
    for (JobState& state : states_)
      if (state.open)
        state.late_counters->withdraw();
  }

  void count_last(const GiveUp& give_up) {
    if (settings_.finals_count_more)
      count_winners(give_up);
    count_races(give_up);
    for (JobState& state : states_)
      add_to_finals(state.result);
  }

  void also_in_finals(std::size_t job, Configuration configuration) {
    jobs_[job].finals.always.push_back(std::move(configuration));
  }

  /// The best ones again, interleaved, so that drift hits all of a job alike.
  Ended finals() {
    Ended ended = Ended::finished;
    const GiveUp give_up = [&] {
      if (stop_.stop_requested())
        ended = Ended::stopped;
      else if (settings_.budget.seconds && seconds() >= *settings_.budget.seconds)
        ended = Ended::out_of_time;
      return ended != Ended::finished;
    };
    for (JobState& state : states_)
      if (state.open && state.result.finals.empty())
        guarded(state, [&] { begin_finals(state); });
    while (answered() < open_.size() && !give_up())
      receive();
    for (JobState& state : states_)
      if (state.result.finals.empty())
        end_finals(state);
    open_.clear();
    return ended;
  }

  TuningResult take(std::size_t job, Ended ended) {
    JobState& state = states_[job];
    state.result.ended = ended;
    state.result.seconds = seconds();
    if (state.open)
      state.result.evaluator = state.open->evaluator.state();
    return state.result;
  }

private:
  bool several() const { return jobs_.size() > 1; }

  /// The most of all jobs, which share compilers and GPUs. @pre one was opened
  std::size_t most(std::size_t (Evaluator::*worth)() const) const {
    std::size_t most = 0;
    for (const JobState& state : states_)
      if (state.open)
        most = std::max(most, (state.open->evaluator.*worth)());
    return most;
  }

  /// So that it is known how many questions are worth having open.
  void open_first() {
    for (JobState& state : states_) {
      guarded(state, [&] { open(state); });
      if (state.open)
        return;
    }
  }

  /// Of several jobs whenever a compiler is spare, as none is while the first ones start.
  void compile_likely() {
    for (; !likely_.empty(); likely_.pop_front()) {
      if (several() && most(&Evaluator::spare_compilers) == 0)
        return;
      const JobConfiguration where = ids_.apart(likely_.front());
      JobState& state = states_[where.job];
      if (state.open && !stored(state, where.id))
        compile_ahead(state, {state.job.space.at(where.id)});
    }
  }

  void compile_ahead(JobState& state, const std::vector<Configuration>& likely) {
    guarded(state, [&] { state.open->evaluator.compile_ahead(likely); });
  }

  void open(JobState& state) {
    if (state.open || state.lost)
      return;
    state.open.emplace(state.job.open());
    Evaluator& evaluator = state.open->evaluator;
    state.late_counters.emplace(evaluator, state.open->records, state.result.measurements,
                                evaluator.counts_later() && !counters_at_once_);
  }

  /// What one job cannot do is no end of the others.
  template <typename Work>
  void guarded(JobState& state, const Work& work) {
    if (!settings_.failed)
      return work();
    try {
      work();
    } catch (const Error& error) {
      lose(state, error);
    }
  }

  void lose(JobState& state, const Error& error) {
    state.lost = true;
    if (state.open)
      state.result.evaluator = state.open->evaluator.state();
    state.late_counters.reset();
    state.open.reset();
    for (Question& question : open_)
      if (question.state == &state && !question.answer)
        lose_question(question);
    state.winner = nullptr;
    const auto job = static_cast<std::size_t>(&state.job - jobs_.data());
    settings_.failed(job, error);
  }

  /// For its strategy, which asks nothing more of the job.
  void lose_question(Question& question) {
    Evaluated nothing;
    nothing.measurement.status = Status::runtime;
    nothing.judged = false;
    take_answer(question, std::move(nothing));
  }

  /// Looked up once.
  const std::optional<Measurement>& stored(JobState& state, ConfigurationId id) {
    const auto [entry, fresh] = state.stored.try_emplace(id);
    if (fresh)
      entry->second = state.open->records.find(state.job.space.at(id));
    return entry->second;
  }

  void take_answer(Question& question, Measurement answer) {
    question.answer = std::move(answer);
    question.arrival = next_arrival_++;
  }

  void take_answer(Question& question, Evaluated evaluated) {
    question.judged = evaluated.judged;
    take_answer(question, std::move(evaluated.measurement));
  }

  void tell(Question& question) {
    JobState& state = *question.state;
    Measurement& measurement = *question.answer;
    told_.push_back(observation_of(question.id, measurement, state.objective, state.job.workload));
    if (state.job.against)
      told_.back().second_cost = state.job.against->cost(measurement, state.job.workload);
    count(state, measurement);
    given_up_told_ += compile_given_up(measurement) ? 1 : 0;
    if (!question.judged)
      return;
    state.hopeless.see(measurement);
    if (const auto verdict = state.hopeless.verdict())
      guarded(state, [&] { throw InputError(*verdict); });
    keep(state, std::move(measurement));
  }

  /// What was measured is kept, though the order of the answers is lost; the rest is withdrawn, and
  /// nobody compiles any more.
  void abandon() {
    for (Question& question : open_)
      if (question.is_put_off() && question.evaluator().compiling_s(question.trial))
        slow_.give_up(question);
    receive(0ms);
    for (Question& question : open_) {
      if (question.answer && question.judged)
        keep(*question.state, std::move(*question.answer));
      else if (!question.answer)
        question.evaluator().withdraw(question.trial);
    }
    open_.clear();
    likely_.clear();
    for (JobState& state : states_)
      if (state.open)
        compile_ahead(state, {});
  }

  void begin_finals(JobState& state) {
    Evaluator& evaluator = state.open->evaluator;
    const Peaks peaks = evaluator.peaks();
    FinalsRules rules = state.job.finals;
    for (const Configuration& one : best_known(state))
      rules.always.push_back(one);
    for (const FrontPoint& one : raced_front(state))
      rules.always.push_back(one.measurement->configuration);
    std::vector<Trial> trials;
    for (const Measurement* measurement :
         finalists(state.result.measurements, rules, state.objective, state.job.workload,
                   {&evaluator.device(), &peaks})) {
      state.result.finalists.push_back(*measurement);
      open_.emplace_back(state, 0, next_trial_++);
      trials.push_back(trial(state, open_.back().trial, measurement->configuration, Mode::final));
    }
    if (!trials.empty())
      evaluator.submit(std::move(trials));
  }

  /// As far as races tell.
  static std::vector<FrontPoint> raced_front(const JobState& state) {
    if (!state.job.against || state.job.against->in_finals)
      return {};
    return front_of(state.result.measurements, state.objective, *state.job.against,
                    state.job.workload);
  }

  /// Those that it has whole. Of what was given up, what has failed by then has failed.
  void end_finals(JobState& state) {
    TuningResult& result = state.result;
    std::vector<Measurement> answers;
    for (Question& question : open_)
      if (question.state == &state && question.answer && !state.lost)
        answers.push_back(std::move(*question.answer));
      else if (question.state == &state && !question.answer)
        question.evaluator().withdraw(question.trial);
    if (answers.size() < result.finalists.size()) {
      result.finalists.clear();
      return settle_by(state, answers);
    }
    for (std::size_t i = 0; i < answers.size(); ++i)
      if (answers[i].correct())
        take_over(answers[i], result.finalists[i]);
    result.finals = std::move(answers);
    settle_by(state, result.finals);
  }

  /// As many more counters of each job's best as finals have.
  void count_winners(const GiveUp& give_up) {
    for (JobState& state : states_)
      if (state.open && state.job.counts_last && state.open->evaluator.counts_later() &&
          !counters_at_once_ && !give_up())
        guarded(state, [&] { count_winner(state); });
    const auto waits = [](const JobState& state) { return state.winner != nullptr; };
    while (std::any_of(states_.begin(), states_.end(), waits) && !give_up())
      receive();
    for (JobState& state : states_)
      if (std::exchange(state.winner, nullptr) && state.open)
        state.open->evaluator.withdraw(state.winner_trial);
  }

  void count_winner(JobState& state) {
    const auto ranking = rank(state.result.finals, state.job.objective, state.job.workload);
    if (ranking.empty())
      return;
    const Configuration& best = ranking.front().measurement.configuration;
    state.winner =
        &*std::find_if(state.result.finals.begin(), state.result.finals.end(),
                       [&](const Measurement& one) { return one.configuration == best; });
    state.winner_trial = next_trial_++;
    Trial one = trial(state, state.winner_trial, best, Mode::final);
    one.count = one.time = false;
    state.open->evaluator.submit({std::move(one)});
  }

  bool take_winner(const Evaluated& evaluated) {
    const auto state = std::find_if(states_.begin(), states_.end(), [&](const JobState& one) {
      return one.winner && one.winner_trial == evaluated.id;
    });
    if (state == states_.end())
      return false;
    Measurement* const winner = std::exchange(state->winner, nullptr);
    const Measurement& counted = evaluated.measurement;
    for (const auto& [name, value] : counted.counters)
      winner->counters.insert_or_assign(name, value);
    if (winner->counters.empty())
      winner->uncounted_because =
          counted.correct() ? counted.uncounted_because : std::optional(counted.reason);
    if (!counted.counters.empty() && state->open->records.add_counters)
      state->open->records.add_counters(*winner);
    return true;
  }

  /// Where several jobs leave their counters to the end, finals leave them too.
  Trial trial(const JobState& state, TrialId id, Configuration configuration, Mode mode) const {
    return {.id = id,
            .configuration = std::move(configuration),
            .mode = mode,
            .count = !state.late_counters->later() || (mode != Mode::race && !several())};
  }

  void keep(JobState& state, Measurement measurement) {
    state.result.measurements.push_back(std::move(measurement));
    if (state.late_counters)
      state.late_counters->see_newest();
  }

  void put_in(Order order) {
    const auto earlier = [](const Question& a, const Question& b) { return a.arrival < b.arrival; };
    if (order == Order::arrival && !std::is_sorted(open_.begin(), open_.end(), earlier))
      std::stable_sort(open_.begin(), open_.end(), earlier);
  }

  /// How many of the first questions have their answer.
  std::size_t answered() const {
    const auto first_open = std::find_if(open_.begin(), open_.end(),
                                         [](const Question& question) { return !question.answer; });
    return static_cast<std::size_t>(first_open - open_.begin());
  }

  /// Of all jobs; one alone waits by itself.
  void receive(std::chrono::milliseconds limit = 100ms) {
    if (!several())
      return static_cast<void>(receive_of(states_.front(), limit));
    bool any = false;
    for (int pass = 0; pass < 2 && !any; ++pass) {
      if (pass > 0 && settings_.wait)
        settings_.wait(limit);
      for (JobState& state : states_)
        any = receive_of(state, 0ms) || any;
    }
  }

  /// Safe first, told later.
  bool receive_of(JobState& state, std::chrono::milliseconds limit) {
    std::vector<Evaluated> evaluated;
    if (state.open)
      guarded(state, [&] { evaluated = state.open->evaluator.collect(limit); });
    const bool any = !evaluated.empty();
    std::erase_if(evaluated, [&](const Evaluated& one) {
      return state.late_counters->take(one) || take_winner(one);
    });
    std::vector<Measurement> measurements;
    for (Evaluated& one : evaluated)
      if (one.judged) {
        if (!one.measurement.other_gpu)
          mark_failed_final(one.measurement);
        measurements.push_back(std::move(one.measurement));
      } else if (++state.result.unjudged == 1)
        state.result.unjudged_because = one.measurement.reason;
    if (!measurements.empty())
      state.open->records.add(measurements);
    auto kept = measurements.begin();
    for (Evaluated& one : evaluated) {
      if (one.judged)
        one.measurement = std::move(*kept++);
      answer(state, std::move(one));
    }
    return any;
  }

  /// All that is to be asked has been.
  bool asked_all() const {
    return are_last_ || begun_ >= std::min(evaluations_ + slow_.given_up(), ids_.size());
  }

  /// Compilers and GPUs are those of all.
  EvaluatorState state() const {
    std::optional<EvaluatorState> all;
    for (const JobState& state : states_) {
      if (!state.open)
        continue;
      const EvaluatorState one = state.open->evaluator.state();
      if (!all) {
        all = one;
        continue;
      }
      const EvaluatorState before = *all;
      add(*all, one);
      all->compiling = std::max(before.compiling, one.compiling);
      all->queued = std::max(before.queued, one.queued);
      all->measuring = std::max(before.measuring, one.measuring);
    }
    return all.value_or(EvaluatorState{});
  }

  void answer(JobState& state, Evaluated evaluated) {
    hear_of(state, evaluated.measurement);
    const auto place = std::find_if(open_.begin(), open_.end(), [&](const Question& question) {
      return question.trial == evaluated.id;
    });
    if (place == open_.end())
      return;
    slow_.learn(evaluated.measurement);
    take_answer(*place, std::move(evaluated));
  }

  /// A better best is what everybody else is raced against.
  void hear_of(JobState& state, const Measurement& measurement) {
    const auto time = summarise(measurement.times_ms);
    if (!state.objective.by_time || state.job.against || !measurement.correct() ||
        measurement.pruned_early || !time)
      return;
    if (!state.to_beat_ms || time->high_ms < *state.to_beat_ms) {
      state.to_beat_ms = time->high_ms;
      if (state.open)
        state.open->evaluator.best_so_far(time->high_ms);
    }
  }

  void count(JobState& state, const Measurement& measurement) {
    hear_of(state, measurement); // one from the store has not been heard of
    now_.failed += measurement.correct() ? 0 : 1;
    now_.pruned_early += measurement.pruned_early ? 1 : 0;
    const auto cost = state.objective.cost(measurement, state.job.workload);
    if (cost && (!state.best_cost || *cost < *state.best_cost)) {
      state.best_cost = cost;
      state.best = state.objective.value(measurement, state.job.workload);
    }
  }

  /// @param before how many results each job had
  void report_news(const std::vector<std::size_t>& before) {
    for (std::size_t job = 0; job < states_.size(); ++job) {
      const auto& all = states_[job].result.measurements;
      if (all.size() == before[job] && several())
        continue;
      now_.best = states_[job].best;
      if (several())
        now_.subject = job;
      now_.told = std::span(all).subspan(before[job]);
      report();
      now_.told = {};
    }
  }

  void report() {
    if (!progress_)
      return;
    now_.done = 0;
    now_.reused = 0;
    for (const JobState& one : states_) {
      now_.done += one.result.measurements.size() + one.result.unjudged;
      now_.reused += one.result.reused;
    }
    now_.done -= given_up_told_;
    now_.total = std::max(now_.total, now_.done);
    now_.seconds = seconds();
    const std::uint64_t fresh = now_.done - std::min(now_.done, now_.reused);
    if (fresh > 0 && !settings_.budget.open())
      now_.seconds_left =
          now_.seconds / static_cast<double>(fresh) * static_cast<double>(now_.total - now_.done);
    if (const auto most = settings_.budget.seconds)
      now_.seconds_left =
          std::min(now_.seconds_left.value_or(*most), std::max(0.0, *most - now_.seconds));
    now_.evaluator = state();
    progress_(now_);
  }

  /// Of whether the board is as fast as the store remembers.
  std::vector<Configuration> best_known(const JobState& state) const {
    std::vector<Measurement> from_store;
    for (const Measurement& one : state.result.measurements) {
      const auto id = state.job.space.find(one.configuration);
      const auto looked_up = id ? state.stored.find(*id) : state.stored.end();
      if (looked_up != state.stored.end() && looked_up->second)
        from_store.push_back(one);
    }
    return drift_witnesses(std::move(from_store), state.objective, state.job.workload);
  }

  /// What is known of a finalist by its race.
  static void take_over(Measurement& final, const Measurement& raced) {
    final.counters.insert(raced.counters.begin(), raced.counters.end());
    if (final.counters.empty() && raced.uncounted_because)
      final.uncounted_because = raced.uncounted_because;
    if (raced.compile_facts)
      final.compile_facts = raced.compile_facts;
  }

  /// Those that share a failed final's code are kept as failed too.
  static void settle_by(JobState& state, const std::vector<Measurement>& finals) {
    const auto shared = settle(state.result.measurements, finals);
    if (!shared.empty() && state.open)
      state.open->records.add(shared);
  }

  std::vector<Job> jobs_;
  const TuningSettings& settings_;
  const ProgressSink progress_;
  std::stop_token stop_;
  JointIds ids_;
  std::deque<JobState> states_; ///< of each job; they stay where they were made
  SteadyClock of_the_day_;
  const Clock& clock_ = settings_.clock ? *settings_.clock : of_the_day_;
  double start_s_ = clock_.now_s();
  bool counters_at_once_ = false;
  TrialId next_trial_ = 1;
  std::uint64_t next_arrival_ = 0;
  Questions open_;
  std::vector<Observation> told_;
  std::deque<ConfigurationId> likely_;        ///< to be compiled ahead, the likeliest first
  std::uint64_t evaluations_ = 0, begun_ = 0; ///< of this search: at most, and questions
  bool are_last_ = false;
  SlowCompilations slow_;
  std::size_t given_up_told_ = 0;
  Progress now_;
};

Tuning::Tuning(std::vector<Job> jobs, const TuningSettings& settings, const ProgressSink& progress,
               std::stop_token stop)
    : impl_(std::make_unique<Impl>(std::move(jobs), settings, progress, std::move(stop))) {
}

Tuning::~Tuning() = default;

Ended Tuning::search(Strategy& strategy, std::uint64_t evaluations, std::optional<double> seconds,
                     StopRule* rule) {
  return impl_->search(strategy, evaluations, seconds, rule);
}

void Tuning::also_in_finals(std::size_t job, Configuration configuration) {
  impl_->also_in_finals(job, std::move(configuration));
}

Ended Tuning::finals() {
  return impl_->finals();
}

void Tuning::count_races(const GiveUp& give_up) {
  impl_->count_races(give_up);
}

void Tuning::count_last(const GiveUp& give_up) {
  impl_->count_last(give_up);
}

std::uint64_t Tuning::measured() const {
  return impl_->measured();
}

double Tuning::seconds() const {
  return impl_->seconds();
}

const TuningResult& Tuning::result(std::size_t job) const {
  return impl_->result(job);
}

TuningResult Tuning::take(std::size_t job, Ended ended) {
  return impl_->take(job, ended);
}

TuningResult tune(const Job& job, Strategy& strategy, const TuningSettings& settings,
                  const ProgressSink& progress, std::stop_token stop) {
  Tuning tuning({job}, settings, progress, stop);
  StopRule rule(job.space, job.against.has_value());
  Ended ended = tuning.search(strategy, settings.budget.evaluations.value_or(job.space.size()),
                              settings.budget.seconds, settings.budget.open() ? &rule : nullptr);
  const double end_s = tuning.seconds();
  tuning.count_races([&] {
    return stop.stop_requested() ||
           (ended == Ended::out_of_time && tuning.seconds() > end_s + counting_after_s);
  });
  const bool unlikely = ended == Ended::unlikely;
  if (unlikely || ended == Ended::finished)
    if (const Ended finals = tuning.finals(); finals != Ended::finished)
      ended = finals;
  TuningResult result = tuning.take(0, ended);
  if (unlikely)
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
