// SPDX-License-Identifier: Apache-2.0
// How many loads a thread has under way at once, read from the barriers that the compiler put into
// the instructions: a load holds one of six, and who needs its value waits for that one.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/metrics/code/instruction.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace gridsmith {

/// The most at any place, per thread, along the way that takes no conditional branch. Loads under a
/// predicate count. Copies by TMA are not among them: no barrier of the kind tells of their end.
struct LoadsInFlight {
  int loads = 0;          ///< from global and local memory, asynchronous copies too
  std::int64_t bytes = 0; ///< the most that such loads bring
  int shared_loads = 0;
  std::int64_t shared_bytes = 0;

  bool operator==(const LoadsInFlight&) const = default;
};

template <Like<LoadsInFlight> T>
void for_fields(T& v, auto&& visit) {
  visit("loads", v.loads);
  visit("bytes", v.bytes);
  visit("shared_loads", v.shared_loads);
  visit("shared_bytes", v.shared_bytes);
}

LoadsInFlight loads_in_flight(std::span<const MachineInstruction> code);

/// Of two turns, so that what one turn loads for the next counts. Inner loops are passed once.
/// @param body positions in the code, ascending
LoadsInFlight loads_in_flight(std::span<const MachineInstruction> code,
                              std::span<const std::size_t> body, std::size_t head);

} // namespace gridsmith
