// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/expression/parser.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/big_integer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace gridsmith::detail {
namespace {

struct FunctionName {
  std::string_view text;
  Function function;
};

constexpr std::array<FunctionName, 16> functions{{
    {"min", Function::min},
    {"max", Function::max},
    {"abs", Function::abs},
    {"ceil", Function::ceil},
    {"floor", Function::floor},
    {"log2", Function::log2},
    {"round", Function::round},
    {"int", Function::integer},
    {"sqrt", Function::sqrt},
    {"exp", Function::exp},
    {"log", Function::log},
    {"sin", Function::sin},
    {"cos", Function::cos},
    {"tan", Function::tan},
    {"tanh", Function::tanh},
    {"sum", Function::sum},
}};

bool stands_in(Syntax syntax, Function function) {
  return function <= Function::integer || syntax == Syntax::formula ||
         (syntax == Syntax::reals && function < Function::sum);
}

bool is_keyword(std::string_view word) {
  return word == "and" || word == "or" || word == "not" || word == "in" || word == "if" ||
         word == "else" || word == "for";
}

} // namespace

/// The children of a node as they come.
class Siblings {
public:
  explicit Siblings(ExpressionNode* parent) : parent_(parent) {}

  void add(ExpressionNode* child) {
    ++parent_->children;
    (last_ ? last_->next : parent_->first) = child;
    last_ = child;
  }

  void add(ExpressionNode* child, Operator relation, std::uint32_t column) {
    child->relation = relation;
    child->relation_column = column;
    add(child);
  }

private:
  ExpressionNode* parent_;
  ExpressionNode* last_ = nullptr;
};

ExpressionParser::ExpressionParser(ExpressionArena& arena, Syntax syntax)
    : arena_(arena), syntax_(syntax), tokens_(tokens_of(arena.text)) {
  // Every node but a literal True stands for at least one token; a comparison's own node and a
  // group's list are paid for by their operator and bracket.
  arena_.nodes = std::make_unique<ExpressionNode[]>(tokens_.size() + 1);
}

const ExpressionNode* ExpressionParser::expression() {
  return conditional_node();
}

const ExpressionNode* ExpressionParser::disjunction() {
  return junction(NodeKind::logical_or);
}

void ExpressionParser::expect_end() const {
  if (peek().kind != TokenKind::end)
    expected("an operator or the end");
}

const Token& ExpressionParser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool ExpressionParser::accept(std::string_view symbol_or_word) {
  const Token& token = peek();
  if ((token.kind != TokenKind::symbol && token.kind != TokenKind::name) ||
      token.text != symbol_or_word)
    return false;
  ++at_;
  return true;
}

void ExpressionParser::expect(std::string_view symbol_or_word) {
  if (!accept(symbol_or_word))
    expected("'" + std::string(symbol_or_word) + "'");
}

void ExpressionParser::expected(std::string_view what) const {
  const Token& token = peek();
  const std::string found =
      token.kind == TokenKind::end ? "the end" : "'" + std::string(token.text) + "'";
  fail_at(arena_.text, token.column, "expected " + std::string(what) + ", found " + found);
}

ExpressionNode* ExpressionParser::make(NodeKind kind, std::uint32_t column) {
  ExpressionNode* node = &arena_.nodes[arena_.used++];
  node->kind = kind;
  node->column = column;
  return node;
}

/// One level deeper; whoever enters takes one off depth_ again.
void ExpressionParser::enter(std::uint32_t column) {
  if (++depth_ > deepest_nesting)
    fail_at(arena_.text, column,
            "nested too deeply, the limit is " + std::to_string(deepest_nesting));
}

ExpressionNode* ExpressionParser::unary_node(Operator op, std::uint32_t column,
                                             ExpressionNode* child) {
  ExpressionNode* node = make(NodeKind::unary, column);
  node->op = op;
  Siblings(node).add(child);
  return node;
}

ExpressionNode* ExpressionParser::conditional_node() {
  enter(peek().column);
  ExpressionNode* node = junction(NodeKind::logical_or);
  if (const std::uint32_t column = peek().column; accept("if")) {
    ExpressionNode* then = node;
    node = make(NodeKind::conditional, column);
    Siblings parts(node);
    parts.add(junction(NodeKind::logical_or));
    parts.add(then);
    expect("else");
    parts.add(conditional_node());
  }
  --depth_;
  return node;
}

ExpressionNode* ExpressionParser::junction(NodeKind kind) {
  const bool is_or = kind == NodeKind::logical_or;
  const auto operand = [&] { return is_or ? junction(NodeKind::logical_and) : negation(); };
  const auto more = [&] {
    return is_or ? accept("or") || accept("||") : accept("and") || accept("&&");
  };
  ExpressionNode* const first = operand();
  if (!more())
    return first;
  ExpressionNode* node = make(kind, tokens_[at_ - 1].column);
  Siblings all(node);
  all.add(first);
  do
    all.add(operand());
  while (more());
  return node;
}

ExpressionNode* ExpressionParser::negation() {
  const std::uint32_t column = peek().column;
  if (!accept("not"))
    return comparison();
  enter(column);
  ExpressionNode* node = unary_node(Operator::logical_not, column, negation());
  --depth_;
  return node;
}

Operator ExpressionParser::relation() {
  const Token& token = peek();
  if (token.kind == TokenKind::symbol && token.op >= Operator::equal &&
      token.op <= Operator::greater_equal) {
    ++at_;
    return token.op;
  }
  if (token.kind != TokenKind::name)
    return Operator::none;
  if (accept("in"))
    return Operator::in;
  if (token.text == "not" && peek(1).kind == TokenKind::name && peek(1).text == "in") {
    at_ += 2;
    return Operator::not_in;
  }
  return Operator::none;
}

ExpressionNode* ExpressionParser::comparison() {
  ExpressionNode* const first = sum();
  std::uint32_t column = peek().column;
  Operator op = relation();
  if (op == Operator::none)
    return first;
  ExpressionNode* node = make(NodeKind::comparison, column);
  Siblings all(node);
  all.add(first);
  while (op != Operator::none) {
    all.add(sum(), op, column);
    column = peek().column;
    op = relation();
  }
  return node;
}

/// Operands joined by operators of one rank.
ExpressionNode* ExpressionParser::arithmetic(Operator first, Operator last) {
  const auto operand = [&] { return first == Operator::add ? product() : sign(); };
  const auto joins = [&](const Token& token) { return token.op >= first && token.op <= last; };
  ExpressionNode* const left = operand();
  if (!joins(peek()))
    return left;
  ExpressionNode* node = make(NodeKind::arithmetic, peek().column);
  Siblings all(node);
  all.add(left);
  while (joins(peek())) {
    const Token& token = peek();
    ++at_;
    all.add(operand(), token.op, token.column);
  }
  return node;
}

ExpressionNode* ExpressionParser::sign() {
  const std::uint32_t column = peek().column;
  const Operator op = accept("-")   ? Operator::negate
                      : accept("+") ? Operator::plus
                      : accept("!") ? Operator::logical_not
                                    : Operator::none;
  if (op == Operator::none)
    return power();
  enter(column);
  ExpressionNode* node = unary_node(op, column, sign());
  --depth_;
  return node;
}

ExpressionNode* ExpressionParser::power() {
  ExpressionNode* base = primary();
  const std::uint32_t column = peek().column;
  if (!accept("**"))
    return base;
  enter(column);
  ExpressionNode* node = make(NodeKind::arithmetic, column);
  Siblings both(node);
  both.add(base);
  both.add(sign(), Operator::power, column);
  --depth_;
  return node;
}

ExpressionNode* ExpressionParser::primary() {
  const Token& token = peek();
  switch (token.kind) {
  case TokenKind::integer:
  case TokenKind::real:
    return number();
  case TokenKind::text: {
    ++at_;
    ExpressionNode* node = make(NodeKind::literal, token.column);
    node->value = std::string(token.text);
    return node;
  }
  case TokenKind::name:
    return name();
  default:
    return group();
  }
}

ExpressionNode* ExpressionParser::number() {
  const Token& token = peek();
  ++at_;
  ExpressionNode* node = make(NodeKind::literal, token.column);
  const bool hex = token.text.size() > 2 && (token.text[1] == 'x' || token.text[1] == 'X');
  const std::string_view digits = token.text.substr(hex ? 2 : 0);
  const char* end = digits.data() + digits.size();
  const std::from_chars_result read =
      token.kind == TokenKind::real
          ? std::from_chars(digits.data(), end, node->value.emplace<double>())
          : std::from_chars(digits.data(), end, node->value.emplace<std::int64_t>(), hex ? 16 : 10);
  if (read.ec == std::errc{} && read.ptr == end)
    return node;
  if (token.kind == TokenKind::real || !BigInteger::from_digits(digits, hex ? 16 : 10))
    fail_at(arena_.text, token.column,
            "the number '" + std::string(token.text) + "' cannot be represented");
  node->text = token.text;
  return node;
}

ExpressionNode* ExpressionParser::name() {
  const Token& word = peek();
  if (syntax_ == Syntax::formula && peek(1).kind == TokenKind::symbol && peek(1).text == "[" &&
      (word.text == "in" || !is_keyword(word.text))) // C may call a vector so; no list stands here
    return element(word);
  if (is_keyword(word.text))
    expected("a value");
  ++at_;
  if (word.text == "True" || word.text == "true" || word.text == "False" || word.text == "false") {
    ExpressionNode* node = make(NodeKind::literal, word.column);
    node->value = word.text.size() == 4;
    return node;
  }
  if (peek().kind == TokenKind::symbol && peek().text == "(")
    return call(word);
  ExpressionNode* node = make(NodeKind::name, word.column);
  node->text = word.text;
  if (accept("[")) {
    if (peek().kind != TokenKind::integer)
      expected("a whole number as index");
    node->text =
        arena_.strings.emplace_back(std::string(word.text) + "[" + std::string(peek().text) + "]");
    ++at_;
    expect("]");
  }
  return node;
}

ExpressionNode* ExpressionParser::element(const Token& word) {
  at_ += 2;
  ExpressionNode* node = make(NodeKind::element, word.column);
  node->text = word.text;
  Siblings(node).add(conditional_node());
  expect("]");
  return node;
}

/// pow(a, b): Python's other way to write a ** b.
ExpressionNode* ExpressionParser::power_call(const Token& word) {
  ExpressionNode* node = make(NodeKind::arithmetic, word.column);
  expect("(");
  Siblings both(node);
  both.add(conditional_node());
  const std::uint32_t column = peek().column;
  expect(",");
  both.add(conditional_node(), Operator::power, column);
  expect(")");
  return node;
}

ExpressionNode* ExpressionParser::call(const Token& word) {
  if (word.text == "pow")
    return power_call(word);
  ExpressionNode* node = make(NodeKind::call, word.column);
  for (const FunctionName& known : functions)
    if (known.text == word.text && stands_in(syntax_, known.function))
      node->function = known.function;
  if (node->function == Function::none) {
    std::vector<std::string> names;
    for (const FunctionName& known : functions)
      if (stands_in(syntax_, known.function))
        names.emplace_back(known.text);
    names.emplace_back("pow");
    fail_at(arena_.text, word.column, unknown_name("function", word.text, names));
  }
  expect("(");
  Siblings arguments(node);
  items(arguments, ")");
  if (node->function == Function::sum) {
    if (node->children != 3 || node->first->kind != NodeKind::name)
      fail_at(arena_.text, word.column,
              "sum() takes a name, a count and a term, as in sum(l, n, a[l])");
    return node;
  }
  const bool extreme = node->function == Function::min || node->function == Function::max;
  if (node->children == 0 || (!extreme && node->children != 1))
    fail_at(arena_.text, word.column,
            std::string(word.text) + "() takes " + (extreme ? "at least one value" : "one value") +
                ", found " + std::to_string(node->children));
  if (extreme && node->children == 1 && node->first->kind == NodeKind::name)
    node->text = arena_.strings.emplace_back(std::string(word.text) + "(" +
                                             std::string(node->first->text) + ")");
  return node;
}

void ExpressionParser::items(Siblings& all, std::string_view closing) {
  while (!accept(closing)) {
    all.add(conditional_node());
    if (!accept(",") && !(peek().kind == TokenKind::symbol && peek().text == closing))
      expected("',' or '" + std::string(closing) + "'");
  }
}

ExpressionNode* ExpressionParser::group() {
  const std::uint32_t column = peek().column;
  if (accept("[")) {
    ExpressionNode* list = make(NodeKind::list, column);
    Siblings all(list);
    items(all, "]");
    return list;
  }
  if (!accept("("))
    expected("a value");
  if (accept(")"))
    return make(NodeKind::list, column);
  ExpressionNode* inner = conditional_node();
  if (accept(",")) {
    ExpressionNode* list = make(NodeKind::list, column);
    Siblings all(list);
    all.add(inner);
    items(all, ")");
    return list;
  }
  expect(")");
  return inner;
}

} // namespace gridsmith::detail
