// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/header/plain_code.hpp"

#include "gridsmith/base/expression/arithmetic.hpp"
#include "gridsmith/base/expression/tree.hpp"
#include "gridsmith/results/header/cpp_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gridsmith {
namespace {

/// Beyond, a double skips integers, and the interpreter's quotients are others.
constexpr std::int64_t exact_reals = std::int64_t{1} << 53;

PlainCode constant(std::int64_t value) {
  return {fmt::format("{}", value), value, value};
}

PlainCode ranged(std::string text, std::int64_t least, std::int64_t most) {
  return least == most ? constant(least) : PlainCode{std::move(text), least, most};
}

std::int64_t checked(Operator op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool over = op == Operator::add        ? __builtin_add_overflow(a, b, &result)
                    : op == Operator::subtract ? __builtin_sub_overflow(a, b, &result)
                                               : __builtin_mul_overflow(a, b, &result);
  if (over)
    throw NotPlain{};
  return result;
}

PlainCode arithmetic(Operator op, const PlainCode& a, const PlainCode& b) {
  const std::string_view sign = op == Operator::add ? "+" : op == Operator::subtract ? "-" : "*";
  std::array<std::int64_t, 4> ends = {checked(op, a.least, b.least), checked(op, a.least, b.most),
                                      checked(op, a.most, b.least), checked(op, a.most, b.most)};
  const auto [least, most] = std::minmax_element(ends.begin(), ends.end());
  return ranged(fmt::format("({} {} {})", a.text, sign, b.text), *least, *most);
}

/// Of numbers that are not negative C++ rounds as Python does.
PlainCode division(Operator op, const PlainCode& a, const PlainCode& b) {
  if (a.least < 0 || b.least < 1)
    throw NotPlain{};
  if (op == Operator::floor_divide)
    return ranged(fmt::format("({} / {})", a.text, b.text), a.least / b.most, a.most / b.least);
  if (a.constant() && b.constant())
    return constant(a.least % b.least);
  return ranged(fmt::format("({} % {})", a.text, b.text), 0, std::min(a.most, b.most - 1));
}

std::int64_t round_up(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

PlainCode upwards(const PlainCode& a, const PlainCode& b) {
  if (a.least < 0 || b.least < 1 || a.most > exact_reals || b.most > exact_reals)
    throw NotPlain{};
  return ranged(fmt::format("quotient_up({}, {})", a.text, b.text), round_up(a.least, b.most),
                round_up(a.most, b.least));
}

PlainCode truth(std::string text, bool always, bool never) {
  return ranged(std::move(text), always ? 1 : 0, never ? 0 : 1);
}

PlainCode compared(Operator op, const PlainCode& a, const PlainCode& b) {
  if (!a.constant() && a.text == b.text) // compilers warn of it
    return compared(op, constant(0), constant(0));
  const auto text = [&](std::string_view sign) {
    return fmt::format("({} {} {})", a.text, sign, b.text);
  };
  const bool apart = a.most < b.least || b.most < a.least;
  const bool same = a.constant() && b.constant() && a.least == b.least;
  switch (op) {
  case Operator::equal:
    return truth(text("=="), same, apart);
  case Operator::not_equal:
    return truth(text("!="), apart, same);
  case Operator::less:
    return truth(text("<"), a.most < b.least, a.least >= b.most);
  case Operator::less_equal:
    return truth(text("<="), a.most <= b.least, a.least > b.most);
  case Operator::greater:
    return truth(text(">"), a.least > b.most, a.most <= b.least);
  case Operator::greater_equal:
    return truth(text(">="), a.least >= b.most, a.most < b.least);
  default:
    throw NotPlain{};
  }
}

bool is_truth(const PlainCode& code) {
  return code.least >= 0 && code.most <= 1;
}

class Prover {
public:
  explicit Prover(const PlainNames& names) : names_(names) {}

  PlainCode operator()(const ExpressionNode& node) const { return NodeVisit::of(*this, node); }

private:
  friend NodeVisit;

  [[noreturn]] static PlainCode other(const ExpressionNode&) { throw NotPlain{}; }

  static PlainCode of_value(const Value& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value))
      return constant(*whole);
    if (const auto* flag = std::get_if<bool>(&value))
      return constant(*flag ? 1 : 0);
    throw NotPlain{};
  }

  static PlainCode literal(const ExpressionNode& node) {
    if (!node.text.empty())
      throw NotPlain{};
    return of_value(node.value);
  }

  PlainCode name(const ExpressionNode& node) const {
    const PlainName found = names_(node.text);
    if (const auto* code = std::get_if<PlainCode>(&found))
      return *code;
    if (const auto* value = std::get_if<Value>(&found))
      return of_value(*value);
    throw NotPlain{};
  }

  PlainCode unary(const ExpressionNode& node) const {
    PlainCode operand = (*this)(*node.first);
    if (node.op == Operator::plus)
      return operand;
    if (node.op == Operator::negate)
      return arithmetic(Operator::subtract, constant(0), operand);
    return compared(Operator::equal, operand, constant(0));
  }

  PlainCode chain(const ExpressionNode& node) const {
    PlainCode left = (*this)(*node.first);
    for (const ExpressionNode* right = node.first->next; right; right = right->next) {
      const Operator op = right->relation;
      if (op == Operator::add || op == Operator::subtract || op == Operator::multiply)
        left = arithmetic(op, left, (*this)(*right));
      else if (op == Operator::floor_divide || op == Operator::modulo)
        left = division(op, left, (*this)(*right));
      else
        throw NotPlain{};
    }
    return left;
  }

  /// Nothing where the node is no text, or one that is not constant.
  std::optional<std::string> text_of(const ExpressionNode& node) const {
    Value value = node.value;
    if (node.kind == NodeKind::name) {
      const PlainName found = names_(node.text);
      const auto* known = std::get_if<Value>(&found);
      value = known ? *known : Value(false);
    } else if (node.kind != NodeKind::literal || !node.text.empty())
      return std::nullopt;
    const auto* text = std::get_if<std::string>(&value);
    return text ? std::optional(*text) : std::nullopt;
  }

  PlainCode related(const ExpressionNode& left, Operator op, const ExpressionNode& right) const {
    const auto a = text_of(left), b = text_of(right);
    if (!a && !b)
      return compared(op, (*this)(left), (*this)(right));
    if (op != Operator::equal && op != Operator::not_equal)
      throw NotPlain{};
    const bool same = a && b && *a == *b; // a text and a number are never the same
    return constant(same == (op == Operator::equal) ? 1 : 0);
  }

  PlainCode member(const ExpressionNode& left, const ExpressionNode& list, bool inside) const {
    if (list.kind != NodeKind::list)
      throw NotPlain{};
    PlainCode any = constant(0);
    for (const ExpressionNode* item = list.first; item; item = item->next)
      any = either(any, related(left, Operator::equal, *item));
    return inside ? any : compared(Operator::equal, any, constant(0));
  }

  static PlainCode either(const PlainCode& a, const PlainCode& b) {
    if (a.constant() && b.constant())
      return constant(a.least || b.least ? 1 : 0);
    if (a.constant() || b.constant()) {
      const PlainCode& fixed = a.constant() ? a : b;
      return fixed.least ? constant(1) : a.constant() ? b : a;
    }
    return {fmt::format("({} || {})", a.text, b.text), 0, 1};
  }

  static PlainCode both(const PlainCode& a, const PlainCode& b) {
    if (a.constant())
      return a.least ? b : constant(0);
    if (b.constant())
      return b.least ? a : constant(0);
    return {fmt::format("({} && {})", a.text, b.text), 0, 1};
  }

  PlainCode comparison(const ExpressionNode& node) const {
    PlainCode all = constant(1);
    const ExpressionNode* left = node.first;
    for (const ExpressionNode* right = left->next; right; left = right, right = right->next) {
      if (all.constant() && !all.least)
        break; // Python looks no further
      const Operator op = right->relation;
      const bool membership = op == Operator::in || op == Operator::not_in;
      all = both(all, membership ? member(*left, *right, op == Operator::in)
                                 : related(*left, op, *right));
    }
    return all;
  }

  /// Of truths: then the operand that decides is the truth of all.
  PlainCode junction(const ExpressionNode& node) const {
    const bool disjunction = node.kind == NodeKind::logical_or;
    PlainCode all = constant(disjunction ? 0 : 1);
    for (const ExpressionNode* child = node.first; child; child = child->next) {
      if (all.constant() && (all.least != 0) == disjunction)
        break;
      const PlainCode one = (*this)(*child);
      if (!is_truth(one))
        throw NotPlain{};
      all = disjunction ? either(all, one) : both(all, one);
    }
    return all;
  }

  PlainCode conditional(const ExpressionNode& node) const {
    const PlainCode condition = (*this)(*node.first);
    const ExpressionNode *then = node.first->next, *otherwise = then->next;
    if (condition.least > 0 || condition.most < 0)
      return (*this)(*then);
    if (condition.constant())
      return (*this)(*otherwise);
    const PlainCode a = (*this)(*then), b = (*this)(*otherwise);
    return {fmt::format("({} != 0 ? {} : {})", condition.text, a.text, b.text),
            std::min(a.least, b.least), std::max(a.most, b.most)};
  }

  PlainCode call(const ExpressionNode& node) const {
    if (node.function == Function::min || node.function == Function::max)
      return extreme(node);
    if (node.function != Function::ceil && node.function != Function::floor)
      throw NotPlain{};
    const ExpressionNode& inside = *node.first;
    const bool quotient = inside.kind == NodeKind::arithmetic && inside.children == 2 &&
                          inside.first->next->relation == Operator::divide;
    if (!quotient)
      return (*this)(inside); // an integer
    const PlainCode a = (*this)(*inside.first), b = (*this)(*inside.first->next);
    return node.function == Function::ceil                ? upwards(a, b)
           : a.most > exact_reals || b.most > exact_reals ? throw NotPlain{}
                                                          : division(Operator::floor_divide, a, b);
  }

  PlainCode extreme(const ExpressionNode& node) const {
    if (!node.text.empty() || node.children < 2) // max(parameter)
      throw NotPlain{};
    const bool least = node.function == Function::min;
    PlainCode best = (*this)(*node.first);
    for (const ExpressionNode* item = node.first->next; item; item = item->next) {
      const PlainCode one = (*this)(*item);
      const auto pick = [&](std::int64_t a, std::int64_t b) {
        return least ? std::min(a, b) : std::max(a, b);
      };
      best = ranged(fmt::format("{}<std::int64_t>({}, {})", least ? "lesser" : "greater", best.text,
                                one.text),
                    pick(best.least, one.least), pick(best.most, one.most));
    }
    return best;
  }

  const PlainNames& names_;
};

std::string real_of(const ExpressionNode& node,
                    const std::function<std::string(std::string_view)>& names) {
  if (node.kind == NodeKind::name) {
    std::string name = names(node.text);
    return name.empty() ? throw NotPlain{} : name;
  }
  if (node.kind == NodeKind::literal && node.text.empty() &&
      !std::holds_alternative<std::string>(node.value))
    return real_literal(to_number(node.value));
  if (node.kind != NodeKind::arithmetic)
    throw NotPlain{};
  std::string text = real_of(*node.first, names);
  for (const ExpressionNode* right = node.first->next; right; right = right->next) {
    constexpr std::string_view signs = "+-*/";
    const auto index =
        static_cast<std::size_t>(right->relation) - static_cast<std::size_t>(Operator::add);
    if (index >= signs.size())
      throw NotPlain{};
    text = fmt::format("({} {} {})", text, signs[index], real_of(*right, names));
  }
  return text;
}

} // namespace

std::optional<PlainCode> plain_code(const Expression& expression, const PlainNames& names) {
  try {
    return Prover(names)(expression.root());
  } catch (const NotPlain&) {
    return std::nullopt;
  }
}

std::optional<std::string> real_code(const Expression& expression,
                                     const std::function<std::string(std::string_view)>& names) {
  try {
    return real_of(expression.root(), names);
  } catch (const NotPlain&) {
    return std::nullopt;
  }
}

PlainCode plain_covering(const PlainCode& extent, std::int64_t divisor) {
  return divisor == 1 ? extent : upwards(extent, constant(divisor));
}

} // namespace gridsmith
