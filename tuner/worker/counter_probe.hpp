// SPDX-License-Identifier: Apache-2.0
// Whether counters can be read on a device: one is, of a kernel that does nothing.
#pragma once

#include "gridsmith/metrics/counters/counter_remedy.hpp"

namespace gridsmith {

/// Never throws. Under another profiler nothing is touched; its code is 39, as CUPTI says it.
/// @param ordinal of a device that is there
CounterProbe probe_counters(int ordinal);

} // namespace gridsmith
