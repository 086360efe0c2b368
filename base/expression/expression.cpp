// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/expression/expression.hpp"

#include "gridsmith/base/expression/evaluate.hpp"
#include "gridsmith/base/expression/parser.hpp"

#include <mutex>

namespace gridsmith {

struct Expression::Parsed : detail::ExpressionArena {
  using ExpressionArena::ExpressionArena;

  const ExpressionNode* root = nullptr;
  mutable std::once_flag named; // names are wanted rarely, parsing is on the hot path
  mutable std::set<std::string> names;
};

namespace {

/// All nodes stand in one array in no special order; names are the leaves.
template <class Visit>
void each_name(const detail::ExpressionArena& arena, Visit visit) {
  for (std::size_t i = 0; i < arena.used; ++i)
    if (arena.nodes[i].kind == NodeKind::name)
      visit(arena.nodes[i]);
}

Lookup lookup_in(const Bindings& bindings) {
  return [&bindings](std::string_view name) -> const Value* {
    const auto found = bindings.find(std::string(name));
    return found == bindings.end() ? nullptr : &found->second;
  };
}

} // namespace

Expression Expression::parse(std::string_view text, Syntax syntax) {
  auto parsed = std::make_shared<Parsed>(text);
  detail::ExpressionParser parser(*parsed, syntax);
  parsed->root = parser.expression();
  parser.expect_end();
  Expression expression;
  expression.parsed_ = std::move(parsed);
  return expression;
}

Value Expression::evaluate(const Lookup& lookup) const {
  return detail::evaluate(parsed_->text, *parsed_->root, lookup);
}

Value Expression::evaluate(const Bindings& bindings) const {
  return detail::evaluate(parsed_->text, *parsed_->root, lookup_in(bindings), &bindings);
}

bool Expression::holds(const Lookup& lookup) const {
  return detail::holds(parsed_->text, *parsed_->root, lookup);
}

bool Expression::holds(const Bindings& bindings) const {
  return detail::holds(parsed_->text, *parsed_->root, lookup_in(bindings), &bindings);
}

const std::set<std::string>& Expression::names() const {
  std::call_once(parsed_->named, [this] {
    each_name(*parsed_, [this](const ExpressionNode& node) { parsed_->names.emplace(node.text); });
  });
  return parsed_->names;
}

std::set<std::string> Expression::vectors() const {
  std::set<std::string> all;
  for (std::size_t i = 0; i < parsed_->used; ++i)
    if (parsed_->nodes[i].kind == NodeKind::element)
      all.emplace(parsed_->nodes[i].text);
  return all;
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
