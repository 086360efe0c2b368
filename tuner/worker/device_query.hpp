// SPDX-License-Identifier: Apache-2.0
// The facts of the devices of this machine, as plain values.
#pragma once

#include "gridsmith/metrics/device/device.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// Why devices, or some of them, cannot be used: nothing when all can.
struct QueriedDevices {
  std::vector<Device> devices;
  std::optional<std::string> reason;
};

/// Never throws.
QueriedDevices list_devices();

struct DeviceCount {
  int count = 0;
  std::optional<std::string> reason; ///< why there is none
};

/// Never throws.
DeviceCount count_devices();

/// Without the chip's name, which is CUPTI's to say. @throws CudaError
Device query_device(int ordinal);

/// Nothing where CUPTI cannot say it, or when another profiler is attached, which it would disturb.
std::optional<std::string> known_chip_name(int ordinal);

} // namespace gridsmith
