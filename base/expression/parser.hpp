// SPDX-License-Identifier: Apache-2.0
// The parser behind Expression and parse_value_list. Only this folder and search/ use it.
#pragma once

#include "gridsmith/base/expression/lexer.hpp"
#include "gridsmith/base/expression/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith::detail {

class Siblings;

/// The nodes of one text and what they point into.
struct ExpressionArena {
  explicit ExpressionArena(std::string_view source) : text(source) {}

  std::string text;
  std::unique_ptr<ExpressionNode[]> nodes;
  std::size_t used = 0;
  std::deque<std::string> strings; ///< names that do not stand in the text as one piece
};

/// Reads expressions from one text, front to back; the arena owns what is read.
class ExpressionParser {
public:
  explicit ExpressionParser(ExpressionArena& arena, Syntax syntax = Syntax::plain);

  /// One expression from here on; stops at the first token that cannot belong to it.
  const ExpressionNode* expression();
  /// One operand of `or`: an expression that stops before a trailing `if`.
  const ExpressionNode* disjunction();
  /// The expression is all there is. @throws InputError when something follows.
  void expect_end() const;

  const Token& peek(std::size_t ahead = 0) const;
  bool accept(std::string_view symbol_or_word);
  void expect(std::string_view symbol_or_word);
  /// "expected WHAT, found TOKEN" at the token.
  [[noreturn]] void expected(std::string_view what) const;

private:
  ExpressionNode* make(NodeKind kind, std::uint32_t column);
  void enter(std::uint32_t column);
  ExpressionNode* unary_node(Operator op, std::uint32_t column, ExpressionNode* child);
  ExpressionNode* conditional_node();
  ExpressionNode* junction(NodeKind kind);
  ExpressionNode* negation();
  ExpressionNode* comparison();
  Operator relation();
  ExpressionNode* arithmetic(Operator first, Operator last);

  ExpressionNode* sum() { return arithmetic(Operator::add, Operator::subtract); }

  ExpressionNode* product() { return arithmetic(Operator::multiply, Operator::modulo); }

  ExpressionNode* sign();
  ExpressionNode* power();
  ExpressionNode* primary();
  ExpressionNode* number();
  ExpressionNode* name();
  ExpressionNode* element(const Token& word);
  ExpressionNode* call(const Token& word);
  ExpressionNode* power_call(const Token& word);
  ExpressionNode* group();
  void items(Siblings& all, std::string_view closing);

  ExpressionArena& arena_;
  Syntax syntax_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  unsigned depth_ = 0; ///< of what is open: ( [ not - ** else
};

} // namespace gridsmith::detail
