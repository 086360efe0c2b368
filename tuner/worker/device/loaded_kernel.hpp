// SPDX-License-Identifier: Apache-2.0
// One compiled configuration, loaded and ready to be launched. What the device cannot launch is
// found out here, before a launch.
#pragma once

#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/device/cuda_handles.hpp"

#include <optional>
#include <span>
#include <string>

namespace gridsmith {

class LoadedKernel {
public:
  /// @throws CudaError when the cubin cannot be loaded or has no such kernel.
  explicit LoadedKernel(const Launchable& launchable);

  /// From the loaded function: all that the driver knows (spills are the compiler's to say).
  CompileFacts facts() const;

  /// How many it takes.
  std::size_t arguments() const;

  /// Why this cannot be launched on the device, one line; nothing when it can. Asks for the opt-in
  /// to more shared memory on the way.
  /// @param argument_bytes what the definition passes, in order.
  std::optional<std::string> launch_error(const Device& device,
                                          std::span<const std::size_t> argument_bytes);

  /// Memory of a __constant__ (or __device__) variable; nothing when there is none of that name.
  struct Symbol {
    void* data = nullptr;
    std::size_t bytes = 0;
  };

  std::optional<Symbol> symbol(const std::string& name) const;

  /// Enqueues one launch. @throws CudaError
  void launch(void** arguments, cudaStream_t stream) const;

private:
  const void* function() const { return reinterpret_cast<const void*>(kernel_); }

  std::optional<std::string> geometry_error(const Device& device) const;
  /// Allows larger clusters than are portable where they are wanted.
  std::optional<std::string> cluster_error(const Device& device) const;
  std::optional<std::string> cooperation_error(const Device& device) const;
  std::optional<std::size_t> bytes_of_argument(std::size_t place) const;
  std::optional<std::string> argument_error(std::span<const std::size_t> argument_bytes) const;

  Library library_;
  cudaKernel_t kernel_ = nullptr;
  cudaFuncAttributes attributes_{};
  Geometry geometry_;
};

} // namespace gridsmith
