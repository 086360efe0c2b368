// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/program.hpp"

#include <algorithm>

namespace gridsmith::detail {

std::uint64_t ProgramBuilder::hash_of(const SlotInfo& info, Word word) const {
  const auto kind = static_cast<std::uint64_t>(info.op) * 2 + info.real;
  std::uint64_t hash = mix(kind, static_cast<std::uint64_t>(word));
  hash = mix(hash, std::uint64_t{info.aside} << 32 ^ static_cast<std::uint32_t>(info.level));
  for (const Slot operand : info.operands)
    hash = mix(hash, operand);
  return hash;
}

/// A new slot, or the one that holds the same constant or operation.
Slot ProgramBuilder::add(const SlotInfo& info, Word word) {
  const auto same = [&](Slot slot) {
    const SlotInfo& other = slots_[slot];
    return other.op == info.op && other.real == info.real && other.level == info.level &&
           other.aside == info.aside && other.operands == info.operands &&
           program.constants[slot] == word && info.op != TermOp::variable &&
           info.op != TermOp::opaque;
  };
  const auto stored_hash = [this](Slot slot) {
    return hash_of(slots_[slot], program.constants[slot]);
  };
  const Slot slot = interned_.intern(hash_of(info, word), same, stored_hash);
  if (slot == slots_.size()) {
    slots_.push_back(info);
    program.constants.push_back(word);
  }
  return slot;
}

std::vector<Instruction>& ProgramBuilder::instructions(int level) {
  return aside_ ? *aside_ : program.levels[static_cast<std::size_t>(level)].program;
}

void ProgramBuilder::use(Slot slot, int level) {
  slots_[slot].last_use = std::max(slots_[slot].last_use, level);
}

Slot ProgramBuilder::variable(int index, std::uint32_t parameter, bool real,
                              std::vector<Position> positions, std::vector<Word> words) {
  SlotInfo info;
  info.op = TermOp::variable;
  info.real = real;
  info.level = index;
  const auto number = [&](Word word) { return real ? to_real(word) : static_cast<double>(word); };
  if (!words.empty()) {
    const auto [low, high] = std::ranges::minmax(words, {}, number);
    info.low = number(low);
    info.high = number(high);
  }
  Level& level = program.levels[static_cast<std::size_t>(index)];
  level.parameter = parameter;
  level.positions = std::move(positions);
  level.words = std::move(words);
  return level.slot = add(info);
}

Slot ProgramBuilder::constant(Word word, bool real) {
  SlotInfo info;
  info.real = real;
  info.fallible = word == (real ? undefined_real : undefined);
  if (!info.fallible)
    info.low = info.high = real ? to_real(word) : static_cast<double>(word);
  return add(info, word);
}

Slot ProgramBuilder::operation(TermOp op, std::array<Slot, 3> operands, int level, Range range,
                               bool fallible) {
  SlotInfo info{op,        level,          level,
                fallible,  gives_real(op), operands,
                range.low, range.high,     aside_ ? asides_ : 0};
  for (const Slot slot : operands)
    info.fallible = info.fallible || slots_[slot].fallible;
  const std::size_t before = slots_.size();
  const Slot to = add(info);
  if (to < before)
    return to;
  for (const Slot slot : operands)
    use(slot, level);
  const auto kind = info.fallible ? Instruction::Kind::compute : Instruction::Kind::compute_defined;
  instructions(level).push_back({kind, op, to, operands[0], operands[1], operands[2]});
  return to;
}

Slot ProgramBuilder::combine(TermOp op, Slot a, Slot b, int level) {
  const SlotInfo &x = slots_[a], &y = slots_[b];
  if (x.op == TermOp::constant && y.op == TermOp::constant)
    return constant(apply(op, program.constants[a], program.constants[b], 0), x.real);
  const bool adds = op == TermOp::sum || op == TermOp::add || op == TermOp::real_add;
  const Range range = adds ? Range{x.low + y.low, x.high + y.high} : product_range(x, y);
  return operation(op, {a, b, a}, level, range);
}

Slot ProgramBuilder::opaque(Word index, std::span<const Slot> reads) {
  SlotInfo info;
  info.op = TermOp::opaque;
  info.fallible = true;
  info.high = 1;
  for (const Slot slot : reads)
    info.level = std::max(info.level, slots_[slot].level);
  info.last_use = info.level;
  for (const Slot slot : reads)
    use(slot, info.level);
  const Slot to = add(info);
  instructions(info.level)
      .push_back({Instruction::Kind::opaque, TermOp::opaque, to, static_cast<Slot>(index), 0, 0});
  return to;
}

void ProgramBuilder::require(Slot slot, int level) {
  instructions(level).push_back({Instruction::Kind::require, TermOp::constant, slot, slot, 0, 0});
}

} // namespace gridsmith::detail
