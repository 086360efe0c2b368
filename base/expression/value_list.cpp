// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/expression/value_list.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/evaluate.hpp"
#include "gridsmith/base/expression/parser.hpp"

#include <cmath>
#include <cstdint>

namespace gridsmith {
namespace {

using detail::ExpressionParser;
using detail::TokenKind;

constexpr std::size_t most_values = 65'535; // positions in a value list have 16 bits

/// list := part ('+' part)*
/// part := 'list' '(' part ')' | range | '(' list ')' | '[' items | item 'for' … ']'
class ValueListReader {
public:
  explicit ValueListReader(std::string_view text) : arena_(text), parser_(arena_) {}

  std::vector<Value> read() {
    std::vector<Value> values = list();
    parser_.expect_end();
    return values;
  }

private:
  std::vector<Value> list() {
    std::vector<Value> values = part();
    while (parser_.accept("+")) {
      const std::vector<Value> more = part();
      values.insert(values.end(), more.begin(), more.end());
      check_size(values);
    }
    return values;
  }

  std::vector<Value> part() {
    if (++depth_ > 50)
      fail("nested too deeply, the limit is 50");
    std::vector<Value> values;
    if (parser_.accept("list")) {
      parser_.expect("(");
      values = list();
      parser_.expect(")");
    } else if (parser_.accept("range")) {
      values = range();
    } else if (parser_.accept("[")) {
      values = brackets("]");
    } else if (parser_.accept("(")) {
      values = brackets(")");
    } else {
      parser_.expected("a list: [a, b, …], range(…), list(range(…)), or [f(i) for i in range(…)]");
    }
    --depth_;
    return values;
  }

  std::vector<Value> range() {
    const std::uint32_t column = parser_.peek().column;
    parser_.expect("(");
    std::vector<std::int64_t> bounds;
    do
      bounds.push_back(whole_number());
    while (parser_.accept(","));
    parser_.expect(")");
    if (bounds.size() > 3)
      detail::fail_at(arena_.text, column, "range() takes one to three numbers");
    const std::int64_t start = bounds.size() > 1 ? bounds[0] : 0;
    const std::int64_t stop = bounds.size() > 1 ? bounds[1] : bounds[0];
    const std::int64_t step = bounds.size() > 2 ? bounds[2] : 1;
    if (step == 0)
      detail::fail_at(arena_.text, column, "the step of range() must not be 0");
    std::vector<Value> values;
    for (std::int64_t i = start; step > 0 ? i < stop : i > stop;) {
      values.emplace_back(i);
      check_size(values);
      if (__builtin_add_overflow(i, step, &i))
        break;
    }
    return values;
  }

  std::int64_t whole_number() {
    const std::uint32_t column = parser_.peek().column;
    const Value value = evaluate(*parser_.expression(), {}, nullptr);
    if (const auto* number = std::get_if<std::int64_t>(&value))
      return *number;
    detail::fail_at(arena_.text, column, "expected a whole number");
  }

  /// After '[': values, or one expression and `for name in list if condition`.
  std::vector<Value> brackets(std::string_view closing) {
    std::vector<Value> values;
    if (parser_.accept(closing))
      return values;
    const ExpressionNode* item = parser_.expression();
    if (parser_.accept("for")) {
      values = comprehension(*item);
      parser_.expect(closing);
      return values;
    }
    values.push_back(evaluate(*item, {}, nullptr));
    while (!parser_.accept(closing)) {
      if (!parser_.accept(","))
        parser_.expected("',' or '" + std::string(closing) + "'");
      if (parser_.accept(closing))
        break;
      values.push_back(evaluate(*parser_.expression(), {}, nullptr));
      check_size(values);
    }
    return values;
  }

  std::vector<Value> comprehension(const ExpressionNode& item) {
    if (parser_.peek().kind != TokenKind::name)
      parser_.expected("a name");
    const std::string_view name = parser_.peek().text;
    parser_.accept(name);
    parser_.expect("in");
    const std::vector<Value> source = list();
    std::vector<const ExpressionNode*> conditions;
    while (parser_.accept("if"))
      conditions.push_back(parser_.disjunction());
    std::vector<Value> values;
    for (const Value& element : source) {
      bool wanted = true;
      for (const ExpressionNode* condition : conditions)
        wanted = wanted && holds(*condition, name, &element);
      if (wanted)
        values.push_back(evaluate(item, name, &element));
    }
    return values;
  }

  /// act(lookup) with one name known, if any.
  template <class Act>
  static auto with(std::string_view name, const Value* element, Act act) {
    const Lookup lookup = [&](std::string_view wanted) {
      return element && wanted == name ? element : nullptr;
    };
    try {
      return act(lookup);
    } catch (const EvaluationError& error) {
      throw InputError(error.what());
    }
  }

  Value evaluate(const ExpressionNode& node, std::string_view name, const Value* element) const {
    return with(name, element, [&](const Lookup& lookup) {
      const Value value = detail::evaluate(arena_.text, node, lookup);
      if (const auto* real = std::get_if<double>(&value); real && !std::isfinite(*real))
        detail::fail_at(arena_.text, node.column, "a value must be finite");
      return value;
    });
  }

  bool holds(const ExpressionNode& node, std::string_view name, const Value* element) const {
    return with(name, element,
                [&](const Lookup& lookup) { return detail::holds(arena_.text, node, lookup); });
  }

  void check_size(const std::vector<Value>& values) const {
    if (values.size() > most_values)
      fail("more than " + std::to_string(most_values) + " values");
  }

  [[noreturn]] void fail(const std::string& message) const {
    detail::fail_at(arena_.text, parser_.peek().column, message);
  }

  detail::ExpressionArena arena_;
  ExpressionParser parser_;
  unsigned depth_ = 0;
};

} // namespace

std::vector<Value> parse_value_list(std::string_view text) {
  return ValueListReader(text).read();
}

} // namespace gridsmith
