#include "gridsmith/search/compile/program.hpp"

#include "gridsmith/search/compile/lowering.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith::detail {

Slot Lowering::new_slot(const Made& made) {
  made_.push_back(made);
  program_.constants.push_back(0);
  return static_cast<Slot>(made_.size() - 1);
}

void Lowering::add_variable(std::size_t index, TermId id, const std::vector<Position>& positions) {
  Level& level = program_.levels[index];
  const Term& term = terms_[id];
  level.parameter = static_cast<std::uint32_t>(term.word);
  level.positions = positions;
  level.words.reserve(positions.size());
  Made made;
  made.op = TermOp::variable;
  made.real = term.type == TermType::real;
  made.level = static_cast<int>(index);
  for (const Position position : positions) {
    const Word word = compiler_.word(level.parameter, position);
    const double number = term.type == TermType::real ? to_real(word) : static_cast<double>(word);
    made.low = level.words.empty() ? number : std::min(made.low, number);
    made.high = level.words.empty() ? number : std::max(made.high, number);
    level.words.push_back(word);
  }
  level.slot = new_slot(made);
  slot_of_[id] = level.slot;
}

Slot Lowering::constant(Word word, double value, bool real) {
  for (Slot slot = 0; slot < made_.size(); ++slot)
    if (made_[slot].op == TermOp::constant && program_.constants[slot] == word &&
        made_[slot].real == real)
      return slot;
  Made made;
  made.real = real;
  made.low = made.high = value;
  const Slot slot = new_slot(made);
  program_.constants[slot] = word;
  return slot;
}

/// The slot of op(from) at `level`; the same one when it is computed there already.
Slot Lowering::emit(TermOp op, std::array<Slot, 3> from, int level, double low, double high,
                    bool fallible) {
  std::vector<Instruction>& list =
      aside_ ? *aside_ : program_.levels[static_cast<std::size_t>(level)].program;
  for (const Instruction& done : list)
    if (done.op == op && done.a == from[0] && done.b == from[1] && done.c == from[2] &&
        done.kind <= Instruction::Kind::compute_plain)
      return done.to;
  Made made{op, level, level, fallible, gives_real(op), from, low, high};
  for (const Slot slot : from) {
    made_[slot].last_use = std::max(made_[slot].last_use, level);
    made.fallible = made.fallible || made_[slot].fallible;
  }
  const bool plain = !made.fallible;
  return list
      .emplace_back(plain ? Instruction::Kind::compute_plain : Instruction::Kind::compute, op,
                    new_slot(made), from[0], from[1], from[2])
      .to;
}

Slot Lowering::lower(TermId id) {
  if (slot_of_[id] != no_slot)
    return slot_of_[id];
  const Term term = terms_[id];
  Slot slot = no_slot;
  if (term.op == TermOp::constant) {
    slot = constant(term.word, term.low, term.type == TermType::real);
    made_[slot].fallible = term.fallible;
  } else if (term.op == TermOp::opaque) {
    slot = lower_opaque(id);
  } else if (term.op == TermOp::sum || term.op == TermOp::product) {
    slot = lower_gathered(id);
  } else {
    std::array<Slot, 3> from{};
    int level = before_all;
    for (std::size_t i = 0; i < term.count; ++i) {
      from[i] = lower(terms_.arguments(id)[i]);
      level = std::max(level, made_[from[i]].level);
    }
    for (std::size_t i = term.count; i < from.size(); ++i)
      from[i] = from[0];
    slot = emit(term.op, from, level, term.low, term.high, term.fallible);
  }
  return slot_of_[id] = slot;
}

/// Operands in the order in which they become known, so that the known part is one number.
Slot Lowering::lower_gathered(TermId id) {
  std::vector<Slot> parts;
  for (const TermId argument : terms_.arguments(id))
    parts.push_back(lower(argument));
  std::ranges::stable_sort(parts, {}, [this](Slot slot) { return made_[slot].level; });
  Slot all = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i)
    all = combine(terms_[id].op, all, parts[i], std::max(made_[all].level, made_[parts[i]].level));
  return all;
}

Slot Lowering::combine(TermOp op, Slot a, Slot b, int level) {
  const Made x = made_[a], y = made_[b];
  if (x.op == TermOp::constant && y.op == TermOp::constant && !x.fallible && !y.fallible) {
    const Word word = apply(op, program_.constants[a], program_.constants[b], 0);
    return constant(word, x.real ? to_real(word) : static_cast<double>(word), x.real);
  }
  if (op == TermOp::sum || op == TermOp::real_add)
    return emit(op, {a, b, a}, level, x.low + y.low, x.high + y.high);
  const auto [low, high] =
      std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  return emit(op, {a, b, a}, level, low, high);
}

Slot Lowering::lower_opaque(TermId id) {
  Made made{TermOp::opaque, before_all, before_all, true, false, {}, 0, 1};
  for (const TermId argument : terms_.arguments(id))
    made.level = std::max(made.level, made_[lower(argument)].level);
  made.last_use = made.level;
  for (const TermId argument : terms_.arguments(id)) {
    Made& read = made_[lower(argument)];
    read.last_use = std::max(read.last_use, made.level);
  }
  const Slot to = new_slot(made);
  program_.levels[static_cast<std::size_t>(made.level)].program.push_back(
      {Instruction::Kind::opaque, TermOp::opaque, to, static_cast<Slot>(terms_[id].word), 0, 0});
  return to;
}

void Lowering::require(Slot slot, int level) {
  std::vector<Instruction>& list =
      aside_ ? *aside_ : program_.levels[static_cast<std::size_t>(level)].program;
  list.push_back({Instruction::Kind::require, TermOp::constant, slot, slot, 0, 0});
}

void Lowering::add_conjunct(TermId root) {
  if (add_table(root))
    return;
  const Slot slot = lower(root);
  require(slot, made_[slot].level);
  required_.emplace_back(slot, made_[slot].level);
}

/// Bits of the levels that a term depends on; all of them where there are more than bits.
std::uint64_t Lowering::reads(TermId id) {
  if (reads_.empty())
    reads_.resize(terms_.size());
  if (reads_[id] != 0 || terms_.is_constant(id))
    return reads_[id];
  if (terms_[id].op == TermOp::variable)
    return reads_[id] = std::uint64_t{1} << made_[slot_of_[id]].level;
  for (const TermId argument : terms_.arguments(id))
    reads_[id] |= reads(argument);
  return reads_[id];
}

/// Whether a conjunct depends on the earlier variable through its bare value only.
bool Lowering::is_alone(TermId id, std::uint64_t earlier) {
  if (reads(id) == earlier)
    return terms_[id].op == TermOp::variable;
  std::size_t bare = 0;
  for (const TermId argument : terms_.arguments(id)) {
    bare += reads(argument) == earlier;
    if (!terms_.is_constant(argument) && !is_alone(argument, earlier))
      return false;
  }
  return bare < 2;
}

/// A conjunct of two variables with others assigned between them is worth remembering: it meets the
/// same two values again and again.
bool Lowering::add_table(TermId root) {
  if (program_.levels.size() > table_bits || terms_[root].op == TermOp::opaque)
    return false;
  const std::uint64_t both = reads(root);
  if (std::popcount(both) != 2)
    return false;
  const auto earlier = static_cast<std::size_t>(std::countr_zero(both));
  const auto later = static_cast<std::size_t>(63 - std::countl_zero(both));
  Level& level = program_.levels[later];
  if (later < earlier + 2 || level.positions.size() > table_bits ||
      !is_alone(root, std::uint64_t{1} << earlier))
    return false;
  PairTable table{earlier, {}, {}, {}};
  const std::vector<Slot> kept = slot_of_;
  aside_ = &table.program;
  const Slot slot = lower(root);
  require(slot, 0);
  aside_ = nullptr;
  slot_of_ = kept;
  Made& read = made_[program_.levels[earlier].slot];
  read.last_use = std::max(read.last_use, static_cast<int>(later));
  table.allowed.resize(program_.levels[earlier].positions.size());
  table.known.resize(table.allowed.size());
  level.tables.push_back(std::move(table));
  return true;
}

void Lowering::set_states() {
  std::vector<Level>& levels = program_.levels;
  for (Slot slot = 0; slot < made_.size(); ++slot) {
    if (made_[slot].level == before_all)
      continue;
    for (int i = made_[slot].level + 1; i <= made_[slot].last_use; ++i)
      levels[static_cast<std::size_t>(i)].state.push_back(slot);
  }
  bool unique = true;
  levels.front().repeats = false;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const std::vector<Slot>& next = levels[i + 1].state;
    const auto is_new = [&](Slot slot) { return made_[slot].level == static_cast<int>(i); };
    levels[i].changes_state = std::ranges::any_of(next, is_new);
    unique = unique && std::ranges::includes(next, levels[i].state) &&
             std::ranges::binary_search(next, levels[i].slot);
    levels[i + 1].repeats = !unique;
  }
  levels.back().changes_state = false;
}

Program Lowering::finish() {
  set_states();
  for (std::size_t i = 0; i < program_.levels.size(); ++i)
    add_bisections(program_.levels[i], static_cast<int>(i));
  return std::move(program_);
}

Program make_program(ConstraintCompiler& compiler, const Group& group,
                     std::span<const std::vector<Position>> values, bool prune) {
  Lowering lowering(compiler, group, values);
  for (const TermId root : group.roots)
    lowering.add_conjunct(root);
  if (prune)
    lowering.add_bounds();
  return lowering.finish();
}

} // namespace gridsmith::detail
