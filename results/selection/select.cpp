// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/selection/select.hpp"

#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/selection/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t fewest_problems = 3;
/// Share of the mean loss that a larger set or another rule must be worth.
constexpr double worth = 0.001;

/// The first is taken where too few sizes are known to learn from: of seven kernels it lost least at sizes that were not
/// tuned.
constexpr std::array known_rules = {
    ChoiceRule{RuleKind::corrected, 0.01}, ChoiceRule{RuleKind::corrected, 0},
    ChoiceRule{RuleKind::model, 0}, ChoiceRule{RuleKind::nearest, 0}};

/// Losses of one set of rules over all that was left out.
struct Tally {
  std::vector<LeftOutChoice> choices = {};
  std::vector<Loss> losses = {}, in_set = {};
  std::vector<double> weights = {};
  double configurations = 0, sets = 0;
};

Loss loss_at(const SizeTable& table, std::size_t problem, std::size_t configuration, double best) {
  const SizeCell& cell = table.cell(problem, configuration);
  if (cell.state == CellState::not_measured)
    return std::nullopt;
  return cell.state == CellState::measured ? cell.cost / best : cannot_run;
}

/// Of those that were measured; none where none was and one may run.
Loss least_loss(const SizeTable& table, std::size_t problem, std::span<const std::size_t> set,
                double best) {
  Loss least = cannot_run;
  bool unknown = false;
  for (const std::size_t c : set)
    if (const Loss loss = loss_at(table, problem, c, best))
      least = std::min(*least, *loss);
    else
      unknown = true;
  return unknown && *least == cannot_run ? std::nullopt : least;
}

/// The configuration of the table that a selection chooses for one of its problems, or the default.
std::optional<std::size_t> chosen_at(const SizeTable& table, std::size_t problem,
                                     const Selection& selection,
                                     std::span<const std::size_t> places) {
  std::vector<LaunchQuantities> launches;
  for (const std::size_t c : places)
    launches.push_back(table.cell(problem, c).launch);
  if (const auto choice =
          choose(selection, table.problems[problem], launches, table.device.sm_count))
    return places[choice->configuration];
  return table.default_configuration;
}

/// Where the selection's configurations are in the table.
std::vector<std::size_t> places_in(const SizeTable& table, const Selection& selection,
                                   std::span<const std::size_t> set) {
  std::vector<std::size_t> places;
  places.reserve(selection.configurations.size());
  for (const SelectedConfiguration& one : selection.configurations)
    places.push_back(*std::find_if(set.begin(), set.end(), [&](std::size_t c) {
      return table.configurations[c].configuration == one.of.configuration;
    }));
  return places;
}

/// Where they are among all of the table.
std::vector<std::size_t> places_in(const SizeTable& table, const Selection& selection) {
  std::vector<std::size_t> all(table.configurations.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return places_in(table, selection, all);
}

class Judge {
public:
  Judge(const SizeTable& table, std::span<const ChoiceRule> rules)
      : table_(table), rules_(rules), best_(least_costs(table)) {}

  void leave_out(const LeftOut& problems, const CoverRules& cover_by,
                 std::span<Tally> tallies) const {
    std::vector<bool> left_out(table_.problems.size(), false);
    for (const std::size_t p : problems)
      left_out[p] = true;
    const SizeTable rest = without(table_, left_out);
    const auto set = covering(rest, cover(rest, cover_by).configurations);
    Selection selection = selection_of(rest, set, {});
    const auto places = places_in(table_, selection, set);
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      selection.rule = rules_[r];
      tallies[r].configurations += static_cast<double>(set.size());
      ++tallies[r].sets;
      for (const std::size_t p : problems)
        add(p, selection, places, tallies[r]);
    }
  }

  /// What is chosen, and what of the set is best, at a problem that it did not learn from.
  void add(std::size_t problem, const Selection& selection, std::span<const std::size_t> places,
           Tally& tally) const {
    const double best = best_[problem];
    if (best <= 0)
      return;
    const auto chosen = chosen_at(table_, problem, selection, places);
    tally.losses.push_back(chosen ? loss_at(table_, problem, *chosen, best) : Loss(cannot_run));
    tally.choices.push_back({problem, chosen, tally.losses.back()});
    tally.in_set.push_back(least_loss(table_, problem, places, best));
    tally.weights.push_back(table_.weights[problem]);
  }

private:
  const SizeTable& table_;
  std::span<const ChoiceRule> rules_;
  std::vector<double> best_;
};

RuleFigures figures_of(Tally tally, double worst_loss, const ChoiceRule& rule) {
  return {worst_loss,
          rule,
          loss_figures(tally.losses, tally.weights),
          loss_figures(tally.in_set, tally.weights),
          tally.sets > 0 ? tally.configurations / tally.sets : 0,
          std::move(tally.choices)};
}

/// Where the losses of both are known: fewer invalid ones before a lower mean, which must be worth it.
/// Not where fewer of its own are known: what a search leaves out is what promised little.
bool better(const SizeTable& table, const RuleFigures& a, const RuleFigures& b) {
  std::vector<Loss> losses_a, losses_b;
  std::vector<double> weights;
  for (std::size_t i = 0; i < a.choices.size(); ++i)
    if (a.choices[i].loss && b.choices[i].loss) {
      losses_a.push_back(a.choices[i].loss);
      losses_b.push_back(b.choices[i].loss);
      weights.push_back(table.weights[a.choices[i].problem]);
    }
  if (weights.size() < fewest_left_out || a.left_out.not_measured > b.left_out.not_measured)
    return false;
  const LossFigures of_a = loss_figures(losses_a, weights), of_b = loss_figures(losses_b, weights);
  return of_a.invalid != of_b.invalid ? of_a.invalid < of_b.invalid
                                      : of_a.geometric_mean < of_b.geometric_mean * (1 - worth);
}

std::vector<double> losses_to_try(const SelectionRules& rules) {
  std::vector<double> losses{rules.worst_loss};
  if (rules.grow) // as far as tables of the H200 gained by it
    for (const double share : {0.5, 0.25})
      losses.push_back(1 + (rules.worst_loss - 1) * share);
  return losses;
}

/// All that was judged, what is best first.
std::vector<RuleFigures> judged(const SizeTable& table, const SelectionRules& rules) {
  std::vector<ChoiceRule> tried(known_rules.begin(), known_rules.end());
  if (rules.rule)
    tried = {*rules.rule};
  std::vector<RuleFigures> figures = judge(table, one_by_one(table), losses_to_try(rules), tried);
  std::size_t best = 0;
  for (std::size_t i = 1; i < figures.size(); ++i)
    if (better(table, figures[i], figures[best]))
      best = i;
  std::rotate(figures.begin(), figures.begin() + static_cast<std::ptrdiff_t>(best),
              figures.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  return figures;
}

CoverRules cover_rules(const SelectionRules& rules, double worst_loss) {
  CoverRules result{.worst_loss = worst_loss};
  result.known_worst_loss = rules.worst_loss;
  result.previous_worst_loss = std::max(result.previous_worst_loss, result.known_worst_loss + 0.02);
  for (const PreviousChoice& one : rules.previous)
    if (std::none_of(result.previous.begin(), result.previous.end(),
                     [&](const auto& known) { return known == one.configuration; }))
      result.previous.push_back(one.configuration);
  return result;
}

} // namespace

std::vector<LeftOut> one_by_one(const SizeTable& table) {
  std::vector<LeftOut> groups(table.problems.size());
  for (std::size_t p = 0; p < groups.size(); ++p)
    groups[p] = {p};
  return groups;
}

std::vector<RuleFigures> judge(const SizeTable& table, std::span<const LeftOut> left_out,
                               std::span<const double> worst_losses,
                               std::span<const ChoiceRule> rules) {
  const Judge with(table, rules);
  std::vector<RuleFigures> figures;
  for (const double worst_loss : worst_losses) {
    std::vector<Tally> tallies(rules.size());
    const CoverRules cover_by{
        .worst_loss = worst_loss, .curve = false, .known_worst_loss = worst_losses.front()};
    for (const LeftOut& problems : left_out)
      with.leave_out(problems, cover_by, tallies);
    for (std::size_t r = 0; r < rules.size(); ++r)
      figures.push_back(figures_of(std::move(tallies[r]), worst_loss, rules[r]));
  }
  return figures;
}

namespace {

/// What is selected of the problems that were asked for; none: none was drawn, or no other is there.
std::optional<Selection> selected_of_asked(const SizeTable& table, const SelectionRules& rules) {
  const auto drawn = std::count(table.drawn.begin(), table.drawn.end(), true);
  if (drawn == 0 || drawn == std::ssize(table.drawn))
    return std::nullopt;
  return select(without(table, table.drawn), rules);
}

std::optional<Calibration> calibrated(const SizeTable& table, const SelectionRules& rules) {
  const auto asked = selected_of_asked(table, rules);
  if (!asked)
    return std::nullopt;
  const auto places = places_in(table, *asked);
  const Judge judge(table, {});
  Tally tally{.configurations = static_cast<double>(places.size()), .sets = 1};
  for (std::size_t p = 0; p < table.problems.size(); ++p)
    if (table.drawn[p])
      judge.add(p, *asked, places, tally);
  Calibration calibration{
      table.objective, figures_of(std::move(tally), asked->worst_loss, asked->rule), {}};
  for (const LeftOutChoice& one : calibration.figures.choices)
    calibration.problems.push_back(table.problems[one.problem]);
  return calibration;
}

/// The set of at most so many with the least worst loss.
CoverStep few(const SizeTable& table, const SelectionRules& rules, std::size_t most) {
  CoverRules cover_by = cover_rules(rules, rules.worst_loss);
  cover_by.most = most;
  Cover all = cover(table, cover_by);
  if (all.curve.empty())
    throw InputError(fmt::format(
        "{}: {} cannot be valid at all of {}; {} are", table.kernel, counted(most, "configuration"),
        counted(table.problems.size(), "size"), all.configurations.size()));
  return std::move(all.curve.back());
}

} // namespace

Selection select(const SizeTable& table, const SelectionRules& asked) {
  SelectionRules rules = asked;
  std::optional<CoverStep> set;
  if (asked.most) {
    set = few(table, asked, *asked.most);
    rules.worst_loss = set->loss.worst;
    rules.grow = false;
  }
  std::vector<RuleFigures> figures;
  double worst_loss = rules.worst_loss;
  ChoiceRule rule = rules.rule.value_or(ChoiceRule{RuleKind::nearest, 0});
  if (table.problems.size() >= fewest_problems) {
    figures = judged(table, rules);
    worst_loss = figures.front().worst_loss;
    rule = figures.front().rule;
  }
  Cover all = cover(table, cover_rules(rules, worst_loss));
  Selection selection = selection_of(
      table, set ? set->configurations : covering(table, all.configurations), rule, rules.previous);
  selection.worst_loss = worst_loss;
  selection.curve = std::move(all.curve);
  if (!figures.empty())
    selection.left_out = figures.front().left_out;
  else
    selection.left_out.sizes = 0;
  selection.rules = std::move(figures);
  selection.calibrated = calibrated(table, asked);
  return selection;
}

std::vector<Gap> gaps(const SizeTable& table, const SelectionRules& rules) {
  std::set<std::pair<std::size_t, std::size_t>> wanted;
  const auto want = [&](std::size_t problem, std::size_t configuration) {
    if (const SizeCell& cell = table.cell(problem, configuration);
        cell.state == CellState::not_measured && cell.launch.valid)
      wanted.emplace(problem, configuration);
  };
  for (const double worst_loss : losses_to_try(rules)) {
    CoverRules cover_by = cover_rules(rules, worst_loss);
    cover_by.curve = false;
    for (const std::size_t c : covering(table, cover(table, cover_by).configurations))
      for (std::size_t p = 0; p < table.problems.size(); ++p)
        want(p, c);
  }
  if (const auto asked = selected_of_asked(table, rules))
    for (const std::size_t c : places_in(table, *asked))
      for (std::size_t p = 0; p < table.problems.size(); ++p)
        if (table.drawn[p])
          want(p, c);
  if (wanted.empty() && table.problems.size() >= fewest_problems) {
    std::vector<RuleFigures> figures = judged(table, rules);
    if (table.problems.size() < fewest_left_out) // the first is taken, whatever the others would do
      figures.resize(1);
    for (const RuleFigures& one : figures)
      for (const LeftOutChoice& choice : one.choices)
        if (choice.configuration)
          want(choice.problem, *choice.configuration);
  }
  std::vector<Gap> list;
  list.reserve(wanted.size());
  for (const auto& [problem, configuration] : wanted)
    list.push_back({problem, configuration});
  return list;
}

} // namespace gridsmith
