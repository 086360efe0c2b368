// SPDX-License-Identifier: Apache-2.0
// What the first evaluations find, on every recording that ships or lies beside the sources, with the
// parameters' names or without. Figures, no assertions.
// benchmarks first --set shared --runs 40 --anonymous
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tests/shipped_recordings.hpp"
#include "gridsmith/tuner/replay/simulation.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

namespace bench_first {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

struct Options {
  std::string strategy = "default", set = "all", only;
  bool anonymous = false;
  SimulationSettings settings{.runs = 20, .evaluations = {5, 10, 15, 20, 25, 60}};
};

/// Parameters p0, p1, …: nothing can be told from their names.
void hide_names(Recording& recording) {
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < recording.parameters.size(); ++i)
    names[std::exchange(recording.parameters[i].name, "p" + std::to_string(i))] =
        "p" + std::to_string(i);
  for (Measurement& measurement : recording.measurements)
    for (auto& [name, value] : measurement.configuration)
      name = names.at(name);
}

std::vector<std::pair<std::string, fs::path>> recordings(const Options& options) {
  const fs::path root = GRIDSMITH_SOURCE_DIR, shared = root / "../shared/spaces/dev";
  std::vector<std::pair<std::string, fs::path>> files;
  const auto add = [&](const std::string& name, const fs::path& file) {
    if (name.find(options.only) != std::string::npos)
      files.emplace_back(name, file);
  };
  if (options.set != "shared")
    for (const auto& file : test::shipped_recordings())
      add(file.parent_path().parent_path().filename() / file.filename(), file);
  if (options.set != "shipped" && fs::exists(shared))
    for (const auto& entry : fs::directory_iterator(shared))
      if (const std::string name = entry.path().filename().string();
          name.ends_with(".json.gz") && !name.starts_with("counters") &&
          name.find(".T4.") == std::string::npos)
        add(name, entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Logarithm of best found / optimum after each budget, the mean over the runs. A run that has found
/// nothing correct counts as the worst correct.
std::vector<double> mean_logs(const Judge& judge, const Options& options) {
  std::vector<double> logs(options.settings.evaluations.size(), 0.0);
  SimulationSettings one = options.settings;
  one.runs = 1;
  for (std::size_t run = 0; run < options.settings.runs; ++run, ++one.seed) {
    const auto result = simulate(judge, "", strategy_entry(options.strategy), one);
    for (std::size_t b = 0; b < logs.size(); ++b)
      logs[b] += std::log(std::min(result.budgets[b].median, judge.random().worst())) /
                 static_cast<double>(options.settings.runs);
  }
  return logs;
}

void print_row(const std::string& name, const std::vector<double>& logs) {
  fmt::print("| {} |", name);
  for (const double log : logs)
    fmt::print(" {:.3f} |", std::exp(log));
  fmt::print("\n");
}

int run(const Options& options) {
  const std::size_t most = options.settings.evaluations.back();
  std::vector<double> sums(options.settings.evaluations.size(), 0.0);
  double count = 0;
  for (const auto& [name, file] : recordings(options)) {
    Recording recording = read_recording(file);
    if (options.anonymous)
      hide_names(recording);
    const RecordedSpace space(recording);
    if (space.space().size() <= most)
      continue; // finished
    const std::vector<double> logs = mean_logs(Judge(space), options);
    print_row(name, logs);
    for (std::size_t b = 0; b < sums.size(); ++b)
      sums[b] += logs[b];
    ++count;
  }
  for (double& sum : sums)
    sum /= count;
  print_row("geometric mean", sums);
  return 0;
}

} // namespace

int run(int argc, char** argv) {
  Options options;
  CLI::App app("What the first evaluations find: best found / optimum, geometric mean over seeds");
  app.add_option("--set", options.set, "shipped, shared, or all recordings")
      ->check(CLI::IsMember({"all", "shipped", "shared"}));
  app.add_option("--only", options.only, "part of a recording's name");
  app.add_option("--strategy", options.strategy, "which");
  app.add_option("--evaluations", options.settings.evaluations, "budgets, ascending")
      ->delimiter(',');
  app.add_option("--runs", options.settings.runs, "seeds");
  app.add_option("--seed", options.settings.seed, "the first of them");
  app.add_option("--batch", options.settings.batch, "configurations asked for at once");
  app.add_option("--in-flight", options.settings.in_flight, "open at once, told one by one");
  app.add_option("--compilers", options.settings.compilers, "side by side, in recorded time");
  app.add_flag("--anonymous", options.anonymous, "rename all parameters to p0, p1, …");
  CLI11_PARSE(app, argc, argv);
  return run(options);
}

const Bench entry("first", run);

} // namespace bench_first
