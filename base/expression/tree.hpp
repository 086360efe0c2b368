// SPDX-License-Identifier: Apache-2.0
// The tree of a parsed expression, for those who compile or analyse one (the search space). To
// evaluate an expression, expression.hpp is enough.
#pragma once

#include "gridsmith/base/expression/operators.hpp"
#include "gridsmith/base/value.hpp"

#include <cstdint>
#include <string_view>

namespace gridsmith {

enum class NodeKind : std::uint8_t {
  literal,     // value; of a whole number that no value holds, its digits in text
  name,        // text
  list,        // children
  unary,       // op, one child
  arithmetic,  // two or more children, from the left; each but the first carries its operator
  comparison,  // two or more children; each but the first carries the relation to its left one
  logical_and, // two or more children
  logical_or,  // two or more children
  conditional, // condition, then, else
  call,        // function, children
  element,     // of a vector: its name in text, one child; in formulas only
};

/// Nesting that no person writes; it keeps the stack safe of all that walk a tree.
inline constexpr unsigned deepest_nesting = 200;

/// One node; it lives in the arena of its Expression, as do its children and its text.
struct ExpressionNode {
  NodeKind kind = NodeKind::literal;
  Operator op = Operator::none;
  Operator relation = Operator::none; ///< of an operand that is not the first: how it is joined
  Function function = Function::none;
  std::uint32_t column = 0;   ///< from 1
  std::uint32_t children = 0; ///< how many
  std::uint32_t relation_column = 0;
  std::string_view text; ///< a name; of `max(x)` and `min(x)` of one name: that text
  Value value;
  const ExpressionNode* first = nullptr; ///< first child
  const ExpressionNode* next = nullptr;  ///< next sibling
};

/// What a node is to those who evaluate, prove or compile expressions. Each has literal(), name(), unary(), chain(),
/// comparison(), junction(), conditional() and call(), other() for lists and elements of vectors, and befriends this.
struct NodeVisit {
  static auto of(auto& visitor, const ExpressionNode& node) {
    switch (node.kind) {
    case NodeKind::literal:
      return visitor.literal(node);
    case NodeKind::name:
      return visitor.name(node);
    case NodeKind::unary:
      return visitor.unary(node);
    case NodeKind::arithmetic:
      return visitor.chain(node);
    case NodeKind::comparison:
      return visitor.comparison(node);
    case NodeKind::logical_and:
    case NodeKind::logical_or:
      return visitor.junction(node);
    case NodeKind::conditional:
      return visitor.conditional(node);
    case NodeKind::call:
      return visitor.call(node);
    case NodeKind::list:
    case NodeKind::element:
      break;
    }
    return visitor.other(node);
  }
};

} // namespace gridsmith
