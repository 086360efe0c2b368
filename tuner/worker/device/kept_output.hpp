// SPDX-License-Identifier: Apache-2.0
// What is expected of an output with another seed's data, for when they come back: on the device where there
// is room, else on the host.
#pragma once

#include "gridsmith/tuner/worker/device/cuda_handles.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridsmith {

class KeptOutput {
public:
  /// What is expected and what is kept change places; either may be nothing. Waits.
  /// @param bytes of the output. @throws CudaError
  void exchange(DeviceMemory& expected, std::size_t bytes, cudaStream_t stream);

private:
  DeviceMemory device_;
  std::vector<std::uint8_t> host_;
};

} // namespace gridsmith
