// Constraints compiled to terms: typed, folded, bounded, and each different one stored once.
#pragma once

#include "gridsmith/base/value.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace gridsmith::detail {

using TermId = std::uint32_t;
inline constexpr TermId no_term = ~TermId{0};

/// One machine word: an integer, or the bits of a real.
using Word = std::int64_t;

inline Word to_word(double real) {
  return std::bit_cast<Word>(real);
}

inline double to_real(Word word) {
  return std::bit_cast<double>(word);
}

/// Integers up to here are exact as reals, bounds included.
inline constexpr double exact_limit = 0x1p53;

inline bool unsafe(double low, double high) {
  return low < -exact_limit || high > exact_limit;
}

/// Arithmetic without an answer travels as a value, so that `b == 0 or a % b == 0` may compute both
/// sides first: the lowest integer, NaN among reals. No other term can have these values.
inline constexpr Word no_answer = std::numeric_limits<Word>::min();
inline const Word no_real_answer = to_word(std::numeric_limits<double>::quiet_NaN());

enum class TermOp : std::uint8_t {
  constant,
  variable,
  opaque, // evaluated from its tree: what the terms cannot express
  sum,    // any number of integers, without overflow
  product,
  add, // two integers, overflow watched
  subtract,
  multiply,
  floor_divide,
  modulo,
  power,
  absolute,
  least,
  greatest,
  equal,
  not_equal,
  less,
  less_equal,
  logical_not,
  logical_and,
  logical_or,
  select,
  to_real, // reals from here on
  real_add,
  real_subtract,
  real_multiply,
  real_divide,
  real_floor_divide,
  real_modulo,
  real_power,
  real_absolute,
  real_least,
  real_greatest,
  log2,
  real_equal, // integers from here on, of reals
  real_not_equal,
  real_less,
  real_less_equal,
  floor,
  ceil,
  round,
  truncate,
};

inline bool takes_reals(TermOp op) {
  return op >= TermOp::real_add;
}

inline bool gives_real(TermOp op) {
  return op >= TermOp::to_real && op <= TermOp::log2;
}

enum class TermType : std::uint8_t { integer, real, text };

struct Term {
  TermOp op = TermOp::constant;
  TermType type = TermType::integer;
  bool fallible = false; ///< may have no answer
  std::uint32_t first = 0;
  std::uint32_t count = 0; ///< arguments, in TermTable::arguments from `first`
  Word word = 0;           ///< of a constant; index of a variable or opaque expression
  double low = 0;          ///< bounds of the answer, where there is one
  double high = 0;
};

/// What an operation gives. Arguments that have no answer give none (but see logical_or and
/// select).
Word apply(TermOp op, Word a, Word b, Word c);

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
  void grow();

  std::vector<Term> terms_;
  std::vector<TermId> arguments_;
  std::vector<std::uint32_t> slots_; ///< open addressing: id + 1, 0 = free
  std::vector<TermId> gathered_;
};

} // namespace gridsmith::detail
