// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/partial.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::size_t most_listed = 24; // more values than this no longer help the reader

bool possible(const PartialAnswer& answer) {
  return std::all_of(answer.asked.begin(), answer.asked.end(),
                     [](const FixedValue& fixed) { return fixed.value.has_value(); });
}

/// "A=1, B=2 and C=3"
std::string subject(const std::vector<FixedValue>& asked) {
  std::string text;
  for (const FixedValue& one : asked) {
    text += &one == &asked.front() ? "" : &one == &asked.back() ? " and " : ", ";
    text += one.parameter->name + "=" + (one.value ? to_text(*one.value) : one.text);
  }
  return text;
}

} // namespace

PartialAnswer ask_partial(const KernelInstance& instance, std::vector<FixedValue> asked,
                          const SpaceWatch& watch) {
  PartialAnswer answer;
  answer.asked = std::move(asked);
  if (!possible(answer))
    return answer;
  Configuration values;
  for (const FixedValue& fixed : answer.asked)
    values.emplace_back(fixed.parameter->name, *fixed.value);
  const SearchSpace left = build_part(instance, values, watch);
  answer.configurations = left.size();
  answer.product = left.product();
  if (answer.configurations > 0)
    return answer;
  for (const std::string& text : left.conflict_set(watch)) {
    PartialAnswer::Excluding& excluding = answer.excluding.emplace_back();
    excluding.constraint = text;
    for (const ConstraintReport& report : left.report(watch))
      if (report.text == text)
        excluding.removed = report.removed;
  }
  return answer;
}

std::string not_a_value(const FixedValue& fixed) {
  return fmt::format("{} is not a value of {} ({})", fixed.text, fixed.parameter->name,
                     values_text(fixed.parameter->values, most_listed));
}

void refuse_excluded(const KernelInstance& instance, const Configuration& configuration) {
  std::vector<FixedValue> asked;
  for (const Parameter& parameter : instance.parameters) {
    const Value& value = *find_value(configuration, parameter.name);
    const auto same = [&](const Value& listed) { return same_value(listed, value); };
    const bool listed = std::any_of(parameter.values.begin(), parameter.values.end(), same);
    asked.push_back({&parameter, to_text(value), listed ? std::optional(value) : std::nullopt});
  }
  const PartialAnswer answer = ask_partial(instance, asked);
  if (answer.configurations > 0)
    return;
  std::string why;
  for (const auto& [constraint, removed] : answer.excluding)
    why += (why.empty() ? "excluded by '" : ", '") + constraint + "'";
  for (const FixedValue& one : asked)
    if (!one.value)
      why += (why.empty() ? "" : "; ") + not_a_value(one);
  throw InputError(fmt::format("{} is not in the space: {}", to_text(configuration), why));
}

UsualConfiguration named_configuration(const std::string& text, const KernelInstance& instance,
                                       const std::function<UsualConfiguration()>& usual) {
  const Configuration named = configuration_from_text(text, instance.parameters, "--configuration");
  UsualConfiguration chosen{{}, "named"};
  if (named.size() < instance.parameters.size()) {
    chosen = usual();
    if (!named.empty())
      chosen.origin = "named; what is not, " + chosen.origin;
  }
  chosen.configuration = completed(named, chosen.configuration, instance.parameters);
  refuse_excluded(instance, chosen.configuration);
  return chosen;
}

std::string to_text(const PartialAnswer& answer) {
  const std::string what = subject(answer.asked);
  if (answer.configurations > 0)
    return fmt::format("{} configuration{} {}\n", answer.configurations,
                       answer.configurations == 1 ? " has" : "s have", what);
  if (!possible(answer)) {
    std::string why;
    for (const FixedValue& fixed : answer.asked)
      if (!fixed.value)
        why += (why.empty() ? "" : "; ") + not_a_value(fixed);
    return fmt::format("no configuration has {}: {}\n", what, why);
  }
  const auto of_product = [&](double removed) {
    return removed >= answer.product ? "all" : number_text(removed);
  };
  std::string text = fmt::format("no configuration has {}: {} of the product, all excluded by\n",
                                 what, number_text(answer.product));
  for (const auto& [constraint, removed] : answer.excluding)
    text += fmt::format("  '{}' ({} of them)\n", constraint, of_product(removed));
  return text;
}

nlohmann::json count_json(double count) {
  return count < 0x1p53 ? nlohmann::json(static_cast<std::uint64_t>(count)) : nlohmann::json(count);
}

nlohmann::json to_json(const PartialAnswer& answer) {
  nlohmann::json json = {{"configurations", answer.configurations},
                         {"product", count_json(answer.product)},
                         {"asked", nlohmann::json::object()},
                         {"not_values", nlohmann::json::array()},
                         {"excluded_by", nlohmann::json::array()}};
  for (const FixedValue& fixed : answer.asked) {
    const std::string& name = fixed.parameter->name;
    json["asked"][name] = fixed.value ? json_of(*fixed.value) : nlohmann::json(fixed.text);
    if (!fixed.value)
      json["not_values"].push_back(name);
  }
  for (const auto& [constraint, removed] : answer.excluding)
    json["excluded_by"].push_back({{"constraint", constraint}, {"removed", count_json(removed)}});
  return json;
}

} // namespace gridsmith
