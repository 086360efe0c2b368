// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/code/instruction.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace gridsmith {
namespace {

struct Words128 {
  std::uint64_t low = 0, high = 0;
};

constexpr unsigned bits(std::uint64_t word, int first, int count) {
  return static_cast<unsigned>(word >> first & ((1ULL << count) - 1));
}

constexpr unsigned zero_register = 0xff; // RZ: no register

unsigned first_operand(const Words128& words) {
  return bits(words.low, 24, 8);
}

int width_of(WidthField field, const Words128& words, int capability) {
  constexpr std::array<int, 8> access{1, 1, 2, 2, 4, 8, 16, 0}; // U8 S8 U16 S16 32 64 128
  // U32 S32 U64 F32 F16x2 S64 F64; since 9.0 U32 S32 U64 S64, and floating point apart.
  constexpr std::array<int, 8> atomic{4, 4, 8, 4, 4, 8, 8, 0}, whole{4, 4, 8, 8, 0, 0, 0, 0},
      floating{4, 4, 4, 4, 0, 0, 0, 8};
  const unsigned type = bits(words.high, 9, 3);
  switch (field) {
  case WidthField::access:
    return access[type];
  case WidthField::copy:
    return capability < 100 ? access[type] : 4 << bits(words.high, 10, 2);
  case WidthField::wide:
    return 32;
  case WidthField::matrices:
    return 4 << bits(words.high, 8, 2);
  case WidthField::integer_type:
    return capability < 90 ? atomic[type] : whole[type];
  case WidthField::floating_type:
    return floating[type];
  case WidthField::none:
    break;
  }
  return 0;
}

/// The compiler copies by multiplying with nothing, and widens halves by adding to nothing.
CodeClass class_of(const Opcode& opcode, const Words128& words) {
  if (first_operand(words) != zero_register)
    return opcode.kind;
  const bool carries = bits(words.high, 10, 1) != 0; // IMAD.X
  if (opcode.name == "HFMA2" || (opcode.number == 0x024 && !carries))
    return CodeClass::move;
  return opcode.name == "HADD2" ? CodeClass::conversion : opcode.kind;
}

/// Bytes from the next instruction, signed: 48 bits, since 9.0 with 8 more below them; in fours.
std::int64_t distance_of(const Words128& words, int capability) {
  const std::uint64_t raw = words.low >> 34 | words.high << 30;
  const auto upper = static_cast<std::int64_t>(raw << 16) >> 16;
  return capability < 90 ? upper * 4 : (upper * 256 + bits(words.low, 16, 8)) * 4;
}

std::optional<std::size_t> target_of(const Words128& words, std::size_t number, std::size_t count,
                                     int capability) {
  constexpr std::int64_t step = instruction_bytes;
  const std::int64_t distance = distance_of(words, capability);
  const std::int64_t target = static_cast<std::int64_t>(number) + 1 + distance / step;
  if (distance % step != 0 || target < 0 || target >= static_cast<std::int64_t>(count))
    return std::nullopt;
  return static_cast<std::size_t>(target);
}

constexpr std::array<std::string_view, 6> leaving{"BRA", "BRX", "JMP", "EXIT", "RET", "KILL"};

bool leaves(std::string_view name) {
  return std::find(leaving.begin(), leaving.end(), name) != leaving.end();
}

/// A branch has a second predicate of its own (bits 87-90), or a uniform one.
bool has_condition(const Words128& words) {
  constexpr unsigned always = 7, by_uniform_predicate = 0x547;
  return bits(words.high, 23, 4) != always || bits(words.low, 0, 12) == by_uniform_predicate;
}

/// By the number of the special register (bits 72-79).
bool reads_clock(std::string_view name, const Words128& words) {
  constexpr unsigned first = 0x50,
                     last = 0x53; // clock, its upper half, nanoseconds, their upper half
  const unsigned from = bits(words.high, 8, 8);
  return (name == "CS2R" || name == "S2R" || name == "S2UR" || name == "CS2UR") && from >= first &&
         from <= last;
}

MachineInstruction decode_one(const Words128& words, int capability) {
  MachineInstruction one;
  one.opcode = find_opcode(words.low, capability);
  one.number = static_cast<std::uint16_t>(bits(words.low, 0, 12));
  const unsigned guard = bits(words.low, 12, 4);
  one.guarded = guard != 7; // PT, the predicate that is always true; 8 more: not
  one.never = guard == 15;
  one.stall = static_cast<int>(bits(words.high, 41, 4));
  one.write_barrier = static_cast<int>(bits(words.high, 46, 3));
  one.read_barrier = static_cast<int>(bits(words.high, 49, 3));
  one.wait_mask = bits(words.high, 52, 6);
  if (!one.opcode || one.never)
    return one;
  one.kind = class_of(*one.opcode, words);
  one.memory = one.opcode->memory;
  one.bytes = width_of(one.opcode->width, words, capability);
  one.indexed = one.name() == "LDC" && first_operand(words) != zero_register;
  one.clock = reads_clock(one.name(), words);
  one.guarded = one.guarded || (leaves(one.name()) && has_condition(words));
  if (one.name() == "DEPBAR") {
    one.waits_until = static_cast<int>(bits(words.low, 38, 6));
    one.waits_barrier = static_cast<int>(bits(words.low, 44, 3));
  }
  return one;
}

} // namespace

bool MachineInstruction::ends_flow() const {
  return !guarded && leaves(name());
}

std::vector<MachineInstruction> decode(std::string_view code, int compute_capability) {
  std::vector<MachineInstruction> all;
  const std::size_t count = code.size() / instruction_bytes;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Words128 words;
    std::memcpy(&words, code.data() + i * instruction_bytes, instruction_bytes);
    MachineInstruction& one = all.emplace_back(decode_one(words, compute_capability));
    if (one.name() == "BRA" || one.number == 0x944) // CALL.REL; the others name a register
      one.target = target_of(words, i, count, compute_capability);
  }
  return all;
}

} // namespace gridsmith
