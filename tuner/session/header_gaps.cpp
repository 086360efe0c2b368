// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/header_gaps.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/results/formats/header.hpp"
#include "gridsmith/results/selection/coverage.hpp"
#include "gridsmith/results/selection/select.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace gridsmith {
namespace {

constexpr std::size_t most_candidates = 1024; // of one space, evenly taken: a fraction of a second
constexpr std::size_t most_covering = 6;      // of one round, each measured at all sizes

/// From the nearest of those that were the fastest of a size.
std::size_t differences(const SizeTable& table, const std::vector<std::size_t>& fastest,
                        const Configuration& from) {
  std::size_t least = from.size();
  for (const std::size_t c : fastest)
    least = std::min(least, differences(from, table.configurations[c].configuration));
  return least;
}

/// Not measured yet, each once.
std::vector<SizedConfiguration> candidates(const SizeTable& table,
                                           std::span<const SearchSpace* const> spaces) {
  std::unordered_set<Configuration> seen;
  for (const SizedConfiguration& one : table.configurations)
    seen.insert(one.configuration);
  std::vector<SizedConfiguration> some;
  for (const SearchSpace* space : spaces)
    for (ConfigurationId id = 0; id < space->size(); id += space->size() / most_candidates + 1)
      if (Configuration one = space->at(id); seen.insert(one).second)
        some.push_back({std::move(one), 1, {}});
  return some;
}

/// Valid at most of the sizes around where nothing that was measured is; of equals what is most like a fastest one.
std::vector<Configuration> covering_ones(const SizeTable& table,
                                         std::span<const SearchSpace* const> spaces,
                                         const KernelDefinition& definition) {
  const std::vector<ProblemSize> open = uncovered(table);
  if (open.empty())
    return {};
  const std::vector<SizedConfiguration> some = candidates(table, spaces);
  std::vector<std::size_t> served(some.size(), 0);
  for (const ProblemSize& problem : open) {
    const auto launches = quantities_at(definition, table.device, problem, some);
    for (std::size_t c = 0; c < some.size(); ++c)
      served[c] += launches[c].valid;
  }
  const std::vector<std::size_t> fastest = best_of_each(table);
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> ranked; // unserved, unlike, place
  for (std::size_t c = 0; c < some.size(); ++c)
    if (served[c] > 0)
      ranked.emplace_back(open.size() - served[c],
                          differences(table, fastest, some[c].configuration), c);
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), most_covering));
  std::vector<Configuration> chosen;
  chosen.reserve(ranked.size());
  for (const auto& [unserved, unlike, c] : ranked)
    chosen.push_back(some[c].configuration);
  return chosen;
}

/// Of each configuration of the set.
std::vector<LaunchQuantities> launches_at(const Selection& set, const KernelDefinition& definition,
                                          const ProblemSize& problem) {
  std::vector<SizedConfiguration> configurations;
  configurations.reserve(set.configurations.size());
  for (const SelectedConfiguration& one : set.configurations)
    configurations.push_back(one.of);
  return quantities_at(definition, set.device, problem, configurations);
}

} // namespace

std::vector<std::vector<ConfigurationId>> header_gaps(std::span<const Recording> recordings,
                                                      std::span<const SearchSpace* const> spaces,
                                                      const KernelDefinition& definition,
                                                      const Objective& objective) {
  std::vector<std::vector<ConfigurationId>> wanted(recordings.size());
  if (recordings.size() < 2) // one size has its own best
    return wanted;
  try {
    const SizeTable table = size_table(recordings, &definition, objective);
    for (const Gap& gap : gaps(table))
      if (const auto id =
              spaces[gap.problem]->find(table.configurations[gap.configuration].configuration))
        wanted[gap.problem].push_back(*id);
    for (const Configuration& one : covering_ones(table, spaces, definition))
      for (std::size_t p = 0; p < spaces.size(); ++p)
        if (const auto id = spaces[p]->find(one))
          wanted[p].push_back(*id);
    return wanted;
  } catch (const InputError&) { // who writes a header says why
    return std::vector<std::vector<ConfigurationId>>(recordings.size());
  }
}

std::optional<Selection> header_set(std::span<const Recording> recordings,
                                    const KernelDefinition& definition,
                                    const Objective& objective) {
  try {
    return select(size_table(recordings, &definition, objective));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<Configuration> header_choice(const Selection& set, const KernelDefinition& definition,
                                           const ProblemSize& problem) {
  const auto launches = launches_at(set, definition, problem);
  const auto choice = choose(set, problem, launches, set.device.sm_count);
  return choice ? std::optional(set.configurations[choice->configuration].of.configuration)
                : std::nullopt;
}

double header_doubt(const Selection& set, const KernelDefinition& definition,
                    const ProblemSize& problem) {
  return doubt(set, problem, launches_at(set, definition, problem), set.device.sm_count);
}

std::vector<Calibration> calibrations_of(std::span<const Outcome> outcomes) {
  std::vector<Export> exports;
  for (const Outcome& outcome : outcomes)
    if (exports.push_back(outcome.exported()); !has_best(exports.back()))
      exports.pop_back();
  try {
    return calibrations_of(exports);
  } catch (const InputError&) { // who writes a header says why
    return {};
  }
}

} // namespace gridsmith
