// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/influence/no_effect.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace gridsmith {
namespace {

/// All that are the same but for this parameter.
struct Group {
  std::set<std::string> values, launches;
  bool known = true;     ///< of all of them what they launched
  bool launched = false; ///< one of them
};

std::map<std::string, Group> groups_of(const std::string& parameter,
                                       std::span<const Launched> launched) {
  std::map<std::string, Group> groups;
  for (const Launched& one : launched) {
    const Value* value = find_value(one.configuration, parameter);
    if (!value)
      continue;
    Group& group = groups[to_text(one.configuration.without(parameter))];
    group.values.insert(to_text(*value));
    group.launches.insert(one.as);
    group.known &= !one.as.empty();
    group.launched |= !one.as.empty();
  }
  return groups;
}

/// 0: it has an effect, or that is not known.
std::size_t pairs_without_effect(const Parameter& parameter, std::span<const Launched> launched) {
  std::set<std::string> seen;
  std::size_t pairs = 0;
  for (const auto& [others, group] : groups_of(parameter.name, launched)) {
    const std::size_t count = group.values.size();
    if (count < 2 || !group.launched)
      continue;
    if (!group.known || group.launches.size() > 1)
      return 0;
    pairs += count * (count - 1) / 2;
    seen.insert(group.values.begin(), group.values.end());
  }
  return seen.size() == parameter.values.size() ? pairs : 0;
}

} // namespace

std::vector<NoEffect> without_effect(const std::vector<Parameter>& parameters,
                                     std::span<const Launched> launched) {
  std::vector<NoEffect> found;
  for (const Parameter& parameter : parameters)
    if (parameter.values.size() > 1)
      if (const std::size_t pairs = pairs_without_effect(parameter, launched); pairs > 0)
        found.push_back({parameter.name, pairs});
  return found;
}

std::vector<NoEffect> without_effect(const std::vector<Parameter>& parameters,
                                     std::span<const Measurement> measurements) {
  if (count_shared(measurements) == 0)
    return {}; // the usual case, and a space may be large
  std::vector<Launched> launched;
  launched.reserve(measurements.size());
  for (const Measurement& one : measurements)
    if (one.status != Status::constraints)
      launched.push_back(
          {one.configuration, one.status == Status::compile ? "" : launched_as(one)});
  return without_effect(parameters, launched);
}

std::string to_text(const NoEffect& one) {
  return fmt::format(
      "{} has no effect: {} of launched configurations that differ in it alone {} the same "
      "machine code and launch.",
      one.parameter, one.pairs == 1 ? "the one pair" : fmt::format("all {} pairs", one.pairs),
      one.pairs == 1 ? "has" : "have");
}

} // namespace gridsmith
