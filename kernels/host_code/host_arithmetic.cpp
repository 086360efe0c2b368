// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/host_arithmetic.hpp"

#include "gridsmith/kernels/host_code/argument_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;
using Found = std::optional<HostValue>;

constexpr double largest = 9007199254740992.0; // 2^53: whole numbers are exact below

bool is_named_in(Range type, std::string_view word) {
  return std::any_of(type.begin(), type.end(), [&](const Token& one) { return one.text == word; });
}

/// Of two operands: the result is of float.
bool is_single(const HostValue& a, const HostValue& b) {
  return (a.single || b.single) && (a.whole || a.single) && (b.whole || b.single);
}

/// Of floats as of floats: rounding a double's result once more gives the same.
double computed(double a, std::string_view sign, double b, bool single) {
  if (single) {
    a = static_cast<float>(a);
    b = static_cast<float>(b);
  }
  const double number = sign == "+"    ? a + b
                        : sign == "-"  ? a - b
                        : sign == "*"  ? a * b
                        : sign == "%"  ? std::fmod(a, b)
                        : sign == "//" ? std::floor(a / b)
                                       : a / b;
  return single ? static_cast<double>(static_cast<float>(number)) : number;
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

Found of_number(double number, bool whole, bool single) {
  if (single)
    number = static_cast<float>(number);
  if (!std::isfinite(number) || std::abs(number) >= largest)
    return std::nullopt;
  HostValue made{
      .number = number, .whole = whole, .single = single, .named = false, .sum = {}, .written = ""};
  if (whole)
    made.sum = Polynomial(static_cast<std::int64_t>(number));
  else
    made.written =
        single ? fmt::format("{}", static_cast<float>(number)) : fmt::format("{}", number);
  return made;
}

Found combined(const HostValue& a, std::string_view sign, const HostValue& b) {
  const bool whole = a.whole && b.whole, single = is_single(a, b);
  const double number = computed(a.number, sign, b.number, single);
  if (!std::isfinite(number) || std::abs(number) >= largest)
    return std::nullopt;
  HostValue made{
      .number = number, .whole = whole, .single = single, .sum = std::nullopt, .written = ""};
  if (!a.named && !b.named)
    made = *of_number(number, whole, single);
  made.by_block = a.by_block || b.by_block;
  made.by_root = a.by_root || b.by_root;
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
    made = combined(a, whole ? "//" : "/", b);
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
    return combined(a, "%", b);
  if (block && b.number == block->number && (!b.named || b.text() == block->text()))
    return by_block(a, b.named || !block->named ? b : *block, whole);
  return combined(a, whole ? "//" : "/", b);
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
  if (of.by_root)
    return std::nullopt;
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

namespace {

/// Of real functions: their names for double, or for whatever they are given.
template <class Real>
std::optional<Real> real_function(std::string_view name, const std::vector<Real>& of) {
  using One = Real (*)(Real);
  using Two = Real (*)(Real, Real);
  static const std::map<std::string_view, One> ones{{"sqrt", [](Real x) { return std::sqrt(x); }},
                                                    {"cbrt", [](Real x) { return std::cbrt(x); }},
                                                    {"exp", [](Real x) { return std::exp(x); }},
                                                    {"exp2", [](Real x) { return std::exp2(x); }},
                                                    {"log", [](Real x) { return std::log(x); }},
                                                    {"log2", [](Real x) { return std::log2(x); }},
                                                    {"log10", [](Real x) { return std::log10(x); }},
                                                    {"fabs", [](Real x) { return std::fabs(x); }},
                                                    {"sin", [](Real x) { return std::sin(x); }},
                                                    {"cos", [](Real x) { return std::cos(x); }},
                                                    {"tan", [](Real x) { return std::tan(x); }}};
  static const std::map<std::string_view, Two> twos{
      {"pow", [](Real x, Real y) { return std::pow(x, y); }},
      {"fmin", [](Real x, Real y) { return std::fmin(x, y); }},
      {"fmax", [](Real x, Real y) { return std::fmax(x, y); }},
      {"hypot", [](Real x, Real y) { return std::hypot(x, y); }}};
  if (const auto one = ones.find(name); one != ones.end() && of.size() == 1)
    return one->second(of[0]);
  if (const auto two = twos.find(name); two != twos.end() && of.size() == 2)
    return two->second(of[0], of[1]);
  return std::nullopt;
}

/// Of two values; the one of them where both are numbers.
Found extreme(std::string_view function, const HostValue& a, const HostValue& b) {
  const bool first = function == "min" ? a.number <= b.number : a.number >= b.number;
  if (!a.named && !b.named)
    return first ? a : b;
  return HostValue{.number = first ? a.number : b.number,
                   .whole = a.whole && b.whole,
                   .single = is_single(a, b),
                   .sum = std::nullopt,
                   .written = fmt::format("{}({}, {})", function, a.text(), b.text()),
                   .by_block = a.by_block || b.by_block,
                   .by_root = a.by_root || b.by_root};
}

} // namespace

Found called(std::string_view function, std::span<const HostValue> of) {
  if ((function == "min" || function == "max") && of.size() == 2)
    return extreme(function, of[0], of[1]);
  const bool all_single =
      std::all_of(of.begin(), of.end(), [](const HostValue& one) { return one.single; });
  const bool single = function.ends_with('f') || all_single;
  const std::string_view name = function.substr(0, function.size() - function.ends_with('f'));
  const auto computed_as = [&]<class Real>(Real) {
    std::vector<Real> numbers;
    for (const HostValue& one : of)
      numbers.push_back(static_cast<Real>(one.number));
    const auto made = real_function(name, numbers);
    return made ? of_number(*made, false, single) : std::nullopt;
  };
  Found made = single ? computed_as(0.0F) : computed_as(0.0);
  if (!made || std::none_of(of.begin(), of.end(), [](const HostValue& one) { return one.named; }))
    return made;
  static const std::set<std::string_view> of_expressions{"sqrt", "exp", "log", "sin", "cos", "tan"};
  if (!of_expressions.contains(name))
    return std::nullopt;
  made->named = made->by_root = true;
  made->by_block = of[0].by_block;
  made->written = fmt::format("{}({})", name, of[0].text());
  return made;
}

Found cast(Found of, Range type) {
  if (!of)
    return of;
  const bool twice = is_named_in(type, "double");
  if (twice || is_named_in(type, "float")) {
    if (!of->named) {
      const bool by_block = of->by_block;
      of = of_number(of->number, false, !twice);
      of->by_block = by_block;
      return of;
    }
    if (of->whole && of->sum) {
      of->binds = binding(*of);
      of->written = of->text();
      of->sum.reset();
    }
    of->whole = false;
    of->single = !twice;
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
