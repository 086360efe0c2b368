// The GPUs of this machine.
#pragma once

#include "gridsmith/metrics/device/device.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

/// As the worker sees them; empty with a reason where there is none.
struct DeviceList {
  std::vector<Device> devices;
  std::string reason;
};

/// @param helpers folder of gridsmith-worker
DeviceList query_devices(const std::filesystem::path& helpers);

} // namespace gridsmith
