// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/formula/resolve.hpp"

#include "gridsmith/base/error.hpp"

#include <algorithm>

namespace gridsmith::detail {
namespace {

constexpr std::string_view index_name = "i";

bool names_below(const ExpressionNode& node, std::string_view name) {
  if (node.kind == NodeKind::name && node.text == name)
    return true;
  for (const ExpressionNode* child = node.first; child; child = child->next)
    if (names_below(*child, name))
      return true;
  return false;
}

/// Both together are a real where one is, and change with the inner one's loop.
Meaning both(const Meaning& a, const Meaning& b) {
  return {.real = a.real || b.real, .level = std::max(a.level, b.level)};
}

} // namespace

Resolver::Resolver(const ExpressionArena& arena, const FormulaNames& names)
    : arena_(arena), names_(names) {
  numbers_[std::string(index_name)] = {.place = formula_index};
  std::uint32_t place = formula_constant;
  for (const auto& [name, number] : names.numbers)
    numbers_[name] = {.real = std::holds_alternative<double>(number), .place = place++};
}

std::vector<Meaning> Resolver::resolve(const ExpressionNode& root) {
  meanings_.assign(arena_.used, {});
  visit(root);
  return std::move(meanings_);
}

const Meaning& Resolver::visit(const ExpressionNode& node) {
  const Meaning meant = NodeVisit::of(*this, node);
  return meaning(node) = meant;
}

Meaning Resolver::other(const ExpressionNode& node) {
  if (node.kind == NodeKind::list)
    fail(node, "a list can stand only after 'in' or in min() and max()");
  return element(node);
}

Meaning Resolver::literal(const ExpressionNode& node) const {
  if (!node.text.empty())
    fail(node, "the integer has more than 64 bits");
  if (std::holds_alternative<std::string>(node.value))
    fail(node, "a text has no place in a formula");
  return {.real = std::holds_alternative<double>(node.value)};
}

const Meaning* Resolver::number(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? nullptr : &found->second;
}

bool Resolver::means_something(std::string_view name) const {
  return number(name) || std::find(loops_.begin(), loops_.end(), name) != loops_.end();
}

Meaning Resolver::name(const ExpressionNode& node) const {
  const auto loop = std::find(loops_.begin(), loops_.end(), node.text);
  if (loop != loops_.end())
    return {.level = static_cast<std::uint32_t>(loop - loops_.begin()) + 1};
  if (const Meaning* known = number(node.text))
    return *known;
  for (const FormulaVector& vector : names_.vectors)
    if (vector.name == node.text)
      fail(node, "'" + vector.name + "' is a vector; an element of it is " + vector.name + "[…]");
  unknown(node);
}

Meaning Resolver::element(const ExpressionNode& node) {
  // Extents without names of their own.
  if (const auto* literal = std::get_if<std::int64_t>(&node.first->value);
      literal && node.first->kind == NodeKind::literal)
    if (const Meaning* known =
            number(std::string(node.text) + "[" + std::to_string(*literal) + "]"))
      return *known;
  const auto& vectors = names_.vectors;
  const auto vector = std::find_if(vectors.begin(), vectors.end(),
                                   [&](const auto& one) { return one.name == node.text; });
  if (vector == vectors.end() && means_something(node.text))
    fail(node, "'" + std::string(node.text) + "' is a number and has no elements");
  if (vector == vectors.end())
    unknown(node);
  require_whole(*node.first, "an index");
  return {.real = vector->real,
          .vector = true,
          .level = meaning(*node.first).level,
          .place = static_cast<std::uint32_t>(vector - vectors.begin())};
}

Meaning Resolver::unary(const ExpressionNode& node) {
  const Meaning& operand = visit(*node.first);
  return {.real = operand.real && node.op != Operator::logical_not, .level = operand.level};
}

/// What the parts from `first` on have in common: of `and`, `or`, min and max.
Meaning Resolver::joined(const ExpressionNode* first) {
  Meaning all;
  for (const ExpressionNode* child = first; child; child = child->next)
    all = both(all, visit(*child));
  return all;
}

Meaning Resolver::chain(const ExpressionNode& node) {
  Meaning all = joined(node.first);
  for (const ExpressionNode* child = node.first->next; child; child = child->next)
    all.real = all.real || child->relation == Operator::divide;
  return all;
}

Meaning Resolver::comparison(const ExpressionNode& node) {
  Meaning all = visit(*node.first);
  for (const ExpressionNode* right = node.first->next; right; right = right->next) {
    const bool member = right->relation == Operator::in || right->relation == Operator::not_in;
    if (member && right->kind != NodeKind::list)
      fail(*right, "expected a list after 'in'");
    if (member && right->next)
      fail(*right->next, "nothing can be compared with a list");
    all = both(all, member ? joined(right->first) : visit(*right));
  }
  return {.level = all.level};
}

Meaning Resolver::conditional(const ExpressionNode& node) {
  const Meaning condition = visit(*node.first);
  const Meaning chosen = joined(node.first->next);
  return {.real = chosen.real, .level = std::max(condition.level, chosen.level)};
}

bool Resolver::is_over_range(const ExpressionNode& node) const {
  if (node.function == Function::sum)
    return true;
  const bool extreme = node.function == Function::min || node.function == Function::max;
  const ExpressionNode& first = *node.first;
  return extreme && node.children == 3 && first.kind == NodeKind::name &&
         !means_something(first.text) && names_below(*first.next->next, first.text);
}

Meaning Resolver::call(const ExpressionNode& node) {
  if (is_over_range(node))
    return over_range(node);
  const bool list = node.first->kind == NodeKind::list;
  switch (node.function) {
  case Function::min:
  case Function::max:
    if (list && !node.first->first)
      fail(node, "the list is empty");
    return joined(list && node.children == 1 ? node.first->first : node.first);
  case Function::abs:
    return joined(node.first);
  default:
    return {.real = gives_real(node.function), .level = visit(*node.first).level};
  }
}

Meaning Resolver::over_range(const ExpressionNode& node) {
  const ExpressionNode &name = *node.first, &count = *name.next, &term = *count.next;
  if (means_something(name.text))
    fail(name, "'" + std::string(name.text) + "' has another meaning here; choose another name");
  require_whole(count, "a count");
  loops_.push_back(name.text);
  const auto own = static_cast<std::uint32_t>(loops_.size());
  const Meaning one = visit(term);
  loops_.pop_back();
  const std::uint32_t outer = one.level < own ? one.level : level_below(term, own);
  return {.real = one.real, .over_range = true, .level = std::max(meaning(count).level, outer)};
}

/// Of the names that are not made by loop `own` or within it.
std::uint32_t Resolver::level_below(const ExpressionNode& node, std::uint32_t own) {
  std::uint32_t level = 0;
  if (node.kind == NodeKind::name && meaning(node).level < own)
    level = meaning(node).level;
  for (const ExpressionNode* child = node.first; child; child = child->next)
    level = std::max(level, level_below(*child, own));
  return level;
}

void Resolver::require_whole(const ExpressionNode& node, const char* what) {
  if (visit(node).real)
    fail(node, std::string(what) + " is an integer; int() makes one of a real");
}

void Resolver::unknown(const ExpressionNode& node) const {
  if (const auto why = names_.refused.find(std::string(node.text)); why != names_.refused.end())
    fail(node, "'" + std::string(node.text) + "' " + why->second);
  std::vector<std::string> choices;
  if (node.kind == NodeKind::name) {
    for (const auto& [name, meaning] : numbers_)
      choices.push_back(name);
    choices.insert(choices.end(), loops_.begin(), loops_.end());
  }
  for (const FormulaVector& vector : names_.vectors)
    choices.push_back(vector.name);
  fail(node, unknown_name(node.kind == NodeKind::name ? "name" : "vector", node.text, choices));
}

void Resolver::fail(const ExpressionNode& node, const std::string& what) const {
  fail_at(arena_.text, node.column, what);
}

} // namespace gridsmith::detail
