// SPDX-License-Identifier: Apache-2.0
// Whether a launch writes its results many times over, as one does whose grid has an axis too many. Pure
// functions of counters.
#pragma once

#include "gridsmith/metrics/catalogue/counters.hpp"

#include <optional>

namespace gridsmith {

/// All that a kernel may write: outputs and whatever else is not read only.
struct WritableSize {
  double elements = 0, bytes = 0;
};

/// How many times each element was stored in the mean, at least. Stores alone: atomics, asynchronous copies
/// and registers that are spilled do not count. From the bytes that threads stored where they were
/// counted, else from the sectors of all stores: a store of an element touches one. None: neither was
/// counted, or nothing can be written.
std::optional<double> stores_per_element(const CounterValues& counters, const WritableSize& size);

/// From here on it is worth a word: of all shipped recordings the sorts store most, 2.4 times.
inline constexpr double many_stores = 4;

} // namespace gridsmith
