// SPDX-License-Identifier: Apache-2.0
// One instruction of machine code since 7.0: 128 bits, little-endian. The upper end of it says what
// the scheduler waits for; the meaning of bits was found on code whose source is known.
#pragma once

#include "gridsmith/metrics/code/opcode.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gridsmith {

inline constexpr std::size_t instruction_bytes = 16;
inline constexpr int no_barrier = 7;

struct MachineInstruction {
  const Opcode* opcode = nullptr; ///< nullptr: not in the table
  std::uint16_t number = 0;       ///< bits 0-11: operation and form of operands
  CodeClass kind = CodeClass::other;
  std::optional<MemoryKind> memory;
  int bytes = 0;        ///< that a thread reads or writes; 0: the instruction does not say
  bool indexed = false; ///< a constant load whose address depends on the thread's registers
  bool clock = false;   ///< reads a clock of the SM or of the device
  bool guarded = false; ///< a predicate decides (bits 12-15)
  bool never = false;   ///< … which is always false
  /// Of BRA and CALL that name a place: instructions from the begin of the code.
  std::optional<std::size_t> target;
  int stall = 0;                  ///< bits 105-108: cycles until the next is issued
  int write_barrier = no_barrier; ///< bits 110-112: released when the result is there
  int read_barrier = no_barrier;  ///< bits 113-115: released when operands were read
  unsigned wait_mask = 0;         ///< bits 116-121: barriers that it waits for
  int waits_until = 0;            ///< DEPBAR: at most so many are left …
  int waits_barrier = no_barrier; ///< … of this barrier

  std::string_view name() const { return opcode ? opcode->name : std::string_view{}; }

  /// What follows in memory is not what follows in time.
  bool ends_flow() const;
};

/// @param code of a section .text; what is left over after whole instructions is passed over
std::vector<MachineInstruction> decode(std::string_view code, int compute_capability);

} // namespace gridsmith
