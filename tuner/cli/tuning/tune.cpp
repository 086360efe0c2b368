#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/report/page.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/tuning/batch_job.hpp"
#include "gridsmith/tuner/cli/tuning/tune_all.hpp"
#include "gridsmith/tuner/cli/tuning/watching.hpp"
#include "gridsmith/tuner/cli/words.hpp"
#include "gridsmith/tuner/inspection/exported_definition.hpp"
#include "gridsmith/tuner/presentation/answer_json.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"
#include "gridsmith/tuner/presentation/campaign_text.hpp"
#include "gridsmith/tuner/presentation/progress.hpp"
#include "gridsmith/tuner/presentation/report_source.hpp"
#include "gridsmith/tuner/presentation/shown_file.hpp"
#include "gridsmith/tuner/session/session.hpp"
#include "gridsmith/tuner/session/size_list.hpp"
#include "gridsmith/tuner/session/trace.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

// Beyond these a number is a slip: no machine has so many, no clock is so fast, no launch takes so long.
constexpr std::uint64_t most_processes = 4096, most_samples = 1'000'000, fastest_clock_mhz = 10'000;
constexpr double longest_launch_s = 1e5;

/// The words of the command line: a session's settings, and what is the program's own.
struct TuneOptions {
  SessionSettings session = {.kernel = "", .store = "gridsmith.db"};
  int gpu = 0;
  std::string devices; ///< "": the one above
  std::string size, sizes;
  std::string across = "each";
  std::vector<std::string> all, from; ///< of --all
  std::string into = "tuned";
  bool slurm = false, print = false;
  std::vector<std::string> for_tasks; ///< options of --all that each task of a batch job has
  std::vector<WriteWish> writes;
  std::string trace; ///< file; "": none
  std::string report;
  WatchOptions watch;
  double interval_percent = 100 * Sampling{}.interval;
  bool exhaustive = false, full = false, warm = false, no_cache = false, no_store = false;
  bool unconfined = false, store_asked = false;
  bool json = false, quiet = false, verbose = false;
  std::vector<std::string> only_measured; ///< options given that a replay has no use for

  std::vector<std::string> outputs() const {
    std::vector<std::string> names;
    names.reserve(writes.size());
    for (const auto& [format, file] : writes)
      names.push_back(file);
    if (!trace.empty())
      names.push_back(trace);
    if (!report.empty())
      names.push_back(report);
    return names;
  }
};

constexpr std::array across_words{"each", "mean", "worst"}; // in the order of Across

void take_sizes(const TuneOptions& options, const Installation& installation,
                SessionSettings& settings) {
  if (settings.kernel.empty())
    throw InputError("--sizes needs a kernel");
  const KernelDefinition definition =
      read_definition(find_definition(settings.kernel, installation.catalogue), settings.include);
  SizeList list = size_list(options.sizes, definition);
  settings.problems = std::move(list.problems);
  settings.weights = std::move(list.weights);
  const auto word = std::find(across_words.begin(), across_words.end(), options.across);
  settings.across = static_cast<Across>(word - across_words.begin());
}

SessionSettings settings_of(const TuneOptions& options, const Installation& installation) {
  SessionSettings settings = options.session;
  settings.installation = installation;
  settings.devices =
      options.devices.empty() ? std::vector{options.gpu} : devices_from_text(options.devices);
  if (!options.size.empty())
    settings.problems = {problem_size_from_text(options.size)};
  if (!options.sizes.empty())
    take_sizes(options, installation, settings);
  if (options.exhaustive && settings.strategy != "exhaustive" &&
      settings.strategy != SessionSettings{}.strategy)
    throw InputError(
        fmt::format("--exhaustive is --strategy exhaustive, not {}", settings.strategy));
  if (options.exhaustive)
    settings.strategy = "exhaustive";
  if (options.no_store)
    settings.store.reset();
  settings.cache = !options.no_cache;
  settings.confined = !options.unconfined;
  settings.conditions.cache = options.warm ? Cache::warm : Cache::cold;
  settings.conditions.sampling.interval = options.interval_percent / 100;
  settings.conditions.sampling.prune = !options.full;
  return settings;
}

/// With its size, and with the file that its name meant.
std::string kernel_text(const Subject& subject, const SessionSettings& settings) {
  std::string text = subject.kernel.empty() ? "an unknown kernel" : subject.kernel;
  if (!subject.definition.empty())
    text += fmt::format(" ({})", shown_file(subject.definition, settings.installation.catalogue));
  return text + (subject.problem.empty() || settings.across ? "" : " " + subject.problem);
}

/// "4 × NVIDIA H200"
std::string devices_text(const Subject& subject) {
  return (subject.gpus > 1 ? fmt::format("{} × ", subject.gpus) : "") + device_text(subject);
}

/// What runs where; a replay says so in the first line.
void announce(const Subject& subject, const TuneOptions& options, const SessionSettings& settings) {
  std::vector<std::string> lines;
  if (subject.recording)
    lines.push_back(printable(fmt::format("{}: replaying the recording of {} ({}), {}",
                                          subject.replayed_because, device_text(subject),
                                          date_text(subject), shown_file(*subject.recording, {}))));
  lines.push_back(printable(
      settings.across
          ? fmt::format("Tuning {} at {} on {}, chosen for {}, seed {}",
                        kernel_text(subject, settings), counted(settings.problems.size(), "size"),
                        devices_text(subject), options.across, settings.seed)
          : fmt::format("Tuning {} on {}: {}, strategy {}, seed {}", kernel_text(subject, settings),
                        devices_text(subject), counted(subject.configurations, "configuration"),
                        settings.strategy, settings.seed)));
  if (subject.recording && !options.only_measured.empty())
    note(fmt::format("a replay has no use for {}", fmt::join(options.only_measured, ", ")));
  if (options.json || takes_standard_output(options.outputs()))
    return note(lines.front());
  for (const std::string& line : lines)
    print(wrapped(line, terminal_of(STDOUT_FILENO).width, 2) + "\n");
  finish_output(); // what cannot be written is known before hours of work
}

void write_report(const TuneOptions& options, std::span<const Outcome> outcomes, const Trace& trace,
                  const Installation& installation) {
  std::vector<Span> spans = trace.in_order();
  if (outcomes.size() > 1) // at which size a configuration was measured is not told
    for (Span& span : spans)
      span.detail.clear();
  std::vector<ReportSource> sources;
  sources.reserve(outcomes.size());
  for (const Outcome& outcome : outcomes) {
    sources.push_back(report_source(outcome));
    add_code(sources.back(), installation, !options.unconfined);
    add_timeline(sources.back(), spans, trace.zero());
  }
  write_output(options.report, report_page(report_model(sources)));
}

/// The files asked for beside the table.
void write_exports(const TuneOptions& options, std::span<const Outcome> outcomes,
                   const Trace& trace, const Installation& installation) {
  std::vector<Export> exports;
  for (const Outcome& outcome : outcomes)
    exports.push_back(outcome.exported());
  add_definitions(exports, {}, installation);
  for (const auto& [format, file] : options.writes)
    write_output(file, export_text(export_format(format), exports));
  if (!options.report.empty())
    write_report(options, outcomes, trace, installation);
}

/// Before hours of work: a search over sizes has several answers.
void check_formats(const TuneOptions& options, const SessionSettings& settings) {
  if (!options.report.empty() && !has_report_page())
    throw InputError("--report: " + std::string(no_report_page));
  for (const auto& [format, file] : options.writes)
    if (settings.across && settings.problems.size() > 1 &&
        export_format(format).holds == Holds::one)
      throw InputError(fmt::format("format '{}' holds one size, and --sizes has {}; 'gridsmith "
                                   "export {}' writes one of them from the store",
                                   format, settings.problems.size(), format));
}

void print_answer(const TuneOptions& options, const Outcome& outcome) {
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  if (options.json)
    print(json_text(answer_json(outcome), 2) + "\n");
  else if (!takes_standard_output(options.outputs())) {
    print("\n");
    const std::string text =
        answer_text(outcome, terminal) + "\n" + summary_text(outcome, terminal);
    terminal.colour ? print_with_bold_line(text) : print(text);
  }
  finish_output();
}

void show(const TuneOptions& options, const Outcome& outcome, const Trace& trace,
          const Installation& installation) {
  std::exception_ptr failure; // a full disk does not cost the files too
  try {
    print_answer(options, outcome);
  } catch (const OutputError&) {
    failure = std::current_exception();
  }
  write_exports(options, {&outcome, 1}, trace, installation);
  if (failure)
    std::rethrow_exception(failure);
  if (outcome.result.ended == Ended::out_of_time && outcome.result.measurements.empty())
    throw CommandFailed(exit_failed, "the time was up before anything was measured");
  if (outcome.answer.ranking.empty() && outcome.result.ended != Ended::stopped)
    throw CommandFailed(exit_failed, "no configuration gave a right result");
}

/// One document, or one table, for all sizes.
void show_campaign(const TuneOptions& options, const SessionSettings& settings,
                   std::span<const Outcome> outcomes, const Trace& trace,
                   const Installation& installation) {
  if (options.json) {
    auto list = nlohmann::ordered_json::array();
    for (const Outcome& outcome : outcomes)
      list.push_back(answer_json(outcome));
    print(json_text(list, 2) + "\n");
  } else if (!takes_standard_output(options.outputs())) {
    print("\n" +
          campaign_text(outcomes, *settings.across, settings.weights, terminal_of(STDOUT_FILENO)));
  }
  finish_output();
  if (outcomes.size() < settings.problems.size())
    note(fmt::format("{} of {} were not reached", settings.problems.size() - outcomes.size(),
                     counted(settings.problems.size(), "size")));
  write_exports(options, outcomes, trace, installation);
  for (const Outcome& outcome : outcomes)
    if (outcome.answer.ranking.empty() && outcome.result.ended != Ended::stopped)
      throw CommandFailed(exit_failed,
                          "no configuration gave a right result at " + outcome.subject.problem);
}

void tune(const TuneOptions& options, const Installation& installation) {
  check_outputs(options.outputs(), options.json);
  const Interrupts interrupts; // before any thread
  const SessionSettings settings = settings_of(options, installation);
  check_formats(options, settings);
  Watching watching(options.watch);
  Session session(settings);
  bool announced = false;
  ProgressLine line(stderr_is_terminal() && !options.quiet && !options.json);
  Trace trace;
  const auto keep = [&](const Span& span) { trace.add(span); };
  const bool kept = !options.trace.empty() || !options.report.empty();
  const Listener listener{
      .building = [&](const SpaceProgress& progress) { line.show(progress); },
      .begun =
          [&](const Subject& subject) {
            line.clear();
            if (!settings.across || !std::exchange(announced, true))
              announce(subject, options, settings);
          },
      .progress =
          [&](const Progress& progress) {
            if (options.verbose)
              line.tell(progress);
            line.show(progress);
          },
      .note = note,
      .span = kept ? SpanSink(keep) : SpanSink{},
  };
  const std::vector<Outcome> outcomes = session.run(interrupts.token(), watching.beside(listener));
  line.clear();
  if (!options.trace.empty())
    write_output(options.trace, trace.text());
  if (outcomes.empty())
    throw CommandFailed(exit_interrupted, "interrupted before anything was measured");
  if (settings.across)
    show_campaign(options, settings, outcomes, trace, installation);
  for (const Outcome& outcome : outcomes) {
    if (!settings.across)
      show(options, outcome, trace, installation);
    if (options.store_asked && outcome.subject.recording && settings.store &&
        !outcome.stored_in) // a note has said why
      throw CommandFailed(exit_failed, "nothing is stored in " + settings.store->string());
  }
  finish_output(); // while a Ctrl-C is heard
  watching.finish(outcomes, interrupts.token());
  if (!outcomes.empty() && outcomes.back().result.ended == Ended::stopped)
    throw CommandFailed(exit_interrupted,
                        std::string("interrupted: the best so far is shown") +
                            (settings.store && !outcomes.back().subject.recording
                                 ? "; the same command continues where this one stopped"
                                 : ""));
}

/// The campaign that would run here, for a batch system.
void print_batch_job(const TuneOptions& options, const AllSettings& settings) {
  if (!settings.session.store)
    throw InputError(
        "--slurm and --print need a store: what the tasks measure is put together in it");
  const BatchJob job{.definitions = definitions_of(settings),
                     .options = options.for_tasks,
                     .into = options.into,
                     .store = *settings.session.store,
                     .seconds = settings.session.budget.seconds,
                     .evaluations = settings.session.budget.evaluations};
  print(options.slurm ? slurm_text(job) : plain_text(job));
  finish_output();
}

/// As they were typed, but for those that a batch job sets itself.
std::vector<std::string> options_for_tasks(const CLI::App& command) {
  constexpr std::array own{"--all",  "--slurm",   "--print",      "--store",
                           "--into", "--seconds", "--evaluations"};
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::find(own.begin(), own.end(), name) != own.end())
      continue;
    if (option->get_type_size() == 0) { // a flag
      words.push_back(name);
      continue;
    }
    for (const std::string& value : option->results())
      words.insert(words.end(), {name, value});
  }
  return words;
}

void tune_every(const TuneOptions& options, const Installation& installation) {
  TuneAllWishes wishes{.settings = {.session = settings_of(options, installation)},
                       .into = options.into,
                       .writes = options.writes,
                       .json = options.json,
                       .quiet = options.quiet,
                       .verbose = options.verbose};
  wishes.settings.where.assign(options.all.begin(), options.all.end());
  wishes.settings.from.assign(options.from.begin(), options.from.end());
  if (options.slurm || options.print)
    return print_batch_job(options, wishes.settings);
  tune_all_kernels(wishes);
}

void add_all_options(CLI::App& command, TuneOptions& options) {
  constexpr const char* group = "All kernels";
  CLI::Option* all =
      command
          .add_option(
              "--all", options.all,
              "Every kernel at every size of these folders, of the catalogue without one, in "
              "one budget; with a header, a baseline and a summary at the end")
          ->type_name("DIRECTORY…")
          ->expected(0, -1)
          ->excludes("kernel")
          ->group(group);
  for (const char* other :
       {"--size", "--sizes", "--recording", "--strategy", "--exhaustive", "--t4", "--record"})
    all->excludes(other);
  command
      .add_option("--from", options.from,
                  "With --all: stores, recordings and headers of other devices, to begin with the "
                  "best of the nearest; the store and the catalogue's recordings count too")
      ->type_name("FILE")
      ->needs("--all")
      ->group(group);
  command
      .add_option("--into", options.into,
                  "With --all: folder for DEVICE.hpp, DEVICE.md and DEVICE.baseline.json")
      ->type_name("DIRECTORY")
      ->capture_default_str()
      ->needs("--all")
      ->group(group);
  CLI::Option* slurm =
      command
          .add_flag(
              "--slurm", options.slurm,
              "With --all: run nothing, print a job array for sbatch: a task per kernel, and how "
              "their stores become one")
          ->needs("--all")
          ->group(group);
  command
      .add_flag("--print", options.print,
                "With --all: run nothing, print the commands of such tasks, a line each")
      ->needs("--all")
      ->excludes(slurm)
      ->group(group);
}

void add_subject_options(CLI::App& command, TuneOptions& options) {
  constexpr const char* group = "What is tuned";
  SessionSettings& session = options.session;
  command.add_option("kernel", session.kernel, "Name of the catalogue or a T1 JSON file")
      ->type_name("KERNEL");
  command
      .add_option("--size,--problem", options.size,
                  "Problem size, e.g. 8192x8192; default: the definition's first")
      ->type_name("SIZE")
      ->group(group);
  command
      .add_option("--sizes", options.sizes,
                  "Many sizes in one search that shares what it learns: all (the definition's), "
                  "1024x1024,4096x4096, or a file with a size, or a JSON line, a line")
      ->type_name("SIZES")
      ->excludes("--size")
      ->group(group);
  command
      .add_option("--across", options.across,
                  "What --sizes chooses for: each size its own best, or one configuration for all, "
                  "of least weighted geometric mean or worst ratio to each size's best")
      ->capture_default_str()
      ->type_name("WORD")
      ->check(one_of("choice", {across_words.begin(), across_words.end()}))
      ->needs("--sizes")
      ->group(group);
  command.add_option("--objective", session.objective, "What 'best' means: " + objective_words())
      ->capture_default_str()
      ->type_name("WORD")
      ->check(one_of("objective", objective_names()))
      ->group(group);
  CLI::Option* gpu = add_gpu_option(command, options.gpu)->capture_default_str()->group(group);
  command
      .add_option(
          "--devices", options.devices,
          "Several GPUs for one search, all or 0,2,3: those of one product measure together, "
          "and each other product has an answer of its own")
      ->type_name("LIST")
      ->excludes(gpu)
      ->group(group);
  command
      .add_option("--recording", session.recording,
                  "Replay this file instead of using a GPU: ours, Kernel Tuner cache, T4, KTT; .gz "
                  "too")
      ->type_name("FILE")
      ->group(group);
  add_include_option(command, session.include)->group(group);
}

void add_search_options(CLI::App& command, TuneOptions& options) {
  constexpr const char* group = "How long and by what";
  SessionSettings& session = options.session;
  command
      .add_option("--evaluations", session.budget.evaluations,
                  "Stop after so many; default: when a gain of more than 1 % in the next 20 is "
                  "unlikely, below 5 %")
      ->check(count_from(1))
      ->group(group);
  command
      .add_option("--seconds", session.budget.seconds,
                  "Stop after so many seconds, waiting for the GPU not counted")
      ->check(positive_number(longest_s))
      ->group(group);
  command
      .add_option("--strategy", session.strategy,
                  "Search strategy; 'gridsmith simulate --help' lists them")
      ->type_name("WORD")
      ->check(one_of("strategy", strategy_names()))
      ->group(group);
  command
      .add_flag("--exhaustive", options.exhaustive,
                "Try every configuration (--strategy exhaustive)")
      ->group(group);
  command.add_option("--seed", session.seed, "The one seed of all randomness")
      ->capture_default_str()
      ->check(count_from(0))
      ->group(group);
  command
      .add_flag(
          "--repeatable", session.repeatable,
          "The same search on every run: a batch of configurations at a time, which waits for "
          "the slowest of them")
      ->group(group);
  command.add_option("--finalists", session.finals.most, "So many are measured again, interleaved")
      ->capture_default_str()
      ->check(count_from(0, most_samples))
      ->group(group);
}

void add_measuring_options(CLI::App& command, TuneOptions& options) {
  constexpr const char* group = "How it is measured";
  Conditions& conditions = options.session.conditions;
  command.add_flag("--warm", options.warm, "Do not flush the L2 cache between samples")
      ->group(group);
  command
      .add_option("--counters", conditions.counter_set,
                  "Sets (none, default, shared, full), or names that 'gridsmith counters' lists, "
                  "with commas")
      ->type_name("NAMES")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--interval", options.interval_percent,
                  "Sample until the median is known within ± this many percent")
      ->capture_default_str()
      ->check(positive_number(100))
      ->group(group);
  command
      .add_option("--samples", conditions.sampling.max_samples,
                  "At most so many samples of a configuration")
      ->capture_default_str()
      ->check(count_from(1, most_samples))
      ->group(group);
  command
      .add_flag("--full", options.full,
                "Give those that cannot win all their samples too: nothing is pruned early")
      ->group(group);
  command.add_option("--timeout", conditions.timeout_s, "Seconds until a launch counts as hanging")
      ->capture_default_str()
      ->check(positive_number(longest_launch_s))
      ->group(group);
  command
      .add_option(
          "--lock-clock", conditions.locked_clock_mhz,
          "Lock the SM clock at so many MHz while tuning; restored whatever happens; needs root")
      ->check(count_from(1, fastest_clock_mhz))
      ->group(group);
}

void add_process_options(CLI::App& command, TuneOptions& options) {
  constexpr const char* group = "Files and processes";
  command.add_option("--store", options.session.store, "SQLite file of all measurements")
      ->default_str("gridsmith.db")
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--no-store", options.no_store, "Keep nothing on disk")->group(group);
  command
      .add_flag("--no-cache", options.no_cache,
                "Compile everything anew: no cubin cache, no NVRTC cache")
      ->group(group);
  command
      .add_option("--compilers", options.session.compilers,
                  "Compiler processes; default: one per core")
      ->check(count_from(1, most_processes))
      ->group(group);
  command
      .add_flag("--share", options.session.share,
                "Do not wait for another Gridsmith on this GPU: measure beside it, without "
                "counters")
      ->group(group);
  command
      .add_flag("--unconfined", options.unconfined,
                "Compilers and worker with all rights of the user, for a driver that needs more")
      ->group(group);
}

void add_output_options(CLI::App& command, TuneOptions& options) {
  constexpr const char* group = "What is shown and written";
  const auto also = [&](const std::string& option, const std::string& format,
                        const std::string& what) {
    command
        .add_option_function<std::string>(
            option,
            [&options, format](const std::string& file) {
              options.writes.push_back({format, file});
            },
            what)
        ->type_name("FILE")
        ->group(group);
  };
  also("--t4", "t4", "Also write all measurements as T4 JSON");
  also("--csv", "csv", "Also write all measurements as CSV");
  also("--record", "recording", "Also write a recording that 'tune' can replay");
  command
      .add_option_function<std::vector<std::string>>(
          "--write",
          [&options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
              options.writes.push_back(write_from_text(text));
          },
          "Also write any format of 'gridsmith export'; may be repeated; - as FILE is standard "
          "output, in place of the table")
      ->type_name("FORMAT=FILE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--trace", options.trace,
                  "Also write what compilers, worker, GPU and strategy were at and when, for "
                  "ui.perfetto.dev or chrome://tracing")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--report", options.report, "Also write all of it as one HTML file to look at")
      ->type_name("FILE")
      ->group(group);
  add_watch_options(command, options.watch, group);
  command.add_flag("--json", options.json, "The answer as JSON on stdout")->group(group);
  command
      .add_flag("--verbose", options.verbose,
                "A line on stderr for each configuration as soon as it is known")
      ->group(group);
  command.add_flag("--quiet", options.quiet, "No progress line")->group(group);
}

} // namespace

void add_tune_command(CLI::App& app, const Installation& installation) {
  CLI::App* command = app.add_subcommand("tune", "Find the best configuration of a kernel");
  command->footer(
      "Example:\n"
      "  gridsmith tune transpose --size 8192x8192\n"
      "\n"
      "Without a CUDA device the shipped recording of the kernel and problem is replayed, and the "
      "first line says so. A configuration that fails to compile, crashes, hangs or gives a wrong "
      "result is recorded with its reason and the tuning goes on.\n"
      "\n"
      "With --all the whole catalogue, or all of a folder, is tuned for a new GPU; see docs/shipping.md.\n"
      "\n"
      "Ctrl-C once answers with the best so far within two seconds, not measured again, and ends "
      "with exit code 130; twice stops now. The same command continues where it stopped.\n"
      "\n"
      "Exit codes:\n"
      "  0    done\n"
      "  1    no configuration gave a right result, or a result could not be written\n"
      "  2    usage or bad input\n"
      "  3    no usable device\n"
      "  130  interrupted; what was measured until then is stored");
  const auto options = std::make_shared<TuneOptions>();
  add_subject_options(*command, *options);
  add_search_options(*command, *options);
  add_measuring_options(*command, *options);
  add_process_options(*command, *options);
  add_output_options(*command, *options);
  add_all_options(*command, *options);
  command->callback([command, options, &installation] {
    for (const char* name :
         {"--gpu", "--devices", "--warm", "--counters", "--interval", "--lock-clock", "--samples",
          "--full", "--timeout", "--compilers", "--no-cache", "--share", "--unconfined"})
      if (command->count(name) > 0)
        options->only_measured.push_back(name);
    options->store_asked = command->count("--store") > 0;
    std::erase(options->all, ""); // none named
    options->for_tasks = options_for_tasks(*command);
    if (command->count("--all") > 0)
      tune_every(*options, installation);
    else
      tune(*options, installation);
  });
}

} // namespace gridsmith
