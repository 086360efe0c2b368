// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/compiler.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace gridsmith::detail {

ConstraintCompiler::ConstraintCompiler(const std::vector<Parameter>& parameters,
                                       const Bindings& facts)
    : parameters_(parameters), names_(parameters, facts), variables_(parameters.size(), no_term),
      types_(parameters.size()), opaque_only_(parameters.size()), words_(parameters.size()) {
}

void ConstraintCompiler::add(const Constraint& constraint, std::uint32_t index, bool split) {
  current_ = &constraint;
  current_index_ = index;
  add_part(constraint.expression.root(), split);
}

void ConstraintCompiler::add_part(const ExpressionNode& node, bool split) {
  if (split && node.kind == NodeKind::logical_and) {
    for (const ExpressionNode* part = node.first; part; part = part->next)
      add_part(*part, true);
    return;
  }
  if (split && node.kind == NodeKind::comparison && node.children > 2) {
    add_chain(node);
    return;
  }
  const TermId root = truth(node);
  add_root(root == no_term ? opaque(node) : root);
}

/// Once for each constraint: a long `and` may repeat itself.
void ConstraintCompiler::add_root(TermId root) {
  if (root >= last_added_.size())
    last_added_.resize(terms_.size(), 0);
  if (std::exchange(last_added_[root], current_index_ + 1) != current_index_ + 1)
    conjuncts_.push_back({root, current_index_});
}

/// a <= b < c: each link on its own, unless one of them needs the tree.
void ConstraintCompiler::add_chain(const ExpressionNode& node) {
  std::vector<TermId> links;
  TermId left = value(*node.first);
  for (const ExpressionNode* right = node.first->next; right; right = right->next) {
    const bool member = right->relation == Operator::in || right->relation == Operator::not_in;
    const TermId operand = member ? no_term : value(*right);
    links.push_back(
        left == no_term || operand == no_term ? no_term : relation(right->relation, left, operand));
    if (links.back() == no_term)
      return add_root(opaque(node));
    left = operand;
  }
  std::ranges::for_each(links, [this](TermId link) { add_root(link); });
}

TermId ConstraintCompiler::opaque(const ExpressionNode& node) {
  std::vector<TermId> variables;
  collect_variables(node, variables);
  std::ranges::sort(variables);
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  opaque_.push_back({&node, current_});
  return terms_.opaque(static_cast<Word>(opaque_.size() - 1), variables);
}

void ConstraintCompiler::collect_variables(const ExpressionNode& node, std::vector<TermId>& found) {
  if (node.kind == NodeKind::name) {
    if (const std::uint32_t* parameter = names_.find_parameter(node.text)) {
      variable(*parameter);
      found.push_back(variables_[*parameter]);
    } else if (!names_.find_fact(node.text)) {
      names_.unknown(node, *current_);
    }
  }
  for (const ExpressionNode* child = node.first; child; child = child->next)
    collect_variables(*child, found);
}

bool ConstraintCompiler::holds(const Opaque& opaque, std::span<const Position> positions) const {
  return detail::holds(opaque.constraint->expression.text(), *opaque.node,
                       names_.lookup(positions));
}

Word ConstraintCompiler::evaluate_opaque(Word index, std::span<const Position> positions) const {
  try {
    return holds(opaque_[static_cast<std::size_t>(index)], positions);
  } catch (const EvaluationError&) {
    return undefined;
  } catch (const NumberTooLarge&) {
    return too_large;
  }
}

void ConstraintCompiler::refuse_opaque(Word index, std::span<const Position> positions) const {
  const Opaque& opaque = opaque_[static_cast<std::size_t>(index)];
  const std::string values = names_.values_text(*opaque.node, positions);
  try {
    holds(opaque, positions);
  } catch (const NumberTooLarge& error) {
    throw NumberTooLarge(error.what() + (values.empty() ? "" : ", with " + values));
  }
  throw std::logic_error("refuse_opaque: the term has a value");
}

Word ConstraintCompiler::identity(std::string_view text) {
  return texts_.try_emplace(text, static_cast<Word>(texts_.size())).first->second;
}

TermId ConstraintCompiler::literal(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return *integer == undefined ? no_term : terms_.integer(*integer);
  if (const auto* boolean = std::get_if<bool>(&value))
    return terms_.integer(*boolean);
  if (const auto* real = std::get_if<double>(&value))
    return std::isfinite(*real) ? terms_.real(*real) : no_term;
  return terms_.text(identity(std::get<std::string>(value)));
}

/// What the values of a parameter are to the terms, and of which type.
void ConstraintCompiler::read_words(std::uint32_t parameter) {
  const std::vector<Value>& values = parameters_[parameter].values;
  bool texts = false, reals = false, numbers = false;
  for (const Value& value : values) {
    texts = texts || std::holds_alternative<std::string>(value);
    numbers = numbers || !std::holds_alternative<std::string>(value);
    const auto* real = std::get_if<double>(&value);
    reals = reals || real;
    opaque_only_[parameter] = opaque_only_[parameter] || (real && !std::isfinite(*real));
    const auto* integer = std::get_if<std::int64_t>(&value);
    opaque_only_[parameter] =
        opaque_only_[parameter] || (integer && std::abs(to_number(value)) >= exact_limit);
  }
  opaque_only_[parameter] = opaque_only_[parameter] || (texts && numbers);
  types_[parameter] = opaque_only_[parameter] ? TermType::integer
                      : texts                 ? TermType::text
                      : reals                 ? TermType::real
                                              : TermType::integer;
  std::vector<Word>& words = words_[parameter];
  words.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    words.push_back(opaque_only_[parameter] ? static_cast<Word>(i)
                    : texts                 ? identity(std::get<std::string>(values[i]))
                    : reals                 ? to_word(to_number(values[i]) + 0.0)
                                            : static_cast<Word>(to_number(values[i])));
}

/// The term of a parameter; no_term when only the tree can read it (it is a variable all the same).
TermId ConstraintCompiler::variable(std::uint32_t parameter) {
  if (variables_[parameter] == no_term) {
    read_words(parameter);
    const TermType type = types_[parameter];
    const std::vector<Value>& values = parameters_[parameter].values;
    const auto is_whole = [](const Value& v) { return !std::holds_alternative<double>(v); };
    double low = 0, high = 0;
    if (type != TermType::text) {
      const auto number = [&](Word word) {
        return type == TermType::real ? to_real(word) : static_cast<double>(word);
      };
      low = high = number(words_[parameter].front());
      for (const Word word : words_[parameter]) {
        low = std::min(low, number(word));
        high = std::max(high, number(word));
      }
    }
    const bool fixed = words_[parameter].size() == 1 && !opaque_only_[parameter];
    const Word word = words_[parameter].front();
    const bool mixed = type == TermType::real && std::ranges::any_of(values, is_whole);
    variables_[parameter] = !fixed ? terms_.variable(parameter, type, low, high, mixed)
                            : type == TermType::text ? terms_.text(word)
                            : type == TermType::real ? terms_.real(to_real(word))
                                                     : terms_.integer(word);
  }
  return opaque_only_[parameter] ? no_term : variables_[parameter];
}

TermId ConstraintCompiler::name(const ExpressionNode& node) {
  if (const std::uint32_t* parameter = names_.find_parameter(node.text))
    return variable(*parameter);
  if (const Value* fact = names_.find_fact(node.text))
    return literal(*fact);
  names_.unknown(node, *current_);
}

TermId ConstraintCompiler::value(const ExpressionNode& node) {
  return NodeVisit::of(*this, node);
}

TermId ConstraintCompiler::literal(const ExpressionNode& node) {
  return node.text.empty() ? literal(node.value) : no_term;
}

TermId ConstraintCompiler::truth(const ExpressionNode& node) {
  const TermId term = value(node);
  return term == no_term ? no_term : terms_.truth(term);
}

TermId ConstraintCompiler::unary(const ExpressionNode& node) {
  const TermId operand = value(*node.first);
  if (operand == no_term || terms_[operand].type == TermType::text)
    return no_term;
  switch (node.op) {
  case Operator::logical_not:
    return terms_.logical_not(operand);
  case Operator::negate:
    return terms_.multiply(terms_.integer(-1), operand);
  default:
    return operand;
  }
}

TermId ConstraintCompiler::joined(Operator op, TermId left, TermId right) {
  switch (op) {
  case Operator::add:
    return terms_.add(left, right);
  case Operator::subtract:
    return terms_.subtract(left, right);
  case Operator::multiply:
    return terms_.multiply(left, right);
  case Operator::divide:
    return terms_.divide(left, right);
  case Operator::floor_divide:
    return terms_.divide_whole(TermOp::floor_divide, left, right);
  case Operator::modulo:
    return terms_.divide_whole(TermOp::modulo, left, right);
  default:
    return terms_.power(left, right);
  }
}

/// From the left, and as many integers as there are in a row at once.
TermId ConstraintCompiler::chain(const ExpressionNode& node) {
  const auto is_integer = [this](TermId id) { return terms_[id].type == TermType::integer; };
  const auto is_sum = [](Operator op) { return op == Operator::add || op == Operator::subtract; };
  std::vector<std::pair<Operator, TermId>> operands;
  for (const ExpressionNode* child = node.first; child; child = child->next) {
    operands.emplace_back(child->relation, value(*child));
    if (operands.back().second == no_term)
      return no_term;
  }
  TermId left = operands.front().second;
  std::vector<TermId> row;
  for (std::size_t i = 1; i < operands.size() && left != no_term;) {
    const Operator op = operands[i].first;
    const auto joins = [&](const auto& other) {
      return is_integer(other.second) && (op == other.first || (is_sum(op) && is_sum(other.first)));
    };
    row.assign(1, left);
    if (is_integer(left) && (is_sum(op) || op == Operator::multiply))
      for (; i < operands.size() && joins(operands[i]) && row.back() != no_term; ++i)
        row.push_back(operands[i].first == Operator::subtract
                          ? terms_.multiply(terms_.integer(-1), operands[i].second)
                          : operands[i].second);
    if (row.back() == no_term)
      return no_term;
    if (row.size() > 1) {
      left = terms_.gather(is_sum(op) ? TermOp::sum : TermOp::product, row);
    } else {
      left = joined(op, left, operands[i].second);
      ++i;
    }
  }
  return left;
}

TermId ConstraintCompiler::relation(Operator op, TermId left, TermId right) {
  switch (op) {
  case Operator::equal:
    return terms_.compare(TermOp::equal, left, right);
  case Operator::not_equal:
    return terms_.compare(TermOp::not_equal, left, right);
  case Operator::less:
    return terms_.compare(TermOp::less, left, right);
  case Operator::less_equal:
    return terms_.compare(TermOp::less_equal, left, right);
  case Operator::greater:
    return terms_.compare(TermOp::less, right, left);
  default:
    return terms_.compare(TermOp::less_equal, right, left);
  }
}

TermId ConstraintCompiler::comparison(const ExpressionNode& node) {
  TermId left = value(*node.first);
  TermId all = no_term;
  for (const ExpressionNode* right = node.first->next; right; right = right->next) {
    const bool member = right->relation == Operator::in || right->relation == Operator::not_in;
    if (left == no_term || (member && right->next))
      return no_term;
    const TermId operand = member ? left : value(*right);
    TermId link = operand == no_term ? no_term
                  : member           ? membership(left, *right)
                                     : relation(right->relation, left, operand);
    if (link != no_term && right->relation == Operator::not_in)
      link = terms_.logical_not(link);
    if (link == no_term)
      return no_term;
    all = all == no_term ? link : terms_.logical(TermOp::logical_and, all, link);
    left = operand;
  }
  return all;
}

/// An `or` of equalities; the tree does it where an element may be undefined.
TermId ConstraintCompiler::membership(TermId left, const ExpressionNode& list) {
  if (list.kind != NodeKind::list)
    return no_term;
  std::vector<TermId> any{terms_.integer(0)};
  for (const ExpressionNode* item = list.first; item; item = item->next) {
    const TermId element = value(*item);
    if (element == no_term || terms_[element].fallible)
      return no_term;
    any.push_back(terms_.compare(TermOp::equal, left, element));
    if (any.back() == no_term)
      return no_term;
  }
  while (any.size() > 1) { // in pairs, so that long lists do not nest deeply
    const std::size_t pairs = any.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i)
      any[i] = terms_.logical(TermOp::logical_or, any[2 * i], any[2 * i + 1]);
    if (any.size() % 2 == 1)
      any[pairs] = any.back();
    any.resize(pairs + any.size() % 2);
  }
  return terms_[left].fallible && terms_.is_constant(any.front()) ? no_term : any.front();
}

TermId ConstraintCompiler::junction(const ExpressionNode& node) {
  const TermOp op = node.kind == NodeKind::logical_or ? TermOp::logical_or : TermOp::logical_and;
  TermId all = no_term;
  for (const ExpressionNode* child = node.first; child; child = child->next) {
    const TermId term = value(*child);
    if (term == no_term)
      return no_term;
    all = child == node.first ? term : terms_.logical(op, all, term);
    if (all == no_term)
      return no_term;
  }
  return all;
}

TermId ConstraintCompiler::conditional(const ExpressionNode& node) {
  const ExpressionNode* then = node.first->next;
  const TermId condition = value(*node.first);
  const TermId yes = condition == no_term ? no_term : value(*then);
  const TermId no = yes == no_term ? no_term : value(*then->next);
  return no == no_term ? no_term : terms_.select(condition, yes, no);
}

TermId ConstraintCompiler::call(const ExpressionNode& node) {
  if (node.function == Function::min || node.function == Function::max)
    return extreme(node);
  const TermId operand = value(*node.first);
  if (operand == no_term)
    return no_term;
  switch (node.function) {
  case Function::abs:
    return terms_.absolute(operand);
  case Function::ceil:
    return terms_.whole(TermOp::ceil, operand);
  case Function::floor:
    return terms_.whole(TermOp::floor, operand);
  case Function::round:
    return terms_.whole(TermOp::round, operand);
  case Function::log2:
    return terms_.log2(operand);
  default:
    return terms_.whole(TermOp::truncate, operand);
  }
}

TermId ConstraintCompiler::extreme(const ExpressionNode& node) {
  if (!node.text.empty())
    if (const Value* fact = names_.find_fact(node.text))
      return literal(*fact);
  const ExpressionNode* item = node.first;
  if (node.children == 1 && item->kind == NodeKind::list)
    item = item->first;
  const TermOp op = node.function == Function::max ? TermOp::greatest : TermOp::least;
  TermId best = no_term;
  for (; item; item = item->next) {
    const TermId term = value(*item);
    if (term == no_term || terms_[term].type == TermType::text)
      return no_term;
    best = best == no_term ? term : terms_.extreme(op, best, term);
    if (best == no_term)
      return no_term;
  }
  return best;
}

} // namespace gridsmith::detail
