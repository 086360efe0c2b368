// Constraints compiled to terms: typed, folded, bounded, and each different one stored once.
#pragma once

#include "gridsmith/base/intern_table.hpp"
#include "gridsmith/search/compile/operation.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gridsmith::detail {

using TermId = std::uint32_t;
inline constexpr TermId no_term = ~TermId{0};

/// Integers up to here are exact as reals, bounds included.
inline constexpr double exact_limit = 0x1p53;

inline bool unsafe(double low, double high) {
  return low < -exact_limit || high > exact_limit;
}

enum class TermType : std::uint8_t { integer, real, text };

struct Term {
  TermOp op = TermOp::constant;
  TermType type = TermType::integer;
  bool fallible = false; ///< may be undefined
  std::uint32_t first = 0;
  std::uint32_t count = 0; ///< arguments, in TermTable::arguments from `first`
  Word word = 0;           ///< of a constant; index of a variable or opaque expression
  double low = 0;          ///< bounds of the result, where it is defined
  double high = 0;
};

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
  TermId real(double value);
  TermId text(Word identity);
  TermId variable(std::uint32_t index, TermType type, double low, double high);
  /// @param arguments the variables that it reads
  TermId opaque(Word index, std::span<const TermId> arguments);

  /// Each returns no_term for what terms cannot express.
  TermId add(TermId a, TermId b);
  TermId subtract(TermId a, TermId b);
  TermId multiply(TermId a, TermId b);
  TermId divide(TermId a, TermId b);
  TermId floor_divide(TermId a, TermId b);
  TermId modulo(TermId a, TermId b);
  TermId power(TermId a, TermId b);
  TermId absolute(TermId a);
  TermId extreme(bool greatest, TermId a, TermId b);
  /// floor, ceil, round, truncate
  TermId whole(TermOp op, TermId a);
  TermId log2(TermId a);
  /// equal, not_equal, less, less_equal
  TermId compare(TermOp op, TermId a, TermId b);
  /// 0 or not 0
  TermId truth(TermId a);
  TermId logical_not(TermId a);
  TermId logical(bool is_or, TermId a, TermId b);
  TermId select(TermId condition, TermId a, TermId b);

private:
  struct Range {
    double low, high;
  };

  TermId intern(Term term, std::span<const TermId> arguments);
  TermId make(TermOp op, TermType type, bool fallible, Range range,
              std::span<const TermId> arguments);
  TermId constant(Word word, TermType type, double low, double high, bool fallible);
  TermId as_real(TermId a);
  bool both_integers(TermId& a, TermId& b, bool& supported);
  TermId gather(TermOp op, TermId a, TermId b);
  Range range_of_quotient(TermId a, TermId b) const;
  Range range_of_rest(TermId a, TermId b) const;

  std::vector<Term> terms_;
  std::vector<TermId> arguments_;
  InternTable interned_;
  std::vector<TermId> gathered_;
};

} // namespace gridsmith::detail
