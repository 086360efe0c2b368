#include "gridsmith/search/expression/evaluate.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/search/expression/arithmetic.hpp"
#include "gridsmith/search/expression/lexer.hpp"

namespace gridsmith::detail {
namespace {

std::string words_of(Fault fault) {
  switch (fault) {
  case Fault::division_by_zero:
    return "division by zero";
  case Fault::overflow:
    return "the number is too large";
  default:
    return "the result is undefined";
  }
}

/// Evaluates the nodes of one expression with one lookup.
class Evaluator {
public:
  Evaluator(const std::string& text, const Lookup& lookup, const Bindings* known)
      : text_(text), lookup_(lookup), known_(known) {}

  Value operator()(const ExpressionNode& node) const {
    switch (node.kind) {
    case NodeKind::literal:
      return node.value;
    case NodeKind::name:
      return name(node);
    case NodeKind::unary:
      return unary(node);
    case NodeKind::binary:
      return binary(node);
    case NodeKind::comparison:
      return comparison(node);
    case NodeKind::logical_and:
    case NodeKind::logical_or:
      return junction(node);
    case NodeKind::conditional:
      return conditional(node);
    case NodeKind::call:
      return call(node);
    case NodeKind::list:
      break;
    }
    fail_at(text_, node.column, "a list can stand only after 'in' or in min() and max()");
  }

private:
  void check(Fault fault, const ExpressionNode& node) const {
    if (fault == Fault::none)
      return;
    if (fault == Fault::wrong_type)
      fail_at(text_, node.column, "a text cannot be used here with a number");
    throw EvaluationError("expression '" + text_ + "', column " + std::to_string(node.column) +
                          ": " + words_of(fault));
  }

  Value name(const ExpressionNode& node) const {
    if (const Value* value = lookup_(node.text))
      return *value;
    std::vector<std::string> choices;
    if (known_)
      for (const auto& [key, value] : *known_)
        choices.push_back(key);
    fail_at(text_, node.column,
            known_ ? unknown_name("name", node.text, choices)
                   : "unknown name '" + std::string(node.text) + "'");
  }

  Value unary(const ExpressionNode& node) const {
    const Value operand = (*this)(*node.first);
    if (node.op == Operator::logical_not)
      return !is_true(operand);
    Value result;
    check(arithmetic(node.op, operand, result), node);
    return result;
  }

  Value binary(const ExpressionNode& node) const {
    const Value left = (*this)(*node.first);
    const Value right = (*this)(*node.first->next);
    Value result;
    check(arithmetic(node.op, left, right, result), node);
    return result;
  }

  Value comparison(const ExpressionNode& node) const {
    Value left = (*this)(*node.first);
    for (const ExpressionNode* right = node.first->next; right; right = right->next) {
      const bool member = right->relation == Operator::in || right->relation == Operator::not_in;
      if (member) {
        if (contains(*right, left) != (right->relation == Operator::in))
          return false;
        if (right->next)
          fail_at(text_, right->column, "nothing can be compared with a list");
        return true;
      }
      Value value = (*this)(*right);
      bool holds = false;
      check(compare(right->relation, left, value, holds), node);
      if (!holds)
        return false;
      left = std::move(value);
    }
    return true;
  }

  bool contains(const ExpressionNode& list, const Value& value) const {
    if (list.kind == NodeKind::list) {
      bool found = false;
      for (const ExpressionNode* item = list.first; item && !found; item = item->next)
        found = same_value((*this)(*item), value);
      return found;
    }
    const Value whole = (*this)(list);
    const auto* text = std::get_if<std::string>(&whole);
    const auto* part = std::get_if<std::string>(&value);
    if (!text || !part)
      fail_at(text_, list.column, "expected a list after 'in'");
    return text->find(*part) != std::string::npos;
  }

  Value junction(const ExpressionNode& node) const {
    const bool stop_at = node.kind == NodeKind::logical_or;
    Value value;
    for (const ExpressionNode* child = node.first; child; child = child->next) {
      value = (*this)(*child);
      if (is_true(value) == stop_at)
        break;
    }
    return value;
  }

  Value conditional(const ExpressionNode& node) const {
    const ExpressionNode* then = node.first->next;
    return is_true((*this)(*node.first)) ? (*this)(*then) : (*this)(*then->next);
  }

  Value call(const ExpressionNode& node) const {
    if (node.function == Function::min || node.function == Function::max)
      return extreme(node);
    const Value operand = (*this)(*node.first);
    Value result;
    check(arithmetic(node.function, operand, result), node);
    return result;
  }

  Value extreme(const ExpressionNode& node) const {
    if (!node.text.empty()) // max(parameter): the caller may mean the largest of its values
      if (const Value* value = lookup_(node.text))
        return *value;
    const ExpressionNode* item = node.first;
    if (node.children == 1 && item->kind == NodeKind::list) {
      item = item->first;
      if (!item)
        fail_at(text_, node.column, "the list is empty");
    }
    const Operator better = node.function == Function::min ? Operator::less : Operator::greater;
    Value best = (*this)(*item);
    while ((item = item->next)) {
      Value value = (*this)(*item);
      bool wins = false;
      check(compare(better, value, best, wins), node);
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
  return Evaluator(text, lookup, known)(node);
}

} // namespace gridsmith::detail
