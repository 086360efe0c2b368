// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/samples.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::size_t most_for_choices = 64; // of some seconds each where a source is large

/// All texts and booleans, before the extremes of numbers.
std::vector<NamedValue> wanted_of(const std::vector<Parameter>& parameters) {
  std::vector<NamedValue> choices, extremes;
  for (const auto& [name, values] : parameters) {
    std::vector<Value> numbers;
    for (const Value& value : values)
      if (const NamedValue one{name, value}; is_choice(one))
        choices.push_back(one);
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

/// One choice between branches outweighs all extremes.
std::size_t weight_of(const Configuration& configuration, const std::vector<NamedValue>& wanted) {
  std::size_t weight = 0;
  for (const NamedValue& one : wanted)
    if (has(configuration, one))
      weight += is_choice(one) ? wanted.size() : 1;
  return weight;
}

} // namespace

bool is_choice(const NamedValue& one) {
  return std::holds_alternative<std::string>(one.second) ||
         std::holds_alternative<bool>(one.second);
}

ValueExamples sample_values(const KernelInstance& instance, const SearchSpace& space,
                            const Configuration& first, std::size_t count) {
  std::vector<NamedValue> wanted = wanted_of(space.parameters());
  ValueExamples examples = examples_of(instance, space, wanted);
  std::vector<Configuration>& candidates = examples.configurations;
  std::erase_if(wanted, [&](const NamedValue& one) {
    return std::find(examples.absent.begin(), examples.absent.end(), one) != examples.absent.end();
  });
  ValueExamples samples;
  const auto take = [&](Configuration configuration) {
    std::erase_if(wanted, [&](const NamedValue& one) { return has(configuration, one); });
    std::erase(candidates, configuration);
    samples.configurations.push_back(std::move(configuration));
  };
  take(first);
  const auto wants_more = [&] {
    const std::size_t taken = samples.configurations.size() - 1;
    return taken < count ||
           (taken < most_for_choices && std::any_of(wanted.begin(), wanted.end(), is_choice));
  };
  while (wants_more() && !candidates.empty())
    take(*std::max_element(candidates.begin(), candidates.end(),
                           [&](const Configuration& a, const Configuration& b) {
                             return weight_of(a, wanted) < weight_of(b, wanted);
                           }));
  samples.absent = std::move(wanted);
  return samples;
}

} // namespace gridsmith
