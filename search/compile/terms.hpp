// SPDX-License-Identifier: Apache-2.0
// Constraints compiled to terms: typed, folded, bounded, and each different one stored once.
#pragma once

#include "gridsmith/base/intern_table.hpp"
#include "gridsmith/search/compile/operation.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace gridsmith::detail {

using TermId = std::uint32_t;
inline constexpr TermId no_term = ~TermId{0};

/// Integers below it are exact as reals, bounds included; it may itself be 2^53 + 1, rounded.
inline constexpr double exact_limit = 0x1p53;

inline bool unsafe(double low, double high) {
  return low <= -exact_limit || high >= exact_limit;
}

/// Words within this never stand at farthest, and all that does is beyond it.
inline constexpr double word_limit = 0x1p62;

inline bool wide(double low, double high) {
  return low < -word_limit || high > word_limit;
}

enum class TermType : std::uint8_t { integer, real, text };

/// From the least to the greatest value.
struct Range {
  double low, high;
};

/// Of the products of two values, each out of its range.
template <class A, class B>
Range product_range(const A& a, const B& b) {
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high};
}

struct Term {
  TermOp op = TermOp::constant;
  TermType type = TermType::integer;
  bool fallible = false;   ///< may be undefined
  bool mixed = false;      ///< a real that is an integer in Python for some, or all, values
  std::uint16_t depth = 0; ///< of the terms below
  std::uint32_t first = 0;
  std::uint32_t count = 0; ///< arguments, in TermTable::arguments from `first`
  Word word = 0;           ///< of a constant; index of a variable or opaque expression
  double low = 0;          ///< bounds of the result, where it is defined
  double high = 0;
};

/// All terms of a set of constraints. An operation is folded where its operands are known.
class TermTable {
public:
  TermTable();

  const Term& operator[](TermId id) const { return terms_[id]; }

  std::span<const TermId> arguments(TermId id) const {
    return {arguments_.data() + terms_[id].first, terms_[id].count};
  }

  std::size_t size() const { return terms_.size(); }

  bool is_constant(TermId id) const { return terms_[id].op == TermOp::constant; }

  TermId integer(Word value);
  TermId real(double value, bool mixed = false);
  TermId text(Word identity);
  TermId variable(std::uint32_t index, TermType type, double low, double high, bool mixed = false);
  /// @param arguments the variables that it reads
  TermId opaque(Word index, std::span<const TermId> arguments);

  /// A sum or product of integers: constants first and folded, the rest in order, the same however
  /// it was written. @param op sum or product
  TermId gather(TermOp op, std::span<const TermId> parts);

  /// Each returns no_term for what terms cannot express: what may need more than 64 bits, unless it
  /// is only compared with less, reals that are not finite or were exact as integers, and nesting
  /// that would not be safe to walk.
  TermId add(TermId a, TermId b);
  TermId subtract(TermId a, TermId b);
  TermId multiply(TermId a, TermId b);
  TermId divide(TermId a, TermId b);
  /// floor_divide, modulo
  TermId divide_whole(TermOp op, TermId a, TermId b);
  TermId power(TermId a, TermId b);
  TermId absolute(TermId a);
  /// least, greatest
  TermId extreme(TermOp op, TermId a, TermId b);
  /// floor, ceil, round, truncate
  TermId whole(TermOp op, TermId a);
  TermId log2(TermId a);
  /// equal, not_equal, less, less_equal
  TermId compare(TermOp op, TermId a, TermId b);
  /// 0 or not 0
  TermId truth(TermId a);
  TermId logical_not(TermId a);
  /// logical_and, logical_or
  TermId logical(TermOp op, TermId a, TermId b);
  TermId select(TermId condition, TermId a, TermId b);

private:
  TermId intern(Term term, std::span<const TermId> arguments);
  TermId constant(Word word, TermType type, double value, bool fallible);
  TermId make(TermOp op, bool fallible, Range range, std::span<const TermId> arguments);
  TermId make(TermOp op, bool fallible, Range range, std::initializer_list<TermId> arguments);
  TermId as_real(TermId a);
  std::optional<bool> both_integers(TermId& a, TermId& b);
  TermId gather(TermOp op, TermId a, TermId b);
  bool is_plain_integer(TermId a) const;
  bool may_be_tiny(TermId divisor) const;
  Range range_of_quotient(TermId a, TermId b) const;
  Range range_of_rest(TermId a, TermId b) const;

  std::vector<Term> terms_;
  std::vector<TermId> arguments_;
  InternTable interned_;
  std::vector<TermId> gathered_;
};

} // namespace gridsmith::detail
