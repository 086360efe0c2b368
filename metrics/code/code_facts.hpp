// SPDX-License-Identifier: Apache-2.0
// What the machine code of one kernel consists of: instructions by class, accesses to memory by kind
// and width, loops, loads under way at once, and source lines. Read from the code
// words of the cubin; nothing is run, no disassembler is needed. Counts are of instructions in the
// code, not of how often they are executed.
#pragma once

#include "gridsmith/metrics/code/instruction.hpp"
#include "gridsmith/metrics/code/line_table.hpp"
#include "gridsmith/metrics/code/loads_in_flight.hpp"
#include "gridsmith/metrics/code/opcode.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// Accesses of one kind and width.
struct MemoryCount {
  MemoryKind kind = MemoryKind::global_load;
  int bytes = 0; ///< of a thread; 0: the instruction does not tell
  int count = 0;

  bool operator==(const MemoryCount&) const = default;
};

/// Of a kernel, or of one turn of a loop.
struct InstructionMix {
  int instructions = 0;
  std::array<int, Words<CodeClass>::list.size()> by_class{}; ///< in the order of the words
  int multiply_adds = 0;          ///< FFMA, DFMA and HFMA2, in whatever form; packed ones once
  int indexed_constant_loads = 0; ///< LDC at an address of the thread's own: not uniform
  int clock_reads = 0;
  std::vector<MemoryCount> memory; ///< by kind, then width; none with a count of 0
  /// "FFMA" -> 64; accesses with the bits of a thread, "LDG.128" -> 4; "0x1a3" if the table of
  /// opcodes lacks it.
  std::map<std::string, int, std::less<>> by_name;

  int of(CodeClass kind) const { return by_class[static_cast<std::size_t>(kind)]; }

  /// Of all widths.
  int of(MemoryKind kind) const;
  /// What is neither arithmetic on data nor access to it: integer, move, uniform and control, as a
  /// share of all (0 … 1).
  double overhead() const;
};

struct LoopFacts {
  std::uint64_t begin = 0, end = 0; ///< bytes from the begin of the code; end is past the last
  int depth = 1;                    ///< 1: in no other loop
  bool innermost = true;
  InstructionMix mix;      ///< inner loops' instructions too, once
  LoadsInFlight in_flight; ///< over two turns, so that loads for the next turn count
};

struct CodeFacts {
  std::string kernel;         ///< lowered name
  int compute_capability = 0; ///< that the code is for, as 90 for 9.0
  /// Functions that are not inlined and lie in the kernel's section are counted with it; what the
  /// compiler fills up with after the end of each (a branch to itself, NOPs) is not.
  InstructionMix mix;
  int unknown = 0; ///< instructions that the table of opcodes has not; in the class `other`
  /// By begin. Without those of sines and cosines of large angles, which are multiplied by words of 2/pi (Payne and
  /// Hanek, Radian reduction for trigonometric functions, SIGNUM Newsletter 18, 1983): hardly a thread comes there.
  std::vector<LoopFacts> loops;
  LoadsInFlight in_flight;      ///< anywhere in the kernel
  bool calls = false;           ///< it calls functions: not inlined, or slow ways of a division
  std::int64_t stack_bytes = 0; ///< of each thread, the largest of its functions; 0: none
  std::vector<MachineInstruction> code; ///< all, one every instruction_bytes
  std::vector<LineOf> lines;            ///< empty: made without -lineinfo

  double unknown_share() const; ///< 0 … 1
  /// The innermost loop in which most instructions would be executed if every loop turned 8 times,
  /// which code alone does not tell. nullptr: there is no loop.
  const LoopFacts* hottest_loop() const;
  /// Of the hottest loop where it loads anything, else anywhere.
  const LoadsInFlight& in_flight_mostly() const;
};

/// @param kernel lowered (mangled) name, or the plain one if only one kernel bears it: "scale",
/// "ns::scale", "scale<float>"
/// @throws InputError: no cubin, a damaged one, no code of such a kernel or of several; an
/// architecture before 7.0, whose instructions are other ones
CodeFacts code_facts(std::span<const std::uint8_t> cubin, std::string_view kernel);

struct LineCount {
  std::string place;    ///< "copy.cu:17"
  int instructions = 0; ///< that were wanted
};

using InstructionTest = std::function<bool(const MachineInstruction&)>;

/// The source lines whose code has such instructions: first those of the hottest loop, and of each
/// the most of them first.
std::vector<LineCount> lines_of(const CodeFacts& facts, const InstructionTest& wanted);
/// … has accesses of this kind.
std::vector<LineCount> lines_of(const CodeFacts& facts, MemoryKind kind);

} // namespace gridsmith
