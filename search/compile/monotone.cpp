// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/monotone.hpp"

#include <algorithm>
#include <optional>

namespace gridsmith::detail {
namespace {

constexpr std::size_t worth_bisecting = 24;   // values of a variable
constexpr std::size_t longest_program = 2000; // beyond it, finding what to bisect takes longer

Direction opposite(Direction direction) {
  return direction == Direction::rising    ? Direction::falling
         : direction == Direction::falling ? Direction::rising
                                           : direction;
}

/// Of a sum.
Direction join(Direction a, Direction b) {
  if (a == Direction::constant)
    return b;
  return b == Direction::constant || a == b ? a : Direction::unknown;
}

/// The instructions of a level that lead to the two sides.
std::vector<Instruction> instructions_for(const Level& level, Slot left, Slot right) {
  std::vector<Instruction> kept;
  std::vector<Slot> needed{left, right};
  for (std::size_t i = level.program.size(); i-- > 0;) {
    const Instruction& step = level.program[i];
    if (step.kind != Instruction::Kind::compute_defined ||
        std::ranges::find(needed, step.to) == needed.end())
      continue;
    kept.push_back(step);
    for (const Slot operand : {step.a, step.b, step.c})
      needed.push_back(operand);
  }
  std::ranges::reverse(kept);
  return kept;
}

/// Of a comparison that the level requires.
std::optional<Bisection> bisection_of(const ProgramBuilder& builder, Slot compared, int index) {
  const SlotInfo& info = builder[compared];
  if (info.fallible || !(is_order(info.op) || is_equality(info.op)))
    return std::nullopt;
  const auto [left, right, unused] = info.operands;
  const Direction difference =
      join(direction_of(builder, left, index), opposite(direction_of(builder, right, index)));
  if (difference == Direction::constant || difference == Direction::unknown)
    return std::nullopt;
  const Level& level = builder.program.levels[static_cast<std::size_t>(index)];
  return Bisection{instructions_for(level, left, right), info.op, left, right,
                   difference == Direction::rising};
}

} // namespace

Direction direction_of(const ProgramBuilder& builder, Slot slot, int level) {
  const SlotInfo& info = builder[slot];
  if (info.level < level)
    return Direction::constant;
  if (info.op == TermOp::variable)
    return Direction::rising;
  const auto [left, right, unused] = info.operands;
  const Direction a = direction_of(builder, left, level);
  const Direction b = right == left ? a : direction_of(builder, right, level);
  const SlotInfo &x = builder[left], &y = builder[right];
  switch (info.op) {
  case TermOp::sum:
  case TermOp::add:
  case TermOp::real_add:
    return join(a, b);
  case TermOp::product:
  case TermOp::multiply:
  case TermOp::real_multiply:
    if (x.low >= 0 && y.low >= 0)
      return join(a, b);
    return a == Direction::constant && x.high <= 0 ? opposite(b) : Direction::unknown;
  case TermOp::floor_divide:
    return b == Direction::constant && y.low > 0 ? a : Direction::unknown;
  case TermOp::to_real:
    return a;
  default:
    return Direction::unknown;
  }
}

void add_bisections(ProgramBuilder& builder, int index) {
  Level& level = builder.program.levels[static_cast<std::size_t>(index)];
  // The words of negative reals do not ascend with them; they are left out as well.
  if (level.words.size() < worth_bisecting || level.program.size() > longest_program ||
      !std::ranges::is_sorted(level.words) || builder[level.slot].low < 0)
    return;
  for (const Instruction& step : level.program)
    if (step.kind == Instruction::Kind::require)
      if (auto bisection = bisection_of(builder, step.a, index))
        level.bisections.push_back(std::move(*bisection));
}

} // namespace gridsmith::detail
