// SPDX-License-Identifier: Apache-2.0
// Strategies on the ten recordings that the rivals' figures cover, ours beside theirs. Figures, no
// assertions. bench_search --strategy default,genetic --runs 50 --recordings gemm --evaluations
// 25,50
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tuner/replay/simulation.hpp"
#include "gridsmith/tuner/replay/simulation_output.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>

namespace bench_search {

using namespace gridsmith;

namespace {

struct Options {
  std::vector<std::string> strategies = {"default"};
  std::vector<std::string> recordings; ///< parts of names; all when empty
  SimulationSettings settings;
  std::string csv;
  bool table = false;
};

/// Medians of the rivals: recording -> budget -> strategy -> median ratio.
using Rivals = std::map<std::string, std::map<std::size_t, std::map<std::string, double>>>;

Rivals read_rivals(const std::filesystem::path& file) {
  std::ifstream in(file);
  Rivals rivals;
  std::string line;
  std::getline(in, line); // space,strategy,budget,seeds,p25,median,p75,mean_unique
  while (std::getline(in, line)) {
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');)
      cells.push_back(cell);
    if (cells.size() > 5)
      rivals[cells[0]][std::stoul(cells[2])][cells[1]] = std::stod(cells[5]);
  }
  // The others were given to few rivals or none.
  std::erase_if(rivals, [](const auto& entry) {
    return !entry.second.begin()->second.contains("adaptive_tabu_greywolf");
  });
  return rivals;
}

bool wanted(const std::string& name, const std::vector<std::string>& parts) {
  return parts.empty() || std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
           return name.find(part) != std::string::npos;
         });
}

/// The table of one budget: ours, then the rivals', and ours / best rival.
class Report {
public:
  explicit Report(const Rivals& rivals) : rivals_(rivals) {}

  void print(const SimulationTable& table, std::size_t budget_index) const {
    const std::size_t budget = table.front().budgets[budget_index].evaluations;
    std::vector<std::string> ours;
    std::map<std::string, std::map<std::string, double>> rows; // recording -> strategy -> median
    for (const SimulationResult& cell : table) {
      rows[cell.recording][cell.strategy] = cell.budgets[budget_index].median;
      if (std::find(ours.begin(), ours.end(), cell.strategy) == ours.end())
        ours.push_back(cell.strategy);
    }
    fmt::print("\nafter {} evaluations: median best found / optimum\n{:<34}", budget, "recording");
    for (const std::string& name : ours)
      fmt::print("{:>13}", name);
    fmt::print("{:>9}{:>9}{:>9}{:>9}  {}\n", "best", "ATGW", "VNDX", "random", "ours/best");
    std::map<std::string, double> logs;
    for (const auto& [recording, medians] : rows)
      print_row(recording, medians, ours, budget, logs);
    print_means(ours, logs, rows.size());
  }

private:
  double rival(const std::string& recording, std::size_t budget, const std::string& name) const {
    const auto& cells = rivals_.at(recording);
    const auto at = cells.find(budget);
    if (at == cells.end() || !at->second.contains(name))
      return std::nan("");
    return at->second.at(name);
  }

  void print_row(const std::string& recording, const std::map<std::string, double>& medians,
                 const std::vector<std::string>& ours, std::size_t budget,
                 std::map<std::string, double>& logs) const {
    double best = std::numeric_limits<double>::infinity();
    if (rivals_.at(recording).contains(budget))
      for (const auto& [name, median] : rivals_.at(recording).at(budget)) {
        logs["rival " + name] += std::log(median);
        if (name != "random_exact")
          best = std::min(best, median);
      }
    fmt::print("{:<34}", recording);
    for (const std::string& name : ours) {
      logs["our " + name] += std::log(medians.at(name));
      fmt::print("{:>13.3f}", medians.at(name));
    }
    fmt::print("{:>9.3f}{:>9.3f}{:>9.3f}{:>9.3f}", best,
               rival(recording, budget, "adaptive_tabu_greywolf"),
               rival(recording, budget, "hybrid_vndx"), rival(recording, budget, "random_exact"));
    for (const std::string& name : ours)
      fmt::print("  {:.3f}", medians.at(name) / best);
    fmt::print("\n");
  }

  /// Best of the means: one strategy for all recordings, not the best of each.
  static void print_means(const std::vector<std::string>& ours,
                          const std::map<std::string, double>& logs, std::size_t count) {
    const auto mean = [&](const std::string& name) {
      const auto entry = logs.find(name);
      return entry == logs.end() ? std::nan("")
                                 : std::exp(entry->second / static_cast<double>(count));
    };
    double best = std::numeric_limits<double>::infinity();
    std::string best_name;
    for (const auto& [name, log] : logs)
      if (name.starts_with("rival ") && name != "rival random_exact" && mean(name) < best) {
        best = mean(name);
        best_name = name.substr(6);
      }
    fmt::print("{:<34}", "geometric mean");
    for (const std::string& name : ours)
      fmt::print("{:>13.3f}", mean("our " + name));
    fmt::print("{:>9.3f}{:>9.3f}{:>9.3f}{:>9.3f}", best, mean("rival adaptive_tabu_greywolf"),
               mean("rival hybrid_vndx"), mean("rival random_exact"));
    for (const std::string& name : ours)
      fmt::print("  {:.3f}", mean("our " + name) / best);
    fmt::print("\nexcess over the optimum / that of the best rival ({}):", best_name);
    for (const std::string& name : ours)
      fmt::print(" {} {:.2f}", name, (mean("our " + name) - 1) / (best - 1));
    fmt::print("\n");
  }

  const Rivals& rivals_;
};

void write(const std::string& file, const std::string& text) {
  if (!file.empty() && !(std::ofstream(file) << text))
    throw InputError("cannot write '" + file + "'");
}

SimulationTable simulate_all(const Options& options, const Rivals& rivals,
                             const std::filesystem::path& folder) {
  SimulationTable table;
  for (const auto& [name, cells] : rivals) {
    if (!wanted(name, options.recordings))
      continue;
    const Recording recording = read_recording(folder / (name + ".json.gz"));
    const RecordedSpace recorded(recording);
    const Judge judge(recorded);
    for (const std::string& strategy : options.strategies) {
      table.push_back(simulate(judge, name, strategy_entry(strategy), options.settings));
      std::cerr << name << " " << strategy << "\n";
    }
  }
  return table;
}

int run(const Options& options) {
  const std::filesystem::path folder =
      std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "../shared/spaces/dev";
  if (!std::filesystem::exists(folder / "baseline_medians.csv")) {
    std::cout << "skipped: no recordings beside the sources (" << folder.string() << ")\n";
    return 77;
  }
  const Rivals rivals = read_rivals(folder / "baseline_medians.csv");
  const SimulationTable table = simulate_all(options, rivals, folder);
  if (table.empty())
    throw InputError("no recording's name contains what --recordings says");
  const Report report(rivals);
  for (std::size_t budget = 0; budget < table.front().budgets.size(); ++budget)
    report.print(table, budget);
  std::cout << "\nstrategy: score P(t) (0 random search, 1 optimum), microseconds per evaluation\n";
  for (const SimulationSummary& summary : summarise(table))
    fmt::print("{:<16} {:>6.3f} {:>9.1f}\n", summary.strategy, summary.score, summary.search_us);
  if (options.table)
    std::cout << "\n" << simulation_text(table);
  write(options.csv, simulation_csv(table));
  return 0;
}

} // namespace

int run(int argc, char** argv) {
  Options options;
  options.settings.runs = 50;
  CLI::App app("Strategies on the development recordings, beside the rivals' figures");
  app.add_option("--strategy", options.strategies, "strategies, separated by commas")
      ->delimiter(',');
  app.add_option("--recordings", options.recordings, "parts of the recordings' names")
      ->delimiter(',');
  app.add_option("--evaluations", options.settings.evaluations, "budgets")->delimiter(',');
  app.add_option("--runs", options.settings.runs, "runs, with the seeds --seed, --seed + 1, …");
  app.add_option("--seed", options.settings.seed, "seed of the first run");
  app.add_option("--threads", options.settings.threads, "0: all cores");
  app.add_option("--batch", options.settings.batch, "configurations asked for at once");
  app.add_option("--in-flight", options.settings.in_flight, "open at once, told one by one");
  app.add_option("--compilers", options.settings.compilers, "side by side, in recorded time");
  app.add_option("--seconds", options.settings.seconds, "of recorded time, in each run");
  app.add_option("--csv", options.csv, "write the figures");
  app.add_flag("--table", options.table, "quartiles, evaluations to 5 % and 1 % as well");
  bool unpriced = false, patient = false;
  app.add_flag("--unpriced", unpriced, "what compiling takes does not decide what is asked");
  app.add_flag("--patient", patient, "no compilation is put off or given up");
  CLI11_PARSE(app, argc, argv);
  options.settings.priced = !unpriced;
  options.settings.compile_timeout.adapts = !patient;
  return run(options);
}

const Bench entry("search", run);

} // namespace bench_search
