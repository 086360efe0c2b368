// The facts of the devices of this machine, as plain values.
#pragma once

#include "gridsmith/metrics/device/device.hpp"

#include <string>
#include <vector>

namespace gridsmith {

struct DeviceList {
  std::vector<Device> devices;
  std::string reason; ///< why there is none
};

/// Never throws: without a driver or a device the list is empty and the reason says why.
DeviceList list_devices();

/// How many devices there are; with none, `reason` says why.
int count_devices(std::string& reason);

/// Without the chip's name, which is CUPTI's to say. @throws CudaError
Device query_device(int ordinal);

/// "" where CUPTI cannot say it, or when another profiler is attached, which it would disturb.
std::string chip_name_if_known(int ordinal);

} // namespace gridsmith
