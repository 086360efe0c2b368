// SPDX-License-Identifier: Apache-2.0
// What a compute capability fixes: one row of the published tables. The occupancy calculator and
// the devices made without a GPU read it; a queried Device brings its own limits, but not the
// allocation rules, which no driver reports.
#pragma once

#include <cstdint>

namespace gridsmith {

/// How an SM gives out registers: 1.x to whole blocks, everything later warp by warp.
enum class RegisterAllocation { per_warp, per_block };

/// Which sizes the memory shared with L1 can be split into; the sizes are in occupancy.cpp.
enum class CarveOut { fixed, volta, turing, ampere };

struct CapabilityLimits {
  int compute_capability; ///< 10 * major + minor
  int warps_per_sm;
  int max_threads_per_block;
  int blocks_per_sm;
  int registers_per_sm;
  int registers_per_block;
  int register_granularity; ///< registers are given out in multiples of this
  RegisterAllocation register_allocation;
  int max_registers_per_thread;
  std::int64_t shared_bytes_per_sm;
  std::int64_t shared_bytes_per_block;       ///< without opt-in
  std::int64_t shared_bytes_per_block_optin; ///< with opt-in
  std::int64_t reserved_shared_bytes;        ///< per block, taken by the driver
  int shared_unit;                           ///< bytes
  int sub_partitions;  ///< of an SM, each with its share of the registers; on 1.x warps per grant
  int warp_schedulers; ///< per SM
  int fp32_lanes;      ///< multiply-adds per clock per SM
  int barriers_per_sm; ///< 0: never the limit
  CarveOut carve_out;
};

/// The row of a capability; of an unlisted one, the nearest listed below it (its rules are the best
/// guess there is), or the first row.
const CapabilityLimits& limits_of_capability(int compute_capability);

} // namespace gridsmith
