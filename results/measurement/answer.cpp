// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/answer.hpp"

#include "gridsmith/base/number_text.hpp"
#include "gridsmith/metrics/catalogue/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace gridsmith {
namespace {

constexpr double same_bytes = 0.01; // DRAM bytes of one kernel vary by less than this between runs

/// Intervals cannot overlap where a recording holds one number; then only equal times are a tie.
bool overlap(const TimeSummary& a, const TimeSummary& b) {
  return a.low_ms <= b.high_ms && b.low_ms <= a.high_ms;
}

std::optional<double> moved_megabytes(const Measurement& measurement) {
  const Device any;
  const auto bytes = metric_value("dram_bytes", {.counters = measurement.counters, .device = any});
  return bytes ? std::optional(*bytes / 1e6) : std::nullopt;
}

std::optional<double> registers(const Measurement& measurement) {
  return measurement.compile_facts
             ? std::optional<double>(measurement.compile_facts->registers_per_thread)
             : std::nullopt;
}

/// Less of it is better, where time cannot tell.
struct Criterion {
  std::string_view name, unit;
  double equal; ///< this fraction more counts as equal
  std::optional<double> (*value)(const Measurement&);
};

constexpr std::array criteria{Criterion{"DRAM bytes", " MB", same_bytes, moved_megabytes},
                              Criterion{"registers per thread", "", 0, registers}};

using Candidates = std::vector<const Ranked*>;

std::string range_text(const std::vector<double>& values, std::string_view unit) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::string text = number_text(*low);
  if (number_text(*high) != text)
    text += " to " + number_text(*high);
  return text + std::string(unit);
}

/// Leaves those that the criterion prefers, and says so.
std::string narrow(Candidates& candidates, const Criterion& criterion) {
  std::vector<double> values;
  for (const Ranked* one : candidates)
    if (const auto value = criterion.value(one->measurement))
      values.push_back(*value);
  if (values.size() < candidates.size())
    return "";
  const double most = *std::min_element(values.begin(), values.end()) * (1 + criterion.equal);
  std::vector<double> kept, others;
  Candidates left;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    (values[i] <= most ? kept : others).push_back(values[i]);
    if (values[i] <= most)
      left.push_back(candidates[i]);
  }
  candidates = left;
  std::string text = std::string(criterion.name) + ": " + range_text(kept, criterion.unit);
  if (others.empty())
    return text + (criterion.equal > 0
                       ? fmt::format(" in all, the same within {:.0f} %", 100 * criterion.equal)
                       : " in all");
  return text + fmt::format(" in {} of them, {} in the other{}", kept.size(),
                            range_text(others, criterion.unit), others.size() == 1 ? "" : "s");
}

/// Leaves one. Each step in words, where they are wanted. Where time was not the question, it decides.
const Ranked* leanest(Candidates candidates, const Objective& objective,
                      std::vector<std::string>* steps = nullptr) {
  for (const Criterion& criterion : criteria)
    if (candidates.size() > 1 && objective.by_time)
      if (std::string step = narrow(candidates, criterion); steps && !step.empty())
        steps->push_back(std::move(step));
  if (steps && candidates.size() > 1)
    steps->push_back(fmt::format("median: the shortest of the remaining {}", candidates.size()));
  return *std::min_element(
      candidates.begin(), candidates.end(),
      [](const Ranked* a, const Ranked* b) { return a->time.median_ms < b->time.median_ms; });
}

using Costs = std::vector<std::pair<double, const Measurement*>>;

/// Ascending; of those pruned early where there are no others.
Costs costs_of(const std::vector<Measurement>& measurements, const Objective& objective,
               const Workload& workload) {
  Costs whole, pruned;
  for (const Measurement& measurement : measurements)
    if (const auto cost = objective.cost(measurement, workload))
      (measurement.pruned_early ? pruned : whole).emplace_back(*cost, &measurement);
  Costs costs = whole.empty() ? std::move(pruned) : std::move(whole);
  std::stable_sort(costs.begin(), costs.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return costs;
}

/// @param costs ascending
void sort_ties_by_time(Costs& costs) {
  const auto end = std::find_if(costs.begin(), costs.end(), [&](const auto& one) {
    return one.first > costs.front().first * (1 + same_bytes);
  });
  std::stable_sort(costs.begin(), end, [](const auto& a, const auto& b) {
    const auto first = cost_ms(*a.second), second = cost_ms(*b.second);
    return first && (!second || *first < *second);
  });
}

/// Few samples do not matter for them: they are measured again for what they are, not for what they may
/// win.
bool always_there(const Measurement& measurement, const FinalsRules& rules) {
  return rules.most > 0 && measurement.correct() &&
         std::find(rules.always.begin(), rules.always.end(), measurement.configuration) !=
             rules.always.end();
}

/// @pre ranked by it
double cost_of(const Ranked& one, const Objective& objective, const Workload& workload) {
  return objective.by_time ? one.time.median_ms : *objective.cost(one.measurement, workload);
}

} // namespace

std::vector<const Measurement*> finalists(const std::vector<Measurement>& measurements,
                                          const FinalsRules& rules, const Objective& objective,
                                          const Workload& workload, const Board& board) {
  std::array<Costs, 2> costs; // of those that may win, and of the others
  Costs all = costs_of(measurements, objective, workload);
  if (!objective.by_time) // of those that tie the shortest, as the winner is chosen
    sort_ties_by_time(all);
  for (const auto& one : all)
    costs[may_win(*one.second, board, workload) ? 0 : 1].push_back(one);
  std::vector<const Measurement*> chosen;
  std::map<std::string, std::size_t> place_of; // in `chosen`, by what was launched
  for (const Costs& group : costs)
    for (std::size_t before = chosen.size(); const auto& [cost, measurement] : group)
      if (chosen.size() - before < rules.most && cost <= group.front().first * (1 + rules.within) &&
          place_of.emplace(launched_as(*measurement), chosen.size()).second)
        chosen.push_back(measurement);
  for (const Measurement& one : measurements)
    if (always_there(one, rules)) {
      const auto [place, is_new] = place_of.emplace(launched_as(one), chosen.size());
      if (is_new)
        chosen.push_back(&one);
      else if (!always_there(*chosen[place->second], rules))
        chosen[place->second] = &one;
    }
  return chosen;
}

std::vector<const Measurement*> same_code(const std::vector<Measurement>& measurements,
                                          const Measurement& as) {
  if (count_shared(measurements) == 0)
    return {};
  // A final is launched by itself: what it was first launched as its race says.
  std::string launched = launched_as(as);
  for (const Measurement& one : measurements)
    if (one.configuration == as.configuration)
      launched = launched_as(one);
  std::vector<const Measurement*> same;
  for (const Measurement& one : measurements)
    if (one.configuration != as.configuration && launched_as(one) == launched)
      same.push_back(&one);
  return same;
}

Objective against_of(const FoundBy& found_by, const Device& device) {
  return objective(found_by.against, found_by.own_metrics, device);
}

std::string objective_name(const FoundBy& found_by) {
  return found_by.objective.empty() ? objectives().front().name : found_by.objective;
}

Objective objective_of(const FoundBy& found_by, const Device& device) {
  return objective(objective_name(found_by), found_by.own_metrics, device);
}

const Ranked* Answer::winner() const {
  return ranking.empty() || found_by.unconfirmed ? nullptr : &ranking.front();
}

std::size_t Answer::ties() const {
  return static_cast<std::size_t>(
      std::count_if(ranking.begin(), ranking.end(), [](const Ranked& one) { return one.tied; }));
}

std::optional<double> excess_cost(std::span<const Ranked> ranking,
                                  const Configuration& configuration, const Objective& objective,
                                  const Workload& workload) {
  const auto found = std::find_if(ranking.begin(), ranking.end(), [&](const Ranked& one) {
    return one.measurement.configuration == configuration;
  });
  if (found == ranking.end())
    return std::nullopt;
  if (found == ranking.begin() || found->tied)
    return 0;
  return cost_of(*found, objective, workload) / cost_of(ranking.front(), objective, workload) - 1;
}

std::vector<Ranked> rank(const std::vector<Measurement>& finals, const Objective& objective,
                         const Workload& workload) {
  std::vector<Ranked> ranked;
  const auto cost = [&](const Ranked& one) { return cost_of(one, objective, workload); };
  for (const Measurement& measurement : finals)
    if (const auto time = time_of(measurement); time && objective.cost(measurement, workload))
      ranked.push_back({measurement, *time, false});
  if (ranked.empty())
    return ranked;
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const Ranked& a, const Ranked& b) { return cost(a) < cost(b); });
  const auto tied = [&](const Ranked& a, const Ranked& b) {
    return objective.by_time
               ? overlap(a.time, b.time)
               : std::abs(cost(a) - cost(b)) <= same_bytes * std::min(cost(a), cost(b));
  };
  const Ranked lowest = ranked.front();
  const auto tie_end = std::find_if_not(ranked.begin(), ranked.end(),
                                        [&](const Ranked& one) { return tied(one, lowest); });
  Candidates level;
  for (auto one = ranked.begin(); one != tie_end; ++one) {
    one->tied = true;
    level.push_back(&*one);
  }
  const auto winner = ranked.begin() + (leanest(level, objective) - ranked.data());
  std::rotate(ranked.begin(), winner, std::next(winner));
  ranked.front().tied = false;
  return ranked;
}

std::vector<Ranked> rank_as_measured(const std::vector<Measurement>& measurements,
                                     const FinalsRules& rules, const Objective& objective,
                                     const Workload& workload, const Board& board) {
  std::vector<Measurement> best;
  for (const Measurement* one : finalists(measurements, rules, objective, workload, board))
    best.push_back(*one);
  return rank(best, objective, workload);
}

std::vector<Measurement> as_ranked(std::vector<Measurement> rows,
                                   const std::vector<Ranked>& ranking) {
  for (const Ranked& one : ranking) {
    const Measurement& final = one.measurement;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Measurement& raced) {
      return raced.correct() && raced.configuration == final.configuration;
    });
    if (row == rows.end())
      continue;
    Execution raced = std::exchange(static_cast<Execution&>(*row), final);
    row->verification = raced.verification;
    row->compared_after = raced.compared_after;
    row->compile_facts = raced.compile_facts;
    row->counters = std::move(raced.counters);
    row->uncounted_because = std::move(raced.uncounted_because);
    row->spent = raced.spent;
    row->reported_ms = final.reported_ms;
    row->other_gpu = final.other_gpu;
    for (const auto& [name, value] : final.counters)
      if (counter_kind(name) == CounterKind::board) // which finalists alone have
        row->counters.insert_or_assign(name, value);
  }
  return rows;
}

void hold_against(Answer& answer, const Board& board) {
  const Workload& workload = answer.found_by.workload;
  std::vector<Measurement> able;
  std::vector<Ranked> others;
  for (const Ranked& one : answer.ranking)
    if (may_win(one.measurement, board, workload))
      able.push_back(one.measurement);
    else
      others.push_back({one.measurement, one.time, false});
  if (others.empty())
    return;
  answer.found_by.unconfirmed = answer.found_by.unconfirmed || able.empty();
  answer.ranking =
      rank(able, objective_of(answer.found_by, board.device ? *board.device : Device()), workload);
  answer.ranking.insert(answer.ranking.end(), others.begin(), others.end());
}

std::vector<std::string> tie_break(const std::vector<Ranked>& ranking, const FoundBy& found_by) {
  if (!found_by.against.empty())
    return {};
  const Objective objective = objective_of(found_by);
  std::vector<std::string> steps;
  Candidates level;
  for (const Ranked& one : ranking)
    if (one.tied || &one == &ranking.front())
      level.push_back(&one);
  if (level.size() > 1)
    leanest(level, objective, &steps);
  return steps;
}

} // namespace gridsmith
