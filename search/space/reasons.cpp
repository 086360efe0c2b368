// Why configurations are not in a space: what each constraint removes, which constraints clash.
#include "gridsmith/base/error.hpp"
#include "gridsmith/search/space/impl.hpp"
#include "gridsmith/search/space/solver.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace gridsmith {

/// Each constraint is solved alone, over its own parameters; the others multiply what it removes.
void SearchSpace::Impl::make_report() const {
  double product = 1;
  for (const Parameter& parameter : parameters)
    product *= static_cast<double>(parameter.values.size());
  for (std::uint32_t i = 0; i < constraints.size(); ++i) {
    const std::array<std::uint32_t, 1> alone{i};
    const auto found = detail::solve(parameters, constraints, alone, facts,
                                     {.only_constrained = true, .exists_only = false});
    ConstraintReport& entry = report.emplace_back();
    entry.text = constraints[i].text;
    const auto kept = static_cast<double>(found.graph.count());
    entry.never_true = kept == 0;
    entry.always_true = !entry.never_true && kept == found.product;
    entry.removed = entry.never_true ? product : product / found.product * (found.product - kept);
    // Taken apart, a constraint is looked at where the whole would have stopped before.
    const detail::SolveOptions whole{
        .only_constrained = true, .exists_only = false, .look_for_trouble = true};
    entry.division_by_zero =
        found.fallible && detail::solve(parameters, constraints, alone, facts, whole).trouble;
  }
}

/// Leaves out one constraint after the other, for good where the rest is still impossible.
void SearchSpace::Impl::make_clash() const {
  if (graph.count() != 0 || rows)
    return;
  std::vector<std::uint32_t> kept = to_blame;
  for (std::size_t i = 0; i < kept.size();) {
    std::vector<std::uint32_t> fewer = kept;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const auto found = detail::solve(parameters, constraints, fewer, facts,
                                     {.only_constrained = true, .exists_only = true});
    if (found.graph.count() == 0)
      kept = std::move(fewer);
    else
      ++i;
  }
  std::ranges::sort(kept);
  for (const std::uint32_t index : kept)
    clash.push_back(constraints[index].text);
}

/// One line, or "" when the constraint holds.
std::string SearchSpace::Impl::reason(const Constraint& constraint, const Bindings& all) const {
  try {
    if (is_true(constraint.expression.evaluate(all)))
      return "";
  } catch (const EvaluationError& error) {
    return "constraint '" + constraint.text + "' has no answer: " + error.what();
  }
  std::string with;
  for (const std::string& name : constraint.expression.names())
    if (const auto found = all.find(name); found != all.end())
      with += (with.empty() ? "" : ", ") + name + "=" + to_text(found->second);
  return "constraint '" + constraint.text + "' does not hold" +
         (with.empty() ? "" : " for " + with);
}

std::vector<std::string> SearchSpace::why_not(const Configuration& configuration) const {
  std::vector<std::string> reasons, names;
  for (const Parameter& parameter : parameters()) {
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
  Bindings all = impl_->facts;
  for (const auto& [name, value] : configuration) {
    if (std::ranges::find(names, name) == names.end())
      reasons.push_back(unknown_name("parameter", name, names));
    all[name] = value;
  }
  const bool complete =
      std::ranges::all_of(names, [&](const std::string& name) { return all.contains(name); });
  for (const Constraint& constraint : impl_->constraints)
    if (std::string text = complete ? impl_->reason(constraint, all) : ""; !text.empty())
      reasons.push_back(std::move(text));
  if (reasons.empty() && impl_->rows && !find(configuration))
    reasons.emplace_back("it is not among the configurations listed");
  return reasons;
}

const std::vector<ConstraintReport>& SearchSpace::report() const {
  std::call_once(impl_->reported, [this] { impl_->make_report(); });
  return impl_->report;
}

const std::vector<std::string>& SearchSpace::clash() const {
  std::call_once(impl_->clashed, [this] { impl_->make_clash(); });
  return impl_->clash;
}

} // namespace gridsmith
