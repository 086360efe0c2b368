#include "gridsmith/search/compile/compiler.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/search/expression/evaluate.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith::detail {

ConstraintCompiler::ConstraintCompiler(const std::vector<Parameter>& parameters,
                                       const Bindings& facts)
    : parameters_(parameters), facts_(facts), variables_(parameters.size(), no_term),
      types_(parameters.size()), opaque_only_(parameters.size()), words_(parameters.size()) {
  index_.reserve(parameters.size());
  for (std::uint32_t i = 0; i < parameters.size(); ++i)
    index_.emplace_back(parameters[i].name, i);
  std::ranges::sort(index_);
  for (std::size_t i = 1; i < index_.size(); ++i)
    if (index_[i].first == index_[i - 1].first)
      throw InputError("parameter '" + std::string(index_[i].first) + "' is defined twice");
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
  conjuncts_.push_back({root == no_term ? opaque(node) : root, current_index_});
}

/// a <= b < c: each link on its own, unless one of them needs the tree.
void ConstraintCompiler::add_chain(const ExpressionNode& node) {
  const std::size_t before = conjuncts_.size();
  TermId left = value(*node.first);
  for (const ExpressionNode* right = node.first->next; right; right = right->next) {
    const bool member = right->relation == Operator::in || right->relation == Operator::not_in;
    const TermId operand = member ? no_term : value(*right);
    const TermId link =
        left == no_term || operand == no_term ? no_term : relation(right->relation, left, operand);
    if (link == no_term) {
      conjuncts_.resize(before);
      conjuncts_.push_back({opaque(node), current_index_});
      return;
    }
    conjuncts_.push_back({link, current_index_});
    left = operand;
  }
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
    if (const std::uint32_t* parameter = find_parameter(node.text)) {
      variable(*parameter);
      found.push_back(variables_[*parameter]);
    } else if (!find_fact(node.text)) {
      unknown(node);
    }
  }
  for (const ExpressionNode* child = node.first; child; child = child->next)
    collect_variables(*child, found);
}

Word ConstraintCompiler::evaluate_opaque(Word index, std::span<const Position> positions) const {
  const Opaque& opaque = opaque_[static_cast<std::size_t>(index)];
  const Lookup lookup = [&](std::string_view wanted) -> const Value* {
    if (const std::uint32_t* parameter = find_parameter(wanted))
      return &parameters_[*parameter].values[positions[*parameter]];
    return find_fact(wanted);
  };
  try {
    return is_true(evaluate(opaque.constraint->expression.text(), *opaque.node, lookup));
  } catch (const EvaluationError&) {
    return undefined;
  }
}

const std::uint32_t* ConstraintCompiler::find_parameter(std::string_view name) const {
  const auto found = std::ranges::lower_bound(index_, name, {},
                                              &std::pair<std::string_view, std::uint32_t>::first);
  return found != index_.end() && found->first == name ? &found->second : nullptr;
}

const Value* ConstraintCompiler::find_fact(std::string_view name) const {
  if (facts_.empty())
    return nullptr;
  const auto found = facts_.find(std::string(name));
  return found == facts_.end() ? nullptr : &found->second;
}

void ConstraintCompiler::unknown(const ExpressionNode& node) const {
  std::vector<std::string> choices;
  for (const Parameter& parameter : parameters_)
    choices.push_back(parameter.name);
  for (const auto& [fact, value] : facts_)
    choices.push_back(fact);
  throw InputError("constraint '" + current_->text + "', column " + std::to_string(node.column) +
                   ": " + unknown_name("name", node.text, choices));
}

Word ConstraintCompiler::identity(std::string_view text) {
  const auto found = std::ranges::find(texts_, text);
  const Word index = found - texts_.begin();
  if (found == texts_.end())
    texts_.push_back(text);
  return index;
}

TermId ConstraintCompiler::literal(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return terms_.integer(*integer);
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
        opaque_only_[parameter] || (integer && std::abs(to_number(value)) > 0x1p53);
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
    variables_[parameter] = !fixed                   ? terms_.variable(parameter, type, low, high)
                            : type == TermType::text ? terms_.text(word)
                            : type == TermType::real ? terms_.real(to_real(word))
                                                     : terms_.integer(word);
  }
  return opaque_only_[parameter] ? no_term : variables_[parameter];
}

TermId ConstraintCompiler::name(const ExpressionNode& node) {
  if (const std::uint32_t* parameter = find_parameter(node.text))
    return variable(*parameter);
  if (const Value* fact = find_fact(node.text))
    return literal(*fact);
  unknown(node);
}

TermId ConstraintCompiler::value(const ExpressionNode& node) {
  switch (node.kind) {
  case NodeKind::literal:
    return literal(node.value);
  case NodeKind::name:
    return name(node);
  case NodeKind::unary:
    return unary(node);
  case NodeKind::binary:
    return binary(node);
  case NodeKind::comparison:
    return comparison(node);
  case NodeKind::logical_and:
  case NodeKind::logical_or:
    return junction(node);
  case NodeKind::conditional:
    return conditional(node);
  case NodeKind::call:
    return call(node);
  default:
    return no_term;
  }
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
    return terms_[operand].type == TermType::real ? terms_.multiply(terms_.integer(-1), operand)
                                                  : terms_.subtract(terms_.integer(0), operand);
  default:
    return operand;
  }
}

TermId ConstraintCompiler::binary(const ExpressionNode& node) {
  const TermId left = value(*node.first);
  const TermId right = left == no_term ? no_term : value(*node.first->next);
  if (right == no_term)
    return no_term;
  switch (node.op) {
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
  TermId any = terms_.integer(0);
  for (const ExpressionNode* item = list.first; item; item = item->next) {
    const TermId element = value(*item);
    if (element == no_term || terms_[element].fallible)
      return no_term;
    const TermId same = terms_.compare(TermOp::equal, left, element);
    any = same == no_term ? no_term : terms_.logical(TermOp::logical_or, any, same);
    if (any == no_term)
      return no_term;
  }
  return terms_[left].fallible && terms_.is_constant(any) ? no_term : any;
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
    if (const Value* fact = find_fact(node.text))
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
