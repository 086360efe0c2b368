// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/formula/emit.hpp"

#include "gridsmith/search/formula/share_registers.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace gridsmith::detail {
namespace {

FormulaStep extreme_step(Function function, bool real) {
  return {.action = function == Function::max ? FormulaAction::greatest : FormulaAction::least,
          .real = real};
}

} // namespace

Emitter::Emitter(const ExpressionArena& arena, const std::vector<Meaning>& meanings,
                 FormulaKind kind, std::vector<std::uint64_t> constants)
    : arena_(arena), meanings_(meanings), kind_(kind), constants_(std::move(constants)) {
}

std::vector<FormulaStep> Emitter::emit_all(const ExpressionNode& root) {
  code_.push_back({.action = FormulaAction::begin, .b = static_cast<std::uint32_t>(kind_)});
  code_.front().real = meaning(root).real;
  code_.front().to = emit(root);
  add(FormulaAction::stop, 0, 0, 0, root.column);
  code_.front().a = share_registers(code_, registers_);
  place_constants();
  return std::move(code_);
}

/// Behind the instructions, where only now is known where that is.
void Emitter::place_constants() {
  const Place first = here();
  const auto place = [&](std::uint32_t& operand) {
    if (operand & formula_constant)
      operand += first;
  };
  for (FormulaStep& step : code_) {
    place(step.b);
    if (step.action == FormulaAction::begin)
      place(step.to);
    else
      place(step.a);
  }
  for (const std::uint64_t bits : constants_)
    code_.push_back({.action = FormulaAction::constant,
                     .a = static_cast<std::uint32_t>(bits),
                     .b = static_cast<std::uint32_t>(bits >> 32)});
}

Emitter::Place Emitter::new_register() {
  return registers_++;
}

Emitter::Place Emitter::constant(std::uint64_t bits) {
  auto place = std::find(constants_.begin(), constants_.end(), bits);
  if (place == constants_.end())
    place = constants_.insert(place, bits);
  return formula_constant | static_cast<Place>(place - constants_.begin());
}

Emitter::Place Emitter::add(const FormulaStep& what, Place to, Place a, Place b,
                            std::uint32_t column) {
  FormulaStep& step = code_.emplace_back(what);
  step.to = to;
  step.a = a;
  step.b = b;
  step.column = column;
  return here() - 1;
}

Emitter::Place Emitter::add(FormulaAction action, Place to, Place a, Place b,
                            std::uint32_t column) {
  return add(FormulaStep{.action = action}, to, a, b, column);
}

Emitter::Place Emitter::as_real(Place from, bool already, std::uint32_t column) {
  if (already)
    return from;
  const Place to = new_register();
  add(FormulaAction::to_real, to, from, 0, column);
  return to;
}

/// Zero or not, as an integer.
Emitter::Place Emitter::truth(const ExpressionNode& node, Place value, bool real) {
  if (!real)
    return value;
  const Place to = new_register();
  add({.action = FormulaAction::is_nonzero, .real = true}, to, value, 0, node.column);
  return to;
}

Emitter::Place Emitter::emit_as(const ExpressionNode& node, bool real) {
  const Place value = emit(node);
  return real ? as_real(value, meaning(node).real, node.column) : value;
}

Emitter::Place Emitter::emit(const ExpressionNode& node) {
  const bool plain = node.kind == NodeKind::literal || node.kind == NodeKind::name;
  return !plain && meaning(node).level < depth_ ? emit_unchanging(node)
                                                : NodeVisit::of(*this, node);
}

/// Done on entering the loop where every round needs it: it is needed if there is a round. Else when
/// a round needs it, and then kept until one of the loops that it changes with goes on.
Emitter::Place Emitter::emit_unchanging(const ExpressionNode& node) {
  const Place to = new_register();
  if (!perhaps_) {
    loops_[depth_ - 1].before.emplace_back(&node, to);
    return to;
  }
  const std::uint32_t level = meaning(node).level;
  const Place flag = new_register();
  loops_[level].flags.push_back(flag);
  const Place done = add(FormulaAction::jump_if_done, 0, flag, 0, node.column);
  const std::uint32_t depth = std::exchange(depth_, level);
  add(FormulaAction::copy, to, NodeVisit::of(*this, node), 0, node.column);
  depth_ = depth;
  land(done);
  return to;
}

Emitter::Place Emitter::name(const ExpressionNode& node) {
  const Meaning& meant = meaning(node);
  return meant.level == 0 ? meant.place : loops_[meant.level - 1].name;
}

/// An element of a vector, or an extent without a name.
Emitter::Place Emitter::other(const ExpressionNode& node) {
  return meaning(node).vector ? element(node) : meaning(node).place;
}

Emitter::Place Emitter::element(const ExpressionNode& node) {
  const Meaning& meant = meaning(node);
  const Place index = emit(*node.first), to = new_register();
  FormulaStep read{.action = FormulaAction::element,
                   .real = meant.real,
                   .to = to,
                   .a = index,
                   .c = meant.place,
                   .column = node.column};
  // The sum that was made last for nothing but this index is made in reading.
  if (const FormulaStep last = code_.back(); last.action == FormulaAction::calculate &&
                                             last.op == Operator::add && !last.real &&
                                             last.to == index) {
    read.action = FormulaAction::element_at_sum;
    read.a = last.a;
    read.b = last.b;
    code_.pop_back();
  }
  code_.push_back(read);
  return to;
}

Emitter::Place Emitter::literal(const ExpressionNode& node) {
  if (const auto* real = std::get_if<double>(&node.value))
    return constant(std::bit_cast<std::uint64_t>(*real));
  const auto* boolean = std::get_if<bool>(&node.value);
  return constant(boolean ? *boolean
                          : static_cast<std::uint64_t>(std::get<std::int64_t>(node.value)));
}

Emitter::Place Emitter::unary(const ExpressionNode& node) {
  const bool real = meaning(*node.first).real;
  const Place operand = emit(*node.first), to = new_register();
  if (node.op == Operator::logical_not)
    add(FormulaAction::is_zero, to, truth(node, operand, real), 0, node.column);
  else if (node.op == Operator::negate)
    add({.action = FormulaAction::negate, .real = real}, to, operand, 0, node.column);
  else
    return operand;
  return to;
}

Emitter::Place Emitter::chain(const ExpressionNode& node) {
  bool real = meaning(*node.first).real;
  Place left = emit(*node.first);
  for (const ExpressionNode* next = node.first->next; next; next = next->next) {
    const bool both = real || meaning(*next).real || next->relation == Operator::divide;
    const Place right = emit_as(*next, both), to = new_register();
    add({.action = FormulaAction::calculate, .op = next->relation, .real = both}, to,
        both ? as_real(left, real, node.column) : left, right, next->relation_column);
    left = to;
    real = both;
  }
  return left;
}

Emitter::Place Emitter::comparison(const ExpressionNode& node) {
  const bool perhaps = perhaps_;
  const Place to = new_register();
  std::vector<Place> ends;
  bool real = meaning(*node.first).real;
  Place left = emit(*node.first);
  for (const ExpressionNode* next = node.first->next; next; next = next->next) {
    const std::uint32_t column = next->relation_column;
    if (next->kind == NodeKind::list) {
      membership(*next, next->relation, left, real, to);
      break;
    }
    const bool next_real = meaning(*next).real, both = real || next_real;
    const Place right = emit(*next);
    const Place a = both ? as_real(left, real, column) : left;
    const Place b = both ? as_real(right, next_real, column) : right;
    add({.action = FormulaAction::relate, .op = next->relation, .real = both}, to, a, b, column);
    if (next->next)
      ends.push_back(add(FormulaAction::jump_if_zero, 0, to, 0, column));
    left = right;
    real = next_real;
    perhaps_ = true;
  }
  for (const Place end : ends)
    land(end);
  perhaps_ = perhaps;
  return to;
}

/// As in Python every element of the list has to have a value.
void Emitter::membership(const ExpressionNode& list, Operator relation, Place left, bool left_real,
                         Place to) {
  add(FormulaAction::copy, to, constant(0), 0, list.column);
  for (const ExpressionNode* item = list.first; item; item = item->next) {
    const bool item_real = meaning(*item).real, both = left_real || item_real;
    const Place right = emit(*item), same = new_register();
    add({.action = FormulaAction::relate, .op = Operator::equal, .real = both}, same,
        both ? as_real(left, left_real, item->column) : left,
        both ? as_real(right, item_real, item->column) : right, item->column);
    add(FormulaAction::greatest, to, to, same, item->column);
  }
  if (relation == Operator::not_in)
    add(FormulaAction::is_zero, to, to, 0, list.column);
}

/// As in Python the operand that decides.
Emitter::Place Emitter::junction(const ExpressionNode& node) {
  const bool perhaps = perhaps_, real = meaning(node).real;
  const FormulaAction decided = node.kind == NodeKind::logical_or ? FormulaAction::jump_if_nonzero
                                                                  : FormulaAction::jump_if_zero;
  const Place to = new_register();
  std::vector<Place> ends;
  for (const ExpressionNode* child = node.first; child; child = child->next) {
    add(FormulaAction::copy, to, emit_as(*child, real), 0, child->column);
    if (child->next)
      ends.push_back(add(decided, 0, truth(*child, to, real), 0, child->column));
    perhaps_ = true;
  }
  for (const Place end : ends)
    land(end);
  perhaps_ = perhaps;
  return to;
}

Emitter::Place Emitter::conditional(const ExpressionNode& node) {
  const bool real = meaning(node).real;
  const ExpressionNode &condition = *node.first, &then = *condition.next, &otherwise = *then.next;
  const Place to = new_register();
  const Place holds = truth(condition, emit(condition), meaning(condition).real);
  const bool perhaps = std::exchange(perhaps_, true);
  const Place to_otherwise = add(FormulaAction::jump_if_zero, 0, holds, 0, node.column);
  add(FormulaAction::copy, to, emit_as(then, real), 0, node.column);
  const Place to_end = add(FormulaAction::jump, 0, 0, 0, node.column);
  land(to_otherwise);
  add(FormulaAction::copy, to, emit_as(otherwise, real), 0, node.column);
  land(to_end);
  perhaps_ = perhaps;
  return to;
}

Emitter::Place Emitter::call(const ExpressionNode& node) {
  if (meaning(node).over_range)
    return over_range(node);
  if (node.function == Function::min || node.function == Function::max)
    return extreme(node);
  const bool real = gives_real(node.function) || meaning(*node.first).real;
  const Place operand = emit_as(*node.first, real), to = new_register();
  add({.action = FormulaAction::function, .function = node.function, .real = real}, to, operand, 0,
      node.column);
  return to;
}

Emitter::Place Emitter::extreme(const ExpressionNode& node) {
  const bool real = meaning(node).real;
  const ExpressionNode* item = node.first->kind == NodeKind::list ? node.first->first : node.first;
  Place best = emit_as(*item, real);
  while ((item = item->next)) {
    const Place other = emit_as(*item, real), to = new_register();
    add(extreme_step(node.function, real), to, best, other, node.column);
    best = to;
  }
  return best;
}

//     result = 0 of a sum; no rounds: to the end, or an error
//     to the entry
//   body: result gets the next term; one more, to the body while there are more
//     to the end
//   before: what every round needs and no round changes; to the body
//   entry: nothing is done yet, the first round; to what is before
//   end:
Emitter::Place Emitter::over_range(const ExpressionNode& node) {
  const bool sums = node.function == Function::sum;
  const Place count = emit(*node.first->next), result = new_register();
  std::vector<Place> to_end;
  if (sums) {
    add(FormulaAction::copy, result, constant(0), 0, node.column); // the bits of 0.0 as well
    to_end.push_back(add(FormulaAction::jump_if_none, 0, count, 0, node.column));
  } else {
    add(FormulaAction::require_some, 0, count, 0, node.column);
  }
  const Place to_entry = add(FormulaAction::jump, 0, 0, 0, node.column), body = here();
  loops_.push_back({.name = new_register(), .flags = {}, .before = {}});
  loop_body(node, count, result, body);
  to_end.push_back(add(FormulaAction::jump, 0, 0, 0, node.column));
  const Place before = here();
  loop_before();
  add(FormulaAction::jump, body, 0, 0, node.column);
  land(to_entry); // behind all that may set a flag of this loop
  const Place zero = constant(0);
  for (const Place flag : loops_.back().flags)
    add(FormulaAction::copy, flag, zero, 0, node.column);
  add(FormulaAction::copy, loops_.back().name, zero, 0, node.column);
  add(FormulaAction::jump, before, 0, 0, node.column);
  loops_.pop_back();
  for (const Place from : to_end)
    land(from);
  return result;
}

void Emitter::loop_body(const ExpressionNode& node, Place count, Place result, Place body) {
  const bool real = meaning(node).real;
  const Place name = loops_.back().name;
  const auto depth = std::exchange(depth_, static_cast<std::uint32_t>(loops_.size()));
  const bool perhaps = std::exchange(perhaps_, false);
  const Place term = emit(*node.first->next->next);
  depth_ = depth;
  perhaps_ = perhaps;
  if (node.function == Function::sum) {
    add({.action = FormulaAction::calculate, .op = Operator::add, .real = real}, result, result,
        term, node.column);
  } else { // the first term as it is
    const Place to_choice = add(FormulaAction::jump_if_nonzero, 0, name, 0, node.column);
    add(FormulaAction::copy, result, term, 0, node.column);
    land(to_choice);
    add(extreme_step(node.function, real), result, result, term, node.column);
  }
  add(FormulaAction::advance, body, name, count, node.column);
}

/// A round of the loops around may not come here.
void Emitter::loop_before() {
  const bool perhaps = std::exchange(perhaps_, true);
  for (const auto& [node, to] : std::exchange(loops_.back().before, {}))
    add(FormulaAction::copy, to, emit(*node), 0, node->column);
  perhaps_ = perhaps;
}

} // namespace gridsmith::detail
