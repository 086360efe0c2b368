// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine.
#pragma once

#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/tuner/gpu/gpu_users.hpp"
#include "gridsmith/tuner/gpu/no_such_device.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gridsmith {

/// As the worker sees them; empty with a reason where there is none.
struct DeviceList {
  std::vector<Device> devices;
  std::string reason;
  /// Who uses them, by their UUIDs; none: it was not said.
  std::map<std::string, std::vector<GpuUser>> users = {};

  /// @param number as people count them, from 0
  /// @param instead what else can be done where there is no device at all, in words
  /// @throws NoSuchDevice saying which there are, or why there is none
  const Device& at(int number, const std::string& instead = "") const;
};

/// @param helpers folder of gridsmith-worker
DeviceList query_devices(const std::filesystem::path& helpers);

} // namespace gridsmith
