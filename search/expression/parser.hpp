// Tokens and parser behind Expression and parse_value_list. Not for use outside search/.
#pragma once

#include "gridsmith/search/expression/expression.hpp"
#include "gridsmith/search/expression/tree.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith::detail {

enum class TokenKind : std::uint8_t { end, integer, real, text, name, symbol };

struct Token {
  TokenKind kind = TokenKind::end;
  Operator op = Operator::none; ///< of a symbol or word that is a binary operator or relation
  std::uint32_t column = 0;     ///< from 1
  std::string_view text;        ///< without the quotes
};

/// The nodes of one text and what they point into.
struct ExpressionArena {
  explicit ExpressionArena(std::string_view source) : text(source) {}

  std::string text;
  std::unique_ptr<ExpressionNode[]> nodes;
  std::size_t used = 0;
  std::deque<std::string> strings; ///< names that do not stand in the text as one piece
};

/// @throws InputError "expression 'text', column N: message".
[[noreturn]] void fail_at(std::string_view text, std::size_t column, const std::string& message);

/// All tokens, the end last. @throws InputError
std::vector<Token> tokens_of(std::string_view text);

/// Evaluates one node of a text. @throws as Expression::evaluate
Value evaluate_node(const std::string& text, const ExpressionNode& node, const Lookup& lookup);

/// Reads expressions from one text, front to back; the arena owns what is read.
class ExpressionParser {
public:
  explicit ExpressionParser(ExpressionArena& arena);

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
  static void adopt(ExpressionNode* parent, ExpressionNode* child);
  ExpressionNode* unary_node(Operator op, std::uint32_t column, ExpressionNode* child);
  ExpressionNode* conditional_node();
  ExpressionNode* junction(NodeKind kind);
  ExpressionNode* negation();
  ExpressionNode* comparison();
  Operator relation();
  ExpressionNode* sum();
  ExpressionNode* product();
  ExpressionNode* sign();
  ExpressionNode* power();
  ExpressionNode* primary();
  ExpressionNode* number();
  ExpressionNode* name();
  ExpressionNode* call(const Token& word);
  ExpressionNode* group();
  void items(ExpressionNode* parent, std::string_view closing);
  ExpressionNode* fold(ExpressionNode* left, Operator op, std::uint32_t column,
                       ExpressionNode* right);

  ExpressionArena& arena_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

} // namespace gridsmith::detail
