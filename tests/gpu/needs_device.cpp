// SPDX-License-Identifier: Apache-2.0
// A program of tests that need a device ends with 77, CTest's word for skipped, where none is.
#define CATCH_CONFIG_EXTERNAL_INTERFACES // Catch2 2 keeps its listeners to itself otherwise
#include "gridsmith/tests/catch.hpp"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

namespace {

#if CATCH_VERSION_MAJOR >= 3
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

class NeedsDevice : public Listener {
public:
  using Listener::Listener;

  void testRunStarting(const Catch::TestRunInfo&) override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0)
      return;
    std::puts("skipped: no CUDA device");
    std::exit(77);
  }
};

} // namespace

CATCH_REGISTER_LISTENER(NeedsDevice)
