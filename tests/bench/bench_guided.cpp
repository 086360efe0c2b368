// SPDX-License-Identifier: Apache-2.0
// What counters and priors are worth: counter-guided search on the recordings that hold counters,
// and search with another device's recording as a prior, beside the same without it and the plain
// transfer of the best ten. Figures, no assertions.
// benchmarks guided --runs 50 --seed 1 --part counters,priors --strategy default
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tuner/replay/simulation.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace bench_guided {

using namespace gridsmith;

namespace {

struct Options {
  std::vector<std::string> parts = {"counters", "priors"};
  std::vector<std::string> strategies = {"default"};
  std::string only; ///< part of a recording's name
  bool anonymous = false;
  std::string counters; ///< only counters with this in their names
  SimulationSettings settings;
};

/// A recording, kept with what points into it.
struct Loaded {
  Recording recording;
  std::unique_ptr<RecordedSpace> recorded;
  std::unique_ptr<Judge> judge;
};

/// Parameters p0, p1, …: nothing can be told from their names.
void hide_names(Recording& recording) {
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < recording.parameters.size(); ++i) {
    const std::string hidden = "p" + std::to_string(i);
    names[recording.parameters[i].name] = hidden;
    recording.parameters[i].name = hidden;
  }
  for (Measurement& measurement : recording.measurements)
    for (auto& [name, value] : measurement.configuration)
      name = names.at(name);
}

void keep_counters(Recording& recording, const std::string& part) {
  for (Measurement& measurement : recording.measurements)
    std::erase_if(measurement.counters, [&](const auto& counter) {
      return counter.first.find(part) == std::string::npos;
    });
}

class Shelf {
public:
  explicit Shelf(const Options& options) : options_(options) {}

  const Loaded& load(const std::string& name) {
    std::unique_ptr<Loaded>& entry = loaded_[name];
    if (!entry) {
      entry = std::make_unique<Loaded>();
      entry->recording = read_recording(std::filesystem::path(GRIDSMITH_SOURCE_DIR) /
                                        "../shared/spaces/dev" / (name + ".json.gz"));
      if (options_.anonymous)
        hide_names(entry->recording);
      keep_counters(entry->recording, options_.counters);
      entry->recorded = std::make_unique<RecordedSpace>(entry->recording);
      entry->judge = std::make_unique<Judge>(*entry->recorded);
    }
    return *entry;
  }

private:
  const Options& options_;
  std::map<std::string, std::unique_ptr<Loaded>> loaded_;
};

struct Transfer {
  std::string kernel, from, to;
  bool sisters = false; ///< of one vendor and generation
};

const std::vector<Transfer>& transfers() {
  static const std::vector<Transfer> list = {
      {"convolution_bat", "RTX_2080_Ti", "RTX_3060_laptop", true},
      {"convolution_bat", "RTX_3060_laptop", "RTX_2080_Ti", true},
      {"gemm_clblast", "RTX_2080_Ti", "TITAN_RTX", true},
      {"gemm_clblast", "TITAN_RTX", "RTX_2080_Ti", true},
      {"dedispersion_milo", "A100", "A6000", true},
      {"dedispersion_milo", "A6000", "A100", true},
      {"convolution_milo", "A100", "A4000"},
      {"convolution_milo", "A100", "MI250X"},
      {"convolution_milo", "A4000", "A100"},
      {"convolution_milo", "A4000", "MI250X"},
      {"convolution_milo", "MI250X", "A100"},
      {"convolution_milo", "MI250X", "A4000"},
      {"dedispersion_milo", "A100", "W6600"},
      {"dedispersion_milo", "A6000", "W6600"},
      {"dedispersion_milo", "W6600", "A100"},
      {"dedispersion_milo", "W6600", "A6000"},
  };
  return list;
}

const StrategyEntry& entry_of(const std::string& name) {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : strategies()) {
    if (entry.name == name)
      return entry;
    names.push_back(entry.name);
  }
  throw InputError(unknown_name("strategy", name, names));
}

std::string reached(const Reached& bound) {
  return bound.median ? fmt::format("{:.0f}", *bound.median) : "-";
}

void print_row(const SimulationResult& result, const std::string& label) {
  fmt::print("{:<46}{:<18}", result.recording, label);
  for (const RatioSpread& budget : result.budgets)
    fmt::print(" {:6.3f} ({:.3f})", budget.median, budget.high);
  fmt::print("  {:>4} {:>4}  {:6.0f} us\n", reached(result.within_5_percent),
             reached(result.within_1_percent), result.search_us);
  std::fflush(stdout);
}

void print_head(const SimulationSettings& settings, const std::string& title) {
  fmt::print("\n{}: {} runs, seeds from {}; median (third quartile) of best / optimum\n{:<64}",
             title, settings.runs, settings.seed, "");
  for (const std::size_t budget : settings.evaluations)
    fmt::print(" {:>14}", budget);
  fmt::print("  {:>4} {:>4}  search per evaluation\n", "5 %", "1 %");
}

void counters(Shelf& shelf, const Options& options) {
  print_head(options.settings, "recordings with counters");
  std::vector<std::string> names = {"counter_guided", "random"};
  names.insert(names.begin() + 1, options.strategies.begin(), options.strategies.end());
  for (const std::string recording :
       {"counters_convolution_bat__RTX_2080_Ti.ktt", "counters_coulomb3d__RTX_2080_Ti.ktt"})
    if (recording.find(options.only) != std::string::npos)
      for (const std::string& name : names)
        print_row(
            simulate(*shelf.load(recording).judge, recording, entry_of(name), options.settings),
            name);
}

/// The ten best of the prior, in order: what a person would try.
double best_of_ten(const Judge& judge, std::vector<Observation> prior) {
  std::erase_if(prior, [](const Observation& o) { return !o.cost; });
  std::sort(prior.begin(), prior.end(),
            [](const Observation& a, const Observation& b) { return a.cost < b.cost; });
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min<std::size_t>(10, prior.size()); ++i)
    best = std::min(best, judge.ratio(prior[i].id));
  return best;
}

void priors(Shelf& shelf, const Options& options) {
  print_head(options.settings, "another device as a prior");
  for (const Transfer& transfer : transfers()) {
    const std::string label = fmt::format("{} {} -> {}{}", transfer.kernel.substr(0, 12),
                                          transfer.from, transfer.to, transfer.sisters ? " *" : "");
    if (label.find(options.only) == std::string::npos)
      continue;
    const Loaded& from = shelf.load(transfer.kernel + "__" + transfer.from);
    const Loaded& to = shelf.load(transfer.kernel + "__" + transfer.to);
    for (const std::string& name : options.strategies) {
      SimulationSettings settings = options.settings;
      print_row(simulate(*to.judge, label, entry_of(name), settings), name + " alone");
      settings.prior = prior_from(*from.recorded, to.judge->space());
      print_row(simulate(*to.judge, label, entry_of(name), settings),
                fmt::format("with prior ({:.3f})", best_of_ten(*to.judge, settings.prior)));
    }
  }
  fmt::print("* sisters; in brackets: the best of the prior's ten best\n");
}

int run(int argc, char** argv) {
  Options options;
  options.settings.runs = 50;
  options.settings.evaluations = {10, 25, 50, 100};
  CLI::App app("What counters and priors are worth to a search");
  app.add_option("--runs", options.settings.runs, "Runs per row");
  app.add_option("--seed", options.settings.seed, "Seed of the first run");
  app.add_option("--threads", options.settings.threads, "Threads; 0: all");
  app.add_option("--evaluations", options.settings.evaluations, "Budgets")->delimiter(',');
  app.add_option("--part", options.parts, "counters, priors")->delimiter(',');
  app.add_option("--strategy", options.strategies, "Strategies to compare")->delimiter(',');
  app.add_option("--only", options.only, "Part of a row's name");
  app.add_flag("--anonymous", options.anonymous, "Rename all parameters to p0, p1, ...");
  app.add_option("--counters", options.counters, "Keep only counters with this in their names");
  CLI11_PARSE(app, argc, argv);
  Shelf shelf(options);
  const auto wants = [&](const char* part) {
    return std::find(options.parts.begin(), options.parts.end(), part) != options.parts.end();
  };
  if (wants("counters"))
    counters(shelf, options);
  if (wants("priors"))
    priors(shelf, options);
  return 0;
}

const Bench entry("guided", run);

} // namespace

} // namespace bench_guided
