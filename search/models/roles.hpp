// What a parameter is to a launch, told from its name and values alone: block extents, work per
// thread, on/off switches. A name that says nothing is `other`, and nothing is lost but what
// experts know.
#pragma once

#include "gridsmith/base/value.hpp"

#include <cstdint>
#include <optional>

namespace gridsmith {

enum class Role : std::uint8_t {
  block,      ///< threads of a block along an axis
  tile,       ///< elements (or steps) per thread along an axis
  group_tile, ///< elements per block along an axis
  toggle,     ///< one of two values
  other
};

struct ParameterRole {
  Role role = Role::other;
  /// 0 is x (contiguous in memory), 1 y, 2 z; nothing where the name does not say.
  std::optional<std::size_t> axis;
};

/// Conventions known: block_size_x, BLOCK_X, WORK_GROUP_SIZE_X, LOCAL_SIZE_X, threads_x;
/// tile_size_x, TILING_FACTOR_X, items_per_thread, Z_ITERATIONS; CLBlast's MWG, NWG (per block) and
/// MDIMC, NDIMC (threads), where M is contiguous.
ParameterRole role_of(const Parameter& parameter);

} // namespace gridsmith
