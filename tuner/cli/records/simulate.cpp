// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/backends/recordings.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/presentation/progress.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/replay/simulation.hpp"
#include "gridsmith/tuner/replay/simulation_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

namespace gridsmith {
namespace {

struct SimulateOptions {
  std::vector<std::string> recordings;
  std::vector<std::string> strategies = {"default"};
  std::string prior, csv, compile_ms;
  SimulationSettings settings;
  bool json = false;

  std::vector<OutputFile> outputs() const {
    return csv.empty() ? std::vector<OutputFile>()
                       : std::vector<OutputFile>{{"--csv", csv, "simulation"}};
  }
};

constexpr double longest_compile_ms = 1e9;

/// Before the first of several is simulated.
void check_there(const std::string& file, const Installation& installation) {
  std::error_code error;
  if (std::filesystem::exists(file, error))
    return;
  const std::vector<std::string> words = strategy_names();
  const std::filesystem::path recordings = installation.catalogue / file / "recordings";
  std::string meant;
  if (std::find(words.begin(), words.end(), file) != words.end())
    meant = "; several strategies are joined by commas, --strategy default,random";
  else if (file.find('/') == file.npos && std::filesystem::is_directory(recordings, error))
    meant = "; recordings of this kernel are in " + recordings.string();
  throw InputError(file + ": there is no such recording" + meant);
}

/// Compiles as long as the formula says.
Recording with_compile_ms(Recording recording, const std::string& formula) {
  const Expression expression = Expression::parse(formula);
  for (Measurement& one : recording.measurements) {
    const Value value =
        expression.evaluate(Bindings(one.configuration.begin(), one.configuration.end()));
    one.spent.compile_ms = to_number(value);
    if (!(one.spent.compile_ms >= 0 && one.spent.compile_ms <= longest_compile_ms))
      throw InputError(
          fmt::format("of {} it is {}, no time", to_text(one.configuration), to_text(value)));
  }
  return recording;
}

Recording recording_of(const std::string& file, const std::string& formula) {
  Recording recording = open_recording(file);
  if (formula.empty())
    return recording;
  try {
    return with_compile_ms(std::move(recording), formula);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--compile-ms {}: {}", formula, error.what()));
  }
}

/// One recording under every strategy. @throws SimulationStopped, with the table as far as it came
void simulate_file(const std::string& file, const SimulateOptions& options,
                   const std::stop_token& stop, SimulationTable& table) {
  const Recording recording = recording_of(file, options.compile_ms);
  note(file + ": " + describe(recording));
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  SimulationSettings settings = options.settings;
  settings.stop = stop;
  std::optional<Recording> other;
  if (!options.prior.empty()) {
    other = open_recording(options.prior);
    settings.prior = prior_from(RecordedSpace(*other), recorded.space());
    note(fmt::format("{} of its configurations are known from {}", settings.prior.size(),
                     options.prior));
  }
  const std::string name = std::filesystem::path(file).filename().string();
  table.push_back(random_exact(judge, name, settings));
  ProgressLine line(stderr_is_terminal());
  for (const std::string& strategy : options.strategies) {
    settings.progress = [&](std::size_t done) {
      line.show(
          fmt::format("{}: {}, {} of {} runs", printable(name), strategy, done, settings.runs));
    };
    table.push_back(simulate(judge, name, strategy_entry(strategy), settings));
  }
}

void show(const SimulationTable& table, const SimulateOptions& options) {
  if (options.json)
    print(simulation_json(table) + "\n");
  else if (!takes_standard_output(files_of(options.outputs()))) {
    const Terminal terminal = terminal_of(STDOUT_FILENO);
    print(simulation_text(table, terminal.watched ? terminal.width : unlimited_width));
  }
  if (!options.csv.empty())
    write_output(options.csv, simulation_csv(table));
  finish_output();
}

void run(const CLI::App& command, const SimulateOptions& options,
         const Installation& installation) {
  check_outputs(command, options.outputs(), options.json);
  for (const std::string& file : options.recordings)
    check_there(file, installation);
  const Interrupts interrupts; // before any thread
  SimulationTable table;
  try {
    for (const std::string& file : options.recordings)
      simulate_file(file, options, interrupts.token(), table);
  } catch (const SimulationStopped&) {
    if (table.empty())
      throw CommandFailed(exit_interrupted, "interrupted before anything was simulated");
    show(table, options);
    throw CommandFailed(exit_interrupted, "interrupted: only complete simulations are shown");
  }
  show(table, options);
}

std::string strategy_list() {
  std::string text = "Strategies:\n";
  for (const StrategyEntry& one : strategies())
    text += fmt::format("  {:<16}{}\n", one.name, one.summary);
  return text;
}

constexpr std::uint64_t most_runs = 100'000, most_batch = 1'000'000, most_threads = 1024;

void add_options(CLI::App& command, SimulateOptions& options) {
  SimulationSettings& settings = options.settings;
  command
      .add_option("RECORDINGS", options.recordings,
                  "Recordings: ours, Kernel Tuner caches, T4, KTT; .gz too")
      ->type_name("RECORDING…")
      ->required();
  command.add_option("--strategy", options.strategies, "Strategies, separated by commas")
      ->delimiter(',')
      ->type_name("STRATEGY,…")
      ->allow_extra_args(false)
      ->default_str("default")
      ->check(one_of("strategy", strategy_names()));
  command.add_option("--runs", settings.runs, "Runs, each with its own seed")
      ->capture_default_str()
      ->check(count_from(1, most_runs));
  command.add_option("--evaluations", settings.evaluations, "Budgets, separated by commas")
      ->delimiter(',')
      ->type_name("N,…")
      ->allow_extra_args(false)
      ->default_str("25,50,100,200")
      ->check(count_from(1, most_simulated_evaluations));
  command.add_option("--seed", settings.seed, "Seed of the first run")
      ->capture_default_str()
      ->check(count_from(0));
  command
      .add_option("--batch", settings.batch,
                  "Configurations per batch; default: the strategy's own number")
      ->check(count_from(1, most_batch));
  command
      .add_option(
          "--in-flight", settings.in_flight,
          "Configurations in flight: each result reaches the strategy at once, as in 'tune'")
      ->excludes("--batch")
      ->check(count_from(1, most_batch));
  command
      .add_option("--compilers", settings.compilers,
                  "Simulate so many parallel compilers, in recorded time; default: compile and "
                  "measure one after the other")
      ->check(count_from(1, most_threads));
  add_compile_timeout_option(command, settings.compile_timeout)->needs("--in-flight");
  command
      .add_option("--compile-ms", options.compile_ms,
                  "Replace recorded compile times by this formula of the parameters, in "
                  "milliseconds")
      ->type_name("FORMULA")
      ->needs("--compilers");
  command
      .add_option("--seconds", settings.seconds,
                  "End a run after so many seconds of recorded compiling and measuring")
      ->check(positive_number(1e8));
  command.add_option("--threads", settings.threads, "Threads; default: as many as the machine has")
      ->check(count_from(1, most_threads));
  command
      .add_option("--prior", options.prior,
                  "Recording of another device for the strategies to learn from")
      ->type_name("FILE");
  command.add_option("--csv", options.csv, "Also write CSV; - prints only that")->type_name("FILE");
  command.add_flag("--json", options.json, "JSON on stdout");
}

} // namespace

void add_simulate_command(CLI::App& app, const Installation& installation) {
  CLI::App* command =
      app.add_subcommand("simulate", "Compare search strategies on recordings, without a GPU");
  command->footer(
      "Example:\n  gridsmith simulate r.json --strategy default,random\n\n" + strategy_list() +
      "\n"
      "The ratio is the best time found / the lowest time of the recording: 1 is perfect. A failed "
      "configuration costs an evaluation. The score is 0 for random search and 1 for finding the "
      "optimum at once. 'random (exact)' is random search computed, not run. Gridsmith's "
      "recordings are in share/gridsmith/catalogue/KERNEL/recordings. 'gridsmith plot convergence' "
      "draws the same. Ctrl-C shows the complete simulations and exits with code 130.");
  const auto options = std::make_shared<SimulateOptions>();
  add_options(*command, *options);
  command->callback([command, options, &installation] { run(*command, *options, installation); });
}

} // namespace gridsmith
