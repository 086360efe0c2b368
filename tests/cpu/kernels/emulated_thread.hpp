// SPDX-License-Identifier: Apache-2.0
// One thread of an emulated kernel, as its scheduler (emulation.hpp) shows it to the kernel's own library.
#pragma once

#include <stdint.h>

namespace emulated {

struct Index {
  unsigned x = 0, y = 0, z = 0;
};

/// One thread, as the scheduler shows it to the kernel.
struct Thread {
  Index thread, block, block_extent, grid_extent;
  unsigned lane = 0;
  uint64_t* lanes = nullptr; ///< one word for each lane of its warp
  void* dynamic_shared = nullptr;
  void (*wait_for_block)() = nullptr;
  void (*wait_for_lanes)(unsigned mask) = nullptr;
};

/// A texture of one dimension, normalized coordinates and linear filtering; its object is its address.
struct Texture {
  const float* values = nullptr;
  uint64_t elements = 0;
  bool wraps = false; ///< else clamped
};

} // namespace emulated
