// SPDX-License-Identifier: Apache-2.0
// Launch geometry: grid in blocks, block in threads, dynamic shared memory in bytes, and what else a
// launch is asked for.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/base/words.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gridsmith {

/// Of the fields of a definition: GridDivX, LocalSize.X, ...
inline constexpr std::array<std::string_view, 3> axis_names{"X", "Y", "Z"};
/// Kernel Tuner's parameters and macros of the block's extents.
inline constexpr std::array<const char*, 3> block_names{"block_size_x", "block_size_y",
                                                        "block_size_z"};

/// Where the host has what is brought to the device and back, and how the kernel comes to it.
enum class HostMemory {
  pageable,  ///< copied; the driver stages it through pinned memory of its own
  pinned,    ///< copied
  zero_copy, ///< pinned, and the kernel reads and writes it there
  managed,   ///< pages that move: prefetched to the device and back
};

template <>
struct Words<HostMemory> {
  static constexpr std::string_view kind = "host memory";
  static constexpr std::array<std::string_view, 4> list{"pageable", "pinned", "zero_copy",
                                                        "managed"};
};

/// A launch that begins and ends in host memory: inputs to the device, kernel, outputs back, by
/// chunks, each on one of several streams. The grid is that of one chunk.
struct HostTransfer {
  HostMemory memory = HostMemory::pageable;
  int chunks = 1, streams = 1;

  bool operator==(const HostTransfer&) const = default;
};

template <Like<HostTransfer> T>
void for_fields(T& v, auto&& visit) {
  visit("memory", v.memory);
  visit("chunks", v.chunks);
  visit("streams", v.streams);
}

struct Geometry {
  std::int64_t grid[3] = {1, 1, 1};
  int block[3] = {1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;
  /// Blocks of a cluster, which see each other's shared memory (from compute capability 9.0 on).
  int cluster[3] = {1, 1, 1};
  /// All blocks are on the device at once, so that they may wait for each other.
  bool cooperative = false;
  /// Wanted share of the memory that L1 and shared memory divide; none: the driver's choice.
  std::optional<int> shared_carveout_percent = {};
  std::optional<HostTransfer> transfer = {};

  int blocks_per_cluster() const { return cluster[0] * cluster[1] * cluster[2]; }

  std::int64_t threads_per_block() const { return std::int64_t{block[0]} * block[1] * block[2]; }

  std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }

  bool operator==(const Geometry&) const = default;
};

template <Like<Geometry> T>
void for_fields(T& v, auto&& visit) {
  visit("grid", v.grid);
  visit("block", v.block);
  visit("dynamic_shared_bytes", v.dynamic_shared_bytes);
  visit("cluster", v.cluster);
  visit("cooperative", v.cooperative);
  visit("shared_carveout_percent", v.shared_carveout_percent);
  visit("transfer", v.transfer);
}

} // namespace gridsmith
