// SPDX-License-Identifier: Apache-2.0
// What may hold one launch back, and what the analysis says of it: numbers, remedy, source lines.
#pragma once

#include "gridsmith/base/words.hpp"
#include "gridsmith/metrics/analysis/gain.hpp"
#include "gridsmith/metrics/code/code_facts.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// What a change of the kernel or of its launch would remove.
enum class Cause {
  launch_bound,            ///< the work is shorter than the launch
  grid_too_small,          ///< too few blocks for the multiprocessors
  tail,                    ///< the last wave leaves most of the device idle
  imbalance,               ///< some multiprocessors work longer than others, whatever the wave
  occupancy_registers,     ///< registers of a thread leave too few warps to hide latency
  occupancy_shared_memory, ///< shared memory of a block leaves too few
  occupancy_block_size,    ///< the size of a block and the limits of blocks leave too few
  memory_latency,          ///< too few bytes under way: one load after the other
  instruction_latency,     ///< instructions wait for the one before, and few warps are there
  uncoalesced_access,      ///< a warp's access is spread over more sectors than its bytes need
  misaligned_access,       ///< a warp's bytes lie together but begin amid a sector
  narrow_access,           ///< more loads and stores than words or vectors would need
  partial_writes,          ///< sectors leave the cache before they are full
  repeated_loads,          ///< the same data are loaded from the caches again and again
  spills,                  ///< registers kept in local memory
  local_arrays,            ///< an array of a thread in local memory, indexed at run time
  bank_conflicts,          ///< lanes of a warp meet in banks of shared memory
  atomic_contention,       ///< atomics meet at the same addresses
  barriers,                ///< warps wait for one another
  divergence,              ///< lanes of a warp take different branches, or are masked off
  constant_divergence,     ///< lanes read different addresses of constant memory
  fp64,                    ///< double precision in work on single precision
  type_conversions,        ///< between types of at most 32 bits
  special_functions,       ///< fast sines, exponentials, roots and the like
  precise_functions,       ///< the library's accurate functions, where fast forms would do
  integer_arithmetic,      ///< index arithmetic, divisions above all
  loop_overhead,           ///< counters, branches and addresses of a short loop
  little_work_per_thread,  ///< what a thread does before its work outweighs it
};

template <>
struct Words<Cause> {
  static constexpr std::string_view kind = "cause";
  static constexpr std::array<std::string_view, 28> list{"launch_bound",
                                                         "grid_too_small",
                                                         "tail",
                                                         "imbalance",
                                                         "occupancy_registers",
                                                         "occupancy_shared_memory",
                                                         "occupancy_block_size",
                                                         "memory_latency",
                                                         "instruction_latency",
                                                         "uncoalesced_access",
                                                         "misaligned_access",
                                                         "narrow_access",
                                                         "partial_writes",
                                                         "repeated_loads",
                                                         "spills",
                                                         "local_arrays",
                                                         "bank_conflicts",
                                                         "atomic_contention",
                                                         "barriers",
                                                         "divergence",
                                                         "constant_divergence",
                                                         "fp64",
                                                         "type_conversions",
                                                         "special_functions",
                                                         "precise_functions",
                                                         "integer_arithmetic",
                                                         "loop_overhead",
                                                         "little_work_per_thread"};
};

struct Finding {
  Cause cause = Cause::launch_bound;
  std::string what;         ///< one sentence with the numbers behind it
  std::string remedy;       ///< one sentence
  std::optional<Gain> gain; ///< none: it cannot be told from what is known
  /// Whether an instruction has to do with it; none: none in particular has.
  InstructionTest about = {};
  std::vector<std::string> evidence =
      {}; ///< counters and metrics that it rests on; all were counted
  /// Lines of such instructions; empty where the machine code and its lines are not known.
  std::vector<LineCount> places = {};
};

} // namespace gridsmith
