// Bounds on what is not known yet: the part of the lowering that lets a search turn back early.
#include "gridsmith/search/compile/lowering.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith::detail {
namespace {

constexpr std::size_t worth_bisecting = 24; // values of a variable

} // namespace

Slot Lowering::end_of_range(Slot slot, bool upper) {
  const double value = upper ? made_[slot].high : made_[slot].low;
  return constant(made_[slot].real ? to_word(value) : static_cast<Word>(value), value,
                  made_[slot].real);
}

/// A slot, computed at `level`, that is a bound of `slot` for every way to go on.
Slot Lowering::bound(Slot slot, int level, bool upper) {
  const Made made = made_[slot];
  if (made.level <= level)
    return slot;
  const auto [a, b, c] = made.from;
  switch (made.op) {
  case TermOp::sum:
  case TermOp::real_add: {
    const Slot x = bound(a, level, upper);
    return combine(made.op, x, bound(b, level, upper), level);
  }
  case TermOp::product:
  case TermOp::real_multiply:
    return product_bound(a, b, level, upper, made.op);
  case TermOp::to_real:
    if (const Slot x = bound(a, level, upper); made_[x].level != before_all)
      return emit(made.op, {x, x, x}, level, made_[x].low, made_[x].high);
    return end_of_range(slot, upper);
  default:
    return end_of_range(slot, upper);
  }
}

/// Products grow with a factor only where the other one is not negative.
Slot Lowering::product_bound(Slot a, Slot b, int level, bool upper, TermOp op) {
  const Made x = made_[a], y = made_[b];
  const bool flips = x.op == TermOp::constant && x.low < 0;
  if (flips || (x.low >= 0 && y.low >= 0)) {
    const Slot left = bound(a, level, upper);
    return combine(op, left, bound(b, level, upper != flips), level);
  }
  const auto [low, high] =
      std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  const double value = upper ? high : low;
  const bool real = op == TermOp::real_multiply;
  return constant(real ? to_word(value) : static_cast<Word>(value), value, real);
}

/// What must be true of the known part so that `slot` can still become true; no_slot: nothing.
Slot Lowering::relax(Slot slot, int level) {
  const Made made = made_[slot];
  if (made.level <= level)
    return slot;
  const auto [a, b, c] = made.from;
  switch (made.op) {
  case TermOp::less:
  case TermOp::less_equal:
  case TermOp::real_less:
  case TermOp::real_less_equal:
    return relax_order(a, b, made.op, level);
  case TermOp::equal:
    return relax_equality(made, level);
  case TermOp::logical_or:
  case TermOp::logical_and: {
    if (made.fallible) // a side that is not looked at may be undefined
      return no_slot;
    const Slot x = relax(a, level);
    const Slot y = relax(b, level);
    if (x == no_slot || y == no_slot)
      return made.op == TermOp::logical_or ? no_slot : x == no_slot ? y : x;
    return emit(made.op, {x, y, x}, level, 0, 1);
  }
  default:
    return no_slot;
  }
}

Slot Lowering::relax_order(Slot left, Slot right, TermOp op, int level) {
  const Slot least = bound(left, level, false);
  const Slot most = bound(right, level, true);
  const bool strict = op == TermOp::less || op == TermOp::real_less;
  if (made_[least].high < made_[most].low || (!strict && made_[least].high == made_[most].low))
    return no_slot; // always so
  return emit(op, {least, most, least}, level, 0, 1);
}

Slot Lowering::relax_equality(const Made& made, int level) {
  const auto [a, b, c] = made.from;
  if (made_[a].op == TermOp::modulo)
    return divisibility(a, b, level);
  for (const auto& [parts, whole] : {std::pair{a, b}, std::pair{b, a}})
    if (made_[parts].op == TermOp::product && made_[whole].level <= level)
      if (const Slot divides = divisor_of(parts, whole, level); divides != no_slot)
        return divides;
  const Slot below = relax_order(a, b, TermOp::less_equal, level);
  const Slot above = relax_order(b, a, TermOp::less_equal, level);
  if (below == no_slot || above == no_slot)
    return below == no_slot ? above : below;
  return emit(TermOp::logical_and, {below, above, below}, level, 0, 1);
}

/// x % (a * b) == 0 with whole a, b >= 1 needs x % a == 0.
Slot Lowering::divisibility(Slot rest, Slot zero, int level) {
  const auto [dividend, divisor, c] = made_[rest].from;
  const bool is_zero = made_[zero].op == TermOp::constant && made_[zero].low == 0 &&
                       made_[zero].high == 0 && !made_[zero].fallible;
  if (!is_zero || made_[dividend].level > level || made_[divisor].op != TermOp::product)
    return no_slot;
  return divisor_of(divisor, dividend, level);
}

/// A whole number that is a multiple of a product is one of its known part: whole % part == 0.
Slot Lowering::divisor_of(Slot product, Slot whole, int level) {
  const auto [part, other, unused] = made_[product].from;
  if (made_[part].level > level)
    return made_[part].op == TermOp::product ? divisor_of(part, whole, level) : no_slot;
  if (made_[part].level == before_all || made_[part].low < 1 || made_[other].low < 1)
    return no_slot;
  const Slot rest = emit(TermOp::modulo, {whole, part, whole}, level, 0, made_[part].high);
  return emit(TermOp::equal, {rest, constant(0, 0, false), rest}, level, 0, 1);
}

/// For every conjunct and every level before its last: a bound, where it says something.
void Lowering::add_bounds() {
  for (const auto& [slot, last] : required_) {
    std::uint64_t seen = 0;
    const auto mark = [&](auto&& self, Slot at) -> void {
      const Made made = made_[at];
      if (made.op == TermOp::variable)
        seen |= std::uint64_t{1} << std::min(made.level, 63);
      else if (made.op != TermOp::constant && made.op != TermOp::opaque)
        for (const Slot from : made.from)
          if (from != at)
            self(self, from);
    };
    if (made_[slot].op == TermOp::opaque)
      continue;
    mark(mark, slot);
    for (int level = 0; level < std::min(last, 63); ++level)
      if (seen >> level & 1)
        if (const Slot needed = relax(slot, level); needed != no_slot)
          require(needed, level);
  }
}

/// How a slot moves as the level's variable grows: 1, -1, 0 where it does not, 2 where it may do
/// both.
int Lowering::direction(Slot slot, int level) const {
  constexpr int unknown = 2;
  const Made& made = made_[slot];
  if (made.level < level)
    return 0;
  if (made.op == TermOp::variable)
    return 1;
  const int a = direction(made.from[0], level), b = direction(made.from[1], level);
  const Made &x = made_[made.from[0]], &y = made_[made.from[1]];
  const int both = a == unknown || b == unknown || a * b < 0 ? unknown : a != 0 ? a : b;
  switch (made.op) {
  case TermOp::sum:
  case TermOp::real_add:
    return both;
  case TermOp::product:
  case TermOp::real_multiply:
    if (x.low >= 0 && y.low >= 0)
      return both;
    return a == 0 && x.high <= 0 && b != unknown ? -b : unknown;
  case TermOp::floor_divide:
    return b == 0 && y.low > 0 ? a : unknown;
  case TermOp::to_real:
    return a;
  default:
    return unknown;
  }
}

/// Comparisons of sides that only grow or only shrink with the variable: what they allow is one
/// run of its values, whose ends need not be looked for one by one.
void Lowering::add_bisections(Level& level, int index) {
  const bool ascends =
      std::ranges::is_sorted(level.words); // never so for negative reals: no matter
  if (level.words.size() < worth_bisecting || !ascends || made_[level.slot].low < 0)
    return;
  for (const Instruction& step : level.program) {
    const Made& made = made_[step.a];
    const bool order = made.op == TermOp::less || made.op == TermOp::less_equal ||
                       made.op == TermOp::real_less || made.op == TermOp::real_less_equal;
    const bool equality = made.op == TermOp::equal || made.op == TermOp::real_equal;
    if (step.kind != Instruction::Kind::require || made.fallible || !(order || equality))
      continue;
    const auto [left, right, unused] = made.from;
    const int up = direction(left, index), down = direction(right, index);
    if (up == 2 || down == 2 || up * down > 0 || up == down)
      continue;
    Bisection bisection{{}, made.op, left, right, up > 0 || down < 0};
    std::vector<Slot> needed{left, right};
    for (std::size_t i = level.program.size(); i-- > 0;) {
      const Instruction& made_by = level.program[i];
      if (made_by.kind != Instruction::Kind::compute_plain ||
          std::ranges::find(needed, made_by.to) == needed.end())
        continue;
      bisection.program.push_back(made_by);
      needed.insert(needed.end(), {made_by.a, made_by.b, made_by.c});
    }
    std::ranges::reverse(bisection.program);
    level.bisections.push_back(std::move(bisection));
  }
}

} // namespace gridsmith::detail
