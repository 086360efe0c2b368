// SPDX-License-Identifier: Apache-2.0
// Devices as tables for people: their facts beside each other, and what each was measured to reach.
#pragma once

#include "gridsmith/metrics/device/peaks.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace gridsmith {

/// As many devices beside each other as there is room for, the others below.
std::string fact_tables(std::span<const Device> devices, std::size_t width);

/// With units, in the order of peak_words, beside what data sheets promise; "" without peaks.
std::string peak_table(const Device& device, const Peaks& peaks, std::size_t width);

} // namespace gridsmith
