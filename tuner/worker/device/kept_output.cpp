// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/device/kept_output.hpp"

#include <utility>

namespace gridsmith {
namespace {

/// Beside all that is still to be allocated: loaded kernels, a profiler's memory.
bool has_room_for(std::size_t bytes) {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return free / 4 > bytes;
}

void copy_and_wait(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
  check(cudaStreamSynchronize(stream));
}

} // namespace

void KeptOutput::exchange(DeviceMemory& expected, std::size_t bytes, cudaStream_t stream) {
  if (!expected || device_ || (host_.empty() && has_room_for(bytes)))
    return std::swap(expected, device_);
  std::vector<std::uint8_t> now(bytes);
  copy_and_wait(now.data(), expected.get(), bytes, stream);
  if (!host_.empty())
    copy_and_wait(expected.get(), host_.data(), bytes, stream);
  host_ = std::move(now);
}

} // namespace gridsmith
