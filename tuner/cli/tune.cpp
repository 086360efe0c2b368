#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/tuner/cli/answer_text.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/progress.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

/// The words of the command line: a session's settings, and what is the program's own.
struct TuneOptions {
  SessionSettings session = {.kernel = "", .store = "gridsmith.db"};
  std::string size;
  std::vector<std::pair<std::string, std::string>> writes; ///< format, file
  double interval_percent = 100 * Sampling{}.interval;
  bool exhaustive = false, full = false, warm = false, no_cache = false, no_store = false;
  bool json = false, quiet = false;
};

SessionSettings settings_of(const TuneOptions& options) {
  SessionSettings settings = options.session;
  if (!options.size.empty())
    settings.problems = {problem_size_from_text(options.size)};
  if (options.exhaustive)
    settings.strategy = "exhaustive";
  if (options.no_store)
    settings.store.reset();
  settings.cache = !options.no_cache;
  settings.conditions.cache = options.warm ? Cache::warm : Cache::cold;
  settings.conditions.sampling.interval = options.interval_percent / 100;
  settings.conditions.sampling.prune = !options.full;
  return settings;
}

/// What runs where; a replay says so in the first line.
void announce(const Subject& subject, const TuneOptions& options, const SessionSettings& settings) {
  std::string text;
  if (subject.recording)
    text = fmt::format("{}: replaying the recording of {} ({}), {}\n", subject.replayed_because,
                       subject.device.name, date_text(subject),
                       std::filesystem::proximate(*subject.recording).string());
  text += fmt::format("Tuning {} {} on {}: {} configurations, strategy {}, seed {}", subject.kernel,
                      subject.problem, subject.device.name, subject.configurations,
                      settings.strategy, settings.seed);
  if (options.json)
    note(text.substr(0, text.find('\n')));
  else
    print(text + "\n");
}

/// The files asked for beside the table.
void write_exports(const TuneOptions& options, const Outcome& outcome) {
  const Export exported = outcome.exported();
  for (const auto& [format, file] : options.writes)
    write_export(export_format(format), std::span(&exported, 1), file);
}

/// "csv=FILE", checked before hours of work.
std::pair<std::string, std::string> write_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw InputError("--write: '" + text + "' is not of the form FORMAT=FILE");
  return {export_format(text.substr(0, equals)).name, text.substr(equals + 1)};
}

void show(const TuneOptions& options, const Outcome& outcome) {
  if (options.json)
    print(answer_json(outcome).dump(2) + "\n");
  else
    print("\n" + answer_text(outcome) + "\n" + summary_text(outcome));
  write_exports(options, outcome);
  if (outcome.result.ended == Ended::stopped)
    note(
        "interrupted: the best so far is shown; the same command continues where this one stopped");
  if (outcome.answer.ranking.empty())
    throw CommandFailed(exit_failed,
                        "no configuration gave a right result; see the reasons with --csv FILE");
}

void tune(const TuneOptions& options, const Installation& installation) {
  const Interrupts interrupts; // before any thread
  SessionSettings settings = settings_of(options);
  settings.installation = installation;
  Session session(settings);
  ProgressLine line(stderr_is_terminal() && !options.quiet && !options.json);
  const Listener listener{
      .begun = [&](const Subject& subject) { announce(subject, options, settings); },
      .progress = [&](const Progress& progress) { line.show(progress); },
      .note = note};
  const std::vector<Outcome> outcomes = session.run(interrupts.token(), listener);
  line.clear();
  for (const Outcome& outcome : outcomes)
    show(options, outcome);
}

void add_search_options(CLI::App& command, TuneOptions& options) {
  SessionSettings& session = options.session;
  command.add_option("kernel", session.kernel, "Name of the catalogue or a T1 JSON file")
      ->type_name("KERNEL");
  command.add_option("--size", options.size,
                     "Problem size, e.g. 8192x8192; default: the definition's first");
  command
      .add_option("--strategy", session.strategy,
                  "Search strategy; 'gridsmith simulate --help' lists them")
      ->capture_default_str();
  command.add_flag("--exhaustive", options.exhaustive,
                   "Try every configuration (--strategy exhaustive)");
  command.add_option("--objective", session.objective, "What 'best' means: " + objective_words())
      ->capture_default_str();
  command
      .add_option("--evaluations", session.budget.evaluations,
                  "Stop after so many; default: the whole space")
      ->check(count_from(1));
  command.add_option("--seconds", session.budget.seconds, "Stop after so many seconds")
      ->check(CLI::PositiveNumber);
  command.add_option("--seed", session.seed, "The one seed of all randomness")
      ->capture_default_str()
      ->check(count_from(0));
  command.add_option("--device", session.devices.front(), "Number of the CUDA device")
      ->capture_default_str()
      ->check(count_from(0));
  command.add_option(
      "--recording", session.recording,
      "Replay this file instead of using a GPU (ours, Kernel Tuner cache, T4, KTT; .gz too)");
  command.add_option("--store", session.store, "SQLite file of all measurements")
      ->default_str("gridsmith.db");
  command.add_flag("--no-store", options.no_store, "Keep nothing on disk");
}

void add_measuring_options(CLI::App& command, TuneOptions& options) {
  Conditions& conditions = options.session.conditions;
  command.add_flag("--warm", options.warm, "Do not flush the L2 cache between samples");
  command
      .add_option("--counters", conditions.counter_set, "Counter set: default, shared, full, none")
      ->capture_default_str();
  command
      .add_option("--interval", options.interval_percent,
                  "Sample until the 95 % interval of the median is within ± this many percent")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      .add_option(
          "--lock-clock", conditions.locked_clock_mhz,
          "Lock the SM clock at so many MHz while tuning; restored whatever happens; needs root")
      ->check(count_from(1));
  command
      .add_option("--samples", conditions.sampling.max_samples,
                  "At most so many samples of a configuration")
      ->capture_default_str()
      ->check(count_from(1));
  command.add_flag("--full", options.full,
                   "Give those that cannot win all their samples too: nothing is pruned early");
  command
      .add_option("--finalists", options.session.finals.most,
                  "So many are measured again, interleaved")
      ->capture_default_str()
      ->check(count_from(0));
  command.add_option("--timeout", conditions.timeout_s, "Seconds until a launch counts as hanging")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      .add_option("--compilers", options.session.compilers,
                  "Compiler processes; default: one per core")
      ->check(count_from(1));
  command.add_flag("--no-cache", options.no_cache,
                   "Compile everything anew: no cubin cache, no NVRTC cache");
}

void add_output_options(CLI::App& command, TuneOptions& options) {
  const auto also = [&](const std::string& option, const std::string& format,
                        const std::string& what) {
    command.add_option_function<std::string>(
        option,
        [&options, format](const std::string& file) { options.writes.emplace_back(format, file); },
        what);
  };
  also("--t4", "t4", "Also write all measurements as T4 JSON");
  also("--csv", "csv", "Also write all measurements as CSV");
  also("--record", "recording", "Also write a recording that 'tune' can replay");
  command
      .add_option_function<std::vector<std::string>>(
          "--write",
          [&options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
              options.writes.push_back(write_of(text));
          },
          "Also write any format of 'gridsmith export'; may be repeated")
      ->type_name("FORMAT=FILE");
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
      "result is recorded with its reason and the tuning goes on. Ctrl-C once answers with the\n"
      "best so far; twice stops now. The same command continues where it stopped.");
  const auto options = std::make_shared<TuneOptions>();
  add_search_options(*command, *options);
  add_measuring_options(*command, *options);
  add_output_options(*command, *options);
  command->callback([options, &installation] { tune(*options, installation); });
}

} // namespace gridsmith
