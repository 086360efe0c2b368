// Which configurations to compile, where only a few can be, so that they show much of a kernel.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"

#include <cstddef>
#include <vector>

namespace gridsmith {

struct SampledConfigurations {
  std::vector<Configuration> configurations; ///< `first` is the first
  /// Of the values that count, those that none of them has: all of texts and booleans, which choose
  /// between branches of a source, and the extremes of numbers, as far as the space has them.
  std::vector<std::pair<std::string, Value>> uncovered;
};

/// At most `count` beside `first`; the same for the same space.
SampledConfigurations sample_values(const KernelInstance& instance, const SearchSpace& space,
                                    const Configuration& first, std::size_t count);

} // namespace gridsmith
