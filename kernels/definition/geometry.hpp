// Launch geometry: grid in blocks, block in threads, dynamic shared memory in bytes, and what else a
// launch is asked for.
#pragma once

#include "gridsmith/base/fields.hpp"

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

struct Geometry {
  std::int64_t grid[3] = {1, 1, 1};
  int block[3] = {1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;
  /// Blocks of a cluster, which see each other's shared memory (from compute capability 9.0 on).
  int cluster[3] = {1, 1, 1};
  /// Wanted share of the memory that L1 and shared memory divide; none: the driver's choice.
  std::optional<int> shared_carveout_percent = {};

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
  visit("shared_carveout_percent", v.shared_carveout_percent);
}

} // namespace gridsmith
