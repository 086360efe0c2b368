// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

UsualConfiguration first_of(const KernelInstance& instance, const SearchSpace& space) {
  refuse_empty(space);
  return {first_configuration(instance, space), default_configuration(instance, space)
                                                    ? "the definition's default"
                                                    : "first asked; no default is in the space"};
}

/// The parameter's value that is worth the same; none: it has no such value.
const Value* listed(const Parameter& parameter, const Value& wanted) {
  const auto found =
      std::find_if(parameter.values.begin(), parameter.values.end(), [&](const Value& one) {
        return same_value(one, wanted) || to_text(one) == to_text(wanted);
      });
  return found == parameter.values.end() ? nullptr : &*found;
}

} // namespace

Configuration completed(const Configuration& wanted, const Configuration& usual,
                        const std::vector<Parameter>& parameters) {
  for (const auto& [name, value] : wanted)
    if (!find_named(name, parameters))
      throw InputError(unknown_name("parameter", name, names_in(parameters)));
  Configuration whole;
  for (const Parameter& one : parameters) {
    const Value* asked = find_value(wanted, one.name);
    const Value* value = asked ? listed(one, *asked) : find_value(usual, one.name);
    if (!value && asked) {
      std::vector<std::string> valid;
      valid.reserve(one.values.size());
      for (const Value& other : one.values)
        valid.push_back(to_text(other));
      throw InputError(unknown_name("value of " + one.name, to_text(*asked), valid));
    }
    if (!value)
      throw InputError(to_text(wanted) + " names no " + one.name + ", and there is no default");
    whole.emplace_back(one.name, *value);
  }
  return whole;
}

std::optional<Configuration> in_space(const Configuration& configuration,
                                      const KernelInstance& instance) {
  const auto listed = [&](const Parameter& parameter) {
    const Value* value = find_value(configuration, parameter.name);
    return value && std::any_of(parameter.values.begin(), parameter.values.end(),
                                [&](const Value& one) { return same_value(one, *value); });
  };
  const auto& parameters = instance.parameters;
  if (configuration.size() != parameters.size() ||
      !std::all_of(parameters.begin(), parameters.end(), listed))
    return std::nullopt;
  const SearchSpace part = build_part(instance, configuration);
  return part.size() > 0 ? std::optional(part.at(0)) : std::nullopt;
}

std::optional<Holding> newest_tuning(std::vector<Holding> held) {
  std::erase_if(held, [](const Holding& one) { return one.correct == 0 || !one.best_ms; });
  if (held.empty())
    return std::nullopt;
  return *std::min_element(held.begin(), held.end(), goes_before);
}

std::optional<Holding> newest_tuning(const std::optional<std::filesystem::path>& file,
                                     const HoldingChoice& choice) {
  if (!file)
    return std::nullopt;
  try {
    return newest_tuning(chosen(holdings_of(*file), choice));
  } catch (const InputError&) { // no such file, or nothing of this in it
    return std::nullopt;
  }
}

UsualConfiguration usual_configuration(const KernelInstance& instance,
                                       const std::optional<Holding>& tuning,
                                       const SearchSpace* space) {
  std::string missed;
  if (tuning) {
    const std::string title = fmt::format("the best of {}: {}", tuning->file, title_of(*tuning));
    if (auto best = in_space(best_of(tuning->load()).configuration, instance))
      return {std::move(*best), title, true, tuning->objective};
    missed = title + ", is not in the space; ";
  }
  UsualConfiguration first =
      space ? first_of(instance, *space) : first_of(instance, build_space(instance));
  first.origin = missed + first.origin;
  return first;
}

} // namespace gridsmith
