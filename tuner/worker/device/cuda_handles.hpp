// SPDX-License-Identifier: Apache-2.0
// Owners of what the CUDA runtime gives, and the check of its answers. No macros: the place of the
// call comes from std::source_location.
#pragma once

#include "gridsmith/tuner/worker/steps/device_port.hpp"

#include <cuda_runtime_api.h>

#include <memory>
#include <source_location>
#include <string>
#include <utility>

namespace gridsmith {

/// The runtime refused. what() has the place in our source.
class CudaError : public DeviceError {
public:
  CudaError(cudaError_t code, const std::source_location& place);

  cudaError_t code() const { return code_; }

  /// "cudaErrorIllegalAddress: an illegal memory access was encountered"
  std::string plain() const override;
  /// Waits for the device.
  bool context_lost() const override;

private:
  cudaError_t code_;
};

std::string plain_text(cudaError_t code);

/// @throws CudaError; the runtime's last error is cleared, so that it is not seen again later.
void check(cudaError_t code, const std::source_location& place = std::source_location::current());

template <typename T, auto destroy>
struct Destroy {
  using pointer = T;

  void operator()(T handle) const noexcept { static_cast<void>(destroy(handle)); }
};

/// Move-only owner of one handle.
template <typename T, auto destroy>
using Handle = std::unique_ptr<T, Destroy<T, destroy>>;

using Stream = Handle<cudaStream_t, &cudaStreamDestroy>;
using Event = Handle<cudaEvent_t, &cudaEventDestroy>;
using Graph = Handle<cudaGraph_t, &cudaGraphDestroy>;
using GraphRun = Handle<cudaGraphExec_t, &cudaGraphExecDestroy>;
using Library = Handle<cudaLibrary_t, &cudaLibraryUnload>;
using DeviceMemory = Handle<void*, &cudaFree>;
using TextureArray = Handle<cudaArray_t, &cudaFreeArray>;
using PinnedMemory = Handle<void*, &cudaFreeHost>;

Stream make_stream();
Event make_event();
/// @throws CudaError, cudaErrorMemoryAllocation among others.
DeviceMemory allocate(std::size_t bytes,
                      const std::source_location& place = std::source_location::current());

/// Memory of rows that begin at multiples of the pitch.
struct RowMemory {
  DeviceMemory memory;
  std::size_t pitch = 0; ///< bytes, as the driver chose it
};

RowMemory allocate_rows(std::size_t row_bytes, std::size_t rows);

/// Move-only owner of a texture object, which is a number.
class Texture {
public:
  Texture() = default;

  /// Over an array that outlives it. @throws CudaError
  Texture(const TextureArray& array, const cudaTextureDesc& description);

  Texture(Texture&& other) noexcept : object_(std::exchange(other.object_, 0)) {}

  Texture& operator=(Texture&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  ~Texture() {
    if (object_ != 0)
      static_cast<void>(cudaDestroyTextureObject(object_));
  }

  cudaTextureObject_t object() const { return object_; }

private:
  cudaTextureObject_t object_ = 0; ///< CUDA's word for none
};

/// @param rows 0: one dimension. @throws CudaError, for an extent that no texture has among others
TextureArray allocate_array(const cudaChannelFormatDesc& format, std::size_t columns,
                            std::size_t rows);
PinnedMemory allocate_pinned(std::size_t bytes);

/// From one recorded and finished event to another.
double elapsed_ms(const Event& from, const Event& to);

} // namespace gridsmith
