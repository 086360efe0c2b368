// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/catalogue/metrics.hpp"

#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/base/named.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace gridsmith {
namespace {

constexpr std::string_view peak_prefix = "peak_";

using Formulas = std::vector<Expression>;
/// Of the definition's own parameters, extents, counters and metrics, by name.
using OwnValues = std::map<std::string, double, std::less<>>;

/// What does not parse gives no value: the formulas of a definition are checked where it is read.
Formulas parse(const Metric& metric) {
  Formulas parsed;
  for (const std::string& formula : metric.formulas)
    try {
      parsed.push_back(Expression::parse(formula));
    } catch (const InputError&) {
      continue;
    }
  return parsed;
}

struct Entry {
  const Metric* metric;
  Formulas formulas;
};

const std::map<std::string_view, Entry>& entries() {
  static const auto all = [] {
    std::map<std::string_view, Entry> result;
    for (const Metric& metric : metric_catalogue())
      result.emplace(metric.name, Entry{&metric, parse(metric)});
    return result;
  }();
  return all;
}

std::optional<double> known(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

struct Fact {
  std::string_view name;
  double (*value)(const MetricFacts&); ///< 0: unknown
};

/// Besides those of the device and its peaks.
constexpr Fact facts_table[] = {
    {"time_ms", [](const MetricFacts& of) { return of.time_ms; }},
    {"model_bytes", [](const MetricFacts& of) { return of.model_bytes; }},
    {"model_flops", [](const MetricFacts& of) { return of.model_flops; }},
    {"registers_per_thread",
     [](const MetricFacts& of) {
       return of.compiled ? double(of.compiled->registers_per_thread) : 0;
     }},
};

std::optional<double> fact(std::string_view name, const MetricFacts& facts) {
  for (const Fact& one : facts_table)
    if (one.name == name)
      return known(one.value(facts));
  for (const auto& [device_name, value] : device_facts(facts.device))
    if (device_name == name)
      return known(value);
  if (facts.peaks && name.starts_with(peak_prefix))
    return peak_of(*facts.peaks, name.substr(peak_prefix.size()));
  return std::nullopt;
}

std::optional<double> value_of(const Metric& metric, const Formulas& formulas,
                               const MetricFacts& facts, const OwnValues& own);

std::optional<double> value_of(std::string_view name, const MetricFacts& facts,
                               const OwnValues& own) {
  if (const auto found = own.find(name); found != own.end())
    return found->second;
  if (const Counter* counter = find_counter(name))
    return value_of(*counter, facts.counters);
  if (const auto entry = entries().find(name); entry != entries().end())
    return value_of(*entry->second.metric, entry->second.formulas, facts, {});
  return fact(name, facts);
}

/// Nothing where a name has no value or the arithmetic none.
std::optional<double> evaluate(const Expression& expression, const MetricFacts& facts,
                               const OwnValues& own) {
  Bindings values;
  for (const std::string& name : expression.names()) {
    const auto value = value_of(name, facts, own);
    if (!value)
      return std::nullopt;
    values.emplace(name, *value);
  }
  try {
    const double value = to_number(expression.evaluate(values));
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  } catch (const InputError&) { // a text, or a function that there is not
    return std::nullopt;
  } catch (const EvaluationError&) {
    return std::nullopt;
  }
}

/// The counter by which the metric's data went another way; none: it did not.
std::optional<std::string> bypass(const Metric& metric, const MetricFacts& facts) {
  for (const std::string& name : metric.bypasses)
    if (value_of(name, facts, {}).value_or(0) > 0)
      return name;
  return std::nullopt;
}

std::optional<double> value_of(const Metric& metric, const Formulas& formulas,
                               const MetricFacts& facts, const OwnValues& own) {
  if (bypass(metric, facts))
    return std::nullopt;
  for (const Expression& formula : formulas)
    if (const auto value = evaluate(formula, facts, own))
      return value;
  return std::nullopt;
}

/// Each from the catalogue and those before it. @param before ends before this metric
OwnValues own_values(const MetricFacts& facts, std::string_view before = {}) {
  OwnValues values;
  if (!facts.own)
    return values;
  for (const Configuration* names : {facts.configuration, facts.extents})
    if (names)
      for (const auto& [name, value] : *names)
        if (!std::holds_alternative<std::string>(value))
          values.emplace(name, to_number(value));
  for (const OwnCounter& one : facts.own->counters)
    if (const auto found = facts.counters.find(one.cupti); found != facts.counters.end())
      values.emplace(one.name, found->second);
  for (const Metric& one : facts.own->metrics) {
    if (one.name == before)
      break;
    if (const auto value = value_of(one, parse(one), facts, values))
      values.emplace(one.name, *value);
  }
  return values;
}

/// Every name of the formulas down to what is no metric.
/// @param seen each is followed once: metrics of a file may name each other in any way
void add_names(const Formulas& formulas, const OwnMetrics& own, std::set<std::string>& seen,
               std::set<std::string>& names) {
  for (const Expression& formula : formulas)
    for (const std::string& name : formula.names()) {
      if (!seen.insert(name).second)
        continue;
      const auto entry = entries().find(name);
      const Metric* mine = find_named(name, own.metrics);
      if (!find_counter(name) && entry != entries().end())
        add_names(entry->second.formulas, own, seen, names);
      else if (mine)
        add_names(parse(*mine), own, seen, names);
      else
        names.insert(name);
    }
}

std::set<std::string> names_of(const Metric& metric, const OwnMetrics& own) {
  std::set<std::string> seen, names;
  add_names(parse(metric), own, seen, names);
  return names;
}

} // namespace

const Metric* find_metric(std::string_view name) {
  const auto found = entries().find(name);
  return found == entries().end() ? nullptr : found->second.metric;
}

std::vector<std::string> formula_names() {
  std::vector<std::string> names = {"peak_copy"};
  for (const Fact& one : facts_table)
    names.emplace_back(one.name);
  for (const Counter& one : counter_catalogue())
    names.emplace_back(one.name);
  for (const Metric& one : metric_catalogue())
    names.push_back(one.name);
  for (const auto& [name, value] : device_facts({}))
    names.push_back(name);
  return names;
}

std::optional<double> metric_value(const Metric& metric, const MetricFacts& facts) {
  const auto found = entries().find(metric.name);
  if (found != entries().end() && found->second.metric == &metric)
    return value_of(metric, found->second.formulas, facts, {});
  return value_of(metric, parse(metric), facts, own_values(facts, metric.name));
}

std::optional<double> metric_value(std::string_view name, const MetricFacts& facts) {
  const bool catalogue = find_counter(name) || entries().contains(name);
  return value_of(name, facts, catalogue ? OwnValues() : own_values(facts));
}

bool needs_peaks(const Metric& metric, const OwnMetrics& own) {
  const auto names = names_of(metric, own);
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return name.starts_with(peak_prefix); });
}

bool is_counted(const Metric& metric, const OwnMetrics& own) {
  const auto names = names_of(metric, own);
  return !counters_of(metric, own).empty() ||
         std::any_of(own.counters.begin(), own.counters.end(),
                     [&](const OwnCounter& one) { return names.contains(one.name); });
}

std::vector<std::string_view> counters_of(const Metric& metric, const OwnMetrics& own) {
  std::vector<std::string_view> counters;
  for (const std::string& name : names_of(metric, own))
    if (const Counter* counter = find_counter(name))
      counters.push_back(counter->name);
  return counters;
}

double ideal_sectors_per_request(int element_bytes) {
  constexpr double lanes = 32, sector_bytes = 32;
  return lanes * element_bytes / sector_bytes;
}

} // namespace gridsmith
