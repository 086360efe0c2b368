// SPDX-License-Identifier: Apache-2.0
// What was best of a kernel on devices that somebody tuned before: where a new device begins.
#pragma once

#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/results/selection/selection.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// The best of one kernel on one device at some problems.
struct KnownBest {
  std::string kernel;
  Device device;
  std::vector<PreviousChoice> choices;
};

/// What stores, recordings and headers hold, of each kernel, problem and device the newest.
/// @throws InputError with the file
std::vector<KnownBest> known_best(std::span<const std::filesystem::path> files);

/// A configuration, and which device and problem it was best of.
struct Transfer {
  Configuration configuration;
  Device device;
  ProblemSize problem;
};

/// What may serve a problem on this device, each once: of the nearest other device first, of that the
/// nearest problem first.
std::vector<Transfer> transfers(std::span<const KnownBest> known, const std::string& kernel,
                                const Device& device, const ProblemSize& problem);

/// What is new about a device beside one that is known, a fact a line ("SMs: 132 -> 148"), of those
/// that both tell.
std::vector<std::string> news(const Device& device, const Device& known);

} // namespace gridsmith
