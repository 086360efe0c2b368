// SPDX-License-Identifier: Apache-2.0
// Which configurations to compile, where only a few can be, so that they show much of a kernel.
#pragma once

#include "gridsmith/tuner/cli/definitions/value_examples.hpp"

#include <cstddef>

namespace gridsmith {

/// A text or a boolean.
bool is_choice(const NamedValue& one);

/// At most `count` beside `first`, or as many more as it takes until each text and boolean of the
/// space is in one of them, up to 64; `first` is the first, and the same for the same space. Absent are, of the values
/// that count, those that none of them has: of texts and booleans, which choose between branches of a source, and the
/// extremes of numbers, as far as the space has them.
ValueExamples sample_values(const KernelInstance& instance, const SearchSpace& space,
                            const Configuration& first, std::size_t count);

} // namespace gridsmith
