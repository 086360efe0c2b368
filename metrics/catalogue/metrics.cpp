#include "gridsmith/metrics/catalogue/metrics.hpp"

#include "gridsmith/base/expression/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace gridsmith {
namespace {

constexpr std::string_view peak_prefix = "peak_";

using Formulas = std::vector<Expression>;

Formulas parse(const Metric& metric) {
  Formulas parsed;
  for (const std::string& formula : metric.formulas)
    parsed.push_back(Expression::parse(formula));
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

std::optional<double> fact(std::string_view name, const MetricFacts& facts) {
  if (name == "time_ms")
    return known(facts.time_ms);
  if (name == "model_bytes")
    return known(facts.model_bytes);
  if (name == "model_flops")
    return known(facts.model_flops);
  for (const auto& [device_name, value] : device_facts(facts.device))
    if (device_name == name)
      return known(value);
  if (facts.peaks && name.starts_with(peak_prefix))
    return peak_of(*facts.peaks, name.substr(peak_prefix.size()));
  return std::nullopt;
}

std::optional<double> value_of(const Metric& metric, const Formulas& formulas,
                               const MetricFacts& facts);

std::optional<double> value_of(std::string_view name, const MetricFacts& facts) {
  if (const Counter* counter = find_counter(name))
    return value_of(*counter, facts.counters);
  if (const auto entry = entries().find(name); entry != entries().end())
    return value_of(*entry->second.metric, entry->second.formulas, facts);
  return fact(name, facts);
}

/// Nothing where a name has no value or the arithmetic none.
std::optional<double> evaluate(const Expression& expression, const MetricFacts& facts) {
  Bindings values;
  for (const std::string& name : expression.names()) {
    const auto value = value_of(name, facts);
    if (!value)
      return std::nullopt;
    values.emplace(name, *value);
  }
  try {
    return to_number(expression.evaluate(values));
  } catch (const EvaluationError&) {
    return std::nullopt;
  }
}

/// The counter by which the metric's data went another way; none: it did not.
std::optional<std::string> bypass(const Metric& metric, const MetricFacts& facts) {
  for (const std::string& name : metric.bypasses)
    if (value_of(name, facts).value_or(0) > 0)
      return name;
  return std::nullopt;
}

std::optional<double> value_of(const Metric& metric, const Formulas& formulas,
                               const MetricFacts& facts) {
  if (bypass(metric, facts))
    return std::nullopt;
  for (const Expression& formula : formulas)
    if (const auto value = evaluate(formula, facts))
      return value;
  return std::nullopt;
}

/// Every name of the formulas down to what is no metric.
void add_names(const Formulas& formulas, std::set<std::string>& names) {
  for (const Expression& formula : formulas)
    for (const std::string& name : formula.names()) {
      const auto entry = entries().find(name);
      if (find_counter(name) || entry == entries().end())
        names.insert(name);
      else
        add_names(entry->second.formulas, names);
    }
}

std::string why_unknown(const std::string& name, const MetricFacts& facts) {
  const Counter* counter = find_counter(name);
  if (!counter)
    return name + " is not known";
  const auto missing = why_missing(*counter, facts.device.chip);
  return missing.empty()
             ? name + " was not counted"
             : fmt::format("{} does not count {}: {}", facts.device.chip, name, missing);
}

} // namespace

const Metric* find_metric(std::string_view name) {
  const auto found = entries().find(name);
  return found == entries().end() ? nullptr : found->second.metric;
}

std::optional<double> metric_value(const Metric& metric, const MetricFacts& facts) {
  const auto found = entries().find(metric.name);
  const bool parsed = found != entries().end() && found->second.metric == &metric;
  return value_of(metric, parsed ? found->second.formulas : parse(metric), facts);
}

std::optional<double> metric_value(std::string_view name, const MetricFacts& facts) {
  return value_of(name, facts);
}

std::string why_absent(const Metric& metric, const MetricFacts& facts) {
  if (metric_value(metric, facts))
    return "";
  if (const auto other_way = bypass(metric, facts))
    return fmt::format("not applicable: its data went by {}", *other_way);
  std::set<std::string> names;
  add_names(parse(metric), names);
  for (const std::string& name : names)
    if (!value_of(name, facts))
      return why_unknown(name, facts);
  return "there was none of it";
}

std::vector<std::string_view> counters_of(const Metric& metric) {
  std::set<std::string> names;
  add_names(parse(metric), names);
  std::vector<std::string_view> counters;
  for (const std::string& name : names)
    if (const Counter* counter = find_counter(name))
      counters.push_back(counter->name);
  return counters;
}

double ideal_sectors_per_request(int element_bytes) {
  constexpr double lanes = 32, sector_bytes = 32;
  return lanes * element_bytes / sector_bytes;
}

} // namespace gridsmith
