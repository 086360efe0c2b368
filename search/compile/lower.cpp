// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/lower.hpp"

#include "gridsmith/search/compile/monotone.hpp"
#include "gridsmith/search/compile/relax.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace gridsmith::detail {
namespace {

constexpr std::size_t most_table_levels = 64; // bits of a mask of levels
constexpr std::size_t most_in_row = 64;       // operands of a sum or product

class Lowering {
public:
  Lowering(const ConstraintCompiler& compiler, const Group& group,
           std::span<const std::vector<Position>> values)
      : terms_(compiler.terms()), builder_(group.variables.size()), slots_(terms_.size()),
        reads_(terms_.size()) {
    for (std::size_t level = 0; level < group.variables.size(); ++level) {
      const TermId id = group.variables[level];
      const auto parameter = static_cast<std::uint32_t>(terms_[id].word);
      std::vector<Word> words;
      words.reserve(values[id].size());
      for (const Position position : values[id])
        words.push_back(compiler.word(parameter, position));
      slots_[id] =
          builder_.variable(static_cast<int>(level), parameter, terms_[id].type == TermType::real,
                            values[id], std::move(words));
    }
    variables_ = slots_;
  }

  void add_conjunct(TermId root) {
    if (add_table(root))
      return;
    const Slot slot = slot_of(root);
    required_.push_back({slot, builder_[slot].level});
    builder_.require(slot, builder_[slot].level);
  }

  Program finish(bool prune) {
    if (prune)
      add_relaxations(builder_, required_);
    set_states();
    for (std::size_t level = 0; level < builder_.program.levels.size(); ++level)
      add_bisections(builder_, static_cast<int>(level));
    return std::move(builder_.program);
  }

private:
  Slot slot_of(TermId id);
  Slot gathered(TermId id);
  Slot opaque(TermId id);
  Slot operation(TermId id);
  bool add_table(TermId root);
  bool is_alone(TermId id, std::uint64_t earlier);
  std::uint64_t reads(TermId id);
  void set_states();

  const TermTable& terms_;
  ProgramBuilder builder_;
  std::vector<std::optional<Slot>> slots_;     ///< by term; none: not lowered yet
  std::vector<std::optional<Slot>> variables_; ///< the same before anything was lowered
  std::vector<std::uint64_t> reads_;           ///< bits of levels, by term; 0: not known yet
  std::vector<Requirement> required_;
};

Slot Lowering::slot_of(TermId id) {
  if (slots_[id])
    return *slots_[id];
  const Term& term = terms_[id];
  const Slot slot = term.op == TermOp::constant
                        ? builder_.constant(term.word, term.type == TermType::real)
                    : term.op == TermOp::opaque ? opaque(id)
                    : gathers(term.op)          ? gathered(id)
                                                : operation(id);
  slots_[id] = slot;
  return slot;
}

Slot Lowering::operation(TermId id) {
  const Term& term = terms_[id];
  std::array<Slot, 3> operands{};
  int level = before_all;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    operands[i] = i < term.count ? slot_of(terms_.arguments(id)[i]) : operands[0];
    level = std::max(level, builder_[operands[i]].level);
  }
  return builder_.operation(term.op, operands, level, {term.low, term.high}, term.fallible);
}

/// Operands in the order in which they become known, so that the known part is one number.
Slot Lowering::gathered(TermId id) {
  std::vector<Slot> parts;
  for (const TermId argument : terms_.arguments(id))
    parts.push_back(slot_of(argument));
  const auto level = [this](Slot slot) { return builder_[slot].level; };
  const auto combine = [&](Slot a, Slot b) {
    return builder_.combine(terms_[id].op, a, b, std::max(level(a), level(b)));
  };
  std::ranges::stable_sort(parts, {}, level);
  while (parts.size() > most_in_row) { // in pairs, so that long sums do not nest deeply
    std::vector<Slot> pairs;
    for (std::size_t i = 0; i < parts.size();)
      if (i + 1 < parts.size() && level(parts[i]) == level(parts[i + 1])) {
        pairs.push_back(combine(parts[i], parts[i + 1]));
        i += 2;
      } else {
        pairs.push_back(parts[i++]);
      }
    if (pairs.size() == parts.size())
      break;
    parts = std::move(pairs);
  }
  Slot all = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i)
    all = combine(all, parts[i]);
  return all;
}

Slot Lowering::opaque(TermId id) {
  std::vector<Slot> read;
  for (const TermId argument : terms_.arguments(id))
    read.push_back(slot_of(argument));
  return builder_.opaque(terms_[id].word, read);
}

/// Bits of the levels that a term depends on. @pre no more levels than bits
std::uint64_t Lowering::reads(TermId id) {
  if (reads_[id] != 0 || terms_.is_constant(id))
    return reads_[id];
  if (terms_[id].op == TermOp::variable)
    return reads_[id] = std::uint64_t{1} << builder_[slot_of(id)].level;
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
  std::vector<Level>& levels = builder_.program.levels;
  if (levels.size() > most_table_levels || terms_[root].op == TermOp::opaque)
    return false;
  const std::uint64_t both = reads(root);
  if (std::popcount(both) != 2)
    return false;
  const auto earlier = static_cast<std::size_t>(std::countr_zero(both));
  const auto later = static_cast<std::size_t>(63 - std::countl_zero(both));
  if (later < earlier + 2 || levels[later].positions.size() > PairTable::most_values ||
      !is_alone(root, std::uint64_t{1} << earlier))
    return false;
  PairTable table{earlier, {}, {}, {}};
  // Filled before its level's program runs, a table can read no result of it, nor others its results.
  std::vector<std::optional<Slot>> shared = std::exchange(slots_, variables_);
  table.program = builder_.aside([&] { builder_.require(slot_of(root), before_all); });
  slots_ = std::move(shared);
  builder_.use(levels[earlier].slot, static_cast<int>(later));
  table.allowed.resize(levels[earlier].positions.size());
  table.known.resize(table.allowed.size());
  levels[later].tables.push_back(std::move(table));
  return true;
}

void Lowering::set_states() {
  std::vector<Level>& levels = builder_.program.levels;
  for (Slot slot = 0; slot < builder_.size(); ++slot) {
    const SlotInfo& info = builder_[slot];
    if (info.level == before_all)
      continue;
    for (int i = info.level + 1; i <= info.last_use; ++i)
      levels[static_cast<std::size_t>(i)].state.push_back(slot);
  }
  bool unique = true;
  levels.front().repeats = false;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const std::vector<Slot>& next = levels[i + 1].state;
    const auto is_new = [&](Slot slot) { return builder_[slot].level == static_cast<int>(i); };
    levels[i].changes_state = std::ranges::any_of(next, is_new);
    unique = unique && std::ranges::includes(next, levels[i].state) &&
             std::ranges::binary_search(next, levels[i].slot);
    levels[i + 1].repeats = !unique;
  }
  levels.back().changes_state = false;
}

} // namespace

Program lower(const ConstraintCompiler& compiler, const Group& group,
              std::span<const std::vector<Position>> values, bool prune) {
  Lowering lowering(compiler, group, values);
  for (const TermId root : group.roots)
    lowering.add_conjunct(root);
  return lowering.finish(prune);
}

} // namespace gridsmith::detail
