// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/influence/influence.hpp"

#include "gridsmith/base/named.hpp"
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/results/influence/pairs.hpp"
#include "gridsmith/results/influence/variance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace gridsmith {
namespace {

constexpr double alike_from = 0.95;    // correlation either way
constexpr double about_as_much = 0.05; // of the variance: a plainer one is named all the same
constexpr double worth_adding = 0.02;  // of the variance
constexpr std::size_t most_together = 3;

/// One quantity over the configurations.
struct QuantityColumn {
  Quantity quantity;
  std::vector<std::optional<double>> values;
  Standard standard; ///< of the logarithms
  double spread = 0; ///< length of the centred logarithms, which the standard has lost
};

/// What is added so that zeros have a logarithm; nothing where numbers are negative.
std::optional<double> offset_of(const std::vector<std::optional<double>>& values) {
  double smallest = std::numeric_limits<double>::infinity();
  bool zero = false;
  for (const auto& one : values)
    if (one) {
      if (*one < 0 || !std::isfinite(*one))
        return std::nullopt;
      zero = zero || *one == 0;
      smallest = *one > 0 ? std::min(smallest, *one) : smallest;
    }
  return zero ? smallest : 0;
}

double spread_of(const std::vector<std::optional<double>>& logs) {
  double sum = 0, squares = 0, known = 0;
  for (const auto& one : logs)
    if (one) {
      sum += *one;
      squares += *one * *one;
      ++known;
    }
  return std::sqrt(std::max(0.0, squares - sum * sum / known));
}

QuantityColumn column_of(Quantity quantity, const std::vector<const Measurement*>& rows,
                         const Recording& recording) {
  QuantityColumn column{std::move(quantity), {}, {}, 0};
  for (const Measurement* row : rows)
    column.values.push_back(column.quantity.value(*row, recording));
  if (const auto offset = offset_of(column.values)) {
    auto logs = column.values;
    for (auto& one : logs)
      if (one)
        one = std::log(*one + *offset);
    column.standard = standardised(logs);
    column.spread = spread_of(logs);
  }
  return column;
}

/// The time first; others only where they differ.
std::vector<QuantityColumn> columns_of(const std::vector<const Measurement*>& rows,
                                       const Recording& recording) {
  std::vector<QuantityColumn> columns{column_of(time_quantity(), rows, recording)};
  for (Quantity& quantity : quantities_of(rows, recording))
    if (QuantityColumn column = column_of(std::move(quantity), rows, recording);
        !column.standard.empty())
      columns.push_back(std::move(column));
  return columns;
}

std::vector<const Standard*> standards_of(const std::vector<const QuantityColumn*>& columns) {
  std::vector<const Standard*> all;
  all.reserve(columns.size());
  for (const QuantityColumn* one : columns)
    all.push_back(&one->standard);
  return all;
}

// Parameters and quantities

/// Numbered without gaps.
Grouping grouping_of(const std::vector<std::size_t>& places) {
  std::map<std::size_t, std::size_t> number;
  Grouping groups;
  for (const std::size_t place : places)
    groups.push_back(number.emplace(place, number.size()).first->second);
  return groups;
}

std::optional<Step> step_between(const std::vector<RowPair>& pairs, const QuantityColumn& column) {
  std::vector<double> logs;
  for (const auto& [a, b] : pairs)
    if (column.values[a].value_or(0) > 0 && column.values[b].value_or(0) > 0)
      logs.push_back(std::log(*column.values[b] / *column.values[a]));
  if (logs.empty())
    return std::nullopt;
  std::sort(logs.begin(), logs.end());
  return Step{{}, {}, std::exp(median(logs)), logs.size()};
}

/// Of one pair of configurations only where no values have more.
bool wider(const Step& a, const std::optional<Step>& b) {
  if (!b || (a.pairs > 1) != (b->pairs > 1))
    return !b || a.pairs > 1;
  return std::abs(std::log(a.ratio)) > std::abs(std::log(b->ratio));
}

std::optional<Step> widest_step(const Pairs& pairs, const Parameter& parameter,
                                const QuantityColumn& column) {
  std::optional<Step> widest;
  for (const auto& [places, of_rows] : pairs)
    if (auto step = step_between(of_rows, column); step && wider(*step, widest)) {
      step->from = parameter.values[places.first];
      step->to = parameter.values[places.second];
      widest = step;
    }
  return widest;
}

void add_effects(const std::vector<const Measurement*>& rows, const Recording& recording,
                 const std::vector<const QuantityColumn*>& columns, Influence& result) {
  std::vector<const Parameter*> varied;
  std::vector<Grouping> groupings;
  std::vector<std::vector<std::size_t>> places;
  for (const Parameter& parameter : recording.parameters) {
    places.push_back(places_of(parameter, rows));
    groupings.push_back(grouping_of(places.back()));
    varied.push_back(&parameter);
    if (*std::max_element(groupings.back().begin(), groupings.back().end()) == 0) {
      places.pop_back();
      groupings.pop_back();
      varied.pop_back();
    }
  }
  const double chance = share_between_by_chance(standards_of(columns), groupings);
  for (std::size_t i = 0; i < varied.size(); ++i) {
    const Pairs pairs = pairs_of(*varied[i], places[i], rows);
    for (const QuantityColumn* column : columns) {
      const double share = share_between(column->standard, groupings[i]);
      result.effects.push_back({varied[i]->name, column->quantity.name, share, share <= chance,
                                widest_step(pairs, *varied[i], *column)});
    }
  }
  std::stable_sort(result.effects.begin(), result.effects.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
}

// Quantities and time

/// A column and what it foretells alone.
struct Candidate {
  const QuantityColumn* column;
  double share;
};

/// Those that foretell more than chance, the best first; of equal ones the plainer.
std::vector<Candidate> candidates_of(const QuantityColumn& time,
                                     const std::vector<const QuantityColumn*>& columns,
                                     double chance) {
  std::vector<Candidate> candidates;
  for (const QuantityColumn* one : columns)
    if (std::pow(correlation(one->standard, time.standard), 2) > chance) {
      const Standard* alone[] = {&one->standard};
      candidates.push_back({one, share_foretold(time.standard, alone)});
    }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return candidates;
}

/// The plainest of those alike, which stand first in `columns`, that foretells about as much.
Explanation explained_by(const QuantityColumn& time, const QuantityColumn& best,
                         const std::vector<const QuantityColumn*>& alike) {
  const auto foretold = [&](const QuantityColumn& one) {
    const Standard* alone[] = {&one.standard};
    return share_foretold(time.standard, alone);
  };
  const double enough = foretold(best) - about_as_much;
  const QuantityColumn& named =
      **std::find_if(alike.begin(), alike.end(), [&](const QuantityColumn* one) {
        return one == &best || foretold(*one) >= enough;
      });
  Explanation found{named.quantity.name,
                    foretold(named),
                    correlation(named.standard, time.standard) * time.spread / named.spread,
                    {}};
  for (const QuantityColumn* one : alike)
    if (one != &named)
      found.alike.push_back(one->quantity.name);
  return found;
}

void add_explanations(const QuantityColumn& time, std::vector<const QuantityColumn*> columns,
                      double chance, Influence& result) {
  for (const Candidate& candidate : candidates_of(time, columns, chance)) {
    if (std::find(columns.begin(), columns.end(), candidate.column) == columns.end())
      continue; // alike to a better one
    const QuantityColumn& best = *candidate.column;
    const auto is_alike = [&](const QuantityColumn* one) {
      return std::abs(correlation(one->standard, best.standard)) >= alike_from;
    };
    std::vector<const QuantityColumn*> alike;
    std::copy_if(columns.begin(), columns.end(), std::back_inserter(alike), is_alike);
    std::erase_if(columns, is_alike);
    result.explanations.push_back(explained_by(time, best, alike));
  }
  std::stable_sort(result.explanations.begin(), result.explanations.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
}

/// Adds the column that foretells most beside those chosen; false where none is worth it.
bool add_best(const QuantityColumn& time, const std::vector<const QuantityColumn*>& columns,
              double chance, std::vector<const QuantityColumn*>& chosen, double& share) {
  const auto so_far = standards_of(chosen);
  const Standard rest = beside(time.standard, so_far);
  const QuantityColumn* best = nullptr;
  double best_share = share + worth_adding;
  for (const QuantityColumn* one : columns) {
    const Standard own = beside(one->standard, so_far);
    if (rest.empty() || own.empty() || std::pow(correlation(own, rest), 2) <= chance)
      continue;
    auto with = so_far;
    with.push_back(&one->standard);
    if (const double found = share_foretold(time.standard, with); found > best_share) {
      best_share = found;
      best = one;
    }
  }
  if (!best)
    return false;
  chosen.push_back(best);
  share = best_share;
  return true;
}

void add_together(const QuantityColumn& time, const std::vector<const QuantityColumn*>& columns,
                  double chance, Influence& result) {
  std::vector<const QuantityColumn*> named, chosen;
  for (const QuantityColumn* one : columns)
    for (const Explanation& explanation : result.explanations)
      if (explanation.quantity == one->quantity.name)
        named.push_back(one);
  while (chosen.size() < most_together &&
         add_best(time, chosen.empty() ? named : columns, chance, chosen, result.together_share))
    result.together.push_back(chosen.back()->quantity.name);
}

Influence influence_of(const Recording& recording, bool on_time_alone) {
  std::vector<const Measurement*> rows;
  for (const Measurement& one : recording.measurements)
    if (cost_ms(one))
      rows.push_back(&one);
  Influence result;
  result.configurations = rows.size();
  result.enough = rows.size() >= fewest_configurations;
  if (!result.enough)
    return result;
  const std::vector<QuantityColumn> columns = columns_of(rows, recording);
  std::vector<const QuantityColumn*> all, causes;
  for (const QuantityColumn& one : columns) {
    result.quantities.push_back(one.quantity);
    if (!one.standard.empty())
      all.push_back(&one);
    if (!one.standard.empty() && !one.quantity.of_time)
      causes.push_back(&one);
  }
  const QuantityColumn& time = columns.front();
  if (on_time_alone && !time.standard.empty())
    all = {&time};
  add_effects(rows, recording, all, result);
  if (time.standard.empty() || causes.empty())
    return result;
  const double chance = share_by_chance(time.standard, standards_of(causes));
  add_explanations(time, causes, chance, result);
  if (!on_time_alone)
    add_together(time, causes, chance, result);
  return result;
}

} // namespace

const Quantity* Influence::quantity(const std::string& name) const {
  return find_named(name, quantities);
}

const Explanation* Influence::explanation(const std::string& name) const {
  for (const Explanation& one : explanations)
    if (one.quantity == name ||
        std::find(one.alike.begin(), one.alike.end(), name) != one.alike.end())
      return &one;
  return nullptr;
}

Influence influence(const Recording& recording) {
  return influence_of(recording, false);
}

Influence influence_on_time(const Recording& recording) {
  return influence_of(recording, true);
}

} // namespace gridsmith
