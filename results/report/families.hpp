// SPDX-License-Identifier: Apache-2.0
// Several problem sizes of one kernel on one device beside each other, and several devices at one size: what
// the winner of one costs at another, and which few would ship.
#pragma once

#include "gridsmith/results/formats/formats.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>

namespace gridsmith {

/// One entry per kernel and device with two problems and more; one per kernel and problem with two devices
/// and more, whose "problems" are the devices.
/// @param exports one per kernel, problem and device
nlohmann::ordered_json families_json(std::span<const Export* const> exports);

} // namespace gridsmith
