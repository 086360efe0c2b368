#include "gridsmith/search/expression/expression.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/search/expression/arithmetic.hpp"
#include "gridsmith/search/expression/parser.hpp"
#include "gridsmith/search/expression/tree.hpp"

#include <mutex>

namespace gridsmith {

using detail::arithmetic;
using detail::compare;
using detail::Trouble;

struct Expression::Parsed : detail::ExpressionArena {
  using ExpressionArena::ExpressionArena;

  const ExpressionNode* root = nullptr;
  mutable std::once_flag named; // names are wanted rarely, parsing is on the hot path
  mutable std::set<std::string> names;
};

namespace {

std::string words_of(Trouble trouble) {
  switch (trouble) {
  case Trouble::division_by_zero:
    return "division by zero";
  case Trouble::overflow:
    return "the number is too large";
  default:
    return "the arithmetic has no answer";
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
    detail::fail_at(text_, node.column, "a list can stand only after 'in' or in min() and max()");
  }

private:
  void check(Trouble trouble, const ExpressionNode& node) const {
    if (trouble == Trouble::none)
      return;
    if (trouble == Trouble::wrong_type)
      detail::fail_at(text_, node.column, "a text cannot be used here with a number");
    throw EvaluationError("expression '" + text_ + "', column " + std::to_string(node.column) +
                          ": " + words_of(trouble));
  }

  Value name(const ExpressionNode& node) const {
    if (const Value* value = lookup_(node.text))
      return *value;
    std::vector<std::string> choices;
    if (known_)
      for (const auto& [key, value] : *known_)
        choices.push_back(key);
    detail::fail_at(text_, node.column,
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
          detail::fail_at(text_, right->column, "nothing can be compared with a list");
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
      detail::fail_at(text_, list.column, "expected a list after 'in'");
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
        detail::fail_at(text_, node.column, "the list is empty");
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

/// All nodes stand in one array in no special order; names are the leaves.
template <class Visit>
void each_name(const detail::ExpressionArena& arena, Visit visit) {
  for (std::size_t i = 0; i < arena.used; ++i)
    if (arena.nodes[i].kind == NodeKind::name)
      visit(arena.nodes[i]);
}

} // namespace

Value detail::evaluate_node(const std::string& text, const ExpressionNode& node,
                            const Lookup& lookup) {
  return Evaluator(text, lookup, nullptr)(node);
}

Expression Expression::parse(std::string_view text) {
  auto parsed = std::make_shared<Parsed>(text);
  detail::ExpressionParser parser(*parsed);
  parsed->root = parser.expression();
  parser.expect_end();
  Expression expression;
  expression.parsed_ = std::move(parsed);
  return expression;
}

Value Expression::evaluate(const Lookup& lookup) const {
  return Evaluator(parsed_->text, lookup, nullptr)(*parsed_->root);
}

Value Expression::evaluate(const Bindings& bindings) const {
  const Lookup lookup = [&bindings](std::string_view name) -> const Value* {
    const auto found = bindings.find(std::string(name));
    return found == bindings.end() ? nullptr : &found->second;
  };
  return Evaluator(parsed_->text, lookup, &bindings)(*parsed_->root);
}

const std::set<std::string>& Expression::names() const {
  std::call_once(parsed_->named, [this] {
    each_name(*parsed_, [this](const ExpressionNode& node) { parsed_->names.emplace(node.text); });
  });
  return parsed_->names;
}

std::size_t Expression::column_of(std::string_view name) const {
  std::size_t column = 0;
  each_name(*parsed_, [&](const ExpressionNode& node) {
    if (node.text == name && (column == 0 || node.column < column))
      column = node.column;
  });
  return column;
}

const std::string& Expression::text() const {
  return parsed_->text;
}

const ExpressionNode& Expression::root() const {
  return *parsed_->root;
}

bool is_true(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? !text->empty() : to_number(value) != 0;
}

} // namespace gridsmith
