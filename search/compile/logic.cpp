// Comparisons and logic among terms.
#include "gridsmith/search/compile/terms.hpp"

#include <algorithm>
#include <array>

namespace gridsmith::detail {

TermId TermTable::compare(TermOp op, TermId a, TermId b) {
  const bool texts = terms_[a].type == TermType::text && terms_[b].type == TermType::text;
  const bool equality = op == TermOp::equal || op == TermOp::not_equal;
  if ((terms_[a].type == TermType::text) != (terms_[b].type == TermType::text))
    return equality ? integer(op == TermOp::not_equal) : no_term; // a text never equals a number
  if (texts && !equality)
    return no_term;
  bool supported = true;
  const bool integers = texts || both_integers(a, b, supported);
  if (!supported)
    return no_term;
  const Term &x = terms_[a], &y = terms_[b];
  const bool certain =
      !texts && !x.fallible && !y.fallible && !unsafe(x.low, x.high) && !unsafe(y.low, y.high);
  if (certain) {
    const bool apart = x.high < y.low || y.high < x.low;
    if (equality && apart)
      return integer(op == TermOp::not_equal);
    if (op == TermOp::less && (x.high < y.low || x.low >= y.high))
      return integer(x.high < y.low);
    if (op == TermOp::less_equal && (x.high <= y.low || x.low > y.high))
      return integer(x.high <= y.low);
  }
  const auto shift = static_cast<int>(TermOp::real_equal) - static_cast<int>(TermOp::equal);
  const auto real_op = static_cast<TermOp>(static_cast<int>(op) + shift);
  const std::array<TermId, 2> both{a, b};
  return make(integers ? op : real_op, TermType::integer, false, {0, 1}, both);
}

TermId TermTable::truth(TermId a) {
  const Term& term = terms_[a];
  if (term.type == TermType::integer)
    return a;
  return term.type == TermType::text ? no_term : compare(TermOp::not_equal, a, real(0));
}

TermId TermTable::logical_not(TermId a) {
  a = truth(a);
  if (a == no_term)
    return no_term;
  const std::array<TermId, 1> one{a};
  return make(TermOp::logical_not, TermType::integer, false, {0, 1}, one);
}

TermId TermTable::logical(bool is_or, TermId a, TermId b) {
  const Term &x = terms_[a], &y = terms_[b];
  if (x.type != TermType::integer || y.type != TermType::integer)
    return no_term;
  if (!x.fallible && (x.low > 0 || x.high < 0))
    return is_or ? a : b;
  if (!x.fallible && x.low == 0 && x.high == 0)
    return is_or ? b : a;
  const std::array<TermId, 2> both{a, b};
  return make(is_or ? TermOp::logical_or : TermOp::logical_and, TermType::integer, false,
              {std::min(x.low, y.low), std::max(x.high, y.high)}, both);
}

TermId TermTable::select(TermId condition, TermId a, TermId b) {
  condition = truth(condition);
  if (condition == no_term)
    return no_term;
  bool supported = true;
  const bool integers = both_integers(a, b, supported);
  if (!supported)
    return no_term;
  const Term &x = terms_[a], &y = terms_[b];
  const std::array<TermId, 3> all{condition, a, b};
  if (!integers) // an undefined integer condition would have to become a real
    return no_term;
  return make(TermOp::select, TermType::integer, false,
              {std::min(x.low, y.low), std::max(x.high, y.high)}, all);
}

} // namespace gridsmith::detail
