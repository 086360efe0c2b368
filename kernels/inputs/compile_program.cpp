#include "gridsmith/kernels/inputs/compile_program.hpp"

#include "gridsmith/base/expression/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::int64_t largest_power = 64;
constexpr std::size_t longest_program = 256; // instructions, run for each element

constexpr std::pair<Operator, Operation> operations[] = {
    {Operator::negate, Operation::negate},
    {Operator::logical_not, Operation::logical_not},
    {Operator::add, Operation::add},
    {Operator::subtract, Operation::subtract},
    {Operator::multiply, Operation::multiply},
    {Operator::divide, Operation::divide},
    {Operator::floor_divide, Operation::floor_divide},
    {Operator::modulo, Operation::modulo},
    {Operator::equal, Operation::equal},
    {Operator::not_equal, Operation::not_equal},
    {Operator::less, Operation::less},
    {Operator::less_equal, Operation::less_equal},
    {Operator::greater, Operation::greater},
    {Operator::greater_equal, Operation::greater_equal},
};

constexpr std::pair<Function, Operation> functions[] = {
    {Function::min, Operation::min},          {Function::max, Operation::max},
    {Function::abs, Operation::absolute},     {Function::ceil, Operation::ceil},
    {Function::floor, Operation::floor},      {Function::round, Operation::round},
    {Function::integer, Operation::truncate},
};

template <typename Key, std::size_t count>
const Operation* find_in(const std::pair<Key, Operation> (&table)[count], Key key) {
  for (const auto& [known, operation] : table)
    if (known == key)
      return &operation;
  return nullptr;
}

class Compiler {
public:
  Compiler(const Expression& expression, const Lookup& lookup)
      : expression_(expression), lookup_(lookup) {}

  std::vector<Instruction> program() {
    add(expression_.root());
    return std::move(program_);
  }

private:
  [[noreturn]] void fail(const ExpressionNode& node, const std::string& what) const {
    throw InputError(
        fmt::format("expression '{}', column {}: {}", expression_.text(), node.column, what));
  }

  void emit(const ExpressionNode& node, Operation operation, std::uint64_t operand = 0) {
    program_.push_back({static_cast<std::uint64_t>(operation), operand});
    depth_ += operation <= Operation::index    ? 1
              : operation == Operation::select ? -2
              : takes_two(operation)           ? -1
                                               : 0;
    if (program_.size() > longest_program || depth_ > static_cast<int>(deepest_program))
      fail(node, fmt::format("it is too long: at most {} steps and {} numbers at once",
                             longest_program, deepest_program));
  }

  void push(const ExpressionNode& node, const Value& value) {
    if (std::holds_alternative<std::string>(value))
      fail(node, "a text cannot be an element's value");
    if (const auto* real = std::get_if<double>(&value))
      emit(node, Operation::real, std::bit_cast<std::uint64_t>(*real));
    else if (const auto* truth = std::get_if<bool>(&value))
      emit(node, Operation::integer, *truth);
    else
      emit(node, Operation::integer, static_cast<std::uint64_t>(std::get<std::int64_t>(value)));
  }

  void add(const ExpressionNode& node) {
    switch (node.kind) {
    case NodeKind::literal:
      if (!node.text.empty())
        fail(node, "64 bits do not hold the number");
      return push(node, node.value);
    case NodeKind::name:
      return name(node);
    case NodeKind::element:
      fail(node, "what fills a vector reads no other");
    case NodeKind::unary:
      add(*node.first);
      if (node.op != Operator::plus)
        emit(node, *find_in(operations, node.op));
      return;
    case NodeKind::arithmetic:
      return arithmetic(node);
    case NodeKind::comparison:
      return comparison(node);
    case NodeKind::logical_and:
      return joined(*node.first, Operation::logical_and);
    case NodeKind::logical_or:
      return joined(*node.first, Operation::logical_or);
    case NodeKind::conditional:
      for (const ExpressionNode* child = node.first; child; child = child->next)
        add(*child);
      return emit(node, Operation::select);
    case NodeKind::call:
      return call(node);
    case NodeKind::list:
      fail(node, "a list can stand only after 'in' or in min() and max()");
    }
  }

  void name(const ExpressionNode& node) {
    if (node.text == index_name)
      return emit(node, Operation::index);
    const Value* value = lookup_(node.text);
    if (!value)
      fail(node, fmt::format("unknown name '{}'", node.text));
    push(node, *value);
  }

  /// From the left, all by one operation.
  void joined(const ExpressionNode& first, Operation operation) {
    add(first);
    for (const ExpressionNode* next = first.next; next; next = next->next) {
      add(*next);
      emit(*next, operation);
    }
  }

  void arithmetic(const ExpressionNode& node) {
    add(*node.first);
    for (const ExpressionNode* right = node.first->next; right; right = right->next) {
      if (right->relation == Operator::power) {
        const auto* exponent = std::get_if<std::int64_t>(&right->value);
        if (right->kind != NodeKind::literal || !right->text.empty() || !exponent ||
            *exponent > largest_power)
          fail(*right, fmt::format("** takes a whole number from 0 to {} here", largest_power));
        emit(*right, Operation::power, static_cast<std::uint64_t>(*exponent));
      } else {
        add(*right);
        emit(*right, *find_in(operations, right->relation));
      }
    }
  }

  /// a <= b < c as a <= b and b < c, x in (1, 2) as x == 1 or x == 2.
  void comparison(const ExpressionNode& node) {
    for (const ExpressionNode* left = node.first; left->next; left = left->next) {
      const ExpressionNode& right = *left->next;
      if (right.relation == Operator::in || right.relation == Operator::not_in) {
        member(*left, right);
      } else {
        add(*left);
        add(right);
        emit(right, *find_in(operations, right.relation));
      }
      if (left != node.first)
        emit(right, Operation::logical_and);
    }
  }

  void member(const ExpressionNode& left, const ExpressionNode& list) {
    if (list.kind != NodeKind::list)
      fail(list, "expected a list after 'in'");
    push(list, false);
    for (const ExpressionNode* item = list.first; item; item = item->next) {
      add(left);
      add(*item);
      emit(*item, Operation::equal);
      emit(*item, Operation::logical_or);
    }
    if (list.relation == Operator::not_in)
      emit(list, Operation::logical_not);
  }

  void call(const ExpressionNode& node) {
    const Operation* operation = find_in(functions, node.function);
    if (!operation)
      fail(node,
           "log2 is not exact, and the GPU's may differ from the host's; choose from min, max, "
           "abs, ceil, floor, round, int");
    if (!takes_two(*operation)) {
      add(*node.first);
      return emit(node, *operation);
    }
    const bool list = node.children == 1 && node.first->kind == NodeKind::list;
    const ExpressionNode* first = list ? node.first->first : node.first;
    if (!first)
      fail(node, "min() and max() of nothing");
    joined(*first, *operation);
  }

  const Expression& expression_;
  const Lookup& lookup_;
  std::vector<Instruction> program_;
  int depth_ = 0;
};

} // namespace

std::vector<Instruction> compile_program(const Expression& expression, const Lookup& lookup) {
  return Compiler(expression, lookup).program();
}

} // namespace gridsmith
