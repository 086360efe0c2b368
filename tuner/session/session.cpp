// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/session.hpp"

#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/results/measurement/failures.hpp"
#include "gridsmith/tuner/backends/recordings.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/session/limits.hpp"
#include "gridsmith/tuner/session/run.hpp"
#include "gridsmith/tuner/session/session_job.hpp"
#include "gridsmith/tuner/session/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gridsmith {
namespace {

/// Words that would only be looked up after minutes of work.
void check(const SessionSettings& settings) {
  wanted_counters(settings.conditions.counter_set, "");
  if (!settings.own_strategy)
    strategy_entry(settings.strategy);
  check_back_end(settings);
  check_limits(settings);
}

[[noreturn]] void throw_too_late(const SessionSettings& settings) {
  throw Error(
      fmt::format("{} s were over before the search space was built", *settings.budget.seconds));
}

} // namespace

void count_objective(SessionSettings& settings, const OwnMetrics& own) {
  std::string& counted = settings.conditions.counter_set;
  const auto count = [&](const Objective& by) {
    if (are_profiled(by.counters) && counted == "none")
      throw InputError(fmt::format(
          "objective '{}' is made of counters; with --counters none there are none", by.name));
    counted = with_counters(counted, by.counters);
  };
  if (const auto comma = settings.objective.find(','); comma != std::string::npos) {
    settings.against = settings.objective.substr(comma + 1);
    settings.objective.resize(comma);
    if (settings.against.empty())
      throw InputError("objectives: the second one has no name");
  }
  count(objective(settings.objective, own));
  if (settings.against.empty())
    return;
  if (settings.against == settings.objective)
    throw InputError(
        fmt::format("the front of '{}' and itself; give two objectives", settings.objective));
  if (settings.across)
    throw InputError("a front is looked for at one size; there is none of a search over all sizes");
  count(objective(settings.against, own));
}

namespace {

/// Regime and clock alone.
std::vector<FinalsUnder> every_other_regime(const SessionSettings& settings) {
  std::vector<FinalsUnder> all;
  for (std::size_t i = 0; i < Words<Regime>::list.size(); ++i)
    if (static_cast<Regime>(i) != settings.conditions.regime)
      all.push_back({static_cast<Regime>(i), settings.conditions.locked_clock_mhz, {}});
  return all;
}

std::vector<FinalsUnder> every_clock(const SessionSettings& settings) {
  std::vector<FinalsUnder> all;
  all.reserve(settings.clocks.size());
  for (const int mhz : settings.clocks)
    all.push_back({settings.conditions.regime, mhz, {}});
  return all;
}

/// Each a run of the finalists alone.
std::vector<FinalsUnder> finals_under(const std::vector<FinalsUnder>& wanted,
                                      const RunKernel& tuned, const Listener& listener,
                                      const std::stop_token& stop) {
  const Answer& found = tuned.outcomes.front().answer;
  const Conditions& conditions = tuned.settings.conditions;
  std::vector<FinalsUnder> all = {{conditions.regime, conditions.locked_clock_mhz, found.ranking}};
  const Listener quiet{.progress = listener.progress};
  SessionSettings finals = tuned.settings;
  for (const Ranked& one : found.ranking)
    finals.only.push_back(one.measurement.configuration);
  finals.finals.always = finals.only; // however slow they are there
  for (const FinalsUnder& one : wanted) {
    if (stop.stop_requested())
      break;
    finals.conditions.regime = one.regime;
    finals.conditions.locked_clock_mhz = one.locked_clock_mhz;
    std::vector<RunKernel> there = {{finals, tuned.definition, tuned.jobs}};
    run_jobs(there, {}, quiet, stop);
    Outcome& outcome = there.front().outcomes.front();
    if (outcome.result.ended == Ended::finished)
      all.push_back({one.regime, one.locked_clock_mhz, std::move(outcome.answer.ranking)});
  }
  return all;
}

/// The answer's finalists under what else was asked for. @pre one job by itself
void measure_elsewhere(RunKernel& tuned, const Listener& listener, const std::stop_token& stop) {
  const SessionSettings& settings = tuned.settings;
  Outcome& outcome = tuned.outcomes.front();
  if (!settings.every_regime && settings.clocks.empty())
    return;
  if (const std::string& why = tuned.jobs.front().source.can.one_regime_because; !why.empty()) {
    if (listener.note)
      listener.note(why + ": nothing was measured under others");
    return;
  }
  if (outcome.answer.ranking.empty())
    return;
  if (settings.every_regime)
    outcome.regimes = finals_under(every_other_regime(settings), tuned, listener, stop);
  if (!settings.clocks.empty())
    outcome.clocks = finals_under(every_clock(settings), tuned, listener, stop);
}

} // namespace

namespace {

/// Their weights are added.
void join_equal_sizes(SessionSettings& settings) {
  std::vector<ProblemSize> sizes;
  std::vector<double> weights;
  for (std::size_t i = 0; i < settings.problems.size(); ++i) {
    const auto place = std::find(sizes.begin(), sizes.end(), settings.problems[i]);
    const double weight = settings.weights.empty() ? 1 : settings.weights[i];
    if (place != sizes.end()) {
      weights[static_cast<std::size_t>(place - sizes.begin())] += weight;
      continue;
    }
    sizes.push_back(settings.problems[i]);
    weights.push_back(weight);
  }
  settings.problems = std::move(sizes);
  if (settings.across)
    settings.weights = std::move(weights);
}

} // namespace

struct Session::Impl {
  SessionSettings settings;
  std::optional<KernelDefinition> definition; ///< none: a recording alone
  std::shared_ptr<const Recording> recording; ///< that was given

  std::vector<ProblemSize> problems() const;
  std::vector<std::vector<RunJob>> runs(Sources& sources) const;
};

std::vector<ProblemSize> Session::Impl::problems() const {
  if (!settings.problems.empty())
    return settings.problems;
  if (definition && recording)
    if (std::vector<std::int64_t> extents = extents_of(recording->problem); !extents.empty())
      return {{std::move(extents)}};
  return {definition ? definition->default_problem() : ProblemSize{{1}}};
}

/// What is one search: of several problems all of a device; else each problem and device.
std::vector<std::vector<RunJob>> Session::Impl::runs(Sources& sources) const {
  std::vector<std::vector<RunJob>> runs;
  for (const ProblemSize& problem : problems()) {
    if (settings.across)
      check_problem(*definition, problem);
    std::vector<Source> of_problem = sources.of(definition ? &*definition : nullptr, problem);
    for (std::size_t device = 0; device < of_problem.size(); ++device) {
      if (!settings.across || device == runs.size())
        runs.emplace_back();
      (settings.across ? runs[device] : runs.back())
          .push_back({problem, std::move(of_problem[device])});
    }
  }
  return runs;
}

Session::Session(SessionSettings settings) : impl_(std::make_unique<Impl>()) {
  check(settings);
  join_equal_sizes(settings);
  impl_->settings = std::move(settings);
  const SessionSettings& kept = impl_->settings;
  if (kept.definition)
    impl_->definition = *kept.definition;
  else if (!kept.kernel.empty())
    impl_->definition = read_definition(
        find_definition(kept.kernel, kept.helpers.installation.catalogue), kept.include);
  else if (!kept.recording)
    throw InputError(
        "tune needs a kernel: a name of the catalogue (see 'gridsmith kernels') or a JSON file");
  else if (!kept.problems.empty())
    throw InputError("a size needs a kernel; without a kernel the recording is replayed as it is");
  if (kept.across && (kept.recording || !impl_->definition))
    throw InputError("a search over several sizes replays the recordings shipped with the kernel; "
                     "--recording cannot be used");
  if (kept.across && kept.strategy != SessionSettings{}.strategy && kept.strategy != "exhaustive")
    throw InputError("a search over several sizes has its own strategy; --strategy " +
                     kept.strategy + " cannot be used (valid: default, exhaustive)");
  if (kept.across && kept.own_strategy)
    throw InputError(
        "a search over several sizes has its own strategy; one of yours searches one size");
  if (!kept.clocks.empty() && kept.across)
    throw InputError(
        "several clocks are of the finalists of one size; a search over several sizes has one");
  if (kept.every_regime && kept.across)
    throw InputError(
        "--regime all races the finalists of one size under each regime; a search over several sizes "
        "has one regime (valid: cold, warm, rotate, back-to-back, graph)");
  if (kept.across && kept.problems.empty())
    throw InputError("across: is of several sizes, and 'sizes' names none");
  if (kept.add > 0 && kept.across != Across::each)
    throw InputError(
        "sizes are added (auto) only in one search over all sizes in which each has its own choice (across: "
        "each)");
  if (kept.calibrate > 0 && kept.across != Across::each)
    throw InputError(
        "calibrate: what is chosen for each of several sizes is calibrated; use it with --sizes or --all, and "
        "not with --across mean or worst");
  if (kept.recording)
    impl_->recording = std::make_shared<const Recording>(open_recording(*kept.recording));
  count_objective(impl_->settings, impl_->definition  ? impl_->definition->own_metrics
                                   : impl_->recording ? impl_->recording->own_metrics
                                                      : OwnMetrics());
  if (impl_->definition && impl_->recording)
    check_recording(*impl_->recording, *kept.recording, *impl_->definition, kept.problems);
}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

std::vector<Outcome> Session::run(const std::stop_token& stop, const Listener& listener) {
  std::vector<Outcome> outcomes;
  const auto kept =
      impl_->definition ? std::make_shared<const KernelDefinition>(*impl_->definition) : nullptr;
  const KernelDefinition* definition = kept.get();
  if (definition && listener.note)
    for (const Remark& remark : definition->remarks)
      if (remark.warning)
        listener.note(remark.text);
  Sources sources(impl_->settings, listener, impl_->recording);
  if (definition)
    sources.will_compile(*definition);
  sources.begin();
  std::vector<std::vector<RunJob>> runs = impl_->runs(sources);
  bool over = false;
  for (std::vector<RunJob>& jobs : runs) {
    if (over || (stop.stop_requested() && &jobs != &runs.front()))
      return outcomes;
    std::vector<RunKernel> kernels = {{impl_->settings, kept, std::move(jobs)}};
    RunKernel& tuned = kernels.front();
    try {
      const bool out_of_time =
          run_jobs(kernels, {.budget = impl_->settings.budget}, listener, stop);
      if (out_of_time && tuned.outcomes.empty())
        throw Error("the time ran out before anything was measured");
      if (!tuned.settings.across)
        measure_elsewhere(tuned, listener, stop);
    } catch (const StoppedWaiting&) {
      over = true;
    } catch (const SpaceNotBuilt&) {
      if (!stop.stop_requested())
        throw_too_late(impl_->settings);
    }
    std::move(tuned.outcomes.begin(), tuned.outcomes.end(), std::back_inserter(outcomes));
  }
  return outcomes;
}

const Measurement* last_measured(const Outcome& outcome, const Configuration& configuration) {
  const Measurement* found = nullptr;
  for (const auto* list : {&outcome.result.measurements, &outcome.result.finals})
    for (const Measurement& one : *list)
      if (one.correct() && one.configuration == configuration)
        found = &one;
  return found;
}

std::optional<double> time_ms(const Outcome& outcome, const Configuration& configuration) {
  const Measurement* found = last_measured(outcome, configuration);
  return found ? cost_ms(*found) : std::nullopt;
}

std::string shortfall(const Outcome& outcome) {
  const Answer& answer = outcome.answer;
  const auto& rows = outcome.result.measurements;
  if (answer.found_by.unconfirmed)
    return "not confirmed: " +
           not_confirmed_because(answer, rows, {&outcome.subject.device, &outcome.subject.peaks});
  if (!answer.ranking.empty())
    return "";
  if (rows.empty())
    return outcome.result.ended == Ended::out_of_time
               ? "the time ran out before anything was measured"
               : "nothing was measured";
  const auto right =
      std::find_if(rows.begin(), rows.end(), [](const Measurement& one) { return one.correct(); });
  if (right == rows.end())
    return "no configuration gave a correct result";
  const Objective by = objective_of(answer.found_by);
  if (by.in_finals && outcome.result.finals.empty())
    return fmt::format("the search ended before the finalists, which alone have a value of '{}', "
                       "were measured",
                       by.name);
  const auto& finals = outcome.result.finals;
  const auto final = std::find_if(finals.begin(), finals.end(), [](const Measurement& one) {
    return one.uncounted_because.has_value();
  });
  const auto& why =
      by.in_finals && final != finals.end() ? final->uncounted_because : right->uncounted_because;
  return fmt::format("no correct result has a value of the objective '{}'{}", by.name,
                     why ? ": not counted: " + *why : "");
}

Export Outcome::exported() const {
  Export exported;
  exported.answer = answer;
  exported.definition = definition;
  Recording& recording = exported.recording = recording_of(subject);
  recording.measurements = as_ranked(result.measurements, answer.ranking);
  for (const Measurement& one : result.measurements) // some may be older: replayed, or of the store
    if (!one.when.empty() && (recording.date.empty() || one.when < recording.date))
      recording.date = one.when;
  return exported;
}

} // namespace gridsmith
