// SPDX-License-Identifier: Apache-2.0
// What was best of a kernel on devices that somebody tuned before: where a new device begins.
#pragma once

#include "gridsmith/base/value.hpp"
#include "gridsmith/kernels/definition/problem_size.hpp"
#include "gridsmith/metrics/device/device.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// The best of one kernel on one device at one problem.
struct KnownBest {
  std::string kernel;
  Device device;
  ProblemSize problem;
  Configuration configuration;
};

/// What stores, recordings and headers hold, of each kernel, problem and device the newest; those of one kernel and
/// device follow each other, with the facts that the first of them tells.
/// @throws InputError with the file
std::vector<KnownBest> known_best(std::span<const std::filesystem::path> files);

/// What may serve a problem on this device, each once: of the nearest other device first, of that the
/// nearest problem first.
std::vector<KnownBest> transfers(std::span<const KnownBest> known, const std::string& kernel,
                                 const Device& device, const ProblemSize& problem);

/// What is new about a device beside one that is known, a fact a line ("SMs: 132 -> 148"), of those
/// that both tell.
std::vector<std::string> news(const Device& device, const Device& known);

} // namespace gridsmith
