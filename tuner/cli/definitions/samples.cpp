#include "gridsmith/tuner/cli/definitions/samples.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::size_t most_looked_at = 1024; // configurations that are chosen from
constexpr std::uint64_t seed = 1;

using Named = std::pair<std::string, Value>;

bool chooses(const Value& value) {
  return std::holds_alternative<std::string>(value) || std::holds_alternative<bool>(value);
}

/// All texts and booleans, before the extremes of numbers.
std::vector<Named> wanted_of(const std::vector<Parameter>& parameters) {
  std::vector<Named> choices, extremes;
  for (const auto& [name, values] : parameters) {
    std::vector<Value> numbers;
    for (const Value& value : values)
      if (chooses(value))
        choices.emplace_back(name, value);
      else
        numbers.push_back(value);
    const auto [least, most] =
        std::minmax_element(numbers.begin(), numbers.end(), [](const Value& a, const Value& b) {
          return to_number(a) < to_number(b);
        });
    if (numbers.size() > 1)
      extremes.insert(extremes.end(), {{name, *least}, {name, *most}});
  }
  choices.insert(choices.end(), extremes.begin(), extremes.end());
  return choices;
}

bool has(const Configuration& configuration, const Named& wanted) {
  const Value* value = find_value(configuration, wanted.first);
  return value && same_value(*value, wanted.second);
}

/// One choice between branches outweighs all extremes.
std::size_t weight_of(const Configuration& configuration, const std::vector<Named>& wanted) {
  std::size_t weight = 0;
  for (const Named& one : wanted)
    if (has(configuration, one))
      weight += chooses(one.second) ? wanted.size() : 1;
  return weight;
}

/// A random part of the space, and a configuration of each value that is rarer than that.
std::vector<Configuration> candidates_of(const KernelInstance& instance, const SearchSpace& space,
                                         std::vector<Named>& wanted) {
  Random random(seed);
  std::vector<Configuration> candidates;
  for (const ConfigurationId id : space.sample(most_looked_at, random))
    candidates.push_back(space.at(id));
  std::erase_if(wanted, [&](const Named& one) {
    if (std::any_of(candidates.begin(), candidates.end(),
                    [&](const Configuration& configuration) { return has(configuration, one); }))
      return false;
    const SearchSpace part = build_part(instance, {one});
    if (part.size() > 0)
      candidates.push_back(part.at(part.sample(1, random).front()));
    return part.size() == 0; // no configuration has it
  });
  return candidates;
}

} // namespace

SampledConfigurations sample_values(const KernelInstance& instance, const SearchSpace& space,
                                    const Configuration& first, std::size_t count) {
  std::vector<Named> wanted = wanted_of(space.parameters());
  std::vector<Configuration> candidates = candidates_of(instance, space, wanted);
  SampledConfigurations samples;
  const auto take = [&](Configuration configuration) {
    std::erase_if(wanted, [&](const Named& one) { return has(configuration, one); });
    std::erase(candidates, configuration);
    samples.configurations.push_back(std::move(configuration));
  };
  take(first);
  while (samples.configurations.size() <= count && !candidates.empty())
    take(*std::max_element(candidates.begin(), candidates.end(),
                           [&](const Configuration& a, const Configuration& b) {
                             return weight_of(a, wanted) < weight_of(b, wanted);
                           }));
  samples.uncovered = std::move(wanted);
  return samples;
}

} // namespace gridsmith
