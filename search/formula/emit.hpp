// SPDX-License-Identifier: Apache-2.0
// Formulas to instructions. What does not change in a loop is done once where the loop is entered;
// where it may not be needed at all, when it is first needed. Not for use outside search/formula.
#pragma once

#include "gridsmith/search/formula/formula_program.hpp"
#include "gridsmith/search/formula/resolve.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace gridsmith::detail {

class Emitter {
public:
  /// The first two are kept by reference.
  /// @param constants those that the meanings know by their places
  Emitter(const ExpressionArena& arena, const std::vector<Meaning>& meanings, FormulaKind kind,
          std::vector<std::uint64_t> constants);

  /// The program of the root. Once.
  std::vector<FormulaStep> emit_all(const ExpressionNode& root);

private:
  friend NodeVisit;

  using Place = std::uint32_t; ///< of a register or a constant, or of an instruction

  /// One that is being emitted.
  struct Loop {
    Place name = 0;
    std::vector<Place> flags; ///< of what is done once per entry, when first needed
    std::vector<std::pair<const ExpressionNode*, Place>> before; ///< done on entry; where to
  };

  const Meaning& meaning(const ExpressionNode& node) const {
    return meanings_[static_cast<std::size_t>(&node - arena_.nodes.get())];
  }

  Place emit(const ExpressionNode& node);
  /// As a real where `real`.
  Place emit_as(const ExpressionNode& node, bool real);
  Place emit_unchanging(const ExpressionNode& node);
  Place literal(const ExpressionNode& node);
  Place name(const ExpressionNode& node);
  Place other(const ExpressionNode& node);
  Place element(const ExpressionNode& node);
  Place unary(const ExpressionNode& node);
  Place chain(const ExpressionNode& node);
  Place comparison(const ExpressionNode& node);
  void membership(const ExpressionNode& list, Operator relation, Place left, bool left_real,
                  Place to);
  Place junction(const ExpressionNode& node);
  Place conditional(const ExpressionNode& node);
  Place call(const ExpressionNode& node);
  Place extreme(const ExpressionNode& node);
  Place over_range(const ExpressionNode& node);
  void loop_body(const ExpressionNode& node, Place count, Place result, Place body);
  void loop_before();

  Place constant(std::uint64_t bits);
  Place new_register();
  Place as_real(Place from, bool already, std::uint32_t column);
  Place truth(const ExpressionNode& node, Place value, bool real);
  /// @param what to do; the rest is set
  Place add(const FormulaStep& what, Place to, Place a, Place b, std::uint32_t column);
  Place add(FormulaAction action, Place to, Place a, Place b, std::uint32_t column);
  void place_constants();

  Place here() const { return static_cast<Place>(code_.size()); }

  /// Lets the jump at `from` lead here.
  void land(Place from) { code_[from].to = here(); }

  const ExpressionArena& arena_;
  const std::vector<Meaning>& meanings_;
  FormulaKind kind_;
  std::vector<FormulaStep> code_;
  std::vector<std::uint64_t> constants_; ///< bits
  std::uint32_t registers_ = formula_index + 1;
  std::vector<Loop> loops_;
  std::uint32_t depth_ = 0; ///< of the loop whose every round does what is emitted now
  bool perhaps_ = false;    ///< not every round does
};

} // namespace gridsmith::detail
