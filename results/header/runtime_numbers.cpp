// SPDX-License-Identifier: Apache-2.0
// Numbers of a definition's expressions, as a generated header computes them.
#include "gridsmith/results/header/runtime_pieces.hpp"

namespace gridsmith {

const char* const number_text = R"tuned(
// A number of a definition's expressions: exact in 64 bits or a double, as Python computes it; or not
// known, because of an overflow, a division by zero or an unknown fact.
struct Number {
  enum Kind : unsigned char { unknown, whole, real };
  Kind kind = unknown;
  std::int64_t i = 0;
  double r = 0;

  constexpr Number() = default;
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  GRIDSMITH_TUNED_FN Number(T value) : kind(whole), i(static_cast<std::int64_t>(value)) {}
  GRIDSMITH_TUNED_FN Number(double value) // what is infinite is not known
      : kind(value - value == 0 ? real : unknown), r(value) {}

  GRIDSMITH_TUNED_FN bool known() const { return kind != unknown; }
  GRIDSMITH_TUNED_FN bool is_true() const { return kind == whole ? i != 0 : kind == real && !(r == 0); }
  GRIDSMITH_TUNED_FN double as_real() const { return kind == whole ? static_cast<double>(i) : r; }
};

// Integers up to here are doubles, too.
inline constexpr std::int64_t exact_reals = std::int64_t{1} << 53;

GRIDSMITH_TUNED_FN bool is_exact(std::int64_t i) { return i >= -exact_reals && i <= exact_reals; }
// Holds a whole number that an integer holds too.
GRIDSMITH_TUNED_FN bool is_whole(double r) {
  return r >= -0x1p53 && r <= 0x1p53 && static_cast<double>(static_cast<std::int64_t>(r)) == r;
}
GRIDSMITH_TUNED_FN bool both_whole(const Number& a, const Number& b) {
  return a.kind == Number::whole && b.kind == Number::whole;
}
GRIDSMITH_TUNED_FN bool both_known(const Number& a, const Number& b) {
  return a.known() && b.known();
}
// A fact of the device; 0 is unknown.
GRIDSMITH_TUNED_FN Number fact(std::int64_t value) { return value ? Number(value) : Number(); }
GRIDSMITH_TUNED_FN Number fact(double value) {
  return !(value > 0) ? Number() : is_whole(value) ? Number(static_cast<std::int64_t>(value)) : Number(value);
}
)tuned";

const char* const arithmetic_text = R"tuned(
GRIDSMITH_TUNED_FN Number operator+(const Number& a, const Number& b) {
  if (!both_whole(a, b))
    return both_known(a, b) ? Number(a.as_real() + b.as_real()) : Number();
  const bool fits = b.i >= 0 ? a.i <= INT64_MAX - b.i : a.i >= INT64_MIN - b.i;
  return fits ? Number(a.i + b.i) : Number();
}
GRIDSMITH_TUNED_FN Number operator-(const Number& a, const Number& b) {
  if (!both_whole(a, b))
    return both_known(a, b) ? Number(a.as_real() - b.as_real()) : Number();
  const bool fits = b.i >= 0 ? a.i >= INT64_MIN + b.i : a.i <= INT64_MAX + b.i;
  return fits ? Number(a.i - b.i) : Number();
}
GRIDSMITH_TUNED_FN Number operator-(const Number& a) {
  return a.kind == Number::real ? Number(-a.r) : Number(0) - a;
}
GRIDSMITH_TUNED_FN Number operator+(const Number& a) { return a; }
GRIDSMITH_TUNED_FN Number operator*(const Number& a, const Number& b) {
  if (!both_whole(a, b))
    return both_known(a, b) ? Number(a.as_real() * b.as_real()) : Number();
  constexpr std::int64_t half = std::int64_t{1} << 31; // no product of two such overflows
  if (a.i >= -half && a.i < half && b.i >= -half && b.i < half)
    return a.i * b.i;
  if (a.i == 0 || b.i == 0)
    return 0;
  if (a.i == INT64_MIN || b.i == INT64_MIN) // has no positive counterpart
    return a.i == 1 ? b : b.i == 1 ? a : Number();
  const std::int64_t x = a.i < 0 ? -a.i : a.i, y = b.i < 0 ? -b.i : b.i;
  return x <= INT64_MAX / y ? Number(a.i * b.i) : Number();
}
GRIDSMITH_TUNED_FN Number operator/(const Number& a, const Number& b) {
  const bool exact = (a.kind == Number::real || is_exact(a.i)) && (b.kind == Number::real || is_exact(b.i));
  if (!both_known(a, b) || b.as_real() == 0 || (both_whole(a, b) && !exact))
    return {};
  return a.as_real() / b.as_real();
}
// Rounds towards minus infinity.
GRIDSMITH_TUNED_FN std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}
GRIDSMITH_TUNED_FN Number floor_divide(const Number& a, const Number& b) {
  if (!both_known(a, b) || !b.is_true())
    return {};
  if (both_whole(a, b))
    return b.i == -1 ? -a : Number(floor_quotient(a.i, b.i));
  const double x = a.as_real(), y = b.as_real();
  if (is_whole(x) && is_whole(y))
    return static_cast<double>(floor_quotient(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)));
  const double rest = std::fmod(x, y);
  const double quotient = (x - rest) / y - (!(rest == 0) && (rest < 0) != (y < 0) ? 1 : 0);
  const double down = std::floor(quotient);
  return quotient - down > 0.5 ? down + 1 : down;
}
// A value of a list of integers and reals.
GRIDSMITH_TUNED_FN Number mixed(double r) { return is_whole(r) ? Number(static_cast<std::int64_t>(r)) : Number(r); }
// The sign of the divisor.
GRIDSMITH_TUNED_FN std::int64_t modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = b == -1 ? 0 : a % b;
  return rest + ((rest != 0 && (rest < 0) != (b < 0)) ? b : 0);
}
GRIDSMITH_TUNED_FN Number operator%(const Number& a, const Number& b) {
  if (!both_known(a, b) || !b.is_true())
    return {};
  if (both_whole(a, b))
    return modulo(a.i, b.i);
  const double x = a.as_real(), y = b.as_real();
  if (is_whole(x) && is_whole(y))
    return static_cast<double>(modulo(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)));
  const double rest = std::fmod(x, y);
  return rest + (!(rest == 0) && (rest < 0) != (y < 0) ? y : 0);
}
GRIDSMITH_TUNED_FN Number power(const Number& a, const Number& b) {
  if (!both_known(a, b))
    return {};
  if (!both_whole(a, b) || b.i < 0) {
    const double x = a.as_real(), y = b.as_real();
    const bool none = (x == 0 && y < 0) || (x < 0 && !(std::floor(y) == y));
    return none ? Number() : Number(std::pow(x, y));
  }
  if (a.i == 0 || a.i == 1 || a.i == -1)
    return b.i == 0 || (a.i == -1 && b.i % 2 == 0) ? Number(1) : a;
  Number product = 1;
  for (std::int64_t step = 0; step < b.i && product.known(); ++step)
    product = product * a;
  return product;
}
)tuned";

const char* const comparison_text = R"tuned(
// Beyond 2^53 an integer has no double of its own.
GRIDSMITH_TUNED_FN bool comparable(const Number& a, const Number& b) {
  return both_known(a, b) && (a.kind == b.kind || is_exact(a.kind == Number::whole ? a.i : b.i));
}
GRIDSMITH_TUNED_FN Number operator==(const Number& a, const Number& b) {
  if (!comparable(a, b))
    return {};
  return both_whole(a, b) ? a.i == b.i : a.as_real() == b.as_real();
}
GRIDSMITH_TUNED_FN Number operator<(const Number& a, const Number& b) {
  if (!comparable(a, b))
    return {};
  return both_whole(a, b) ? a.i < b.i : a.as_real() < b.as_real();
}
GRIDSMITH_TUNED_FN Number operator!(const Number& a) { return a.known() ? Number(!a.is_true()) : a; }
GRIDSMITH_TUNED_FN Number operator!=(const Number& a, const Number& b) { return !(a == b); }
GRIDSMITH_TUNED_FN Number operator>(const Number& a, const Number& b) { return b < a; }
GRIDSMITH_TUNED_FN Number operator<=(const Number& a, const Number& b) { return !(b < a); }
GRIDSMITH_TUNED_FN Number operator>=(const Number& a, const Number& b) { return !(a < b); }
// Of Python: the operand that decides. What comes after it need not be known.
GRIDSMITH_TUNED_FN Number operator&&(const Number& a, const Number& b) { return a.is_true() ? b : a; }
GRIDSMITH_TUNED_FN Number operator||(const Number& a, const Number& b) {
  return !a.known() || a.is_true() ? a : b;
}
// Of conditions that all must be known.
GRIDSMITH_TUNED_FN Number operator|(const Number& a, const Number& b) {
  return both_known(a, b) ? Number(a.is_true() || b.is_true()) : Number();
}
// All constraints must hold: one that does not decides.
GRIDSMITH_TUNED_FN Number both(const Number& a, const Number& b) {
  return a.known() && !a.is_true() ? a : b.known() && !b.is_true() ? b : !a.known() ? a : b;
}
template <class T, class... Listed>
GRIDSMITH_TUNED_FN Number one_of(T value, Listed... listed) {
  return (... || (value == static_cast<T>(listed)));
}
// Of a pointer: 0 is unknown.
GRIDSMITH_TUNED_FN Number aligned(std::int64_t bytes, const Number& needed) {
  return bytes > 0 ? Number(bytes) % needed == Number(0) : Number(bytes == 0);
}
GRIDSMITH_TUNED_FN Number leads(std::int64_t elements, const Number& needed) {
  return elements != 0 ? Number(elements) == needed : Number(true);
}
GRIDSMITH_TUNED_FN Number select(const Number& condition, const Number& then, const Number& otherwise) {
  return !condition.known() ? Number() : condition.is_true() ? then : otherwise;
}
)tuned";

const char* const function_text = R"tuned(
GRIDSMITH_TUNED_FN Number min(const Number& a, const Number& b) { return select(b < a, b, a); }
GRIDSMITH_TUNED_FN Number max(const Number& a, const Number& b) { return select(a < b, b, a); }
GRIDSMITH_TUNED_FN Number absolute(const Number& a) { return select(a < Number(0), -a, a); }
GRIDSMITH_TUNED_FN Number truncate(const Number& a) {
  if (a.kind != Number::real)
    return a;
  return a.r >= -0x1p63 && a.r < 0x1p63 ? Number(static_cast<std::int64_t>(a.r)) : Number();
}
GRIDSMITH_TUNED_FN Number floor(const Number& a) {
  const Number cut = truncate(a);
  return a.kind == Number::real && cut.known() && cut.as_real() > a.r ? cut - Number(1) : cut;
}
GRIDSMITH_TUNED_FN Number ceil(const Number& a) {
  const Number cut = truncate(a);
  return a.kind == Number::real && cut.known() && cut.as_real() < a.r ? cut + Number(1) : cut;
}
// The half goes to the even neighbour.
GRIDSMITH_TUNED_FN Number round(const Number& a) {
  const Number down = floor(a);
  if (a.kind != Number::real || !down.known())
    return down;
  const double rest = a.r - down.as_real();
  return rest < 0.5 || (rest == 0.5 && down.i % 2 == 0) ? down : down + Number(1);
}
// Exact and a constant of powers of two.
GRIDSMITH_TUNED_FN Number log2(const Number& a) {
  if (!a.known() || !(a.as_real() > 0))
    return {};
  double power = 1;
  for (int exponent = 0; exponent < 63; ++exponent, power *= 2)
    if (power == a.as_real())
      return static_cast<double>(exponent);
  return std::log2(a.as_real());
}
// ceil(a / b): the same by integers, as far as doubles hold them.
GRIDSMITH_TUNED_FN Number ceil_divide(const Number& a, const Number& b) {
  if (both_whole(a, b) && b.i > 0 && a.i >= 0 && is_exact(a.i) && is_exact(b.i))
    return a.i / b.i + (a.i % b.i != 0 ? 1 : 0);
  return ceil(a / b);
}
// An integer that a double holds, in a range; not known where it is none.
GRIDSMITH_TUNED_FN Number integer(const Number& a, std::int64_t least, std::int64_t most = exact_reals) {
  const bool fits = a.kind == Number::whole ? is_exact(a.i) : a.kind == Number::real && is_whole(a.r);
  const std::int64_t i = !fits ? 0 : a.kind == Number::whole ? a.i : static_cast<std::int64_t>(a.r);
  return fits && i >= least && i <= most ? Number(i) : Number();
}
// Blocks that cover an extent.
GRIDSMITH_TUNED_FN Number covering(const Number& extent, const Number& divisor) {
  if (!(divisor > Number(0)).is_true())
    return {};
  const Number whole = integer(divisor, 1, 9000000000000000 - 1);
  return whole.known() ? Number(extent.i / whole.i + (extent.i % whole.i != 0 ? 1 : 0)) : ceil(extent / divisor);
}
)tuned";

} // namespace gridsmith
