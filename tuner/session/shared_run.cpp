// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/shared_run.hpp"

#include "gridsmith/kernels/definition/drawn_sizes.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/results/measurement/finals.hpp"
#include "gridsmith/results/selection/size_table.hpp"
#include "gridsmith/search/campaign/campaigns.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/gpu/no_such_device.hpp"
#include "gridsmith/tuner/loop/late_counters.hpp"
#include "gridsmith/tuner/processes/compiler_pool.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"
#include "gridsmith/tuner/session/header_gaps.hpp"
#include "gridsmith/tuner/session/launch_load.hpp"
#include "gridsmith/tuner/session/session_job.hpp"
#include "gridsmith/tuner/session/traced_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <utility>

namespace gridsmith {
namespace {

constexpr double kept_for_finals = 0.2; // of the seconds that are allowed
constexpr std::uint64_t most_exhaustive =
    10'000'000;                      // configurations of a size: a list of all of them is held
constexpr std::size_t looked_at = 3; // for each size that may be added
constexpr double apart = 0.5;        // doublings between two that are added
constexpr double certain = 0.02;     // a choice that is said to lose less needs no other size

bool same_parameters(const SearchSpace& a, const SearchSpace& b) {
  return std::equal(a.parameters().begin(), a.parameters().end(), b.parameters().begin(),
                    b.parameters().end(), [](const Parameter& left, const Parameter& right) {
                      return left.name == right.name && left.values == right.values;
                    });
}

/// Why a problem is one of a run.
enum class Why {
  asked,
  added, ///< where the choice was least certain; until then it may be
  drawn, ///< to see what is lost there
};

/// A problem; stays where it was made.
struct Place {
  Place(const RunKernel& kernel, const RunJob& wanted, Why its_why, const Listener& listener,
        const std::stop_token& token)
      : job(kernel.settings, kernel.definition.get(), wanted.problem, wanted.source, listener,
            token),
        why(its_why) {
    if (why != Why::asked)
      job.was_not_asked_for(why == Why::drawn);
    for (const Configuration& one : wanted.begin_with)
      if (const auto id = job.space().find(one); id && first.size() < wanted.most)
        first.push_back(*id);
  }

  /// Refers to this object.
  CampaignProblem problem(bool exhaustive) const {
    const KernelInstance& instance = job.instance();
    const SearchSpace& space = job.space();
    std::vector<ConfigurationId> seeds = first_guesses(instance, space, 1);
    seeds.insert(seeds.end(), first.begin(), first.end());
    if (const std::set<ConfigurationId> known(seeds.begin(), seeds.end()); exhaustive)
      for (ConfigurationId id = 0; id < space.size(); ++id)
        if (!known.contains(id))
          seeds.push_back(id);
    return {.space = &space,
            .extents = instance.problem.extents,
            .seeds = std::move(seeds),
            .load = [&](ConfigurationId id) { return launch_load(instance, space.at(id)); },
            .later = why != Why::asked};
  }

  /// The definition's default, and what it began with, are measured again.
  FinalsRules finals(FinalsRules rules) const {
    if (const auto usual = default_configuration(job.instance(), job.space()))
      rules.always.push_back(job.space().at(*usual));
    for (const ConfigurationId id : first)
      rules.always.push_back(job.space().at(id));
    return rules;
  }

  SessionJob job;
  Why why;
  std::vector<ConfigurationId> first = {}; ///< of what it was to begin with
  std::size_t number = 0;                  ///< its number in the tuning
};

/// A kernel in its course; stays where it was made.
struct Member {
  explicit Member(RunKernel& of) : kernel(of) {}

  RunKernel& kernel;
  std::deque<RunJob> drawn = {};           ///< of all that were not asked for
  std::deque<Place> places = {};           ///< those asked for, that may be added, drawn
  std::unique_ptr<CampaignPlan> plan = {}; ///< none: it cannot be measured
};

class SharedRun {
public:
  SharedRun(std::vector<RunKernel>& kernels, const RunRules& rules, const Listener& listener,
            const std::stop_token& stop)
      : rules_(rules), listener_(listener), stop_(stop) {
    for (RunKernel& kernel : kernels) {
      Member& member = members_.emplace_back(kernel);
      if (!rules_.others_go_on)
        open(member);
      else
        guarded(member, [&] { open(member); });
    }
  }

  /// @return whether the seconds were over before the end
  bool run() {
    bool out_of_time = false;
    if (std::any_of(members_.begin(), members_.end(),
                    [](const Member& one) { return bool(one.plan); })) {
      begin();
      bool had_gpu = true;
      try {
        search();
      } catch (const StoppedWaiting&) {
        had_gpu = false;
      }
      out_of_time = seconds_left().value_or(1) <= 0;
      if (had_gpu)
        count();
    }
    for (Member& member : members_)
      end(member, out_of_time);
    return out_of_time;
  }

private:
  /// What one kernel cannot do is no end of the others.
  template <typename Work>
  void guarded(Member& member, const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      fail(member, error);
    }
  }

  /// @throws what ends all of them. @pre in a handler
  void fail(Member& member, const Error& error) {
    const auto* refused = dynamic_cast<const WorkerRefused*>(&error);
    if ((refused && refused->no_device()) || dynamic_cast<const NoSuchDevice*>(&error) ||
        dynamic_cast<const StoreError*>(&error))
      throw;
    if (!stop_.stop_requested())
      member.kernel.failed = error.what();
  }

  /// Builds the search spaces.
  void open(Member& member) {
    std::vector<CampaignProblem> problems;
    const SessionSettings& settings = member.kernel.settings;
    const bool exhaustive = settings.strategy == "exhaustive";
    for (const RunJob& wanted : member.kernel.jobs)
      member.places.emplace_back(member.kernel, wanted, Why::asked, listener_, stop_);
    draw(member, Why::added, looked_at * settings.add);
    draw(member, Why::drawn, settings.calibrate);
    for (const Place& place : member.places) {
      if (exhaustive && place.job.space().size() > most_exhaustive)
        throw InputError(fmt::format("{} {} has {} configurations; all of several sizes are tried "
                                     "where each has at most {}",
                                     member.kernel.definition->name,
                                     to_text(place.job.instance().problem),
                                     place.job.space().size(), most_exhaustive));
      problems.push_back(place.problem(exhaustive));
      if (!same_parameters(*problems.back().space, *problems.front().space))
        throw InputError("the recordings of these sizes have different parameters; tune each by "
                         "itself with --size");
      if (const std::size_t i = problems.size() - 1; i < settings.weights.size())
        problems.back().weight = settings.weights[i];
    }
    if (problems.empty())
      return;
    member.plan = std::make_unique<CampaignPlan>(
        std::move(problems),
        CampaignSettings{.seed = settings.seed,
                         .across = *settings.across,
                         .evaluations = rules_.budget.evaluations,
                         .first_round_alone = rules_.first_round_alone || exhaustive,
                         .missing = [this, &member] { return missing(member); }});
  }

  /// Problems that were not asked for and that have a search space, on the same device; each once.
  void draw(Member& member, Why why, std::size_t count) {
    const auto& jobs = member.kernel.jobs;
    if (count == 0 || jobs.empty() || !jobs.front().source.can.other_problems)
      return;
    std::vector<std::vector<std::int64_t>> asked;
    asked.reserve(jobs.size());
    for (const RunJob& wanted : jobs)
      asked.push_back(wanted.problem.extents);
    // Other ones are looked at than are drawn to judge them.
    const std::uint64_t seed = member.kernel.settings.seed + (why == Why::added ? 1'000'003 : 0);
    drawn_sizes(asked, count, seed, [&](const std::vector<std::int64_t>& extents) {
      if (std::any_of(member.drawn.begin(), member.drawn.end(),
                      [&](const RunJob& one) { return one.problem.extents == extents; }))
        return false;
      const RunJob& wanted = member.drawn.emplace_back(RunJob{{extents}, jobs.front().source});
      try {
        member.places.emplace_back(member.kernel, wanted, why, listener_, stop_);
        return true;
      } catch (const InputError&) { // no size of this kernel
        member.drawn.pop_back();
        return false;
      }
    });
  }

  void begin() {
    std::vector<Job> jobs;
    std::vector<CampaignPlan*> plans;
    for (Member& member : members_) {
      if (!member.plan)
        continue;
      plans.push_back(member.plan.get());
      at_work_.push_back(&member);
      for (Place& place : member.places) {
        place.number = jobs.size();
        jobs.push_back(place.job.in_loop(place.finals(member.kernel.settings.finals), stop_));
        jobs.back().counts_last = place.why != Why::drawn; // they are only timed
        member_of_job_.push_back(plans.size() - 1);
      }
    }
    const SessionSettings& settings = at_work_.front()->kernel.settings;
    const Source& source = at_work_.front()->kernel.jobs.front().source;
    const std::string& counters = settings.conditions.counter_set;
    const std::size_t compilers = compiler_settings(settings.helpers).processes;
    settings_.budget = rules_.budget;
    settings_.repeatable = settings.repeatable || source.can.same_again;
    settings_.compile_timeout = settings.compile_timeout;
    settings_.finals_count_more = counters_of_finals(counters) != counters;
    settings_.wait = [from = source.back_end](std::chrono::milliseconds limit) {
      from->wait(limit);
    };
    const bool some_drawn = std::any_of(members_.begin(), members_.end(),
                                        [](const Member& one) { return !one.drawn.empty(); });
    if (rules_.others_go_on || some_drawn)
      settings_.failed = [this](std::size_t job, const Error& error) { lose(job, error); };
    campaigns_.emplace(plans, CampaignsSettings{.compilers = compilers,
                                                .by_time = rules_.budget.seconds.has_value(),
                                                .whole_rounds = settings_.repeatable});
    tuning_.emplace(std::move(jobs), settings_, listener_.progress, stop_);
  }

  void search() {
    TracedStrategy strategy(*campaigns_, listener_.span);
    const auto most = rules_.budget.evaluations;
    std::optional<double> until;
    if (rules_.budget.seconds)
      until = (1 - kept_for_finals) * *rules_.budget.seconds;
    tuning_->search(strategy, most.value_or(~std::uint64_t{0}), until);
    if (stop_.stop_requested() || !rules_.finals)
      return;
    const Ended ended = tuning_->finals();
    tell_failed_finals();
    if (ended != Ended::finished || rules_.first_round_alone)
      return;
    campaigns_->finals_over();
    const std::uint64_t measured = tuning_->measured();
    tuning_->search(strategy, most ? *most - std::min(*most, measured) : ~std::uint64_t{0},
                    rules_.budget.seconds);
    continue_with(strategy, Why::added);
    continue_with(strategy, Why::drawn); // what a header loses
  }

  /// Further problems of each kernel take their course, in what is left of the seconds.
  void continue_with(Strategy& strategy, Why why) {
    if (stop_.stop_requested() || seconds_left().value_or(1) <= 0)
      return;
    bool any = false;
    for (Member* member : at_work_)
      any = begin_further(*member, why) || any;
    if (!any)
      return;
    std::optional<double> until = rules_.budget.seconds;
    if (until)
      *until -= kept_for_finals * *seconds_left();
    tuning_->search(strategy, ~std::uint64_t{0}, until);
    if (stop_.stop_requested() || tuning_->finals() != Ended::finished)
      return;
    tell_failed_finals();
    campaigns_->finals_over();
    tuning_->search(strategy, ~std::uint64_t{0}, rules_.budget.seconds);
  }

  /// Each begins with all that a header of what is known would ship, and measures again what would be chosen.
  bool begin_further(Member& member, Why why) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < member.places.size(); ++i)
      if (member.places[i].why == why)
        places.push_back(i);
    if (places.empty())
      return false;
    const auto set =
        header_set(reached_of(member).recordings, *member.kernel.definition, objective_of(member));
    if (!set)
      return false;
    if (why == Why::added)
      places = doubtful(member, *set, places);
    std::vector<std::vector<ConfigurationId>> first(member.places.size());
    for (const std::size_t i : places) {
      const Place& place = member.places[i];
      for (const SelectedConfiguration& one : set->configurations)
        if (const auto id = place.job.space().find(one.of.configuration))
          first[i].push_back(*id);
      if (auto choice =
              header_choice(*set, *member.kernel.definition, place.job.instance().problem))
        tuning_->also_in_finals(place.number, *std::move(choice));
    }
    if (!places.empty())
      member.plan->continue_with(places, first);
    return !places.empty();
  }

  /// Those where the choice within what would be shipped is least certain, not near each other.
  static std::vector<std::size_t> doubtful(const Member& member, const Selection& set,
                                           const std::vector<std::size_t>& places) {
    const auto problem = [&](std::size_t place) -> const ProblemSize& {
      return member.places[place].job.instance().problem;
    };
    std::vector<std::pair<double, std::size_t>> ranked; // least certain first
    for (const std::size_t i : places)
      if (const double doubt = header_doubt(set, *member.kernel.definition, problem(i));
          doubt > certain)
        ranked.emplace_back(-doubt, i);
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::size_t> chosen;
    for (const auto& [less, i] : ranked)
      if (chosen.size() < member.kernel.settings.add &&
          std::none_of(chosen.begin(), chosen.end(), [&](std::size_t other) {
            return doublings(problem(i), problem(other)) < apart;
          }))
        chosen.push_back(i);
    return chosen;
  }

  /// What has failed in its final: the plans knew it as correct.
  void tell_failed_finals() {
    for (const Member* member : at_work_)
      for (std::size_t p = 0; p < member->places.size(); ++p) {
        const Place& place = member->places[p];
        std::vector<Observation> failed;
        for (const Measurement& one : tuning_->result(place.number).measurements)
          if (overrules(one))
            failed.push_back(
                {.id = member->plan->ids().joint({p, *place.job.space().find(one.configuration)})});
        member->plan->tell(failed);
      }
  }

  void lose(std::size_t job, const Error& error) {
    Member& member = *at_work_[member_of_job_[job]];
    const std::size_t at = job - member.places.front().number;
    if (member.places[at].why != Why::asked) { // no failure of the kernel where it was asked for
      member.places[at].job.close();
      return member.plan->leave(at);
    }
    if (!rules_.others_go_on)
      throw;
    campaigns_->drop(member_of_job_[job]);
    member.places[at].job.close();
    fail(member, error);
  }

  std::optional<double> seconds_left() const {
    return rules_.budget.seconds
               ? std::optional(std::max(0.0, *rules_.budget.seconds - tuning_->seconds()))
               : std::nullopt;
  }

  /// Whether what is left to be counted is left uncounted: after a stop, and when the time is up.
  void count() {
    tuning_->count_last([&] {
      return stop_.stop_requested() ||
             (rules_.budget.seconds &&
              tuning_->seconds() > *rules_.budget.seconds + counting_after_s);
    });
  }

  /// What was measured until here, of each place where anything was.
  struct Reached {
    std::vector<std::size_t> places = {};
    std::vector<Recording> recordings = {};
    std::vector<const SearchSpace*> spaces = {};
  };

  /// What all its problems are searched by. @pre there are some
  static Objective objective_of(const Member& member) {
    const RunKernel& kernel = member.kernel;
    return raced_by(objective(kernel.settings.objective, kernel.definition->own_metrics,
                              kernel.jobs.front().source.device));
  }

  Reached reached_of(const Member& member) const {
    Reached reached;
    for (std::size_t i = 0; i < member.places.size(); ++i) {
      const Place& place = member.places[i];
      const TuningResult& result = tuning_->result(place.number);
      if (result.measurements.empty())
        continue;
      reached.places.push_back(i);
      reached.recordings.push_back(recording_of(place.job.subject()));
      reached.recordings.back().measurements =
          rows_to_choose_from(result.measurements, result.finals, objective_of(member),
                              reached.recordings.back().workload);
      reached.spaces.push_back(&place.job.space());
    }
    return reached;
  }

  /// What a header of these sizes would have to know, and does not.
  std::vector<std::vector<ConfigurationId>> missing(const Member& member) const {
    const Reached reached = reached_of(member);
    auto gaps = header_gaps(reached.recordings, reached.spaces, *member.kernel.definition,
                            objective_of(member));
    std::vector<std::vector<ConfigurationId>> wanted(member.places.size());
    for (std::size_t i = 0; i < reached.places.size(); ++i)
      wanted[reached.places[i]] = std::move(gaps[i]);
    return wanted;
  }

  void end(Member& member, bool out_of_time) {
    if (!member.plan || !tuning_)
      return;
    const SessionSettings& settings = member.kernel.settings;
    std::vector<Outcome>& outcomes = member.kernel.outcomes;
    const auto common = settings.across == Across::each ? std::nullopt : member.plan->common();
    for (std::size_t i = 0; i < member.places.size(); ++i) {
      Place& place = member.places[i];
      const TuningResult& result = tuning_->result(place.number);
      if (result.measurements.empty() || (place.why != Why::asked && result.finals.empty()))
        continue; // never reached, or not to the end
      outcomes.push_back(
          place.job.outcome_of(tuning_->take(place.number, stop_.stop_requested() ? Ended::stopped
                                                           : out_of_time ? Ended::out_of_time
                                                                         : Ended::finished),
                               settings.finals, !std::exchange(store_seen_, true), rules_.finals));
      for (const ConfigurationId id : place.first)
        outcomes.back().begun_with.push_back(place.job.space().at(id));
      if (common)
        outcomes.back().for_all = shared_choice(place, outcomes.back(), (*common)[i]);
      outcomes.back().definition = member.kernel.definition;
    }
  }

  /// This configuration against the best here. @pre it was measured
  static SharedChoice shared_choice(const Place& place, const Outcome& outcome,
                                    ConfigurationId id) {
    const Configuration chosen = place.job.space().at(id);
    const Objective by =
        raced_by(gridsmith::objective_of(outcome.answer.found_by, outcome.subject.device));
    const auto cost = [&](const Measurement& one) {
      return by.cost(one, outcome.subject.workload);
    };
    std::optional<double> own, best;
    for (const Measurement& one : outcome.result.measurements)
      if (const auto here = cost(one)) {
        best = std::min(best.value_or(*here), *here);
        if (one.configuration == chosen)
          own = here;
      }
    return {chosen, *own / *best - 1};
  }

  const RunRules& rules_;
  const Listener& listener_;
  const std::stop_token& stop_;
  std::deque<Member> members_;
  std::vector<Member*> at_work_; ///< those that have a plan
  std::vector<std::size_t> member_of_job_;
  bool store_seen_ = false; ///< whether all of it was looked at
  TuningSettings settings_;
  std::optional<Campaigns> campaigns_;
  std::optional<Tuning> tuning_;
};

} // namespace

bool run_together(std::vector<RunKernel>& kernels, const RunRules& rules, const Listener& listener,
                  const std::stop_token& stop) {
  return SharedRun(kernels, rules, listener, stop).run();
}

} // namespace gridsmith
