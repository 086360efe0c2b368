#include "kernels/launch.hpp"
#include "results/formats/formats.hpp"
#include "results/recording.hpp"
#include "search/error.hpp"
#include "search/strategy.hpp"
#include "tuner/answer_text.hpp"
#include "tuner/clock_lock.hpp"
#include "tuner/clock_text.hpp"
#include "tuner/commands/command.hpp"
#include "tuner/gpu_evaluator.hpp"
#include "tuner/interrupts.hpp"
#include "tuner/progress.hpp"
#include "tuner/record_book.hpp"
#include "tuner/recorded_evaluator.hpp"
#include "tuner/recordings.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace gridsmith {
namespace {

struct TuneOptions {
  std::string kernel, size, strategy = "default", counters = "default", recording;
  std::string store = "gridsmith.db", t4, csv, save_recording;
  std::uint64_t seed = 1, evaluations = 0;
  double seconds = 0, interval = 1.0, timeout = 10;
  int device = 0, samples = 50, lock_clock = 0;
  std::size_t compilers = 0, finalists = 6;
  bool full = false, exhaustive = false, warm = false, no_cache = false, no_store = false,
       json = false, quiet = false;
};

/// Everything one run needs, wherever its measurements come from.
struct Job {
  std::optional<KernelInstance>
      instance;                       ///< none: a recording of a kernel we have no definition of
  std::optional<Recording> recording; ///< set: it stands in for the device
  std::optional<SearchSpace> space;
  std::unique_ptr<ClockLock> clock; ///< outlives the evaluator
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<RecordBook> book;
  std::vector<ConfigurationId> seeds;
  std::vector<Observation> prior;
  AnswerContext context;
};

ProblemSize problem_of(const KernelDefinition& definition, const std::string& size) {
  if (size.empty())
    return definition.problem_sizes.empty() ? ProblemSize{{1}} : definition.problem_sizes.front();
  return problem_size_from_text(size);
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
  if (space.size() > 0)
    return;
  std::string clash;
  for (const std::string& text : space.clash())
    clash += (clash.empty() ? "'" : ", '") + text + "'";
  throw InputError("the search space is empty: no configuration satisfies " + clash);
}

/// The recording, by the definition's constraints where it holds all that they allow.
void use_recording(Job& job) {
  const Recording& recording = *job.recording;
  std::optional<SearchSpace> defined;
  if (job.instance)
    defined = build_space(*job.instance);
  auto recorded = RecordedSpace(recording);
  bool same = defined && defined->size() == recorded.space().size();
  for (ConfigurationId id = 0; same && id < recorded.space().size(); ++id)
    same = defined->find(recorded.space().at(id)).has_value();
  job.evaluator = std::make_unique<RecordedEvaluator>(recording);
  if (same) {
    job.space = std::move(defined);
  } else {
    if (job.instance)
      note("the recording is of another version of this definition; its own configurations are the "
           "space");
    std::vector<std::vector<Position>> rows;
    for (ConfigurationId id = 0; id < recorded.space().size(); ++id) {
      rows.emplace_back(recorded.space().parameters().size());
      recorded.space().positions(id, rows.back());
    }
    job.space = SearchSpace::from_rows(recorded.space().parameters(), std::move(rows));
  }
}

AnswerContext context_of(const Job& job, const TuneOptions& options) {
  AnswerContext context;
  context.parameters = job.space->parameters();
  if (job.instance) {
    context.kernel = job.instance->definition.name;
    context.problem = to_text(job.instance->problem);
    context.model_bytes = job.instance->model_bytes;
    context.model_flops = job.instance->model_flops;
    context.access_bytes = [instance = *job.instance](const Configuration& configuration) {
      return access_bytes(instance, configuration);
    };
  }
  if (job.recording) {
    context.recorded = true;
    if (!job.instance)
      context.kernel = job.recording->kernel, context.problem = job.recording->problem;
    context.conditions =
        job.recording->conditions.empty() ? "as recorded" : job.recording->conditions;
    context.date = job.recording->date.empty() ? "date unknown"
                                               : "recorded " + job.recording->date.substr(0, 10);
  } else {
    context.conditions = options.warm ? "warm cache" : "L2 flushed before every sample";
    if (options.lock_clock > 0)
      context.conditions += fmt::format(", SM clock locked at {} MHz", options.lock_clock);
    context.date = utc_now().substr(0, 10);
  }
  context.device = job.evaluator->device();
  return context;
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

/// Observations of the nearest device or problem in the store, as hints for this one.
void use_prior(Job& job) {
  std::string from;
  for (const Measurement& measurement : job.book->nearest(from))
    if (const auto id = job.space->find(measurement.configuration))
      job.prior.push_back(observation_of(*id, measurement));
  if (!job.prior.empty())
    note(fmt::format("{} measurements of {} serve as a hint", job.prior.size(), from));
}

/// Those that try everything or draw blindly have no use for a hint.
bool strategy_learns(const std::string& strategy) {
  return strategy != "exhaustive" && strategy != "random";
}

void use_gpu(Job& job, const TuneOptions& options, const Installation& installation) {
  job.space = build_space(*job.instance);
  note_constraints(*job.space);
  job.seeds = first_guesses(*job.instance, *job.space, 4);
  if (!options.no_store) {
    job.book = std::make_unique<RecordBook>(
        options.store, scope_key(*job.instance, options.warm, options.counters),
        job.instance->device, job.space->parameters(), note);
    if (strategy_learns(options.strategy))
      use_prior(job);
  }
  if (options.lock_clock > 0)
    job.clock = std::make_unique<ClockLock>(installation.programs, job.instance->device.uuid,
                                            options.lock_clock);
  job.evaluator = std::make_unique<GpuEvaluator>(
      *job.instance, gpu_settings(options, installation, job.instance->device));
}

/// What is known of a configuration before it is compiled: the occupancy that its launch shape
/// allows. Registers could only lower it.
Foresight foresight_of(const Job& job) {
  if (!job.instance || job.instance->device.max_threads_per_sm == 0)
    return {};
  return [&job](ConfigurationId id) -> std::map<std::string, double> {
    const Geometry shape = launch_shape(*job.instance, job.space->at(id));
    const auto threads = static_cast<int>(shape.threads_per_block());
    const Occupancy possible =
        occupancy(job.instance->device, CompileFacts{}, threads, shape.dynamic_shared_bytes);
    return {{"occupancy", possible.fraction}, {"threads_per_block", threads}};
  };
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

/// First line: what runs where.
void announce(const Job& job, const TuneOptions& options, const std::string& why_recorded,
              const std::string& recording_file) {
  const AnswerContext& context = job.context;
  std::string line;
  if (job.recording)
    line =
        fmt::format("{}: replaying the recording of {} ({}), {}", why_recorded, context.device.name,
                    context.date, std::filesystem::proximate(recording_file).string());
  else
    line = fmt::format("Tuning {} {} on {}: {} configurations, strategy {}, seed {}",
                       context.kernel, context.problem, context.device.name, job.space->size(),
                       options.strategy, options.seed);
  if (options.json)
    note(line);
  else
    print(line + "\n");
  if (job.recording && !options.json)
    print(fmt::format("Tuning {} {}: {} configurations, strategy {}, seed {}\n", context.kernel,
                      context.problem, job.space->size(), options.strategy, options.seed));
}

Job prepare(const TuneOptions& options, const Installation& installation) {
  Job job;
  std::optional<KernelDefinition> definition;
  if (!options.kernel.empty())
    definition = read_definition(find_definition(options.kernel, installation.kernels));
  else if (options.recording.empty())
    throw InputError(
        "tune needs a kernel: a name of the catalogue (see 'gridsmith kernels') or a JSON file");

  std::string why = "Recording given", file = options.recording;
  Device device;
  if (options.recording.empty()) {
    check_runnable(*definition);
    const DeviceList list = query_devices(installation.programs);
    if (list.devices.empty()) {
      why = "No CUDA device here (" + list.reason + ")";
      file = find_recording(installation.recordings, definition->name,
                            to_text(problem_of(*definition, options.size)))
                 .string();
    } else if (static_cast<std::size_t>(options.device) >= list.devices.size()) {
      throw CommandFailed(exit_no_device, fmt::format("no device {}; there are devices 0 to {}",
                                                      options.device, list.devices.size() - 1));
    } else {
      device = list.devices[static_cast<std::size_t>(options.device)];
    }
  }
  if (!file.empty()) {
    job.recording = read_recording(file);
    if (!job.recording->set_aside.empty())
      note(describe(*job.recording));
    device = job.recording->device;
  }
  if (definition)
    job.instance = instantiate(*definition, problem_of(*definition, options.size), device);
  if (job.recording)
    use_recording(job);
  else
    use_gpu(job, options, installation);
  job.context = context_of(job, options);
  announce(job, options, why, file);
  return job;
}

/// The files asked for beside the table.
void write_exports(const Job& job, const TuneOptions& options, const TuningResult& result) {
  if (options.t4.empty() && options.csv.empty() && options.save_recording.empty())
    return;
  Export exported;
  Recording& recording = exported.recording;
  recording.format = "gridsmith";
  recording.kernel = job.context.kernel;
  recording.problem = job.context.problem;
  recording.date = job.recording ? job.recording->date : utc_now();
  recording.conditions = job.context.conditions;
  recording.device = job.context.device;
  recording.parameters = job.space->parameters();
  recording.measurements = result.measurements;
  for (const auto& [format, file] :
       {std::pair{"t4", options.t4}, {"csv", options.csv}, {"recording", options.save_recording}})
    if (!file.empty())
      write_export(export_format(format), std::span(&exported, 1), file);
}

void answer(Job& job, const TuneOptions& options, const TuningResult& result) {
  job.context.device = job.evaluator->device();
  std::vector<Measurement> finals = result.finals;
  if (finals.empty()) // interrupted, or asked for none: the best as first measured
    for (const Measurement* one :
         finalists(result.measurements, std::max<std::size_t>(1, options.finalists), 0.05))
      finals.push_back(*one);
  const std::vector<Ranked> ranked = rank(finals);
  if (job.book && !ranked.empty()) {
    std::vector<Measurement> ordered;
    std::size_t tied = 1;
    for (const Ranked& one : ranked) {
      ordered.push_back(one.measurement);
      tied += one.tied ? 1 : 0;
    }
    job.book->add_answer(ordered, tied);
  }
  if (options.json)
    print(answer_json(job.context, ranked, result).dump(2) + "\n");
  else
    print("\n" + answer_text(job.context, ranked) + "\n" + summary_text(job.context, result));
  write_exports(job, options, result);
  if (result.interrupted)
    note(
        "interrupted: the best so far is shown; the same command continues where this one stopped");
  if (ranked.empty())
    throw CommandFailed(exit_failed,
                        "no configuration gave a right result; see the reasons with --csv FILE");
}

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

void tune(TuneOptions options, const Installation& installation) {
  const Interrupts interrupts; // before any thread
  if (options.exhaustive)
    options.strategy = "exhaustive";
  check(options);
  Job job = prepare(options, installation);
  const auto strategy = make_strategy(options.strategy, {.space = *job.space,
                                                         .seed = options.seed,
                                                         .budget = options.evaluations,
                                                         .seeds = job.seeds,
                                                         .prior = job.prior,
                                                         .foresight = foresight_of(job)});
  TuningSettings settings;
  settings.max_evaluations = options.evaluations;
  settings.max_seconds = options.seconds;
  settings.most_finalists = options.finalists;
  const RecordKeeping nothing{.find = [](const Configuration&) { return std::nullopt; },
                              .add = [](std::span<const Measurement>) {}};
  ProgressLine line(stderr_is_terminal() && !options.quiet && !options.json);
  const TuningResult result = run_tuning(
      *job.space, *strategy, *job.evaluator, job.book ? job.book->keeping() : nothing, settings,
      [&](const TuningProgress& progress) { line.show(progress); },
      [&] { return interrupts.requested(); });
  line.clear();
  answer(job, options, result);
}

void add_options(CLI::App& command, TuneOptions& options) {
  command.add_option("kernel", options.kernel, "Name of the catalogue or a T1 JSON file")
      ->type_name("KERNEL");
  command.add_option("--size", options.size,
                     "Problem size, e.g. 8192x8192; default: the definition's first");
  command
      .add_option("--strategy", options.strategy,
                  "Search strategy; 'gridsmith simulate --help' lists them")
      ->capture_default_str();
  command.add_flag("--exhaustive", options.exhaustive,
                   "Try every configuration (--strategy exhaustive)");
  command.add_option("--evaluations", options.evaluations,
                     "Stop after so many; default: the whole space");
  command.add_option("--seconds", options.seconds, "Ask no more after so many seconds");
  command.add_option("--seed", options.seed, "The one seed of all randomness")
      ->capture_default_str();
  command.add_option("--device", options.device, "Number of the CUDA device")
      ->capture_default_str();
  command.add_option(
      "--recording", options.recording,
      "Replay this file instead of using a GPU (ours, Kernel Tuner cache, T4, KTT; .gz too)");
  command.add_option("--store", options.store, "SQLite file of all measurements")
      ->capture_default_str();
  command.add_flag("--no-store", options.no_store, "Keep nothing on disk");
  command.add_flag("--warm", options.warm, "Do not flush the L2 cache between samples");
  command.add_option("--counters", options.counters, "Counter set: default, shared, full, none")
      ->capture_default_str();
  command
      .add_option("--interval", options.interval,
                  "Sample until the 95 % interval of the median is within ± this many percent")
      ->capture_default_str();
  command
      .add_option(
          "--lock-clock", options.lock_clock,
          "Lock the SM clock at so many MHz while tuning; restored whatever happens; needs root")
      ->check(CLI::PositiveNumber);
  command.add_option("--samples", options.samples, "At most so many samples of a configuration")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_flag("--full", options.full,
                   "Give hopeless configurations all their samples too (no racing)");
  command.add_option("--finalists", options.finalists, "So many are measured again, interleaved")
      ->capture_default_str();
  command.add_option("--timeout", options.timeout, "Seconds until a launch counts as hanging")
      ->capture_default_str();
  command.add_option("--compilers", options.compilers, "Compiler processes; default: one per core");
  command.add_flag("--no-cache", options.no_cache,
                   "Compile everything anew: no cubin cache, no NVRTC cache");
  command.add_option("--t4", options.t4, "Also write all measurements as T4 JSON");
  command.add_option("--csv", options.csv, "Also write all measurements as CSV");
  command.add_option("--record", options.save_recording,
                     "Also write a recording that 'tune' can replay");
  command.add_flag("--json", options.json, "The answer as JSON on stdout");
  command.add_flag("--quiet", options.quiet, "No progress line");
}

} // namespace

void add_tune_command(CLI::App& app, const Installation& installation) {
  CLI::App* command = app.add_subcommand("tune", "Find the best configuration of a kernel");
  command->footer(
      "\nWithout a CUDA device the shipped recording of the kernel and problem is replayed, and "
      "the\n"
      "first line says so. A configuration that fails to compile, crashes, hangs or gives a wrong\n"
      "result is recorded with its reason and the tuning goes on. Ctrl-C once finishes the "
      "running\n"
      "evaluation and answers with the best so far; twice stops now. The same command continues\n"
      "where it stopped.");
  const auto options = std::make_shared<TuneOptions>();
  add_options(*command, *options);
  command->callback([options, &installation] { tune(*options, installation); });
}

} // namespace gridsmith
