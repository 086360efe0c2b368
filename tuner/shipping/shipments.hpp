// SPDX-License-Identifier: Apache-2.0
// What is shipped already, whatever holds it.
#pragma once

#include "gridsmith/results/header/read_header.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/processes/installation.hpp"

#include <filesystem>
#include <vector>

namespace gridsmith {

/// What a header ships, or one that would be made of a store's newest tunings.
/// @param choice of a store's. @throws InputError with the file
std::vector<Shipment> shipments_in(const std::filesystem::path& file, const HoldingChoice& choice,
                                   const Installation& installation);

/// What retune() can check of them: those of one device; of a store those by time, where there are any.
/// @throws InputError with the file: a header of several devices, whose other sections cannot be made again here
std::vector<Shipment> shipments_to_check(const std::filesystem::path& file,
                                         const Installation& installation);

} // namespace gridsmith
