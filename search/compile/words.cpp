// What the operations of terms give for words.
#include "gridsmith/search/expression/arithmetic.hpp"
#include "gridsmith/search/compile/terms.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith::detail {
namespace {

constexpr double word_limit = 0x1p63;

Word on_reals(TermOp op, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return gives_real(op) ? no_real_answer : no_answer;
  const auto whole = [](double x) {
    return x >= -word_limit && x < word_limit ? static_cast<Word>(x) : no_answer;
  };
  switch (op) {
  case TermOp::real_add:
    return to_word(a + b);
  case TermOp::real_subtract:
    return to_word(a - b);
  case TermOp::real_multiply:
    return to_word(a * b);
  case TermOp::real_divide:
    return b == 0 ? no_real_answer : to_word(a / b);
  case TermOp::real_floor_divide:
    return b == 0 ? no_real_answer : to_word(floor_divide(a, b));
  case TermOp::real_modulo:
    return b == 0 ? no_real_answer : to_word(modulo(a, b));
  case TermOp::real_power:
    return to_word((a == 0 && b < 0) || (a < 0 && std::floor(b) != b) ? to_real(no_real_answer)
                                                                      : std::pow(a, b));
  case TermOp::real_absolute:
    return to_word(std::abs(a));
  case TermOp::real_least:
    return to_word(b < a ? b : a);
  case TermOp::real_greatest:
    return to_word(b > a ? b : a);
  case TermOp::log2:
    return a > 0 ? to_word(std::log2(a)) : no_real_answer;
  case TermOp::real_equal:
    return a == b;
  case TermOp::real_not_equal:
    return a != b;
  case TermOp::real_less:
    return a < b;
  case TermOp::real_less_equal:
    return a <= b;
  case TermOp::floor:
    return whole(std::floor(a));
  case TermOp::ceil:
    return whole(std::ceil(a));
  case TermOp::round:
    return whole(round_to_even(a));
  default:
    return whole(std::trunc(a));
  }
}

Word on_integers(TermOp op, Word a, Word b) {
  Word out = 0;
  switch (op) {
  case TermOp::sum:
    return a + b;
  case TermOp::product:
    return a * b;
  case TermOp::add:
    return __builtin_add_overflow(a, b, &out) ? no_answer : out;
  case TermOp::subtract:
    return __builtin_sub_overflow(a, b, &out) ? no_answer : out;
  case TermOp::multiply:
    return __builtin_mul_overflow(a, b, &out) ? no_answer : out;
  case TermOp::floor_divide:
    return b == 0 ? no_answer : floor_divide(a, b);
  case TermOp::modulo:
    return b == 0 ? no_answer : modulo(a, b);
  case TermOp::power:
    return integer_power(a, b, out) ? out : no_answer;
  case TermOp::absolute:
    return a < 0 ? -a : a;
  case TermOp::least:
    return std::min(a, b);
  case TermOp::greatest:
    return std::max(a, b);
  case TermOp::equal:
    return a == b;
  case TermOp::not_equal:
    return a != b;
  case TermOp::less:
    return a < b;
  case TermOp::less_equal:
    return a <= b;
  case TermOp::logical_not:
    return a == 0;
  default:
    return to_word(static_cast<double>(a)); // to_real
  }
}

} // namespace

Word apply(TermOp op, Word a, Word b, Word c) {
  if (takes_reals(op))
    return on_reals(op, to_real(a), to_real(b));
  switch (op) {
  case TermOp::logical_and:
    return a == no_answer || a == 0 ? a : b;
  case TermOp::logical_or:
    return a != 0 ? a : b; // no answer is not 0 either
  case TermOp::select:
    return a == no_answer ? a : a != 0 ? b : c;
  default:
    if (a == no_answer || b == no_answer)
      return gives_real(op) ? no_real_answer : no_answer;
    return on_integers(op, a, b);
  }
}

} // namespace gridsmith::detail
