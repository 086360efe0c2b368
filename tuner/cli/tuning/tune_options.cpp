// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/tuning/tune_options.hpp"

#include "gridsmith/base/named.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/tuner/session/limits.hpp"
#include "gridsmith/tuner/session/size_list.hpp"
#include "gridsmith/tuner/session/sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t usual_drawn = 20;

void take_sizes(const TuneOptions& options, const Installation& installation,
                SessionSettings& settings) {
  if (settings.kernel.empty())
    throw InputError("--sizes needs a kernel");
  const KernelDefinition definition =
      settings.definition
          ? *settings.definition
          : read_definition(find_definition(settings.kernel, installation.catalogue),
                            settings.include);
  SizeList list = size_list(options.sizes, definition);
  settings.problems = std::move(list.problems);
  settings.weights = std::move(list.weights);
  settings.add = list.adds;
  settings.across = from_text<Across>(options.across);
}

/// As asked for; else of one kernel whose search ends by itself.
std::size_t drawn_by(const TuneOptions& options, const SessionSettings& settings) {
  const bool usual = settings.across == Across::each && settings.problems.size() > 1 &&
                     !settings.budget.evaluations && settings.strategy != "exhaustive";
  return options.calibrate.value_or(usual ? usual_drawn : 0);
}

/// "csv=", for a file's name behind it.
std::vector<std::string> file_prefixes() {
  std::vector<std::string> prefixes;
  for (const FormatEntry& format : export_formats())
    prefixes.push_back(format.name + "=");
  return prefixes;
}

/// As they were typed, but for those that a batch job sets itself.
std::vector<std::string> options_for_tasks(const CLI::App& command) {
  constexpr std::array own{"--all",  "--slurm", "--print",   "--store",
                           "--into", "--sizes", "--seconds", "--evaluations"};
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::find(own.begin(), own.end(), name) != own.end())
      continue;
    if (option->get_items_expected_max() == 0) { // a flag
      words.push_back(name);
      continue;
    }
    for (const std::string& value : option->results())
      words.insert(words.end(), {name, value});
  }
  if (command.count("--calibrate") == 0) // as of all kernels in one command
    words.insert(words.end(), {"--calibrate", "0"});
  return words;
}

void add_all_options(CLI::App& command, TuneOptions& options) {
  constexpr const char* group = "All kernels";
  CLI::Option* all =
      command
          .add_option(
              "--all", options.all,
              "Tune every kernel of these folders, by default of the catalogue, at every size "
              "within one budget; write a header, a baseline and a summary")
          ->type_name("DIR…")
          ->expected(0, -1)
          ->excludes("KERNEL")
          ->group(group);
  for (const char* other : {"--size", "--recording", "--configuration", "--strategy",
                            "--exhaustive", "--t4", "--record", "--report", "--trace", "--watch"})
    all->excludes(other);
  command
      .add_option("--from", options.from,
                  "With --all: stores, recordings and headers of other devices; the search starts "
                  "from the best of the nearest one; the store and the catalogue's recordings are "
                  "always used")
      ->type_name("FILE")
      ->needs("--all")
      ->group(group);
  command
      .add_option("--into", options.into,
                  "With --all: folder for DEVICE.hpp, DEVICE.md and DEVICE.baseline.json")
      ->type_name("DIR")
      ->capture_default_str()
      ->needs("--all")
      ->group(group);
  CLI::Option* slurm =
      command
          .add_flag(
              "--slurm", options.slurm,
              "With --all: only print a job array for sbatch, a task per kernel, and how to merge "
              "their stores")
          ->needs("--all")
          ->group(group);
  command
      .add_flag("--print", options.print,
                "With --all: only print the commands of such tasks, one per line")
      ->needs("--all")
      ->excludes(slurm)
      ->group(group);
}

void take_size(const std::string& text, SessionSettings& settings) {
  if (text == "all")
    throw InputError("--size is one size; '--sizes all' is all of the definition's");
  if (!text.empty())
    settings.problems = {problem_size_from_text(text)};
}

void add_subject_options(CLI::App& command, TuneOptions& options) {
  constexpr const char* group = "What to tune";
  SessionSettings& session = options.session;
  add_kernel_option(command, session.kernel,
                    "Name of the catalogue, a T1 JSON file, or a source FILE.cu")
      ->required(false);
  command
      .add_option_function<std::string>(
          "--size,--problem", [&session](const std::string& text) { take_size(text, session); },
          one_size_text)
      ->type_name("SIZE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option(
          "--sizes", options.sizes,
          "Tune many sizes in one search: with commas between them all (the definition's), "
          "sizes such as 1024x1024, ranges such as 1024..8192:x2 or 1000..5000:+500 for each "
          "or all extents, around:1024x1024, and auto, which adds up to 8 where the choice between "
          "the fastest is least certain; or a file with one size, or JSON object, per "
          "line; with --all, only the listed sizes of each kernel")
      ->type_name("SIZES")
      ->excludes("--size")
      ->group(group);
  command
      .add_option("--across", options.across,
                  "With --sizes: find the best for each size, or one for all sizes, with the least "
                  "weighted geometric mean, or the least worst ratio, of time to each size's best")
      ->capture_default_str()
      ->type_name("each|mean|worst")
      ->check(one_of(std::string(Words<Across>::kind),
                     {Words<Across>::list.begin(), Words<Across>::list.end()}))
      ->needs("--sizes")
      ->group(group);
  command
      .add_option(
          "--calibrate", options.calibrate,
          "With --sizes or --all: draw so many sizes that are not asked for (of each kernel), measure "
          "them last, and say what a header loses there; default: 20 of several --sizes that "
          "have no --evaluations and are not --exhaustive, else 0")
      ->check(count_from(0, most_drawn_or_added))
      ->type_name("N")
      ->group(group);
  command
      .add_option(
          "--objective,--objectives", session.objective,
          fmt::format("What to optimise: {}", fmt::join(names_in(objectives()), ", ")) +
              ", or a metric of the definition or of 'gridsmith counters' of which less or more is better; of two, "
              "time,energy_mj, the front is looked for")
      ->capture_default_str()
      ->type_name("A[,B]")
      ->check(suggested(names_in(objectives())))
      ->group(group);
  CLI::Option* gpu = add_gpu_option(command, options.gpu)->capture_default_str()->group(group);
  command
      .add_option(
          "--devices", options.devices,
          "Use several GPUs for one search, all or 0,2,3: GPUs of one product measure together, "
          "other products get an answer of their own")
      ->type_name("all|N,…")
      ->check(suggested({"all"}))
      ->excludes(gpu)
      ->group(group);
  command
      .add_option("--recording", session.recording,
                  "Replay this file instead of using a GPU: ours, Kernel Tuner cache, T4, KTT; .gz "
                  "too")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--back-end", session.back_end,
                  "Measure by this alone: with gpu, no recording is replayed where there is none")
      ->type_name("BACK-END")
      ->check(suggested(back_end_words()))
      ->excludes("--recording")
      ->group(group);
  add_include_option(command, session.include)->group(group);
  command
      .add_option_function<std::vector<std::string>>(
          "--configuration",
          [&session](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
              session.only.push_back(untyped_configuration(text, "--configuration"));
          },
          "Measure this configuration (\"A=1,B=2\", other values from the default) instead of "
          "searching; may be repeated")
      ->type_name("CONFIG")
      ->allow_extra_args(false)
      ->excludes("--sizes")
      ->group(group);
}

void add_search_options(CLI::App& command, TuneOptions& options) {
  constexpr const char* group = "How to search";
  SessionSettings& session = options.session;
  command
      .add_option("--evaluations", session.budget.evaluations,
                  "Stop after so many configurations; default: when a gain of more than 1 % within "
                  "the next 20 has a probability below 5 %")
      ->check(count_from(1))
      ->excludes("--configuration")
      ->group(group);
  command
      .add_option("--seconds", session.budget.seconds,
                  "Stop after so many seconds, not counting the wait for the GPU")
      ->check(positive_number(longest_s))
      ->group(group);
  command
      .add_option("--strategy", session.strategy,
                  "Search strategy; 'gridsmith simulate --help' lists them")
      ->type_name("STRATEGY")
      ->check(one_of("strategy", names_in(strategies())))
      ->group(group);
  command
      .add_flag("--exhaustive", options.exhaustive,
                "Try every configuration, with --sizes at every size (--strategy exhaustive)")
      ->excludes("--configuration")
      ->group(group);
  add_seed_option(command, session.seed, "Seed of all randomness")
      ->capture_default_str()
      ->group(group);
  command
      .add_flag(
          "--repeatable", session.repeatable,
          "Repeat the same search on every run: propose in batches, and wait for the slowest of "
          "each")
      ->group(group);
  command
      .add_option("--finalists", session.finals.most,
                  "Measure so many finalists again, "
                  "interleaved")
      ->capture_default_str()
      ->check(count_from(0, most_finalists))
      ->group(group);
}

void add_measuring_options(CLI::App& command, TuneOptions& options) {
  constexpr const char* group = "How to measure";
  Conditions& conditions = options.session.conditions;
  add_regime_option(command, conditions.regime, &options.session.every_regime)->group(group);
  add_counters_option(command, conditions.counter_set)->group(group);
  command
      .add_option("--interval", options.interval_percent,
                  "Sample until the median is known to within ± so many percent")
      ->capture_default_str()
      ->check(positive_number(100))
      ->group(group);
  command
      .add_option("--samples", conditions.sampling.max_samples,
                  "Take at most so many samples of a configuration")
      ->capture_default_str()
      ->check(count_from(1, most_samples))
      ->group(group);
  command
      .add_flag("--full", options.full,
                "Disable pruning: take all samples even of configurations that cannot win")
      ->group(group);
  command
      .add_flag("--bitwise", conditions.bitwise,
                "Correct is only what gives the same result, to the bit, in every judged launch")
      ->group(group);
  add_timeout_option(command, conditions.timeout_s)->group(group);
  command
      .add_option(
          "--lock-clock", options.clocks,
          "Lock the SM clock at so many MHz while tuning, and always restore it; of several, 900,1500, the "
          "finalists are measured at each too; needs root")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(count_from(1, fastest_clock_mhz))
      ->type_name("MHZ[,…]")
      ->group(group);
}

void add_process_options(CLI::App& command, TuneOptions& options) {
  constexpr const char* group = "Files and processes";
  add_store_option(command, options.session.store)->group(group);
  add_no_store_option(command, options.no_store)->group(group);
  HelperSettings& helpers = options.session.helpers;
  add_no_cache_option(command, helpers, "Compile everything again: no cubin cache, no NVRTC cache")
      ->group(group);
  command.add_option("--compilers", helpers.compilers, "Compiler processes; default: one per core")
      ->check(count_from(1, most_processes))
      ->group(group);
  add_compile_timeout_option(command, options.session.compile_timeout)->group(group);
  add_share_option(command, helpers,
                   "Do not wait for another Gridsmith on this GPU: measure at the same time, "
                   "without counters")
      ->group(group);
  add_unconfined_option(command, helpers,
                        "Run compilers and worker without a sandbox, for a driver that needs it")
      ->group(group);
}

void add_output_options(CLI::App& command, TuneOptions& options) {
  constexpr const char* group = "What to show and write";
  const auto also = [&](const std::string& option, const std::string& format,
                        const std::string& what) {
    command
        .add_option_function<std::string>(
            option,
            [&options, option, format](const std::string& file) {
              options.writes.push_back({option, file, format});
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
          "output, which replaces the table")
      ->type_name("FORMAT=FILE")
      ->check(suggested(file_prefixes()))
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--trace", options.trace,
                  "Also write a trace of compilers, worker, GPU and strategy, for ui.perfetto.dev "
                  "or chrome://tracing")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--report", options.report, "Also write the report, one HTML file")
      ->type_name("FILE")
      ->group(group);
  add_watch_options(command, options.watch, group);
  add_json_option(command, options.json, "The answer as JSON on stdout")->group(group);
  add_loudness_options(command, options.verbose, options.quiet, group);
}

} // namespace

std::vector<OutputFile> TuneOptions::outputs() const {
  std::vector<OutputFile> named = writes;
  if (!trace.empty())
    named.push_back({"--trace", trace, "trace"});
  if (!report.empty())
    named.push_back({"--report", report, "report"});
  return named;
}

bool TuneOptions::prints_answer() const {
  return !quiet && !json && !takes_standard_output(files_of(outputs()));
}

void add_tune_options(CLI::App& command, TuneOptions& options) {
  add_subject_options(command, options);
  add_file_options(command, options.source);
  add_search_options(command, options);
  add_measuring_options(command, options);
  add_process_options(command, options);
  add_output_options(command, options);
  add_all_options(command, options);
}

void note_given(const CLI::App& command, TuneOptions& options) {
  std::erase(options.all, ""); // none named
  options.for_tasks = options_for_tasks(command);
}

SessionSettings settings_of(const TuneOptions& options, const Installation& installation) {
  SessionSettings settings = options.session;
  settings.devices =
      options.devices.empty() ? std::vector{options.gpu} : devices_from_text(options.devices);
  if (!options.sizes.empty())
    take_sizes(options, installation, settings);
  if (options.exhaustive && settings.strategy != "exhaustive" &&
      settings.strategy != SessionSettings{}.strategy)
    throw InputError(
        fmt::format("--exhaustive is --strategy exhaustive, not {}", settings.strategy));
  if (options.exhaustive)
    settings.strategy = "exhaustive";
  settings.calibrate = drawn_by(options, settings);
  if (options.clocks.size() == 1)
    settings.conditions.locked_clock_mhz = options.clocks.front();
  else
    settings.clocks = options.clocks;
  if (options.no_store)
    settings.store.reset();
  settings.conditions.sampling.interval = options.interval_percent / 100;
  settings.conditions.sampling.prune = !options.full;
  return settings;
}

} // namespace gridsmith
