// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/relax.hpp"

#include <algorithm>

namespace gridsmith::detail {
namespace {

constexpr int most_levels = 63; // bits of a mask of levels, the last one for all beyond

/// The relaxation of slots to one level.
class Relaxation {
public:
  Relaxation(ProgramBuilder& builder, int level) : builder_(builder), level_(level) {}

  std::optional<Slot> of(Slot slot);

private:
  Slot bound(Slot slot, bool upper);
  Slot product_bound(const SlotInfo& product, bool upper);
  Slot constant(double value, bool real, bool upper);
  std::optional<Slot> of_order(Slot left, Slot right, TermOp op);
  std::optional<Slot> of_equality(Slot left, Slot right);
  std::optional<Slot> divisibility(Slot rest, Slot zero);
  std::optional<Slot> divides(Slot product, Slot whole);

  bool known(Slot slot) const { return builder_[slot].level <= level_; }

  ProgramBuilder& builder_;
  int level_;
};

std::optional<Slot> Relaxation::of(Slot slot) {
  if (known(slot))
    return slot;
  const SlotInfo info = builder_[slot];
  const auto [a, b, unused] = info.operands;
  switch (info.op) {
  case TermOp::less:
  case TermOp::less_equal:
  case TermOp::real_less:
  case TermOp::real_less_equal:
    return of_order(a, b, info.op);
  case TermOp::equal:
    return of_equality(a, b);
  case TermOp::logical_or:
  case TermOp::logical_and: {
    if (info.fallible) // a side that is not looked at may be undefined
      return std::nullopt;
    const auto x = of(a), y = of(b);
    if (x && y)
      return builder_.operation(info.op, {*x, *y, *x}, level_, {0, 1});
    return info.op == TermOp::logical_or ? std::nullopt : x ? x : y;
  }
  default:
    return std::nullopt;
  }
}

/// The least of the left side against the greatest of the right one.
std::optional<Slot> Relaxation::of_order(Slot left, Slot right, TermOp op) {
  const Slot least = bound(left, false);
  const Slot most = bound(right, true);
  const double below = builder_[least].high, above = builder_[most].low;
  if (below < above || (!is_strict(op) && below == above))
    return std::nullopt; // always so
  return builder_.operation(op, {least, most, least}, level_, {0, 1});
}

std::optional<Slot> Relaxation::of_equality(Slot left, Slot right) {
  if (builder_[left].op == TermOp::modulo)
    return divisibility(left, right);
  for (const auto& [parts, whole] : {std::pair{left, right}, std::pair{right, left}})
    if (builder_[parts].op == TermOp::product && known(whole))
      if (const auto part_divides = divides(parts, whole))
        return part_divides;
  const auto below = of_order(left, right, TermOp::less_equal);
  const auto above = of_order(right, left, TermOp::less_equal);
  if (below && above)
    return builder_.operation(TermOp::logical_and, {*below, *above, *below}, level_, {0, 1});
  return below ? below : above;
}

/// x % (a * b) == 0 with whole a, b >= 1 needs x % a == 0.
std::optional<Slot> Relaxation::divisibility(Slot rest, Slot zero) {
  const auto [dividend, divisor, unused] = builder_[rest].operands;
  if (!builder_.is_constant(zero, 0) || !known(dividend) || builder_[divisor].op != TermOp::product)
    return std::nullopt;
  return divides(divisor, dividend);
}

/// A whole number that is a multiple of a product is one of its known part: whole % part == 0.
std::optional<Slot> Relaxation::divides(Slot product, Slot whole) {
  const auto [part, other, unused] = builder_[product].operands;
  if (!known(part))
    return builder_[part].op == TermOp::product ? divides(part, whole) : std::nullopt;
  if (builder_[part].level == before_all || builder_[part].low < 1 || builder_[other].low < 1)
    return std::nullopt;
  const Slot rest =
      builder_.operation(TermOp::modulo, {whole, part, whole}, level_, {0, builder_[part].high});
  return builder_.operation(TermOp::equal, {rest, builder_.constant(0, false), rest}, level_,
                            {0, 1});
}

/// A bound that a double may have rounded is moved to where it is sure.
Slot Relaxation::constant(double value, bool real, bool upper) {
  if (!real && value >= exact_limit)
    return builder_.constant(upper ? farthest : static_cast<Word>(exact_limit), real);
  if (!real && value <= -exact_limit)
    return builder_.constant(upper ? static_cast<Word>(-exact_limit) : -farthest, real);
  return builder_.constant(real ? to_word(value) : static_cast<Word>(value), real);
}

/// A slot, computed at the level, that is a bound of `slot` for every way to go on.
Slot Relaxation::bound(Slot slot, bool upper) {
  if (known(slot))
    return slot;
  const SlotInfo info = builder_[slot];
  const auto [a, b, unused] = info.operands;
  switch (info.op) {
  case TermOp::sum:
  case TermOp::add:
  case TermOp::real_add: {
    const Slot x = bound(a, upper);
    return builder_.combine(info.op, x, bound(b, upper), level_);
  }
  case TermOp::product:
  case TermOp::multiply:
  case TermOp::real_multiply:
    return product_bound(info, upper);
  case TermOp::to_real:
    if (const Slot x = bound(a, upper); builder_[x].level != before_all)
      return builder_.operation(info.op, {x, x, x}, level_, {builder_[x].low, builder_[x].high});
    break;
  default:
    break;
  }
  return constant(upper ? info.high : info.low, info.real, upper);
}

/// Products grow with a factor only where the other one is not negative.
Slot Relaxation::product_bound(const SlotInfo& product, bool upper) {
  const auto [a, b, unused] = product.operands;
  const SlotInfo x = builder_[a], y = builder_[b];
  const bool flips = x.op == TermOp::constant && x.low < 0;
  if (flips || (x.low >= 0 && y.low >= 0)) {
    const Slot left = bound(a, upper);
    return builder_.combine(product.op, left, bound(b, upper != flips), level_);
  }
  const Range range = product_range(x, y);
  return constant(upper ? range.high : range.low, product.op == TermOp::real_multiply, upper);
}

/// Bits of the levels whose variables a slot is computed from.
std::uint64_t levels_of(const ProgramBuilder& builder, Slot slot) {
  const SlotInfo& info = builder[slot];
  if (info.op == TermOp::variable)
    return std::uint64_t{1} << std::min(info.level, most_levels);
  if (info.op == TermOp::constant || info.op == TermOp::opaque)
    return 0;
  const auto [a, b, c] = info.operands;
  std::uint64_t levels = levels_of(builder, a);
  for (const Slot other : {b, c})
    levels |= other == a ? 0 : levels_of(builder, other);
  return levels;
}

} // namespace

std::optional<Slot> relax(ProgramBuilder& builder, Slot slot, int level) {
  return Relaxation(builder, level).of(slot);
}

void add_relaxations(ProgramBuilder& builder, std::span<const Requirement> required) {
  for (const auto& [slot, last] : required) {
    const std::uint64_t read = levels_of(builder, slot);
    for (int level = 0; level < std::min(last, most_levels); ++level)
      if (read >> level & 1)
        if (const auto needed = relax(builder, slot, level))
          builder.require(*needed, level);
  }
}

} // namespace gridsmith::detail
