// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/search/strategies/strategy.hpp"
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
#include <optional>

namespace gridsmith {
namespace {

constexpr double longest_compile_ms = 1e9;
constexpr std::uint64_t most_runs = 100'000, most_batch = 1'000'000, most_threads = 1024;

/// Before the first of several is simulated.
void check_there(const std::string& file, const Installation& installation) {
  std::error_code error;
  if (std::filesystem::exists(file, error))
    return;
  const std::vector<std::string> words = names_in(strategies());
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
  } catch (const Error& error) { // of the formula, or of its values
    throw InputError(fmt::format("--compile-ms {}: {}", formula, error.what()));
  }
}

std::string strategy_list() {
  std::string text = "Strategies:\n";
  for (const StrategyEntry& one : strategies())
    text += fmt::format("  {:<16}{}\n", one.name, one.summary);
  return text;
}

class SimulateCommand final : public Command {
public:
  SimulateCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void add_run_options();
  void add_time_options();

  std::vector<OutputFile> outputs() const {
    return csv_.empty() ? std::vector<OutputFile>()
                        : std::vector<OutputFile>{{"--csv", csv_, "simulation"}};
  }

  void simulate_file(const std::string& file, const std::stop_token& stop,
                     SimulationTable& table) const;
  void show(const SimulationTable& table) const;

  std::vector<std::string> recordings_;
  std::vector<std::string> strategies_ = {"default"};
  std::string prior_, csv_, compile_ms_;
  SimulationSettings settings_;
  bool json_ = false;
};

SimulateCommand::SimulateCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "simulate",
              "Compare search strategies on recordings, without a GPU") {
  line_.footer(
      "Example:\n  gridsmith simulate r.json --strategy default,random\n\n" + strategy_list() +
      "\n"
      "The ratio is the best time found / the lowest time of the recording: 1 is perfect. A failed "
      "configuration costs an evaluation. The score is 0 for random search and 1 for finding the "
      "optimum at once. 'random (exact)' is random search computed, not run. Gridsmith's "
      "recordings are in share/gridsmith/catalogue/KERNEL/recordings. 'gridsmith plot convergence' "
      "draws the same. Ctrl-C shows the complete simulations and exits with code 130.");
  line_
      .add_option("RECORDINGS", recordings_,
                  "Recordings: ours, Kernel Tuner caches, T4, KTT; .gz too")
      ->type_name("RECORDING…")
      ->required();
  add_run_options();
  add_time_options();
  line_.add_option("--threads", settings_.threads, "Threads; default: as many as the machine has")
      ->check(count_from(1, most_threads));
  line_
      .add_option("--prior", prior_, "Recording of another device for the strategies to learn from")
      ->type_name("FILE");
  line_.add_option("--csv", csv_, "Also write CSV; - prints only that")->type_name("FILE");
  add_json_option(line_, json_, "JSON on stdout");
}

void SimulateCommand::add_run_options() {
  line_.add_option("--strategy", strategies_, "Strategies, separated by commas")
      ->delimiter(',')
      ->type_name("STRATEGY,…")
      ->allow_extra_args(false)
      ->default_str("default")
      ->check(one_of("strategy", names_in(strategies())));
  line_.add_option("--runs", settings_.runs, "Runs, each with its own seed")
      ->capture_default_str()
      ->check(count_from(1, most_runs));
  line_.add_option("--evaluations", settings_.evaluations, "Budgets, separated by commas")
      ->delimiter(',')
      ->type_name("N,…")
      ->allow_extra_args(false)
      ->default_str("25,50,100,200")
      ->check(count_from(1, most_simulated_evaluations));
  add_seed_option(line_, settings_.seed, "Seed of the first run")->capture_default_str();
  line_
      .add_option("--batch", settings_.batch,
                  "Configurations per batch; default: the strategy's own number")
      ->check(count_from(1, most_batch));
  line_
      .add_option(
          "--in-flight", settings_.in_flight,
          "Configurations in flight: each result reaches the strategy at once, as in 'tune'")
      ->excludes("--batch")
      ->check(count_from(1, most_batch));
}

void SimulateCommand::add_time_options() {
  line_
      .add_option("--compilers", settings_.compilers,
                  "Simulate so many parallel compilers, in recorded time; default: compile and "
                  "measure one after the other")
      ->check(count_from(1, most_threads));
  add_compile_timeout_option(line_, settings_.compile_timeout)->needs("--in-flight");
  line_
      .add_option("--compile-ms", compile_ms_,
                  "Replace recorded compile times by this formula of the parameters, in "
                  "milliseconds")
      ->type_name("FORMULA")
      ->needs("--compilers");
  line_
      .add_option("--seconds", settings_.seconds,
                  "End a run after so many seconds of recorded compiling and measuring")
      ->check(positive_number(1e8));
}

/// One recording under every strategy. @throws SimulationStopped, with the table as far as it came
void SimulateCommand::simulate_file(const std::string& file, const std::stop_token& stop,
                                    SimulationTable& table) const {
  const Recording recording = recording_of(file, compile_ms_);
  note(file + ": " + describe(recording));
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  SimulationSettings settings = settings_;
  settings.stop = stop;
  std::optional<Recording> other;
  if (!prior_.empty()) {
    other = open_recording(prior_);
    settings.prior = prior_from(RecordedSpace(*other), recorded.space());
    note(fmt::format("{} of its configurations are known from {}", settings.prior.size(), prior_));
  }
  const std::string name = std::filesystem::path(file).filename().string();
  table.push_back(random_exact(judge, name, settings));
  ProgressLine line(stderr_is_terminal());
  for (const std::string& strategy : strategies_) {
    settings.progress = [&](std::size_t done) {
      line.show(
          fmt::format("{}: {}, {} of {} runs", printable(name), strategy, done, settings.runs));
    };
    table.push_back(simulate(judge, name, strategy_entry(strategy), settings));
  }
}

void SimulateCommand::show(const SimulationTable& table) const {
  if (json_)
    print(simulation_json(table) + "\n");
  else if (!takes_standard_output(files_of(outputs()))) {
    const Terminal terminal = terminal_of(STDOUT_FILENO);
    print(simulation_text(table, terminal.watched ? terminal.width : unlimited_width));
  }
  if (!csv_.empty())
    write_output(csv_, simulation_csv(table));
  finish_output();
}

void SimulateCommand::run() {
  check_outputs(line_, outputs(), json_);
  for (const std::string& file : recordings_)
    check_there(file, installation_);
  const Interrupts interrupts; // before any thread
  SimulationTable table;
  try {
    for (const std::string& file : recordings_)
      simulate_file(file, interrupts.token(), table);
  } catch (const SimulationStopped&) {
    if (table.empty())
      throw CommandFailed(exit_interrupted, "interrupted before anything was simulated");
    show(table);
    throw CommandFailed(exit_interrupted, "interrupted: only complete simulations are shown");
  }
  show(table);
}

} // namespace

extern const AddCommand add_simulate_command = add_command<SimulateCommand>;

} // namespace gridsmith
