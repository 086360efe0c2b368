// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/operation.hpp"

namespace gridsmith::detail {
namespace {

/// The end that a result beyond 64 bits stands at.
template <Operator op>
Word end_of(Word a, Word b) {
  const bool negative = op == Operator::multiply ? (a < 0) != (b < 0)
                        : op == Operator::power  ? a < 0 && b % 2 != 0
                                                 : a < 0;
  return negative ? -farthest : farthest;
}

template <Operator op>
Word far_result(Word a, Word b) {
  Word result = 0;
  const Fault fault = arithmetic<op>(a, b, result);
  return fault == Fault::none && result != undefined ? result : end_of<op>(a, b);
}

} // namespace

Word compute_far(TermOp op, Word a, Word b) {
  switch (op) {
  case TermOp::add:
    return far_result<Operator::add>(a, b);
  case TermOp::subtract:
    return far_result<Operator::subtract>(a, b);
  case TermOp::multiply:
    return far_result<Operator::multiply>(a, b);
  default:
    return far_result<Operator::power>(a, b);
  }
}

Word apply(TermOp op, Word a, Word b, Word c) {
  const bool strict = op != TermOp::logical_and && op != TermOp::logical_or && op != TermOp::select;
  const bool missing = takes_reals(op) ? std::isnan(to_real(a)) || std::isnan(to_real(b))
                                       : a == undefined || b == undefined;
  if (strict && missing)
    return gives_real(op) ? undefined_real : undefined;
  return compute<true>(op, a, b, c);
}

} // namespace gridsmith::detail
