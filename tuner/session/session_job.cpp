// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/session_job.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/results/measurement/front.hpp"
#include "gridsmith/tuner/processes/spanned.hpp"
#include "gridsmith/tuner/session/replay_record.hpp"
#include "gridsmith/tuner/session/traced_strategy.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <span>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t first_guess_count = 4; // the formula's estimates, asked before any search

/// @param usual may be empty: there is none
/// @throws InputError for one that is not in the space
std::vector<ConfigurationId> ids_of(const std::vector<Configuration>& wanted,
                                    const Configuration& usual, const SearchSpace& space) {
  std::vector<ConfigurationId> ids;
  for (const Configuration& one : wanted) {
    const Configuration whole = completed(one, usual, space.parameters());
    const auto id = space.find(whole);
    if (!id)
      throw InputError(to_text(whole) +
                       " is not in the space; 'gridsmith space KERNEL --why-not' says why");
    ids.push_back(*id);
  }
  return ids;
}

/// Those that try everything or draw blindly have no use for a hint.
bool strategy_learns(const std::string& strategy) {
  return strategy != "exhaustive" && strategy != "random";
}

/// Whether the constraints allow exactly what was recorded.
bool same_space(const SearchSpace& defined, const SearchSpace& recorded) {
  bool same = defined.size() == recorded.size();
  for (ConfigurationId id = 0; same && id < recorded.size(); ++id)
    same = defined.find(recorded.at(id)).has_value();
  return same;
}

/// Arithmetic and wires that see one value over and over switch less.
bool all_constant(const KernelDefinition& definition) {
  bool any = false;
  for (const Argument& argument : definition.arguments) {
    if (!argument.is_vector || argument.access == Access::write_only)
      continue;
    if (argument.input || argument.fill != Fill::constant)
      return false;
    any = true;
  }
  return any;
}

/// What is 0 of the first result that others are compared with says nothing.
void require_reference(const Objective& objective, const KernelDefinition* definition) {
  const bool of_result = std::any_of(
      objective.counters.begin(), objective.counters.end(), [](std::string_view counter) {
        return counter_kind(find_counter(counter)->cupti) == CounterKind::result;
      });
  if (of_result && definition && !definition->reference.any())
    throw InputError(fmt::format("objective '{}': '{}' has no Reference that results are compared "
                                 "with",
                                 objective.name, definition->name));
}

constexpr std::size_t most_of_front = 12; // finalists, in addition to the front that races tell of

const OwnMetrics& own_metrics(const KernelDefinition* definition, const Source& source) {
  return definition ? definition->own_metrics : source.replayed->recording->own_metrics;
}

std::optional<Objective> second_objective(const SessionSettings& settings,
                                          const KernelDefinition* definition,
                                          const Source& source) {
  if (settings.against.empty())
    return std::nullopt;
  return objective(settings.against, own_metrics(definition, source), source.device);
}

/// Of the shortest time, where finals decide by more than time.
constexpr double within_of_fastest = 0.3;

/// Time alone tells while a configuration is timed that it cannot be the best.
Conditions conditions_of(const SessionSettings& settings, const Objective& objective) {
  Conditions conditions = settings.conditions;
  conditions.sampling.min_samples =
      std::min(conditions.sampling.min_samples, conditions.sampling.max_samples);
  if (!raced_by(objective).by_time || !settings.against.empty())
    conditions.sampling.prune = false;
  return conditions;
}

} // namespace

SessionJob::SessionJob(const SessionSettings& settings, const KernelDefinition* definition,
                       const ProblemSize& problem, const Source& source, const Listener& listener,
                       const std::stop_token& stop)
    : settings_(settings),
      objective_(objective(settings.objective, own_metrics(definition, source), source.device)),
      against_(second_objective(settings, definition, source)), source_(source),
      listener_(listener), conditions_(conditions_of(settings, objective_)) {
  if (definition)
    instance_ = instantiate(*definition, problem, source.device);
  require_reference(objective_, definition);
  if (against_)
    require_reference(*against_, definition);
  // Until somebody stops it or the budget's seconds are over.
  const SpaceWatch watch = [&](const SpaceProgress& progress) {
    if (listener.building)
      listener.building(progress);
    return !stop.stop_requested() && budget_left().seconds.value_or(1) > 0;
  };
  spanned(listener.span, "session", "space", [&] {
    if (source.replayed)
      use_recording(watch);
    else
      build(watch);
  });
}

/// All that a measurement needs in addition to the space.
void SessionJob::open(const std::stop_token& stop) {
  if (source_.can.our_data)
    for (const std::string& line : slow_formulas(*instance_))
      note(line);
  if (source_.can.our_data && needs_energy() && all_constant(instance_->definition))
    note("every input is a constant: with other data the board uses more power");
  opened_ = source_.back_end->evaluator_for(
      {.source = source_,
       .instance = instance_ ? &*instance_ : nullptr,
       .recorded = recorded_ ? &*recorded_ : nullptr,
       .start = {.seed = settings_.seed,
                 .default_configuration = default_in_space(),
                 .first = seeds_.empty() ? Configuration{} : space_->at(seeds_.front()),
                 .regime = conditions_.regime,
                 .locked_clock_mhz = conditions_.locked_clock_mhz},
       .conditions = conditions_,
       .becomes =
           [this](const Device& device) {
             if (book_)
               book_->become(device);
           }},
      stop);
  conditions_ = opened_.conditions;
  if (!source_.replayed)
    spanned(listener_.span, "session", "store", [&] { open_book(opened_.toolkit); });
  describe();
  if (listener_.begun)
    listener_.begun(subject_);
}

Job SessionJob::in_loop(FinalsRules finals, const std::stop_token& stop) {
  if (needs_energy()) // others than the fastest may be the best
    finals.within = std::max(finals.within, within_of_fastest);
  if (against_)
    finals.most = std::max(finals.most, most_of_front);
  Workload workload;
  if (instance_)
    workload = workload_of(*instance_);
  else
    workload = source_.replayed->recording->workload;
  return {.space = *space_,
          .open =
              [this, stop] {
                open(stop);
                return OpenJob{*opened_.evaluator, keeping()};
              },
          .finals = std::move(finals),
          .workload = workload,
          .objective = objective_,
          .against = against_};
}

void SessionJob::close() {
  if (!opened_.evaluator)
    return;
  subject_.device = opened_.evaluator->device();
  subject_.peaks = peaks();
  opened_.evaluator.reset();
}

void SessionJob::note(const std::string& line) const {
  if (listener_.note)
    listener_.note(line);
}

/// By the definition's constraints where the recording holds all that they allow.
void SessionJob::use_recording(const SpaceWatch& watch) {
  recorded_.emplace(*source_.replayed->recording);
  space_ = &recorded_->space();
  if (instance_)
    built_ = build_space(*instance_, watch);
  if (built_ && same_space(*built_, recorded_->space()))
    space_ = &*built_;
  else if (built_)
    tell_difference();
  first_questions();
}

/// The recording's own configurations are the space then.
void SessionJob::tell_difference() const {
  const auto names = [](const SearchSpace& space) {
    std::set<std::string> all;
    for (const Parameter& parameter : space.parameters())
      all.insert(parameter.name);
    return all;
  };
  const SearchSpace& recorded = recorded_->space();
  if (names(*built_) != names(recorded))
    throw InputError(fmt::format("{}: its parameters are {}; the definition's are {}",
                                 source_.replayed->file.string(), fmt::join(names(recorded), ", "),
                                 fmt::join(names(*built_), ", ")));
  std::uint64_t common = 0;
  for (ConfigurationId id = 0; id < recorded.size(); ++id)
    common += built_->find(recorded.at(id)).has_value();
  note(fmt::format("the recording contains {} of the definition's {} configurations{}; only these "
                   "are searched",
                   common, built_->size(),
                   common < recorded.size()
                       ? fmt::format(", and {} of another version of it", recorded.size() - common)
                       : ""));
}

void SessionJob::build(const SpaceWatch& watch) {
  built_ = build_space(*instance_, watch);
  space_ = &*built_;
  for (const ConstraintReport& report : space_->report(watch)) {
    if (report.never_true)
      note(fmt::format("constraint '{}' can never hold", report.text));
    if (report.division_by_zero)
      note(fmt::format(
          "constraint '{}' divides by zero for some values; there it counts as not satisfied",
          report.text));
  }
  refuse_empty(*space_, watch);
  access_bytes(*instance_, space_->at(0)); // an expression that the answer needs fails now
  first_questions();
}

/// The definition's, where the space has it.
std::optional<Configuration> SessionJob::default_in_space() const {
  const auto id = instance_ ? default_configuration(*instance_, *space_) : std::nullopt;
  return id ? std::optional(space_->at(*id)) : std::nullopt;
}

/// The definition's default and the best guesses, in a replay too, so that it goes as a tuning does.
void SessionJob::first_questions() {
  if (!settings_.only.empty())
    seeds_ = ids_of(settings_.only, default_in_space().value_or(Configuration{}), *space_);
  else if (built_ && space_ == &*built_)
    seeds_ = first_guesses(*instance_, *space_, first_guess_count);
}

void SessionJob::open_book(const std::string& toolkit) {
  const ScopeKey key = scope_key(*instance_, conditions_, toolkit);
  subject_.source_hash = key.source_hash;
  if (!settings_.store)
    return;
  book_ = std::make_unique<RecordBook>(*settings_.store, key, source_.device, space_->parameters(),
                                       Run{settings_.strategy, settings_.seed, conditions_},
                                       [this](const std::string& line) { note(line); });
  if (strategy_learns(settings_.strategy) && !settings_.across)
    use_prior();
}

/// Observations of the nearest device or problem in the store, as hints for this one.
void SessionJob::use_prior() {
  std::string from;
  for (const Measurement& measurement : book_->nearest(from))
    if (const auto id = space_->find(measurement.configuration))
      prior_.push_back(
          observation_of(*id, measurement, raced_by(objective_), workload_of(*instance_)));
  if (!prior_.empty())
    note(fmt::format("{} of {} serve as a hint", counted(prior_.size(), "measurement"), from));
}

/// As measured now, and what the store holds of this board beside.
Peaks SessionJob::peaks() const {
  const Peaks now = opened_.evaluator->peaks();
  return book_ ? merged(now, book_->kept_peaks()) : now;
}

void SessionJob::describe() {
  subject_.device = opened_.evaluator->device();
  subject_.gpus = 1 + source_.others.size();
  subject_.peaks = peaks();
  subject_.parameters = space_->parameters();
  subject_.configurations = space_->size();
  subject_.objective = settings_.objective;
  subject_.conditions = opened_.in_words; // no part of the key: a desktop is there in every run
  subject_.date = utc_now();
  if (instance_) {
    subject_.kernel = instance_->definition.name;
    subject_.definition = instance_->definition.file;
    subject_.problem = to_text(instance_->problem);
    subject_.default_configuration = default_in_space();
    subject_.workload = workload_of(*instance_);
    subject_.own_metrics = instance_->definition.own_metrics;
    subject_.access_bytes = [instance = *instance_](const Configuration& configuration) {
      return access_bytes(instance, configuration);
    };
  }
  if (source_.replayed)
    describe_recording();
}

void SessionJob::describe_recording() {
  const Recording* recording = source_.replayed->recording.get();
  if (!instance_) {
    subject_.kernel = recording->kernel;
    subject_.problem = recording->problem;
    subject_.workload = recording->workload;
    subject_.own_metrics = recording->own_metrics;
  }
  subject_.date = recording->date;
  subject_.format = recording->format;
  subject_.source_hash = recording->source_hash;
  subject_.recording = source_.replayed->file;
  subject_.replayed_because = source_.replayed->because;
}

/// What is known of a configuration before it is compiled: the occupancy that its launch shape
/// allows. Registers could only lower it.
Foresight SessionJob::foresight() const {
  if (!instance_ || source_.device.max_threads_per_sm == 0)
    return {};
  return [this](ConfigurationId id) -> std::map<std::string, double> {
    const Geometry geometry = launch_geometry(*instance_, space_->at(id));
    const auto threads = static_cast<int>(geometry.threads_per_block());
    const Occupancy possible =
        occupancy(source_.device, CompileFacts{}, threads, geometry.dynamic_shared_bytes);
    return {{"occupancy", possible.fraction}, {"threads_per_block", threads}};
  };
}

SearchProblem SessionJob::search_problem() const {
  return {
      .space = *space_,
      .seed = settings_.seed,
      .budget = budget_left().evaluations.value_or(0),
      .seeds = seeds_,
      .transfer_prior = prior_,
      .foresight = foresight(),
      // What compiling takes differs from run to run, and so would the questions that it decides.
      .compilers = settings_.repeatable ? 0 : opened_.compilers};
}

/// Not where it is right and lacks counters that the search goes by: it is measured again.
bool SessionJob::serves(const Measurement& record) const {
  const auto has_value = [&](const Objective& by) {
    return by.in_finals || !by.counted || by.cost(record, subject_.workload);
  };
  return !record.correct() || (has_value(objective_) && (!against_ || has_value(*against_)));
}

RecordKeeping SessionJob::keeping() {
  RecordKeeping keeping = {.find = {}, .add = [](std::span<const Measurement>) {}};
  if (book_)
    keeping = book_->keeping([this](const Measurement& record) { return serves(record); });
  if (!book_ || !settings_.reuse)
    keeping.find = [](const Configuration&) { return std::nullopt; };
  return keeping;
}

FoundBy SessionJob::found_by(const TuningResult& result) const {
  return {.version = std::string(version()),
          .strategy =
              settings_.across && settings_.strategy != "exhaustive" ? "campaign" : strategy_name(),
          .seed = settings_.seed,
          .objective = settings_.objective,
          .against = settings_.against,
          .configurations = subject_.configurations,
          .workload = subject_.workload,
          .own_metrics = subject_.own_metrics,
          .default_configuration = subject_.default_configuration,
          .conditions = subject_.conditions,
          .recording = subject_.recording ? subject_.recording->string() : "",
          .evaluations = result.measurements.size(),
          .seconds = result.seconds,
          .interrupted = result.ended == Ended::stopped,
          .drawn = subject_.drawn,
          .chance_of_gain = result.chance_of_gain,
          .measured_again = !result.finals.empty()};
}

Answer SessionJob::answer_of(const Outcome& outcome, const FinalsRules& finals) const {
  const TuningResult& result = outcome.result;
  const Workload& workload = subject_.workload;
  const Board board{&outcome.subject.device, &outcome.subject.peaks};
  FinalsRules rules = finals;
  rules.most = std::max<std::size_t>(1, rules.most);
  Answer answer{utc_now(), rank(result.finals, objective_, workload), found_by(result)};
  if (result.finals.empty()) // interrupted, or asked for none: as first measured
    answer.ranking = rank_as_measured(result.measurements, rules, objective_, workload, board);
  else if (std::none_of(result.finals.begin(), result.finals.end(),
                        [](const Measurement& one) { return one.correct(); })) {
    answer.ranking = rank(result.finalists, raced_by(objective_), workload);
    answer.found_by.unconfirmed = true;
  }
  hold_against(answer, board);
  lead_by_front(answer, outcome.subject.device);
  answer.found_by.gpus = gpu_parts(answer.ranking);
  answer.found_by.stored_drift = drift_;
  return answer;
}

/// What each of several GPUs says of the winner.
std::vector<GpuPart> SessionJob::gpu_parts(const std::vector<Ranked>& ranking) const {
  std::vector<GpuPart> parts;
  if (!opened_.evaluator)
    return parts;
  for (const GpuAccount& gpu : opened_.evaluator->gpus()) {
    GpuPart& part = parts.emplace_back(gpu.part);
    const auto there = rank(gpu.finals, objective_, subject_.workload);
    if (there.empty() || ranking.empty())
      continue;
    part.best = there.front().measurement.configuration;
    part.loss = excess_cost(there, ranking.front().measurement.configuration, objective_,
                            subject_.workload);
  }
  return parts;
}

/// A replay is worth showing where nothing can be kept.
void SessionJob::keep(Outcome& outcome, bool is_answer) const {
  try {
    keep_replay(*settings_.store, outcome, {settings_.strategy, settings_.seed, conditions_},
                is_answer);
    outcome.stored_in = settings_.store;
  } catch (const Error& error) {
    note(fmt::format("{}; this replay is not kept", error.what()));
  }
}

/// What building the space took is gone.
Budget SessionJob::budget_left() const {
  Budget left = settings_.budget;
  if (!settings_.only.empty()) // the strategy asks its seeds first
    left.evaluations = settings_.only.size();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  if (left.seconds)
    left.seconds = std::max(0.0, *left.seconds - spent.count());
  return left;
}

Outcome SessionJob::run(const std::stop_token& stop) {
  Job job = in_loop(settings_.finals, stop);
  job.open = [open = job.open()] { return open; }; // its strategy asks for what the store knows
  TuningResult result = search(job, stop);
  if (look_back(result); drift_ && drift_->too_far() && !stop.stop_requested() &&
                         budget_left().seconds.value_or(1) > 0) {
    drift_->measured_anew = true;
    note(to_text(*drift_));
    result = search(job, stop);
    result.reused = 0; // what the store has by now is of this run
  }
  return outcome_of(std::move(result), settings_.finals, true);
}

bool SessionJob::needs_energy() const {
  return objective_.in_finals || (against_ && against_->in_finals);
}

/// By default what looks for a front looks for it, as far as races tell of both objectives.
std::string SessionJob::strategy_name() const {
  const bool front = against_ && !against_->in_finals && settings_.strategy == "default";
  return front ? "front" : settings_.strategy;
}

TuningResult SessionJob::search(const Job& job, const std::stop_token& stop) {
  const SearchProblem problem = search_problem();
  const auto chosen = settings_.own_strategy ? settings_.own_strategy(problem)
                                             : make_strategy(strategy_name(), problem);
  TracedStrategy strategy(*chosen, listener_.span);
  return tune(job, strategy,
              {.budget = budget_left(),
               .repeatable = settings_.repeatable || source_.can.same_again,
               .compile_timeout = settings_.compile_timeout},
              listener_.progress, stop);
}

/// Whether the store's times are of a board as fast as it is now; where they are far off they serve no more.
void SessionJob::look_back(const TuningResult& result) {
  if (!book_ || drift_)
    return;
  drift_ = book_->drift(result.finals);
  if (drift_ && drift_->too_far())
    book_->set_aside();
}

Outcome SessionJob::outcome_of(TuningResult result, const FinalsRules& finals, bool first,
                               bool is_answer) {
  Outcome outcome;
  outcome.result = std::move(result);
  outcome.subject = subject_;
  if (opened_.evaluator) {
    outcome.subject.device = opened_.evaluator->device();
    outcome.subject.peaks = peaks();
  }
  look_back(outcome.result);
  if (drift_ && settings_.across) // of several sizes no answer is shown in full
    note_of_answer(to_text(*drift_));
  outcome.answer = answer_of(outcome, finals);
  say_doubts(outcome.result);
  finish_store(outcome, first, is_answer);
  return outcome;
}

/// Of several sizes each names itself.
void SessionJob::note_of_answer(const std::string& line) const {
  if (!subject_.drawn)
    note(settings_.across ? fmt::format("{} {}: {}", subject_.kernel, subject_.problem, line)
                          : line);
}

void SessionJob::say_doubts(const TuningResult& result) const {
  if (const auto& problem_found = result.evaluator.reference_problem) {
    const bool nan = problem_found->find("expected nan") != std::string::npos;
    note_of_answer(
        "the reference is doubtful, and every result was compared with it: " + *problem_found +
        (nan ? "; of such inputs it makes no numbers: Gridsmith.Inputs gives others" : ""));
  }
  if (const auto& unfilled = result.evaluator.unfilled_constants)
    note_of_answer(*unfilled);
  if (const auto& why = result.evaluator.unverified_because)
    note_of_answer("results are not verified: " + *why);
  if (const auto unjudged = result.unjudged)
    note_of_answer(fmt::format("{} could not be measured here and were not recorded: {}",
                               counted(unjudged, "configuration"), result.unjudged_because));
}

void SessionJob::finish_store(Outcome& outcome, bool first, bool is_answer) {
  if (book_) {
    book_->set_peaks(outcome.subject.peaks);
    if (is_answer && !outcome.answer.ranking.empty())
      book_->add_answer(outcome.answer);
    book_->finish(first);
    outcome.stored_in = book_->stored_in();
  }
  if (source_.replayed && settings_.store)
    keep(outcome, is_answer);
}

Recording recording_of(const Subject& subject) {
  Recording recording;
  static_cast<Origin&>(recording) = subject;
  static_cast<KernelModel&>(recording) = subject;
  recording.format = subject.format;
  recording.peaks = subject.peaks;
  recording.parameters = subject.parameters;
  return recording;
}

} // namespace gridsmith
