#include "gridsmith/search/compile/operation.hpp"

namespace gridsmith::detail {

Word apply(TermOp op, Word a, Word b, Word c) {
  const bool strict = op != TermOp::logical_and && op != TermOp::logical_or && op != TermOp::select;
  const bool missing = takes_reals(op) ? std::isnan(to_real(a)) || std::isnan(to_real(b))
                                       : a == undefined || b == undefined;
  if (strict && missing)
    return gives_real(op) ? undefined_real : undefined;
  return compute<true>(op, a, b, c);
}

} // namespace gridsmith::detail
