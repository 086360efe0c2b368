#include "gridsmith/base/error.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/replay/simulation.hpp"
#include "gridsmith/tuner/replay/simulation_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace gridsmith {
namespace {

struct SimulateOptions {
  std::vector<std::string> recordings;
  std::vector<std::string> strategies = {"default"};
  std::string prior, csv, plot;
  SimulationSettings settings;
  bool json = false;

  std::vector<std::string> outputs() const {
    std::vector<std::string> names = {csv, plot};
    std::erase(names, "");
    return names;
  }
};

void check(const SimulateOptions& options) {
  for (const std::string& name : options.strategies)
    strategy_entry(name);
  for (const std::size_t budget : options.settings.evaluations)
    if (budget == 0)
      throw InputError("--evaluations must be at least 1");
  check_outputs(options.outputs(), options.json);
}

/// One recording under every strategy.
void simulate_file(const std::string& file, const SimulateOptions& options,
                   SimulationTable& table) {
  const Recording recording = read_recording(file);
  note(file + ": " + describe(recording));
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  SimulationSettings settings = options.settings;
  std::optional<Recording> other;
  if (!options.prior.empty()) {
    other = read_recording(options.prior);
    settings.prior = prior_from(RecordedSpace(*other), recorded.space());
    note(fmt::format("{} of its configurations are known from {}", settings.prior.size(),
                     options.prior));
  }
  const std::string name = std::filesystem::path(file).filename().string();
  table.push_back(random_exact(judge, name, settings));
  for (const std::string& strategy : options.strategies)
    table.push_back(simulate(judge, name, strategy_entry(strategy), settings));
}

void run(const SimulateOptions& options) {
  end_when_interrupted();
  check(options);
  SimulationTable table;
  for (const std::string& file : options.recordings)
    simulate_file(file, options, table);
  if (options.json)
    print(simulation_json(table) + "\n");
  else if (!takes_standard_output(options.outputs()))
    print(simulation_text(table));
  if (!options.csv.empty())
    write_output(options.csv, simulation_csv(table));
  if (!options.plot.empty())
    write_output(options.plot, simulation_svg(table));
}

std::string strategy_list() {
  std::string text = "\nStrategies:\n";
  for (const StrategyEntry& one : strategies())
    text += fmt::format("  {:<16}{}\n", one.name, one.summary);
  return text + "\nA ratio is best found / lowest time of the recording: 1 is perfect. A failed "
                "configuration costs\n"
                "an evaluation. The score is 0 for random search and 1 for the optimum at once.";
}

} // namespace

void add_simulate_command(CLI::App& app, const Installation&) {
  CLI::App* command =
      app.add_subcommand("simulate", "Judge search strategies on recordings, without a GPU");
  command->footer(strategy_list());
  const auto options = std::make_shared<SimulateOptions>();
  command
      ->add_option("recordings", options->recordings,
                   "Recordings: ours, Kernel Tuner caches, T4, KTT; .gz too")
      ->type_name("RECORDING…")
      ->required();
  command->add_option("--strategy", options->strategies, "Strategies, separated by commas")
      ->delimiter(',');
  command->add_option("--runs", options->settings.runs, "Runs, each with its own seed")
      ->capture_default_str()
      ->check(count_from(1));
  command
      ->add_option("--evaluations", options->settings.evaluations, "Budgets, separated by commas")
      ->delimiter(',');
  command->add_option("--seed", options->settings.seed, "Seed of the first run")
      ->capture_default_str();
  command
      ->add_option("--batch", options->settings.batch,
                   "Configurations asked for at once, at most; default: as when tuning")
      ->check(count_from(1));
  command
      ->add_option("--seconds", options->settings.seconds,
                   "A run ends after so many seconds of recorded compiling and measuring")
      ->check(CLI::PositiveNumber);
  command->add_option("--threads", options->settings.threads,
                      "Threads; default: as many as the machine has");
  command->add_option("--prior", options->prior,
                      "Recording of another device that the strategies may learn from");
  command->add_option("--csv", options->csv, "Also write CSV; - in place of the table");
  command->add_option("--plot", options->plot,
                      "Also write the convergence plot (SVG); - in place of the table");
  command->add_flag("--json", options->json, "JSON on stdout");
  command->callback([options] { run(*options); });
}

} // namespace gridsmith
