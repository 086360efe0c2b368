// How programs are made from terms; behind make_program. Not for use outside search/space_*.
#pragma once

#include "gridsmith/search/compile/program.hpp"

#include <array>
#include <utility>

namespace gridsmith::detail {

inline constexpr int before_all = -1;         // level of a constant
inline constexpr std::size_t table_bits = 64; // of a row of allowed values

/// What is known of a slot while the programs are made.
struct Made {
  TermOp op = TermOp::constant;
  int level = before_all;
  int last_use = before_all;
  bool fallible = false;
  bool real = false;
  std::array<Slot, 3> from{};
  double low = 0, high = 0;
};

inline constexpr Slot no_slot = ~Slot{0};

class Lowering {
public:
  Lowering(ConstraintCompiler& compiler, const Group& group,
           std::span<const std::vector<Position>> values)
      : compiler_(compiler), terms_(compiler.terms()), slot_of_(terms_.size(), no_slot) {
    program_.levels.resize(group.variables.size());
    made_.reserve(4 * terms_.size());
    for (std::size_t i = 0; i < group.variables.size(); ++i)
      add_variable(i, group.variables[i], values[group.variables[i]]);
  }

  void add_conjunct(TermId root);
  void add_bounds();
  Program finish();

private:
  void add_variable(std::size_t level, TermId id, const std::vector<Position>& positions);
  Slot new_slot(const Made& made);
  Slot constant(Word word, double value, bool real);
  Slot lower(TermId id);
  Slot lower_gathered(TermId id);
  Slot lower_opaque(TermId id);
  Slot emit(TermOp op, std::array<Slot, 3> from, int level, double low, double high,
            bool fallible = false);
  Slot combine(TermOp op, Slot a, Slot b, int level);
  void require(Slot slot, int level);
  bool add_table(TermId root);
  bool is_alone(TermId id, std::uint64_t earlier);
  std::uint64_t reads(TermId id);

  Slot bound(Slot slot, int level, bool upper);
  Slot product_bound(Slot a, Slot b, int level, bool upper, TermOp op);
  Slot end_of_range(Slot slot, bool upper);
  Slot relax(Slot slot, int level);
  Slot relax_order(Slot left, Slot right, TermOp op, int level);
  Slot relax_equality(const Made& made, int level);
  Slot divisibility(Slot rest, Slot zero, int level);
  Slot divisor_of(Slot product, Slot whole, int level);
  void set_states();

  void add_bisections(Level& level, int index);
  int direction(Slot slot, int level) const;

  ConstraintCompiler& compiler_;
  const TermTable& terms_;
  Program program_;
  std::vector<Made> made_; ///< by slot
  std::vector<Slot> slot_of_;
  std::vector<std::uint64_t> reads_; ///< levels, by term; 0 = not known yet
  std::vector<std::pair<Slot, int>> required_;
  std::vector<Instruction>* aside_ = nullptr; ///< a table's program, while one is made
};

} // namespace gridsmith::detail
