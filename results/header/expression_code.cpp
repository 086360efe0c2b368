// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/header/expression_code.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/tree.hpp"
#include "gridsmith/results/header/cpp_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

namespace gridsmith {
namespace {

/// By Operator. A call where C++ has no operator of that meaning.
constexpr std::array<std::string_view, 19> operator_words = {
    "",   "-",  "+", "!",  "+", "-",  "*", "/", "floor_divide", "%", "power",
    "==", "!=", "<", "<=", ">", ">=", "",  ""};

/// By Function.
constexpr std::array<std::string_view, 9> function_words = {
    "", "min", "max", "absolute", "ceil", "floor", "log2", "round", "truncate"};

std::string_view word(Operator op) {
  return operator_words.at(static_cast<std::size_t>(op));
}

/// Code of one node. How it must be wrapped to be an operand follows from `simple`.
struct Code {
  std::string text;
  bool simple = true;   ///< a name, a call or in parentheses
  bool literal = false; ///< a bare number: C++ would compute with it by itself
};

class Writer {
public:
  Writer(const Expression& expression, const CodeNames& names)
      : expression_(expression), names_(names) {}

  std::string whole() const { return number(code(expression_.root())); }

private:
  friend NodeVisit;

  [[noreturn]] void fail(const ExpressionNode& node, std::string_view what) const {
    throw InputError(fmt::format("'{}', column {}: {}", expression_.text(), node.column, what));
  }

  /// As a Number whatever stands beside it.
  static std::string number(const Code& code) {
    return code.literal ? "Number(" + code.text + ")" : code.text;
  }

  static std::string operand(const Code& code) {
    return code.simple ? code.text : "(" + code.text + ")";
  }

  Code code(const ExpressionNode& node) const { return NodeVisit::of(*this, node); }

  Code unary(const ExpressionNode& node) const {
    return {fmt::format("{}({})", word(node.op), number(code(*node.first))), false};
  }

  [[noreturn]] Code other(const ExpressionNode& node) const {
    fail(node, "a list can stand only after 'in' or in min() and max()");
  }

  Code literal(const ExpressionNode& node) const {
    if (!node.text.empty()) // of more than 64 bits
      return {"Number()"};
    if (std::holds_alternative<std::string>(node.value))
      fail(node, "a text can only be compared, by == != in");
    if (const auto* real = std::get_if<double>(&node.value))
      return std::isfinite(*real) ? Code{real_literal(*real), true, true} : Code{"Number()"};
    return {fmt::format("{}", static_cast<std::int64_t>(whole_of(node.value))), true, true};
  }

  static std::int64_t whole_of(const Value& value) {
    const auto* truth = std::get_if<bool>(&value);
    return truth ? (*truth ? 1 : 0) : std::get<std::int64_t>(value);
  }

  const CodeName& meaning(const ExpressionNode& node) const {
    const CodeName* found = names_(node.text);
    if (!found)
      fail(node, fmt::format("'{}' has no meaning in C++", node.text));
    return *found;
  }

  Code name(const ExpressionNode& node) const {
    const CodeName& found = meaning(node);
    if (!found.enumerators.empty())
      fail(node, "a text can only be compared, by == != in");
    return {found.code};
  }

  /// Joined from the left. Of two bare literals the first becomes a Number.
  Code join(const Code& left, Operator op, const Code& right) const {
    const std::string_view sign = word(op);
    const std::string first = left.literal && right.literal ? number(left) : operand(left);
    if (op == Operator::floor_divide || op == Operator::power)
      return {fmt::format("{}({}, {})", sign, number(left), number(right))};
    return {fmt::format("{} {} {}", first, sign, operand(right)), false};
  }

  /// Operators of one chain have one precedence, as in C++; only the calls among them end it.
  Code chain(const ExpressionNode& node) const {
    Code left = code(*node.first);
    for (const ExpressionNode* right = node.first->next; right; right = right->next) {
      left = join(left, right->relation, code(*right));
      left.simple = true; // as a left operand
    }
    left.simple = is_call(node);
    return left;
  }

  static bool is_call(const ExpressionNode& chain) {
    Operator last = Operator::none;
    for (const ExpressionNode* right = chain.first->next; right; right = right->next)
      last = right->relation;
    return last == Operator::floor_divide || last == Operator::power;
  }

  static bool is_text(const ExpressionNode& node, const CodeNames& names) {
    if (node.kind == NodeKind::literal)
      return node.text.empty() && std::holds_alternative<std::string>(node.value);
    if (node.kind != NodeKind::name)
      return false;
    const CodeName* found = names(node.text);
    return found && !found->enumerators.empty();
  }

  /// Of texts, and of a text and a number, which are never equal.
  Code equality(const ExpressionNode& a, const ExpressionNode& b, bool equal) const {
    if (!is_text(a, names_) && !is_text(b, names_))
      return join(code(a), equal ? Operator::equal : Operator::not_equal, code(b));
    if (!is_text(a, names_) || !is_text(b, names_))
      return {fmt::format("Number({})", !equal)};
    const std::string_view sign = equal ? "==" : "!=";
    if (a.kind == NodeKind::name && b.kind == NodeKind::name)
      return {fmt::format("Number({}same_text(text({}), text({})))", equal ? "" : "!",
                          meaning(a).code, meaning(b).code)};
    if (a.kind == NodeKind::literal && b.kind == NodeKind::literal)
      return {fmt::format("Number({})", (a.value == b.value) == equal)};
    const ExpressionNode& named = a.kind == NodeKind::name ? a : b;
    const ExpressionNode& text = a.kind == NodeKind::name ? b : a;
    const auto& choices = meaning(named).enumerators;
    const auto found = choices.find(std::get<std::string>(text.value));
    if (found == choices.end())
      return {fmt::format("Number({})", !equal)};
    return {fmt::format("Number({} {} {})", meaning(named).code, sign, found->second)};
  }

  /// As in Python every element has to have a value, so the joining is by |.
  Code membership(const ExpressionNode& value, const ExpressionNode& list, bool inside) const {
    if (list.kind != NodeKind::list)
      fail(list, "'in' needs a list here");
    std::string text;
    for (const ExpressionNode* item = list.first; item; item = item->next)
      text += (text.empty() ? "" : " | ") + operand_of(equality(value, *item, true));
    if (text.empty())
      text = "Number(false)";
    return inside ? Code{"(" + text + ")"} : Code{"!(" + text + ")", false};
  }

  static std::string operand_of(const Code& code) { return "(" + number(code) + ")"; }

  Code relation(const ExpressionNode& left, const ExpressionNode& right) const {
    const Operator op = right.relation;
    if (op == Operator::in || op == Operator::not_in)
      return membership(left, right, op == Operator::in);
    if (op == Operator::equal || op == Operator::not_equal)
      return equality(left, right, op == Operator::equal);
    return join(code(left), op, code(right));
  }

  Code comparison(const ExpressionNode& node) const {
    std::optional<Code> all;
    const ExpressionNode* left = node.first;
    for (const ExpressionNode* right = left->next; right; left = right, right = right->next) {
      const Code one = relation(*left, *right);
      all = all ? Code{operand(*all) + " && " + operand(one), false} : one;
    }
    return *all;
  }

  Code junction(const ExpressionNode& node) const {
    const std::string sign = node.kind == NodeKind::logical_and ? " && " : " || ";
    std::string text;
    for (const ExpressionNode* child = node.first; child; child = child->next) {
      const Code one = code(*child);
      text += (text.empty() ? "" : sign) + (one.literal ? number(one) : operand(one));
    }
    return {text, false};
  }

  Code conditional(const ExpressionNode& node) const {
    const ExpressionNode* then = node.first->next;
    return {fmt::format("select({}, {}, {})", number(code(*node.first)), number(code(*then)),
                        number(code(*then->next)))};
  }

  Code call(const ExpressionNode& node) const {
    const auto index = static_cast<std::size_t>(node.function);
    if (index >= function_words.size())
      fail(node, "the function is of formulas only");
    if (node.function == Function::min || node.function == Function::max)
      return extreme(node);
    if (node.function == Function::ceil && is_quotient(*node.first))
      return {fmt::format("ceil_divide({}, {})", number(code(*node.first->first)),
                          number(code(*node.first->first->next)))};
    return {fmt::format("{}({})", function_words[index], number(code(*node.first)))};
  }

  static bool is_quotient(const ExpressionNode& node) {
    return node.kind == NodeKind::arithmetic && node.children == 2 &&
           node.first->next->relation == Operator::divide;
  }

  Code extreme(const ExpressionNode& node) const {
    if (!node.text.empty()) // max(parameter): may be the largest of its values
      if (const CodeName* largest = names_(node.text))
        return {largest->code};
    const ExpressionNode* item = node.first;
    if (node.children == 1 && item->kind == NodeKind::list)
      item = item->first;
    if (!item)
      fail(node, "the list is empty");
    std::string best = number(code(*item));
    while ((item = item->next))
      best = fmt::format("{}({}, {})", function_words.at(static_cast<std::size_t>(node.function)),
                         best, number(code(*item)));
    return {best};
  }

  const Expression& expression_;
  const CodeNames& names_;
};

} // namespace

std::string expression_code(const Expression& expression, const CodeNames& names) {
  return Writer(expression, names).whole();
}

} // namespace gridsmith
