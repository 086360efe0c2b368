// SPDX-License-Identifier: Apache-2.0
// Which configuration a kernel has where nobody named one: the best that was measured, else the
// definition's default.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/store/holdings.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// The configuration in the order of the instance's parameters; none: its definition, which may have
/// changed since, does not allow it.
std::optional<Configuration> in_space(const Configuration& configuration,
                                      const KernelInstance& instance);

/// Of these the one that goes before the others; none: nothing that any of them holds is correct.
std::optional<Holding> newest_tuning(std::vector<Holding> held);
/// The same of what a store, or a recording, holds of what is wanted; none also where there is no such
/// file.
std::optional<Holding> newest_tuning(const std::optional<std::filesystem::path>& file,
                                     const HoldingChoice& choice);

/// A configuration, and why this.
struct UsualConfiguration {
  Configuration configuration;
  std::string
      origin; ///< for people: "the best of gridsmith.db: transpose 8192x8192 on NVIDIA H200"
  bool is_best = false;       ///< of the tuning
  std::string objective = {}; ///< of that; "": it is not its best
};

/// The best of the tuning where the space has it, else, and where there is none, the definition's
/// default, else what a tuning would ask for first.
/// @param space of the instance; null: built when it is needed
/// @throws InputError: the space is empty, a configuration has no geometry; as Holding::load()
UsualConfiguration usual_configuration(const KernelInstance& instance,
                                       const std::optional<Holding>& tuning,
                                       const SearchSpace* space = nullptr);

/// What `wanted` does not name is as in `usual`. @throws InputError: a parameter or a value that there is not
Configuration completed(const Configuration& wanted, const Configuration& usual,
                        const std::vector<Parameter>& parameters);

} // namespace gridsmith
