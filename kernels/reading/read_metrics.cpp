// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/read_metrics.hpp"

#include "gridsmith/kernels/source/compiler_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace gridsmith {
namespace {

constexpr std::size_t most_named = 64;    // more than a person reads
constexpr std::size_t longest_unit = 16;  // of a column's head
constexpr std::size_t longest_text = 200; // of a line

bool letter(char one) {
  return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || one == '_';
}

bool digit(char one) {
  return one >= '0' && one <= '9';
}

bool is_identifier(std::string_view text) {
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char one) { return letter(one) || digit(one); });
}

/// <unit>__<what>.<rollup>, as wanted_counters() takes them.
bool is_cupti_name(std::string_view text) {
  return text.size() <= longest_text && text.find("__") != text.npos &&
         text.find('.') != text.npos && text.back() != '.' &&
         std::all_of(text.begin(), text.end(),
                     [](char one) { return letter(one) || digit(one) || one == '.'; });
}

/// Names in use so far: the definition's parameters and extents, the catalogue's, then the definition's metrics as they are read.
class Names {
public:
  explicit Names(const KernelDefinition& definition) : known_(formula_names()) {
    for (const Parameter& one : definition.parameters)
      (std::holds_alternative<std::string>(one.values.front()) ? texts_ : constants_)
          .push_back(one.name);
    for (const std::string& one : definition.extent_names)
      constants_.push_back(one);
    for (std::size_t i = 0; i < definition.default_problem().extents.size(); ++i)
      constants_.push_back(fmt::format("ProblemSize[{}]", i));
    known_.insert(known_.end(), constants_.begin(), constants_.end());
    for (const auto& [name, value] : device_facts({}))
      constants_.push_back(name);
    constants_.insert(constants_.end(), {"model_bytes", "model_flops"});
    for (const OwnCounter& one : definition.own_metrics.counters)
      known_.push_back(one.name);
    for (const Metric& one : definition.own_metrics.metrics)
      known_.push_back(one.name);
  }

  const std::vector<std::string>& known() const { return known_; }

  /// Whether it is a parameter of texts, which no formula computes with.
  bool is_text(const std::string& name) const { return contains(texts_, name); }

  /// Whether it is known before anything is measured.
  bool is_constant(const std::string& name) const { return contains(constants_, name); }

  void add(const std::string& name, const JsonField& field) {
    if (!is_identifier(name) || name.size() > longest_text)
      field.fail("'" + name + "': a name is letters, digits and _, and begins with no digit");
    if (contains(known_, name) || is_text(name))
      field.fail(
          "'" + name +
          "' is taken by a parameter, an extent, or one of the names that gridsmith counters lists");
    known_.push_back(name);
  }

private:
  static bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  std::vector<std::string> known_, constants_, texts_;
};

void read_counters(const JsonField& counters, Names& names, OwnMetrics& own) {
  if (!counters.present())
    return;
  for (const std::string& name : counters.names()) {
    const JsonField field = counters.required(name);
    names.add(name, field);
    const std::string cupti = field.text();
    if (!is_cupti_name(cupti))
      field.fail("'" + cupti +
                 "': expected CUPTI's name with its rollup, such as sm__cycles_active.max");
    own.counters.push_back({name, cupti});
  }
  if (own.counters.size() > most_named)
    counters.fail(fmt::format("at most {} counters", most_named));
}

std::string read_line(const JsonField& field, std::size_t longest) {
  const std::string text = field.text();
  if (text.size() > longest || !is_one_line(text))
    field.fail(fmt::format("expected one line of at most {} characters", longest));
  return text;
}

Expression read_formula(const JsonField& field, const Names& names) {
  Expression formula = field.expression();
  const auto& known = names.known();
  for (const std::string& name : formula.names())
    if (std::find(known.begin(), known.end(), name) == known.end())
      field.fail(fmt::format("'{}': column {}: {}", formula.text(), formula.column_of(name),
                             names.is_text(name) ? "the values of '" + name + "' are texts"
                                                 : unknown_name("counter or metric", name, known,
                                                                "gridsmith counters")));
  return formula;
}

/// Of a formula of the time and of what is known before: the direction in which the time falls, where it is the same
/// whatever the others are. Neither for all others.
Better better_by_time(const Expression& formula, const Names& names) {
  const auto of_times = [&](double others) {
    std::vector<double> values;
    for (const double time : {0.01, 0.1, 1.0, 10.0, 100.0}) {
      Bindings bindings;
      for (const std::string& name : formula.names())
        bindings.emplace(name, name == "time_ms" ? time : others);
      values.push_back(to_number(formula.evaluate(bindings)));
    }
    const auto none = [&](auto stops) {
      return std::adjacent_find(values.begin(), values.end(), stops) == values.end();
    };
    return none(std::greater_equal<>()) ? Better::lower
           : none(std::less_equal<>())  ? Better::higher
                                        : Better::neither;
  };
  for (const std::string& name : formula.names())
    if (name != "time_ms" && !names.is_constant(name))
      return Better::neither;
  try {
    const Better better = of_times(1);
    return better == of_times(7.5) && better == of_times(4096) ? better : Better::neither;
  } catch (const Error&) { // no value, or a text
    return Better::neither;
  }
}

Better read_better(const JsonField& field) {
  try {
    return from_text<Better>(field.text());
  } catch (const InputError& error) {
    field.fail(error.what());
  }
}

Metric read_metric(const JsonField& field, Names& names) {
  field.only({"Name", "Formula", "Unit", "Better", "Source"});
  Metric metric;
  const Expression formula = read_formula(field.required("Formula"), names);
  metric.formulas = {formula.text()};
  metric.better = better_by_time(formula, names);
  metric.name = field.required("Name").text();
  names.add(metric.name, field.find("Name")); // after its formula, which cannot use it
  metric.label = metric.name;
  if (const JsonField unit = field.find("Unit"); unit.present())
    metric.unit = read_line(unit, longest_unit);
  if (const JsonField better = field.find("Better"); better.present())
    metric.better = read_better(better);
  metric.source = "the definition";
  if (const JsonField source = field.find("Source"); source.present())
    metric.source = read_line(source, longest_text);
  return metric;
}

void read_metrics(const JsonField& metrics, Names& names, OwnMetrics& own) {
  for (const JsonField& entry : metrics.elements())
    own.metrics.push_back(read_metric(entry, names));
  if (own.metrics.size() > most_named)
    metrics.fail(fmt::format("at most {} metrics", most_named));
}

} // namespace

void read_own_metrics(const JsonField& counters, const JsonField& metrics, Reading& reading) {
  Names names(reading.definition);
  OwnMetrics& own = reading.definition.own_metrics;
  read_counters(counters, names, own);
  read_metrics(metrics, names, own);
}

void add_metrics(KernelDefinition& definition, const Json& metrics) {
  const std::filesystem::path where = "metrics"; // a field keeps its address
  Names names(definition);
  read_metrics(JsonField(&metrics, where, ""), names, definition.own_metrics);
}

} // namespace gridsmith
