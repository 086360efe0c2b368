// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel an SM can hold, and why not more; and the textbook's estimate of the
// block size. Pure functions of device facts and compile facts.
#pragma once

#include "gridsmith/base/field_sums.hpp"
#include "gridsmith/metrics/device/device.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

/// What the compiler says of one compiled kernel.
struct CompileFacts {
  int registers_per_thread = 0;
  std::int64_t static_shared_bytes = 0; ///< per block
  // Per thread; none where what is known of the code does not state it:
  std::optional<std::int64_t> local_bytes = 0; ///< stack frame and spills
  std::optional<std::int64_t> spill_store_bytes = 0, spill_load_bytes = 0;
  std::int64_t constant_bytes = 0;
  int max_threads_per_block = 0; ///< what the kernel allows (launch bounds); 0: unknown
  int block_barriers = 0;        ///< hardware barriers used; 0: unknown, no limit assumed

  /// Stored and loaded.
  std::optional<std::int64_t> spill_bytes() const {
    return spill_store_bytes && spill_load_bytes
               ? std::optional(*spill_store_bytes + *spill_load_bytes)
               : std::nullopt;
  }

  bool operator==(const CompileFacts&) const = default;
};

template <Like<CompileFacts> T>
constexpr void for_fields(T& v, auto&& visit) {
  visit("registers_per_thread", v.registers_per_thread);
  visit("static_shared_bytes", v.static_shared_bytes);
  visit("local_bytes", v.local_bytes);
  visit("spill_store_bytes", v.spill_store_bytes);
  visit("spill_load_bytes", v.spill_load_bytes);
  visit("constant_bytes", v.constant_bytes);
  visit("max_threads_per_block", v.max_threads_per_block);
  visit("block_barriers", v.block_barriers);
}

static_assert(lists_all_fields<CompileFacts>());

enum class OccupancyLimiter { none, warps, registers, shared_memory, blocks, barriers };
std::string_view to_text(OccupancyLimiter limiter);

struct Occupancy {
  int blocks_per_sm = 0; ///< 0: cannot be launched
  int active_warps = 0;  ///< per SM
  int max_warps = 0;     ///< per SM
  double fraction = 0;   ///< active_warps / max_warps
  OccupancyLimiter limiter =
      OccupancyLimiter::none; ///< the tightest; ties: registers, shared memory, warps, blocks
};

/// The full calculator, equal to cuda_occupancy.h wherever that covers the chip; on 1.x and 2.x by
/// the rules of the CUDA occupancy calculator's spreadsheet. Shared memory beyond the default limit
/// counts as opted into, which is what a launch here does.
/// @param threads_per_block 1 … device.max_threads_per_block (and the kernel's own limit), else
/// blocks_per_sm is 0.
/// @param shared_carveout_percent wanted share of the memory split between L1 and shared memory, 0
/// … 100 (all of it shared, CUDA's default); a block that needs more gets more. No effect before
/// 7.0.
Occupancy occupancy(const Device& device, const CompileFacts& facts, int threads_per_block,
                    std::int64_t dynamic_shared_bytes, int shared_carveout_percent = 100);

/// Why no block of the kernel can be launched, one line; nothing where one can. What the device does not
/// say (0) refuses nothing.
std::optional<std::string> launch_refusal(const Device& device, const CompileFacts& facts,
                                          std::int64_t threads_per_block,
                                          std::int64_t dynamic_shared_bytes);

/// The textbook's formula:
/// threadsPerBlock = min(numWarpSchedulers * warpSize, regsPerBlock / registersPerThread,
///                       sharedMem / sharedPerThread, maxThreadsPerSM),
/// rounded down to a multiple of the warp size (at least one warp) and kept within the device's
/// limit; totalBlocks = ceil(numberOfThreads / threadsPerBlock). A term whose divisor is 0 or
/// unknown is left out.
struct LaunchEstimate {
  int threads_per_block = 0;
  std::int64_t total_blocks = 0;
  std::string_view
      limiter; ///< which term was smallest: "schedulers", "registers", "shared memory", "threads"
};

LaunchEstimate estimate_launch(const Device& device, int registers_per_thread,
                               double shared_bytes_per_thread, std::int64_t number_of_threads);

} // namespace gridsmith
