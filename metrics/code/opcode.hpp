// SPDX-License-Identifier: Apache-2.0
// The operations of machine code of compute capability 7.5 to 12.x by number: what each is called,
// what it does, and which memory it touches. NVIDIA publishes no such table: this one is what ptxas
// 13.0 makes of probes whose PTX is known.
#pragma once

#include "gridsmith/base/words.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gridsmith {

/// What an instruction keeps busy.
enum class CodeClass {
  fp32,          ///< arithmetic, comparison and selection of single precision
  fp64,          ///< of double precision
  fp16,          ///< of half precision and bfloat16, two to an instruction
  tensor,        ///< matrix multiply-add
  integer,       ///< integer arithmetic, addresses, bits, predicates
  conversion,    ///< between types of at most 32 bits, and rounding
  conversion_64, ///< from or to a type of 64 bits, which is as slow as fp64
  special,       ///< MUFU: reciprocal, root, sine, exponential
  move,          ///< copies, constants, selection by predicate, special registers
  uniform,       ///< the datapath that works once for a warp
  control,       ///< branches, calls, reconvergence, end
  barrier,       ///< of blocks, clusters and memory
  shuffle,       ///< between the threads of a warp: shuffle, vote, match, reduction
  constant_load, ///< LDC, ULDC: constants that are no operand of another instruction
  memory,        ///< loads, stores, atomics, copies, textures
  other,         ///< the rest; what the table has not is here too
};

template <>
struct Words<CodeClass> {
  static constexpr std::string_view kind = "class of instructions";
  static constexpr std::array<std::string_view, 16> list{
      "fp32",          "fp64",          "fp16",   "tensor",  "integer", "conversion",
      "conversion_64", "special",       "move",   "uniform", "control", "barrier",
      "shuffle",       "constant_load", "memory", "other"};
};

/// Where an instruction reads or writes memory. Generic ones find out at run time.
enum class MemoryKind {
  global_load,
  global_store,
  generic_load,
  generic_store,
  shared_load,
  shared_store,
  local_load,
  local_store,
  global_atomic, ///< generic ones too, with and without an answer
  shared_atomic,
  async_copy, ///< LDGSTS: global to shared, by each thread
  bulk_copy,  ///< TMA: started by one thread, size in a register
  texture,    ///< surfaces too
};

template <>
struct Words<MemoryKind> {
  static constexpr std::string_view kind = "kind of memory instruction";
  static constexpr std::array<std::string_view, 13> list{
      "global_load",  "global_store", "generic_load", "generic_store", "shared_load",
      "shared_store", "local_load",   "local_store",  "global_atomic", "shared_atomic",
      "async_copy",   "bulk_copy",    "texture"};
};

/// Where the width of an access stands in its instruction.
enum class WidthField {
  none,          ///< not in the instruction
  access,        ///< 8 to 128 bits
  wide,          ///< 256 bits, always
  copy,          ///< of LDGSTS: 32 to 128 bits; since 10.0 at another place
  matrices,      ///< 1, 2 or 4 matrices of 8 x 8 values of 16 bits: 4 bytes of each for a thread
  integer_type,  ///< of an atomic
  floating_type, ///< of an atomic, since 9.0
};

struct Opcode {
  std::uint16_t number; ///< low 9 bits of the instruction; 3 more say what its operands are
  int since;            ///< compute capability from which on the number means this
  std::string_view name;
  CodeClass kind;
  std::optional<MemoryKind> memory = std::nullopt;
  WidthField width = WidthField::none;
};

/// By number, and for one number by `since`.
std::span<const Opcode> opcodes();

/// @param word first 64 bits of the instruction. @return nullptr: not in the table
const Opcode* find_opcode(std::uint64_t word, int compute_capability);

} // namespace gridsmith
