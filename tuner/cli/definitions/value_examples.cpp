// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/value_examples.hpp"

#include "gridsmith/base/json_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::size_t most_sampled = 1024; // configurations
constexpr std::uint64_t seed = 1;
constexpr std::ptrdiff_t most_examples = 24; // more values than this no longer help the reader

} // namespace

bool has(const Configuration& configuration, const NamedValue& wanted) {
  const Value* value = find_value(configuration, wanted.first);
  return value && same_value(*value, wanted.second);
}

ValueExamples examples_of(const KernelInstance& instance, const SearchSpace& space,
                          const std::vector<NamedValue>& values, const SpaceWatch& watch) {
  Random random(seed);
  ValueExamples examples;
  for (const ConfigurationId id : space.sample(most_sampled, random))
    examples.configurations.push_back(space.at(id));
  const bool whole = space.size() <= most_sampled;
  for (const NamedValue& value : values) {
    const auto& drawn = examples.configurations;
    if (std::any_of(drawn.begin(), drawn.end(),
                    [&](const Configuration& configuration) { return has(configuration, value); }))
      continue;
    if (!whole)
      if (const SearchSpace part = build_part(instance, {value}, watch); part.size() > 0) {
        examples.configurations.push_back(part.at(part.sample(1, random).front()));
        continue;
      }
    examples.absent.push_back(value);
  }
  return examples;
}

std::vector<NamedValue> absent_values(const KernelInstance& instance, const SearchSpace& space,
                                      const SpaceWatch& watch) {
  std::vector<NamedValue> all;
  for (const auto& [name, values] : instance.definition.parameters)
    for (const Value& value : values)
      all.emplace_back(name, value);
  return examples_of(instance, space, all, watch).absent;
}

std::string grouped_text(const std::vector<NamedValue>& values) {
  std::string text;
  for (auto one = values.begin(); one != values.end();) {
    const auto end = std::find_if(
        one, values.end(), [&](const NamedValue& other) { return other.first != one->first; });
    const auto shown = std::min<std::ptrdiff_t>(end - one, most_examples);
    text += (text.empty() ? "" : "; ") + one->first + "=";
    for (auto value = one; value != one + shown; ++value)
      text += (value == one ? "" : ", ") + to_text(value->second);
    if (end - one > shown)
      text += fmt::format(", … {} more", end - one - shown);
    one = end;
  }
  return text;
}

nlohmann::json grouped_json(const std::vector<NamedValue>& values) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, value] : values)
    json[name].push_back(json_of(value));
  return json;
}

} // namespace gridsmith
