// SPDX-License-Identifier: Apache-2.0
// What choosing a configuration by size loses: recordings of one kernel at many sizes, one each, in a folder
// for each kernel. Prints the curve of covers, every rule at sizes that were left out, the way from
// measured sizes to unmeasured ones, how often reruns change their mind, and the loss at sizes that were
// measured apart. Asserts nothing.
#include "gridsmith/base/random.hpp"
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/measurement/problem_distance.hpp"
#include "gridsmith/results/selection/select.hpp"
#include "gridsmith/tests/bench/bench.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <limits>
#include <utility>

namespace bench_selection {

using namespace gridsmith;

namespace {

constexpr int reruns = 10;
constexpr std::array tried_rules = {
    ChoiceRule{RuleKind::nearest, 0}, ChoiceRule{RuleKind::model, 0},
    ChoiceRule{RuleKind::corrected, 0}, ChoiceRule{RuleKind::corrected, 0.01}};
/// 1: all winners; far more than any loss: one configuration, if one is valid everywhere.
constexpr std::array tried_losses = {1e9, 1.03, 1.015, 1.0075, 1.0};

std::string figures_text(const LossFigures& figures) {
  return fmt::format("{:.4f} / {:.3f} / {:.0f} %{}", figures.geometric_mean, figures.worst,
                     100 * figures.within_5_percent,
                     figures.invalid > 0 ? fmt::format(", {} invalid", figures.invalid) : "") +
         (figures.not_measured > 0 ? fmt::format(", {} not known", figures.not_measured) : "");
}

std::string rule_text(const ChoiceRule& rule) {
  return fmt::format("{}{}", to_text(rule.kind),
                     rule.tie > 0 ? fmt::format(", ties within {:.0f} %", 100 * rule.tie) : "");
}

/// Random thirds, so that what is left out has fewer near neighbours.
std::vector<LeftOut> thirds(const SizeTable& table) {
  std::vector<LeftOut> groups;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed);
    LazyShuffle shuffle(table.problems.size());
    std::array<LeftOut, 3> parts;
    for (std::size_t i = 0; shuffle.left() > 0; ++i)
      parts[i % 3].push_back(static_cast<std::size_t>(shuffle.draw(random)));
    groups.insert(groups.end(), parts.begin(), parts.end());
  }
  return groups;
}

void print_rules(const SizeTable& table, const char* what, const std::vector<LeftOut>& groups) {
  fmt::print("\n{}: geometric mean / worst / within 5 %\n", what);
  for (const RuleFigures& one : judge(table, groups, tried_losses, tried_rules))
    fmt::print("  {:<9} {:4.1f} configurations  {:<24} {:<32} best of the set {}\n",
               one.worst_loss > 2 ? "single" : fmt::format("{:.2f} %", 100 * (one.worst_loss - 1)),
               one.configurations, rule_text(one.rule), figures_text(one.left_out),
               figures_text(one.left_out_in_set));
}

/// What the samples at each place of the series at a problem have in common, beside the times.
std::vector<double> places_of(const SizeTable& table, std::size_t problem) {
  std::vector<std::vector<double>> ratios;
  for (std::size_t c = 0; c < table.configurations.size(); ++c) {
    const SizeCell& cell = table.cell(problem, c);
    ratios.resize(std::max(ratios.size(), cell.samples_ms.size()));
    for (std::size_t i = 0; i < cell.samples_ms.size(); ++i)
      ratios[i].push_back(cell.samples_ms[i] / cell.cost);
  }
  std::vector<double> places;
  for (std::vector<double>& at : ratios) {
    std::sort(at.begin(), at.end());
    places.push_back(median(at));
  }
  return places;
}

/// The table as a rerun might have measured it: of each series what is neither its time nor common to its
/// places is drawn again, with replacement (a bootstrap of residuals: Efron and Tibshirani, An
/// Introduction to the Bootstrap, 1993, chapter 9).
SizeTable rerun(const SizeTable& table, std::uint64_t seed) {
  Random random(seed);
  SizeTable again = table;
  for (std::size_t p = 0; p < table.problems.size(); ++p) {
    const std::vector<double> places = places_of(table, p);
    for (std::size_t c = 0; c < table.configurations.size(); ++c) {
      const std::vector<double>& samples = table.cell(p, c).samples_ms;
      for (std::size_t i = 0; i < samples.size(); ++i) {
        const auto from = static_cast<std::size_t>(below(random, samples.size()));
        again.cells[p * table.configurations.size() + c].samples_ms[i] =
            samples[from] / places[from] * places[i];
      }
    }
    settle_times(again, p);
  }
  return again;
}

std::vector<PreviousChoice> choices_of(const Selection& selection) {
  std::vector<PreviousChoice> choices;
  choices.reserve(selection.problems.size());
  for (const SelectedProblem& at : selection.problems)
    choices.push_back({at.problem, selection.configurations[at.best].of.configuration});
  return choices;
}

/// Time of a configuration at a problem of the table.
double time_at(const SizeTable& table, const PreviousChoice& choice) {
  for (std::size_t p = 0; p < table.problems.size(); ++p)
    for (std::size_t c = 0; c < table.configurations.size(); ++c)
      if (table.problems[p] == choice.problem &&
          table.configurations[c].configuration == choice.configuration)
        return table.cell(p, c).cost;
  return 0;
}

void print_flips(const SizeTable& table, const Selection& first, bool keep) {
  const auto before = choices_of(first);
  std::size_t flips = 0, sets = 0;
  std::vector<Loss> costs;
  for (std::uint64_t seed = 1; seed <= reruns; ++seed) {
    SelectionRules rules;
    if (keep)
      rules.previous = before;
    const auto after = choices_of(select(rerun(table, seed), rules));
    std::size_t changed = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      changed += before[i].configuration != after[i].configuration;
      costs.emplace_back(time_at(table, after[i]) / time_at(table, before[i]));
    }
    flips += changed;
    sets += changed > 0;
  }
  const std::vector<double> weights(costs.size(), 1);
  const LossFigures cost = loss_figures(costs, weights);
  fmt::print(
      "  {:<26} {} of {} choices flipped, in {} of {} reruns; time after / before {:.4f}, worst "
      "{:.3f}\n",
      keep ? "previous ones kept in ties" : "from scratch", flips, costs.size(), sets, reruns,
      cost.geometric_mean, cost.worst);
}

std::vector<Recording> recordings_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file() && is_recording(entry.path()))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Recording> recordings;
  recordings.reserve(files.size());
  for (const auto& file : files)
    recordings.push_back(read_recording(file));
  return recordings;
}

void print_selection(const Selection& selection, double seconds) {
  fmt::print("\nselected in {:.2f} s: {} configurations within {:.2f} %, rule {}\n", seconds,
             selection.configurations.size(), 100 * (selection.worst_loss - 1),
             rule_text(selection.rule));
  fmt::print("  measured {}\n  left out {}\n", figures_text(selection.measured),
             figures_text(selection.left_out));
  for (const SelectedConfiguration& one : selection.configurations)
    fmt::print("  {}\n", to_text(one.of.configuration));
}

/// Time of a configuration over the least at a problem of the table; infinite where it did not run.
double loss_at(const SizeTable& table, std::size_t problem, const Configuration& configuration) {
  double time = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < table.configurations.size(); ++c)
    if (const SizeCell& cell = table.cell(problem, c);
        cell.state == CellState::measured && table.configurations[c].configuration == configuration)
      time = cell.cost;
  return time / least_costs(table)[problem];
}

/// The fastest of all that were measured at the nearest measured size.
Configuration nearest_winner(const SizeTable& table, const ProblemSize& problem) {
  std::size_t nearest = 0;
  for (std::size_t p = 1; p < table.problems.size(); ++p)
    if (problem_distance(to_text(table.problems[p]), to_text(problem)) <
        problem_distance(to_text(table.problems[nearest]), to_text(problem)))
      nearest = p;
  std::size_t best = 0;
  for (std::size_t c = 1; c < table.configurations.size(); ++c)
    if (const SizeCell& cell = table.cell(nearest, c);
        cell.state == CellState::measured &&
        (table.cell(nearest, best).state != CellState::measured ||
         cell.cost < table.cell(nearest, best).cost))
      best = c;
  return table.configurations[best].configuration;
}

void print_losses(const char* what, const std::vector<Loss>& losses) {
  fmt::print("  {:<42} {}\n", what,
             figures_text(loss_figures(losses, std::vector<double>(losses.size(), 1))));
}

/// Sizes that the selection never saw, each measured exhaustively since.
void print_unseen(const SizeTable& table, const Selection& selection,
                  const KernelDefinition& definition, const SizeTable& unseen) {
  std::vector<SizedConfiguration> set;
  set.reserve(selection.configurations.size());
  for (const SelectedConfiguration& one : selection.configurations)
    set.push_back(one.of);
  std::vector<Loss> chosen, nearest, single;
  for (std::size_t p = 0; p < unseen.problems.size(); ++p) {
    const ProblemSize& problem = unseen.problems[p];
    const auto choice =
        choose(selection, problem, quantities_at(definition, unseen.device, problem, set),
               unseen.device.sm_count);
    const auto loss_of = [&](const Configuration& one) { return loss_at(unseen, p, one); };
    chosen.emplace_back(choice ? loss_of(set[choice->configuration].configuration) : cannot_run);
    nearest.emplace_back(loss_of(nearest_winner(table, problem)));
    const auto& first = selection.curve.front().configurations;
    single.emplace_back(loss_of(table.configurations[first.front()].configuration));
    fmt::print("  {:<20} {:.3f}\n", to_text(problem), *chosen.back());
  }
  fmt::print("{} sizes never seen: geometric mean / worst / within 5 %\n", unseen.problems.size());
  print_losses("the selection", chosen);
  print_losses("the nearest size's winner", nearest);
  print_losses("one configuration for all", single);
}

/// Medians of the samples as they are, whatever their places.
void use_medians(SizeTable& table) {
  for (SizeCell& cell : table.cells)
    if (!cell.samples_ms.empty()) {
      std::sort(cell.samples_ms.begin(), cell.samples_ms.end());
      cell.cost = median(std::exchange(cell.samples_ms, {}));
    }
}

struct Folders {
  std::filesystem::path catalogue, unseen; ///< unseen: holds a folder for each kernel; "" none
};

void bench(const std::filesystem::path& folder, const Folders& folders, bool medians) {
  const std::string kernel = folder.filename().string();
  const KernelDefinition definition =
      read_definition(folders.catalogue / kernel / (kernel + ".json"));
  SizeTable table = size_table(recordings_in(folder), &definition);
  if (medians)
    use_medians(table);
  fmt::print("\n# {}: {} sizes, {} configurations, {}\n\n", kernel, table.problems.size(),
             table.configurations.size(), table.device.name);
  const auto start = std::chrono::steady_clock::now();
  const Selection selection = select(table);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  fmt::print("cover of the measured sizes: configurations, geometric mean / worst / within 5 %\n");
  for (const CoverStep& step : selection.curve)
    fmt::print("  {:2} {}\n", step.configurations.size(), figures_text(step.loss));
  print_rules(table, "one size left out", one_by_one(table));
  print_rules(table, "a third of the sizes left out, six times", thirds(table));
  print_selection(selection, taken.count());
  if (!folders.unseen.empty())
    print_unseen(table, selection, definition,
                 size_table(recordings_in(folders.unseen / kernel), &definition));
  if (medians) // without samples there is nothing to draw from
    return;
  fmt::print("\n{} reruns with resampled times\n", reruns);
  print_flips(table, selection, false);
  print_flips(table, selection, true);
}

} // namespace

int run(int argc, char** argv) {
  CLI::App app{"What choosing a configuration by size loses"};
  std::vector<std::filesystem::path> folders;
  Folders others{std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "kernels/catalogue", {}};
  app.add_option("folders", folders, "recordings of one kernel each, named as the kernel")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--catalogue", others.catalogue, "where the definitions are");
  app.add_option("--unseen", others.unseen, "other sizes: a folder of recordings for each kernel")
      ->check(CLI::ExistingDirectory);
  bool medians = false;
  app.add_flag("--medians", medians, "times are plain medians, with the drift of their series");
  CLI11_PARSE(app, argc, argv);
  for (const auto& folder : folders)
    bench(folder, others, medians);
  return 0;
}

const Bench entry("selection", run);

} // namespace bench_selection
