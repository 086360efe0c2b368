#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/tuner/session/tune_job.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/processes/gpu_evaluator.hpp"
#include "gridsmith/tuner/replay/recorded_evaluator.hpp"
#include "gridsmith/tuner/session/recordings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace gridsmith {
namespace {

constexpr std::size_t first_guess_count = 4; // the formula's estimates, asked before any search

/// Words that would only be looked up after minutes of work.
void check(const TuneOptions& options) {
  std::vector<std::string> sets, words;
  for (const CounterSet& set : counter_sets())
    sets.push_back(set.name);
  for (const StrategyEntry& strategy : strategies())
    words.push_back(strategy.name);
  if (std::find(sets.begin(), sets.end(), options.counters) == sets.end())
    throw InputError(unknown_name("counter set", options.counters, sets));
  if (std::find(words.begin(), words.end(), options.strategy) == words.end())
    throw InputError(unknown_name("strategy", options.strategy, words));
}

void note_constraints(const SearchSpace& space) {
  for (const ConstraintReport& report : space.report()) {
    if (report.never_true)
      note(fmt::format("constraint '{}' can never hold", report.text));
    if (report.division_by_zero)
      note(fmt::format(
          "constraint '{}' divides by zero for some values; there it counts as not satisfied",
          report.text));
  }
  refuse_empty(space);
}

GpuSettings gpu_settings(const TuneOptions& options, const Installation& installation,
                         const Device& device) {
  GpuSettings settings;
  settings.programs = installation.programs;
  settings.compilers = options.compilers;
  settings.no_cache = options.no_cache;
  settings.cache_folder = options.no_cache ? std::filesystem::path{} : default_cache_folder();
  settings.seed = options.seed;
  settings.warm = options.warm;
  settings.interval = options.interval / 100;
  settings.racing = !options.full;
  settings.max_samples = options.samples;
  settings.min_samples = std::min(settings.min_samples, options.samples);
  settings.stage_limit =
      std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout * 1000));
  settings.counters = counter_set(options.counters).names(device.chip);
  return settings;
}

/// Those that try everything or draw blindly have no use for a hint.
bool strategy_learns(const std::string& strategy) {
  return strategy != "exhaustive" && strategy != "random";
}

/// @throws InputError for another language; the space and the simulation of such a definition still
/// work.
void check_runnable(const KernelDefinition& definition) {
  if (!definition.runnable())
    throw InputError(fmt::format(
        "{}: the kernel is written in {}, which Gridsmith does not run; 'gridsmith "
        "space' and 'gridsmith simulate' work for it, and 'tune --recording FILE' replays "
        "one",
        definition.file.string(), definition.language));
}

/// Whether the constraints allow exactly what was recorded.
bool same_space(const SearchSpace& defined, const SearchSpace& recorded) {
  bool same = defined.size() == recorded.size();
  for (ConfigurationId id = 0; same && id < recorded.size(); ++id)
    same = defined.find(recorded.at(id)).has_value();
  return same;
}

SearchSpace space_of_rows(const SearchSpace& recorded) {
  std::vector<std::vector<Position>> rows;
  for (ConfigurationId id = 0; id < recorded.size(); ++id) {
    rows.emplace_back(recorded.parameters().size());
    recorded.positions(id, rows.back());
  }
  return SearchSpace::from_rows(recorded.parameters(), std::move(rows));
}

} // namespace

TuneJob::TuneJob(const TuneOptions& options, const Installation& installation)
    : options_(options), installation_(installation) {
  check(options_);
  if (!options_.kernel.empty())
    definition_ = read_definition(find_definition(options_.kernel, installation_.catalogue));
  else if (options_.recording.empty())
    throw InputError(
        "tune needs a kernel: a name of the catalogue (see 'gridsmith kernels') or a JSON file");
  choose_source();
  if (definition_)
    instance_ = instantiate(*definition_, problem_of(*definition_, options_.size), device_);
  if (recording_)
    use_recording();
  else
    use_gpu();
  describe_answer();
  announce();
}

/// A recording that was given, else the device asked for, else the shipped recording.
void TuneJob::choose_source() {
  why_recorded_ = "Recording given";
  recording_file_ = options_.recording;
  if (options_.recording.empty()) {
    check_runnable(*definition_);
    const DeviceList list = query_devices(installation_.programs);
    if (list.devices.empty()) {
      why_recorded_ = "No CUDA device here (" + list.reason + ")";
      recording_file_ = find_recording(installation_.catalogue, definition_->name,
                                       to_text(problem_of(*definition_, options_.size)))
                            .string();
    } else if (options_.device < 0 ||
               static_cast<std::size_t>(options_.device) >= list.devices.size()) {
      throw CommandFailed(exit_no_device, fmt::format("no device {}; there are devices 0 to {}",
                                                      options_.device, list.devices.size() - 1));
    } else {
      device_ = list.devices[static_cast<std::size_t>(options_.device)];
    }
  }
  if (recording_file_.empty())
    return;
  recording_ = read_recording(recording_file_);
  if (!recording_->set_aside.empty())
    note(describe(*recording_));
  device_ = recording_->device;
}

/// By the definition's constraints where the recording holds all that they allow.
void TuneJob::use_recording() {
  const RecordedSpace recorded(*recording_);
  if (instance_)
    space_ = build_space(*instance_);
  if (!space_ || !same_space(*space_, recorded.space())) {
    if (instance_)
      note("the recording is of another version of this definition; its own configurations are the "
           "space");
    space_ = space_of_rows(recorded.space());
  }
  evaluator_ = std::make_unique<RecordedEvaluator>(*recording_);
}

void TuneJob::use_gpu() {
  space_ = build_space(*instance_);
  note_constraints(*space_);
  seeds_ = first_guesses(*instance_, *space_, first_guess_count);
  if (!options_.no_store) {
    book_ = std::make_unique<RecordBook>(options_.store,
                                         scope_key(*instance_, options_.warm, options_.counters),
                                         device_, space_->parameters(), note);
    if (strategy_learns(options_.strategy))
      use_prior();
  }
  if (options_.lock_clock > 0)
    clock_ = std::make_unique<ClockLock>(installation_.programs, device_.uuid, options_.lock_clock);
  evaluator_ =
      std::make_unique<GpuEvaluator>(*instance_, gpu_settings(options_, installation_, device_));
}

/// Observations of the nearest device or problem in the store, as hints for this one.
void TuneJob::use_prior() {
  std::string from;
  for (const Measurement& measurement : book_->nearest(from))
    if (const auto id = space_->find(measurement.configuration))
      prior_.push_back(observation_of(*id, measurement));
  if (!prior_.empty())
    note(fmt::format("{} measurements of {} serve as a hint", prior_.size(), from));
}

void TuneJob::describe_answer() {
  context_.parameters = space_->parameters();
  context_.device = evaluator_->device();
  if (instance_) {
    context_.kernel = definition_->name;
    context_.problem = to_text(instance_->problem);
    context_.model_bytes = instance_->model_bytes;
    context_.model_flops = instance_->model_flops;
    context_.access_bytes = [this](const Configuration& configuration) {
      return access_bytes(*instance_, configuration);
    };
  }
  if (!recording_) {
    context_.conditions = options_.warm ? "warm cache" : "L2 flushed before every sample";
    if (options_.lock_clock > 0)
      context_.conditions += fmt::format(", SM clock locked at {} MHz", options_.lock_clock);
    context_.date = utc_now().substr(0, 10);
    return;
  }
  context_.recorded = true;
  if (!instance_) {
    context_.kernel = recording_->kernel;
    context_.problem = recording_->problem;
  }
  context_.conditions = recording_->conditions.empty() ? "as recorded" : recording_->conditions;
  context_.date =
      recording_->date.empty() ? "date unknown" : "recorded " + recording_->date.substr(0, 10);
}

/// What runs where; a replay says so in the first line.
void TuneJob::announce() const {
  std::string text;
  if (recording_)
    text = fmt::format("{}: replaying the recording of {} ({}), {}\n", why_recorded_,
                       context_.device.name, context_.date,
                       std::filesystem::proximate(recording_file_).string());
  text += fmt::format("Tuning {} {} on {}: {} configurations, strategy {}, seed {}",
                      context_.kernel, context_.problem, context_.device.name, space_->size(),
                      options_.strategy, options_.seed);
  if (options_.json)
    note(text.substr(0, text.find('\n')));
  else
    print(text + "\n");
}

/// What is known of a configuration before it is compiled: the occupancy that its launch shape
/// allows. Registers could only lower it.
Foresight TuneJob::foresight() const {
  if (!instance_ || device_.max_threads_per_sm == 0)
    return {};
  return [this](ConfigurationId id) -> std::map<std::string, double> {
    const Geometry shape = launch_shape(*instance_, space_->at(id));
    const auto threads = static_cast<int>(shape.threads_per_block());
    const Occupancy possible =
        occupancy(device_, CompileFacts{}, threads, shape.dynamic_shared_bytes);
    return {{"occupancy", possible.fraction}, {"threads_per_block", threads}};
  };
}

SearchProblem TuneJob::problem() const {
  return {.space = *space_,
          .seed = options_.seed,
          .budget = options_.evaluations,
          .seeds = seeds_,
          .transfer_prior = prior_,
          .foresight = foresight()};
}

RecordKeeping TuneJob::keeping() {
  if (book_)
    return book_->keeping();
  return {.find = [](const Configuration&) { return std::nullopt; },
          .add = [](std::span<const Measurement>) {}};
}

void TuneJob::add_answer(const std::vector<Ranked>& ranked) {
  if (!book_ || ranked.empty())
    return;
  std::vector<Measurement> ordered;
  std::size_t tied = 1;
  for (const Ranked& one : ranked) {
    ordered.push_back(one.measurement);
    tied += one.tied ? 1 : 0;
  }
  book_->add_answer(ordered, tied);
}

} // namespace gridsmith
