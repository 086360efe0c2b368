// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/first_guesses.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace gridsmith {
namespace {

/// Registers per thread before anything is compiled: what lets an SM of 65,536 registers be full.
constexpr int assumed_registers = 32;
/// More configurations than this are sampled, not ranked one by one.
constexpr std::size_t most_ranked = 20000;

struct Guess {
  ConfigurationId id;
  double occupancy;
  std::int64_t distance; ///< of the thread count from the formula's
  bool whole_warps;      ///< x is a multiple of the warp: rows are read coalesced
};

/// @throws InputError naming the configuration
Geometry geometry_of(const KernelInstance& instance, const Configuration& configuration) {
  try {
    return launch_geometry(instance, configuration);
  } catch (const InputError& error) {
    throw InputError(std::string(error.what()) + ", of " + to_text(configuration));
  }
}

Guess guess_of(const KernelInstance& instance, const SearchSpace& space, ConfigurationId id) {
  const Geometry geometry = geometry_of(instance, space.at(id));
  const auto threads = geometry.threads_per_block();
  CompileFacts facts;
  facts.registers_per_thread = assumed_registers;
  const double shared = static_cast<double>(geometry.dynamic_shared_bytes);
  const LaunchEstimate estimate =
      estimate_launch(instance.device, assumed_registers, shared / static_cast<double>(threads),
                      threads * geometry.blocks());
  const Occupancy predicted =
      occupancy(instance.device, facts, static_cast<int>(threads), geometry.dynamic_shared_bytes);
  const int warp = std::max(1, instance.device.warp_size);
  return {id, predicted.fraction, std::abs(threads - estimate.threads_per_block),
          geometry.block[0] % warp == 0};
}

std::vector<Guess> ranked(const KernelInstance& instance, const SearchSpace& space) {
  std::vector<Guess> guesses;
  Random random(0); // which ones are ranked must not depend on the run's seed
  for (const ConfigurationId id : space.sample(most_ranked, random))
    guesses.push_back(guess_of(instance, space, id));
  std::sort(guesses.begin(), guesses.end(), [](const Guess& a, const Guess& b) {
    return std::make_tuple(-a.occupancy, a.distance, !a.whole_warps, a.id) <
           std::make_tuple(-b.occupancy, b.distance, !b.whole_warps, b.id);
  });
  const auto estimate =
      std::min_element(guesses.begin(), guesses.end(), [](const Guess& a, const Guess& b) {
        return std::make_tuple(a.distance, !a.whole_warps, -a.occupancy, a.id) <
               std::make_tuple(b.distance, !b.whole_warps, -b.occupancy, b.id);
      });
  if (estimate != guesses.end())
    std::rotate(guesses.begin(), estimate, estimate + 1);
  return guesses;
}

/// The best one with the defaults that the definition has.
std::optional<ConfigurationId> guess_with_defaults(const KernelInstance& instance,
                                                   const SearchSpace& space) {
  const Configuration& defaults = instance.definition.defaults;
  if (defaults.empty())
    return std::nullopt;
  const SearchSpace part = build_part(instance, defaults);
  return part.size() > 0 ? space.find(part.at(ranked(instance, part).front().id)) : std::nullopt;
}

} // namespace

std::optional<ConfigurationId> default_configuration(const KernelInstance& instance,
                                                     const SearchSpace& space) {
  const Configuration& defaults = instance.definition.defaults;
  if (defaults.size() < instance.definition.parameters.size())
    return std::nullopt;
  const auto whole = space.find(defaults);
  return whole ? whole : guess_with_defaults(instance, space);
}

std::vector<ConfigurationId> first_guesses(const KernelInstance& instance, const SearchSpace& space,
                                           std::size_t count) {
  std::vector<ConfigurationId> guesses;
  const auto add = [&](ConfigurationId id) {
    if (guesses.size() < count && std::find(guesses.begin(), guesses.end(), id) == guesses.end())
      guesses.push_back(id);
  };
  if (const auto defaults = default_configuration(instance, space))
    add(*defaults);
  else if (const auto guess = guess_with_defaults(instance, space))
    add(*guess);
  if (space.size() > 0 && guesses.size() < count)
    for (const Guess& guess : ranked(instance, space))
      add(guess.id);
  return guesses;
}

void check_geometry(const KernelInstance& instance, const SearchSpace& space) {
  if (space.size() > 0)
    ranked(instance, space);
}

Configuration first_configuration(const KernelInstance& instance, const SearchSpace& space) {
  return space.at(first_guesses(instance, space, 1).front());
}

} // namespace gridsmith
