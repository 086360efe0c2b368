// SPDX-License-Identifier: Apache-2.0
// The CUDA driver, opened when asked for: nothing here links libcuda, so programs start on machines
// without one.
#pragma once

namespace gridsmith {

/// The current CUDA context as the driver's types (CUcontext, CUdevice).
struct DriverContext {
  void* context = nullptr;
  int device = 0;
};

/// Opens and starts the driver. @throws CuptiError when there is none or it does not start.
class CudaDriver {
public:
  CudaDriver();

  /// @throws CuptiError when no context is current in this thread.
  DriverContext current() const;

private:
  template <typename Signature>
  Signature* function(const char* name) const;

  void* library_; ///< stays open: the driver cannot be unloaded
};

} // namespace gridsmith
