// Which configurations to ask for first.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"

#include <cstddef>
#include <vector>

namespace gridsmith {

/// The definition's defaults, then the formula's estimate, then by predicted occupancy, best first;
/// at most `count`.
std::vector<ConfigurationId> first_guesses(const KernelInstance& instance, const SearchSpace& space,
                                           std::size_t count);

} // namespace gridsmith
