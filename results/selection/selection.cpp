// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/selection/selection.hpp"

#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace gridsmith {
namespace {

SelectedConfiguration selected(const SizeTable& table, std::size_t configuration,
                               const CostModel& common, const std::vector<std::size_t>& problems) {
  SelectedConfiguration result{table.configurations[configuration], {}, {}, {}};
  result.model = fit_cost_model(table, configuration, common);
  for (const std::size_t p : problems) {
    const SizeCell& cell = table.cell(p, configuration);
    const bool known = cell.state == CellState::measured;
    const double model =
        known && cell.launch.valid
            ? result.model.cost(cell.launch, table.device.sm_count, result.of.resident_blocks)
            : 0;
    result.costs.push_back(known ? cell.cost : 0);
    result.ratios.push_back(model > 0 ? cell.cost / model : 0);
  }
  return result;
}

/// The fastest where one of them has a time, else the number of configurations.
std::size_t fastest(const std::vector<SelectedConfiguration>& configurations, std::size_t problem,
                    const std::vector<bool>& allowed) {
  std::size_t best = configurations.size();
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const double time = configurations[i].costs[problem];
    if (allowed[i] && time > 0 &&
        (best == configurations.size() || time < configurations[best].costs[problem]))
      best = i;
  }
  return best;
}

/// Whether another run may order two configurations of one problem the other way.
bool is_tied(const SizeTable& table, const SizeCell& best, const SizeCell& other) {
  if (other.state != CellState::measured)
    return false;
  if (other.cost <= best.cost * (1 + tied))
    return true;
  if (!table.objective.by_time) // of which there is one sample
    return false;
  const auto a = summarise(best.samples_ms), b = summarise(other.samples_ms);
  return a && b && b->low_ms <= a->high_ms;
}

/// What was shipped for the problem, where it is as good as the best; else the best. Indices into
/// `places`, which are those of the table.
std::size_t settled(const SizeTable& table, std::size_t problem, std::size_t best,
                    std::span<const std::size_t> places, std::span<const PreviousChoice> previous) {
  for (const PreviousChoice& one : previous)
    if (one.problem == table.problems[problem])
      for (std::size_t i = 0; i < places.size(); ++i)
        if (table.configurations[places[i]].configuration == one.configuration &&
            is_tied(table, table.cell(problem, places[best]), table.cell(problem, places[i])))
          return i;
  return best;
}

void fill_times(Selection& selection, std::size_t problem, std::size_t best) {
  SelectedProblem& at = selection.problems[problem];
  at.best = best;
  at.cost = selection.configurations[best].costs[problem];
  std::vector<bool> others(selection.configurations.size(), true);
  others[best] = false;
  const std::size_t second = fastest(selection.configurations, problem, others);
  if (second < selection.configurations.size())
    at.margin = selection.configurations[second].costs[problem] / at.cost;
}

/// Best at the most weight first: what a reader looks for; then by text, so that files change little.
void sort_configurations(Selection& selection) {
  const std::size_t count = selection.configurations.size();
  std::vector<double> weights(count, 0);
  for (const SelectedProblem& at : selection.problems)
    weights[at.best] += at.weight;
  std::vector<std::size_t> order(count), place(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto text = [&](std::size_t i) {
    return to_text(selection.configurations[i].of.configuration);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return weights[a] != weights[b] ? weights[a] > weights[b] : text(a) < text(b);
  });
  std::vector<SelectedConfiguration> sorted;
  for (std::size_t i = 0; i < count; ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(selection.configurations[order[i]]));
  }
  selection.configurations = std::move(sorted);
  for (SelectedProblem& at : selection.problems)
    at.best = place[at.best];
}

Selection described(const SizeTable& table, const ChoiceRule& rule) {
  Selection selection;
  static_cast<Origin&>(selection) = table;
  selection.objective = table.objective;
  selection.rule = rule;
  if (table.default_configuration)
    selection.default_configuration =
        table.configurations[*table.default_configuration].configuration;
  return selection;
}

/// The problems of the table by their extents.
std::vector<std::size_t> by_extents(const SizeTable& table) {
  std::vector<std::size_t> problems(table.problems.size());
  std::iota(problems.begin(), problems.end(), std::size_t{0});
  std::sort(problems.begin(), problems.end(), [&](std::size_t a, std::size_t b) {
    return table.problems[a].extents < table.problems[b].extents;
  });
  return problems;
}

LossFigures measured_figures(const Selection& selection) {
  std::vector<Loss> losses;
  std::vector<double> weights;
  for (const SelectedProblem& at : selection.problems) {
    losses.emplace_back(at.cost / at.least_cost);
    weights.push_back(at.weight);
  }
  return loss_figures(losses, weights);
}

Match match_of(const Selection& selection, const ProblemSize& problem) {
  bool within = !selection.problems.empty();
  for (std::size_t i = 0; i < problem.extents.size() && within; ++i) {
    const auto [least, most] = std::minmax_element(
        selection.problems.begin(), selection.problems.end(),
        [&](const auto& a, const auto& b) { return a.problem.extents[i] < b.problem.extents[i]; });
    within = problem.extents[i] >= least->problem.extents[i] &&
             problem.extents[i] <= most->problem.extents[i];
  }
  return within ? Match::within_range : Match::outside_range;
}

/// Of each measured problem, in doublings.
std::vector<double> distances_from(const Selection& selection, const ProblemSize& problem) {
  std::vector<double> distances;
  distances.reserve(selection.problems.size());
  for (const SelectedProblem& at : selection.problems)
    distances.push_back(doublings(at.problem, problem));
  return distances;
}

std::vector<bool> valid_ones(std::span<const LaunchQuantities> launches) {
  std::vector<bool> valid;
  valid.reserve(launches.size());
  for (const LaunchQuantities& launch : launches)
    valid.push_back(launch.valid);
  return valid;
}

/// Of those allowed the one that the nearest measured size has the least time of, else any.
std::size_t by_nearest(const Selection& selection, const std::vector<double>& distances,
                       const std::vector<bool>& allowed) {
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(distances[a], a) < std::pair(distances[b], b);
  });
  for (const std::size_t p : order)
    if (const std::size_t best = fastest(selection.configurations, p, allowed);
        best < selection.configurations.size())
      return best;
  return static_cast<std::size_t>(std::find(allowed.begin(), allowed.end(), true) -
                                  allowed.begin());
}

/// Infinite where it is not valid or nothing is known of it.
std::vector<double> predicted(const Selection& selection, const std::vector<double>& distances,
                              std::span<const LaunchQuantities> launches, int sm_count,
                              RuleKind kind) {
  std::vector<double> times;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const SelectedConfiguration& one = selection.configurations[i];
    double time = launches[i].valid
                      ? one.model.cost(launches[i], std::max(1, sm_count), one.of.resident_blocks)
                      : 0;
    if (kind == RuleKind::corrected)
      time *= correction(distances, one.ratios);
    times.push_back(time > 0 ? time : std::numeric_limits<double>::infinity());
  }
  return times;
}

} // namespace

std::string to_text(const Calibration& calibration) {
  const LossFigures& loss = calibration.figures.left_out;
  std::string text =
      fmt::format("at {} that were drawn and not tuned: ", counted(loss.sizes, "size"));
  if (loss.known() == 0)
    return text + "not known";
  const auto& choices = calibration.figures.choices;
  const auto worst = std::find_if(choices.begin(), choices.end(),
                                  [&](const LeftOutChoice& one) { return one.loss == loss.worst; });
  const LossFigures& of_set = calibration.figures.left_out_in_set;
  const Objective& by = calibration.objective;
  const auto share = [&](double of) { return share_text(by, of); };
  text += fmt::format(
      "{} {} than the best of each in the mean, {} at worst ({})", share(loss.geometric_mean),
      by.by_time ? worse_word(by) : worse_word(by) + " " + by.name, share(loss.worst),
      to_text(calibration.problems[static_cast<std::size_t>(worst - choices.begin())]));
  if (loss.known() == of_set.known()) // of the same sizes
    text += fmt::format(": {} because of the set, {} because of the choice within it",
                        share(of_set.geometric_mean),
                        share(loss.geometric_mean / of_set.geometric_mean));
  if (loss.invalid > 0)
    text += fmt::format("; at {} of them nothing that is shipped is valid", loss.invalid);
  if (loss.not_measured > 0)
    text += fmt::format("; at {} of them not known", loss.not_measured);
  return text;
}

Selection selection_of(const SizeTable& table, std::span<const std::size_t> configurations,
                       const ChoiceRule& rule, std::span<const PreviousChoice> previous) {
  Selection selection = described(table, rule);
  const std::vector<std::size_t> problems = by_extents(table);
  const CostModel common = common_cost_model(table);
  for (const std::size_t c : configurations)
    selection.configurations.push_back(selected(table, c, common, problems));
  const std::vector<double> least = least_costs(table);
  const std::vector<bool> all(configurations.size(), true);
  for (const std::size_t p : problems) {
    SelectedProblem& at = selection.problems.emplace_back();
    at.problem = table.problems[p];
    at.weight = table.weights[p];
    at.least_cost = least[p];
    if (table.default_configuration)
      if (const SizeCell& cell = table.cell(p, *table.default_configuration);
          cell.state == CellState::measured)
        at.default_cost = cell.cost;
    const std::size_t place = selection.problems.size() - 1;
    const std::size_t best = fastest(selection.configurations, place, all);
    const std::size_t kept = settled(table, p, best, configurations, previous);
    fill_times(selection, place, kept);
    at.plain_cost = table.cell(p, configurations[kept]).plain_cost;
  }
  sort_configurations(selection);
  selection.measured = measured_figures(selection);
  return selection;
}

std::optional<Choice> choose(const Selection& selection, const ProblemSize& problem,
                             std::span<const LaunchQuantities> launches, int sm_count) {
  for (const SelectedProblem& at : selection.problems)
    if (at.problem == problem && launches[at.best].valid)
      return Choice{at.best, Match::measured, at.plain_cost};
  const std::vector<double> distances = distances_from(selection, problem);
  std::vector<bool> allowed = valid_ones(launches);
  if (std::find(allowed.begin(), allowed.end(), true) == allowed.end())
    return std::nullopt;
  const Match match = match_of(selection, problem);
  if (selection.rule.kind == RuleKind::nearest)
    return Choice{by_nearest(selection, distances, allowed), match, 0};
  const std::vector<double> times =
      predicted(selection, distances, launches, sm_count, selection.rule.kind);
  // Nothing is foretold of what has no model: its nearest size alone speaks for it.
  if (const std::size_t near = by_nearest(selection, distances, allowed);
      times[near] == std::numeric_limits<double>::infinity())
    return Choice{near, match, 0};
  const double least = *std::min_element(times.begin(), times.end());
  for (std::size_t i = 0; i < times.size(); ++i)
    allowed[i] = allowed[i] && times[i] <= least * (1 + selection.rule.tie);
  const std::size_t chosen = by_nearest(selection, distances, allowed);
  return Choice{chosen, match, times[chosen]};
}

double doubt(const Selection& selection, const ProblemSize& problem,
             std::span<const LaunchQuantities> launches, int sm_count) {
  const std::vector<double> distances = distances_from(selection, problem);
  const double distance = *std::min_element(distances.begin(), distances.end());
  if (distance == 0)
    return 0;
  const std::vector<bool> allowed = valid_ones(launches);
  if (std::find(allowed.begin(), allowed.end(), true) == allowed.end())
    return std::numeric_limits<double>::infinity();
  const std::vector<double> times =
      predicted(selection, distances, launches, sm_count, RuleKind::corrected);
  const double near = times[by_nearest(selection, distances, allowed)];
  return near < std::numeric_limits<double>::infinity()
             ? near / *std::min_element(times.begin(), times.end()) - 1
             : distance;
}

} // namespace gridsmith
