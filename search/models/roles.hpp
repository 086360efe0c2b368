// SPDX-License-Identifier: Apache-2.0
// What a parameter is to a launch, told from its name and values alone: block extents, work per
// thread, on/off switches. A name that says nothing is `other`, and nothing is lost but what
// experts know.
#pragma once

#include "gridsmith/search/space/space.hpp"

#include <cstdint>
#include <optional>
#include <vector>

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

/// Of all parameters of a space, by their names; where none of these tells of a block, by what the
/// space allows: extents of a block are those whose product never exceeds the 1024 threads that a
/// block may have though their values would, the first of them along x, and those beside them that
/// count from 1 in small steps are taken for work per thread.
std::vector<ParameterRole> roles_of(const SearchSpace& space);

} // namespace gridsmith
