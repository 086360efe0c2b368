// SPDX-License-Identifier: Apache-2.0
// What host and device code of the peak measurements hand to each other. Both compile this text:
// nothing here needs the standard library but for the fixed widths.
#pragma once

#include <cstdint>

namespace gridsmith {

/// The one argument of every kernel in peak_code.cu.
struct PeakWork {
  void* data = nullptr;           ///< what is read, written or added to
  std::uint64_t count = 0;        ///< units of 16 bytes in it; of chains: links
  std::uint64_t rounds = 0;       ///< times that the kernel's body runs
  std::uint64_t* state = nullptr; ///< where a chain goes on; cycles that its loads took; results
  std::uint32_t never = 0;        ///< no result is this, and the compiler cannot know
  std::uint32_t spacing = 0; ///< bytes from a link of a chain, or a thread's address, to the next
  std::uint64_t page = 0;    ///< links that are visited in mixed order before the next; power of 2
};

static_assert(sizeof(PeakWork) == 6 * sizeof(std::uint64_t));

inline constexpr unsigned peak_threads = 256; ///< of a block of every kernel but the latencies'

// What one thread does in one round.
inline constexpr unsigned arithmetic_per_round = 128; ///< operations of the plain kernels
inline constexpr unsigned tensor_per_round = 32;      ///< mma.sync of a warp, 16 x 8 x 16
inline constexpr unsigned loads_per_round = 16;       ///< of 16 bytes, of L1 and shared memory
inline constexpr unsigned streams_per_round = 4;      ///< of 16 bytes, of L2 and DRAM
inline constexpr unsigned atomics_per_round = 16;
inline constexpr unsigned links_per_round = 32; ///< dependent loads
inline constexpr unsigned barriers_per_round = 32;
inline constexpr unsigned near_bytes = 16384; ///< working set of an SM in L1 and shared memory
inline constexpr unsigned near_links = 64;    ///< of a chain in shared memory

} // namespace gridsmith
