// SPDX-License-Identifier: Apache-2.0
// How different two devices are, to find the nearest that something is known of.
#pragma once

#include "gridsmith/metrics/device/device.hpp"

namespace gridsmith {

/// 0 for the same model; else how far apart in generation and size. A rule of thumb that only
/// orders: ten steps of capability (8.0 to 9.0) count as one halving of the SM count.
double device_distance(const Device& a, const Device& b);

} // namespace gridsmith
