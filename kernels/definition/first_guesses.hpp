// SPDX-License-Identifier: Apache-2.0
// Which configurations to ask for first.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace gridsmith {

/// The default, or the best guess that has the defaults there are; then the formula's estimate, then by
/// predicted occupancy, best first; at most `count`.
/// @throws InputError: a configuration has no geometry.
std::vector<ConfigurationId> first_guesses(const KernelInstance& instance, const SearchSpace& space,
                                           std::size_t count);

/// @throws InputError: a configuration has no geometry, and which.
void check_geometry(const KernelInstance& instance, const SearchSpace& space);

/// The definition's default; a shape that is left to Gridsmith is the formula's best guess beside it.
/// None: a parameter has no default, or the space has not this one. @throws as first_guesses
std::optional<ConfigurationId> default_configuration(const KernelInstance& instance,
                                                     const SearchSpace& space);

/// What stands for the kernel where one configuration is wanted: the first guess.
/// @pre the space is not empty. @throws as first_guesses
Configuration first_configuration(const KernelInstance& instance, const SearchSpace& space);

} // namespace gridsmith
