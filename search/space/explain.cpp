// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/space/explain.hpp"

#include "gridsmith/base/error.hpp"

#include <algorithm>
#include <array>

namespace gridsmith::detail {
namespace {

/// One line, or "" when the constraint holds.
std::string reason(const Constraint& constraint, const Bindings& all) {
  try {
    if (constraint.expression.holds(all))
      return "";
  } catch (const EvaluationError& error) {
    return "constraint '" + constraint.text + "' is undefined: " + error.what();
  } catch (const NumberTooLarge& error) {
    return "constraint '" + constraint.text + "' has no answer: " + error.what();
  }
  std::string with;
  for (const std::string& name : constraint.expression.names())
    if (const auto found = all.find(name); found != all.end())
      with += (with.empty() ? "" : ", ") + name + "=" + to_text(found->second);
  return "constraint '" + constraint.text + "' does not hold" +
         (with.empty() ? "" : " for " + with);
}

} // namespace

/// What a constraint removes of its own parameters' product, the others multiply.
std::vector<ConstraintReport> report_of(const SpaceDefinition& definition,
                                        const SpaceWatch& watch) {
  double product = 1;
  for (const Parameter& parameter : definition.parameters)
    product *= static_cast<double>(parameter.values.size());
  std::vector<ConstraintReport> report;
  for (std::uint32_t i = 0; i < definition.constraints.size(); ++i) {
    const std::array<std::uint32_t, 1> alone{i};
    SolveOptions options{.only_constrained = true};
    const Solution found = solve(definition, alone, watch, options);
    ConstraintReport& entry = report.emplace_back();
    entry.text = definition.constraints[i].text;
    const auto kept = static_cast<double>(found.graph.count());
    entry.never_true = kept == 0;
    entry.always_true = !entry.never_true && kept == found.product;
    entry.removed = entry.never_true ? product : product / found.product * (found.product - kept);
    // Taken apart, a constraint is looked at where the whole would have stopped before.
    options.find_undefined = true;
    entry.division_by_zero =
        found.fallible && solve(definition, alone, watch, options).met_undefined;
  }
  return report;
}

/// Leaves out one constraint after the other, for good where the rest is still impossible.
std::vector<std::string> smallest_conflict(const SpaceDefinition& definition,
                                           std::vector<std::uint32_t> conflict,
                                           const SpaceWatch& watch) {
  for (std::size_t i = 0; i < conflict.size();) {
    std::vector<std::uint32_t> fewer = conflict;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const SolveOptions options{.only_constrained = true, .exists_only = true};
    if (solve(definition, fewer, watch, options).graph.count() == 0)
      conflict = std::move(fewer);
    else
      ++i;
  }
  std::ranges::sort(conflict);
  std::vector<std::string> texts;
  for (const std::uint32_t index : conflict)
    texts.push_back(definition.constraints[index].text);
  return texts;
}

std::vector<std::string> why_not(const SpaceDefinition& definition,
                                 const Configuration& configuration) {
  std::vector<std::string> reasons, names;
  for (const Parameter& parameter : definition.parameters) {
    names.push_back(parameter.name);
    const Value* value = find_value(configuration, parameter.name);
    if (!value) {
      reasons.push_back("no value for parameter '" + parameter.name + "'");
      continue;
    }
    const auto same = [&](const Value& listed) { return same_value(listed, *value); };
    if (std::ranges::any_of(parameter.values, same))
      continue;
    std::string listed;
    for (const Value& choice : parameter.values)
      listed += (listed.empty() ? "" : ", ") + to_text(choice);
    reasons.push_back("parameter '" + parameter.name + "' has no value " + to_text(*value) +
                      " (valid: " + listed + ")");
  }
  Bindings all = definition.facts;
  for (const auto& [name, value] : configuration) {
    if (std::ranges::find(names, name) == names.end())
      reasons.push_back(unknown_name("parameter", name, names));
    all[name] = value;
  }
  const bool complete =
      std::ranges::all_of(names, [&](const std::string& name) { return all.contains(name); });
  for (const Constraint& constraint : definition.constraints)
    if (std::string text = complete ? reason(constraint, all) : ""; !text.empty())
      reasons.push_back(std::move(text));
  return reasons;
}

} // namespace gridsmith::detail
