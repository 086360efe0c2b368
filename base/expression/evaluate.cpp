// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/expression/evaluate.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/arithmetic.hpp"
#include "gridsmith/base/expression/lexer.hpp"

#include <type_traits>
#include <utility>

namespace gridsmith::detail {
namespace {

std::string words_of(Fault fault) {
  switch (fault) {
  case Fault::division_by_zero:
    return "division by zero";
  case Fault::overflow:
  case Fault::too_large:
    return "the number is too large: integers have at most 4096 bits, reals end at 1.8e308";
  default:
    return "the result is undefined";
  }
}

/// Evaluates the nodes of one expression with one lookup.
class Evaluator {
public:
  Evaluator(const std::string& text, const Lookup& lookup, const Bindings* known)
      : text_(text), lookup_(lookup), known_(known) {}

  Operand operator()(const ExpressionNode& node) const { return NodeVisit::of(*this, node); }

private:
  friend NodeVisit;

  /// No plain expression has an element of a vector.
  [[noreturn]] Operand other(const ExpressionNode& node) const {
    fail_at(text_, node.column, "a list can stand only after 'in' or in min() and max()");
  }

  void check(Fault fault, std::uint32_t column) const {
    if (fault == Fault::none)
      return;
    if (fault == Fault::wrong_type)
      fail_at(text_, column, "a text cannot be used here with a number");
    const std::string line = place_in(text_, column) + ": " + words_of(fault);
    if (fault == Fault::too_large)
      throw NumberTooLarge(line);
    throw EvaluationError(line);
  }

  static Operand literal(const ExpressionNode& node) {
    if (node.text.empty())
      return to_operand(node.value);
    const bool hex = node.text.size() > 2 && (node.text[1] == 'x' || node.text[1] == 'X');
    return *BigInteger::from_digits(node.text.substr(hex ? 2 : 0), hex ? 16 : 10);
  }

  Operand name(const ExpressionNode& node) const {
    if (const Value* value = lookup_(node.text))
      return to_operand(*value);
    std::vector<std::string> choices;
    if (known_)
      for (const auto& [key, value] : *known_)
        choices.push_back(key);
    fail_at(text_, node.column,
            known_ ? unknown_name("name", node.text, choices)
                   : "unknown name '" + std::string(node.text) + "'");
  }

  Operand unary(const ExpressionNode& node) const {
    const Operand operand = (*this)(*node.first);
    if (node.op == Operator::logical_not)
      return !is_true(operand);
    Operand result;
    check(arithmetic(node.op, operand, result), node.column);
    return result;
  }

  Operand chain(const ExpressionNode& node) const {
    Operand left = (*this)(*node.first);
    for (const ExpressionNode* right = node.first->next; right; right = right->next) {
      Operand result;
      check(arithmetic(right->relation, left, (*this)(*right), result), right->relation_column);
      left = std::move(result);
    }
    return left;
  }

  Operand comparison(const ExpressionNode& node) const {
    Operand left = (*this)(*node.first);
    for (const ExpressionNode* right = node.first->next; right; right = right->next) {
      const bool member = right->relation == Operator::in || right->relation == Operator::not_in;
      if (member) {
        if (contains(*right, left) != (right->relation == Operator::in))
          return false;
        if (right->next)
          fail_at(text_, right->column, "nothing can be compared with a list");
        return true;
      }
      Operand value = (*this)(*right);
      bool stands = false;
      check(compare(right->relation, left, value, stands), right->relation_column);
      if (!stands)
        return false;
      left = std::move(value);
    }
    return true;
  }

  bool contains(const ExpressionNode& list, const Operand& value) const {
    if (list.kind == NodeKind::list) {
      bool found = false; // as in Python every element has to have a value
      for (const ExpressionNode* item = list.first; item; item = item->next) {
        bool same = false;
        check(compare(Operator::equal, (*this)(*item), value, same), item->column);
        found = found || same;
      }
      return found;
    }
    const Operand whole = (*this)(list);
    const auto* text = std::get_if<std::string>(&whole);
    const auto* part = std::get_if<std::string>(&value);
    if (!text || !part)
      fail_at(text_, list.column, "expected a list after 'in'");
    return text->find(*part) != std::string::npos;
  }

  Operand junction(const ExpressionNode& node) const {
    const bool stop_at = node.kind == NodeKind::logical_or;
    Operand value;
    for (const ExpressionNode* child = node.first; child; child = child->next) {
      value = (*this)(*child);
      if (is_true(value) == stop_at)
        break;
    }
    return value;
  }

  Operand conditional(const ExpressionNode& node) const {
    const ExpressionNode* then = node.first->next;
    return is_true((*this)(*node.first)) ? (*this)(*then) : (*this)(*then->next);
  }

  Operand call(const ExpressionNode& node) const {
    if (node.function == Function::min || node.function == Function::max)
      return extreme(node);
    const Operand operand = (*this)(*node.first);
    Operand result;
    check(arithmetic(node.function, operand, result), node.column);
    return result;
  }

  Operand extreme(const ExpressionNode& node) const {
    if (!node.text.empty()) // max(parameter): the caller may mean the largest of its values
      if (const Value* value = lookup_(node.text))
        return to_operand(*value);
    const ExpressionNode* item = node.first;
    const bool alone = node.children == 1 && item->kind != NodeKind::list;
    if (node.children == 1 && !alone) {
      item = item->first;
      if (!item)
        fail_at(text_, node.column, "the list is empty");
    }
    const Operator better = node.function == Function::min ? Operator::less : Operator::greater;
    Operand best = (*this)(*item);
    if (alone && std::holds_alternative<std::string>(best)) // Python: one of its letters
      fail_at(text_, node.column, "min() and max() of one text; expected numbers or a list");
    while ((item = item->next)) {
      Operand value = (*this)(*item);
      bool wins = false;
      check(compare(better, value, best, wins), node.column);
      if (wins)
        best = std::move(value);
    }
    return best;
  }

  const std::string& text_;
  const Lookup& lookup_;
  const Bindings* known_;
};

} // namespace

Value evaluate(const std::string& text, const ExpressionNode& node, const Lookup& lookup,
               const Bindings* known) {
  return std::visit(
      [&](auto&& held) -> Value {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, BigInteger>)
          throw NumberTooLarge(place_in(text, node.column) + ": the result has more than 64 bits");
        else
          return std::forward<decltype(held)>(held);
      },
      Evaluator(text, lookup, known)(node));
}

bool holds(const std::string& text, const ExpressionNode& node, const Lookup& lookup,
           const Bindings* known) {
  return is_true(Evaluator(text, lookup, known)(node));
}

} // namespace gridsmith::detail
