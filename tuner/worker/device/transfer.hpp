// SPDX-License-Identifier: Apache-2.0
// A kernel whose inputs begin and whose outputs end in host memory: what is launched is all of it, to the
// device, the kernel chunk by chunk, and back.
#pragma once

#include "gridsmith/tuner/worker/device/argument_data.hpp"
#include "gridsmith/tuner/worker/device/cuda_handles.hpp"
#include "gridsmith/tuner/worker/device/loaded_kernel.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

/// The host's memory of one kind, and what the device has of it, for all configurations of a work.
class HostBuffers {
public:
  /// @throws Error with one line where the device does not move pages, or managed memory would be more
  /// than half of what is free; CudaError
  /// @param data outlives this
  HostBuffers(const std::vector<ArgumentSpec>& arguments, ArgumentData& data, HostMemory memory,
              cudaStream_t stream);

  struct Vector {
    std::size_t argument = 0;
    HostSide side = HostSide::none;
    std::size_t elements = 0, element_bytes = 0;
    void* filled = nullptr; ///< the work's own, on the device
    void* host = nullptr;
    void* device = nullptr; ///< where the kernel finds it; of pages that move the same as host

    std::size_t bytes() const { return elements * element_bytes; }
  };

  const std::vector<Vector>& vectors() const { return vectors_; }

  /// The work's inputs into host memory; outputs, and what the device has, hold nothing like a result.
  void gather();
  /// The same where the data was filled since the last time.
  void update();
  /// Enqueues that pages that move are the host's.
  void move_to_host() const;
  /// What the host has of the outputs to where the work compares it. Waits.
  void settle() const;

private:
  void add(Vector vector);
  void check_managed(const std::vector<ArgumentSpec>& arguments) const;

  const ArgumentData& data_;
  HostMemory memory_;
  cudaStream_t stream_;
  std::uint64_t gathered_at_ = 0; ///< the data's fills() of then
  std::vector<Vector> vectors_;
  std::vector<std::unique_ptr<std::uint8_t[]>> pageable_;
  std::vector<PinnedMemory> pinned_;
  std::vector<DeviceMemory> device_; ///< managed too
};

class TransferKernel final : public Kernel {
public:
  /// @param arguments of the work, whose pointers `data` has
  TransferKernel(LoadedKernel kernel, HostTransfer transfer, std::shared_ptr<HostBuffers> buffers,
                 const std::vector<ArgumentSpec>& arguments, ArgumentData& data,
                 cudaStream_t stream);

  void launch() override;

  void gather() override { buffers_->gather(); }

  void prepare() override;

  void settle() override { buffers_->settle(); }

private:
  void launch_chunk(std::size_t first, std::size_t elements, cudaStream_t stream);

  LoadedKernel kernel_;
  Constants constants_;
  HostTransfer transfer_;
  std::shared_ptr<HostBuffers> buffers_;
  std::vector<void*> arguments_;
  std::vector<std::size_t> counts_; ///< arguments that are the elements of a chunk
  cudaStream_t stream_;
  std::vector<Stream> streams_; ///< none: all on the work's
  std::vector<Event> joined_;   ///< of each stream
  Event forked_;
};

} // namespace gridsmith
