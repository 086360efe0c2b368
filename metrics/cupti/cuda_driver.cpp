// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/cupti/cuda_driver.hpp"

#include "gridsmith/metrics/cupti/counter_session.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace gridsmith {
namespace {

constexpr int not_initialized = 15; // CUPTI_ERROR_NOT_INITIALIZED

CuptiError no_driver(const std::string& what) {
  return CuptiError(not_initialized, "cannot count: " + what);
}

} // namespace

template <typename Signature>
Signature* CudaDriver::function(const char* name) const {
  auto* found = reinterpret_cast<Signature*>(dlsym(library_, name));
  if (!found)
    throw no_driver(fmt::format("the CUDA driver lacks {}", name));
  return found;
}

// Signatures as in cuda.h: CUresult, CUdevice are ints, CUcontext a pointer.
CudaDriver::CudaDriver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
  if (!library_)
    throw no_driver("there is no CUDA driver (libcuda.so.1)");
  if (function<int(unsigned)>("cuInit")(0) != 0)
    throw no_driver("the CUDA driver does not start (no device, or it does not fit its kernel "
                    "module)");
}

DriverContext CudaDriver::current() const {
  DriverContext now;
  if (function<int(void**)>("cuCtxGetCurrent")(&now.context) != 0 || !now.context ||
      function<int(int*)>("cuCtxGetDevice")(&now.device) != 0)
    throw no_driver("no CUDA context is current in this thread");
  return now;
}

} // namespace gridsmith
