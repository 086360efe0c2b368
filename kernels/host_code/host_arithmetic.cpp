// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/host_arithmetic.hpp"

#include "gridsmith/kernels/host_code/argument_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;
using Found = std::optional<HostValue>;

constexpr double largest = 9007199254740992.0; // 2^53: whole numbers are exact below

bool is_real_type(Range type) {
  return std::any_of(type.begin(), type.end(),
                     [](const Token& one) { return one.text == "float" || one.text == "double"; });
}

int binding(const HostValue& one) {
  if (!one.sum)
    return one.binds;
  const auto& terms = one.sum->terms();
  if (terms.size() > 1)
    return 2;
  return terms.empty() || (terms.begin()->first.size() + (terms.begin()->second != 1 ? 1 : 0)) < 2
             ? 0
             : 1;
}

std::string bracketed(const HostValue& one, int most) {
  return binding(one) > most ? "(" + one.text() + ")" : one.text();
}

Found ceiling(HostValue of, const HostValue& by, double number) {
  of.written = fmt::format("ceil({} / {})", bracketed(of, 1), bracketed(by, 0));
  of.named = true;
  of.number = number;
  of.sum.reset();
  of.binds = 0;
  of.added = 0;
  return of;
}

} // namespace

bool is_type_word(std::string_view word) {
  return word == "const" || word == "signed" || type_of_word(std::string(word)).has_value();
}

Found of_number(double number, bool whole) {
  if (!std::isfinite(number) || std::abs(number) >= largest)
    return std::nullopt;
  HostValue made{.number = number, .whole = whole, .named = false, .sum = {}, .written = ""};
  if (whole)
    made.sum = Polynomial(static_cast<std::int64_t>(number));
  else
    made.written = fmt::format("{}", number);
  return made;
}

Found combined(const HostValue& a, std::string_view sign, const HostValue& b, double number) {
  const bool whole = a.whole && b.whole;
  if (!std::isfinite(number) || std::abs(number) >= largest)
    return std::nullopt;
  HostValue made{.number = number, .whole = whole, .sum = std::nullopt, .written = ""};
  if (!a.named && !b.named)
    made = *of_number(number, whole);
  made.by_block = a.by_block || b.by_block;
  if (!made.named)
    return made;
  if (whole && a.sum && b.sum && a.sum->small() && b.sum->small()) {
    if (sign == "+")
      made.sum = *a.sum + *b.sum;
    else if (sign == "-")
      made.sum = *a.sum - *b.sum;
    else if (sign == "*")
      made.sum = *a.sum * *b.sum;
    if (made.sum && made.sum->small())
      return made;
    made.sum.reset();
  }
  const bool adds = sign == "+" || sign == "-";
  made.binds = adds ? 2 : 1;
  made.written = fmt::format("{} {} {}", bracketed(a, made.binds), sign,
                             bracketed(b, sign == "+" ? 2 : made.binds - 1));
  constexpr std::size_t longest = 200; // of an expression that a person reads
  return made.written.size() <= longest ? Found(made) : std::nullopt;
}

namespace {

/// `(n + 255) / 256` of a block of 256 is as many blocks as n needs, whatever their size.
Found by_block(const HostValue& a, const HostValue& b, bool whole) {
  Found made;
  if (whole && !b.whole)
    return std::nullopt;
  if (whole && a.sum && b.named && a.added == b.number - 1) {
    HostValue covered = a;
    covered.sum = *a.sum - Polynomial(static_cast<std::int64_t>(a.added));
    made = ceiling(covered, b, std::floor(a.number / b.number));
  } else {
    made = whole ? combined(a, "//", b, std::floor(a.number / b.number))
                 : combined(a, "/", b, a.number / b.number);
    if (made)
      made->whole = whole; // `n / 256.0` is real, the name for 256 whole
  }
  if (made) {
    made->added = 0;
    made->by_block = true;
  }
  return made;
}

} // namespace

Found divided(const HostValue& a, char sign, const HostValue& b,
              const std::optional<HostValue>& block) {
  const bool whole = a.whole && b.whole;
  if (b.number == 0 || (whole && (a.number < 0 || b.number < 0)) || (sign == '%' && !whole))
    return std::nullopt;
  if (sign == '%')
    return combined(a, "%", b, std::fmod(a.number, b.number));
  if (block && b.number == block->number && (!b.named || b.text() == block->text()))
    return by_block(a, b.named || !block->named ? b : *block, whole);
  return whole ? combined(a, "//", b, std::floor(a.number / b.number))
               : combined(a, "/", b, a.number / b.number);
}

Found rounded_up(const HostValue& a, const HostValue& b, const std::optional<HostValue>& block) {
  if (!a.whole || !b.whole || a.number < 0 || b.number < 1)
    return std::nullopt;
  const double number = std::ceil(a.number / b.number);
  const bool by_block =
      block && b.number == block->number && (!b.named || b.text() == block->text());
  const HostValue& by = by_block && block->named ? *block : b;
  Found made = a.named || by.named ? ceiling(a, by, number) : of_number(number, true);
  if (made)
    made->by_block = by_block || a.by_block || b.by_block;
  return made;
}

Found called(std::string_view function, const HostValue& of, double number) {
  Found made = HostValue{.number = number,
                         .whole = true,
                         .sum = std::nullopt,
                         .written = fmt::format("{}({})", function, of.text())};
  if (!of.named)
    made = of_number(number, true);
  if (made)
    made->by_block = of.by_block;
  return made;
}

Found cast(Found of, Range type) {
  if (!of)
    return of;
  if (is_real_type(type)) {
    if (of->whole && !of->named) {
      const bool by_block = of->by_block;
      of = of_number(of->number, false);
      of->by_block = by_block;
      return of;
    }
    if (of->whole && of->sum) {
      of->binds = binding(*of);
      of->written = of->text();
      of->sum.reset();
    }
    of->whole = false;
    return of;
  }
  if (of->whole)
    return of;
  return called("int", *of, std::trunc(of->number));
}

bool is_comparison(std::string_view sign) {
  return sign == ">" || sign == "<" || sign == ">=" || sign == "<=" || sign == "==" || sign == "!=";
}

bool holds(double a, std::string_view sign, double b) {
  return sign == ">"    ? a > b
         : sign == "<"  ? a < b
         : sign == ">=" ? a >= b
         : sign == "<=" ? a <= b
         : sign == "==" ? a == b
                        : a != b;
}

} // namespace gridsmith
