// SPDX-License-Identifier: Apache-2.0
// Expressions as definitions write them: Python syntax with C's && || ! allowed as well. Parsed to
// a tree and evaluated by us; nothing of a definition ever runs as code on the host.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/operators.hpp"
#include "gridsmith/base/value.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gridsmith {

/// Names that an expression may use in addition to parameters: device facts, problem extents.
using Bindings = std::map<std::string, Value>;

struct ExpressionNode; // tree.hpp

/// Looks a name up; nullptr when it is unknown.
using Lookup = std::function<const Value*(std::string_view name)>;

/// An immutable parsed expression; cheap to copy.
///
/// Grammar: literals (integer, real, True/False/true/false, 'text', "text"), names, name[integer],
/// lists (a, b) and [a, b] after `in`, ( ), unary - + not !, ** (right associative, above unary
/// minus), * / // %, + -, comparisons with chains (a <= b < c) and in / not in, and &&, or ||,
/// conditional `a if c else b`, functions min max abs ceil floor log2 round int pow. What a Syntax adds, a formula's
/// elements and sums excepted, has values here too.
/// Numbers follow Python: / is real division; // and % round towards minus infinity; integers are
/// exact up to 4,096 bits on the way to a result.
class Expression {
public:
  /// @throws InputError naming the text, the column (from 1) and what was expected; a text has at
  /// most 2^20 characters and nests at most 200 deep.
  static Expression parse(std::string_view text, Syntax syntax = Syntax::plain);

  /// @throws InputError for an unknown name (with column and nearest name), a wrong type, an
  /// unknown function; EvaluationError for a division by zero; NumberTooLarge, of an integer that
  /// 64 bits do not hold as well.
  Value evaluate(const Lookup& lookup) const;
  Value evaluate(const Bindings& bindings) const;
  /// Python's truth of it. @throws as evaluate; the number may have more than 64 bits
  bool holds(const Lookup& lookup) const;
  bool holds(const Bindings& bindings) const;

  /// Every name used, sorted; `name[0]` counts as "name[0]".
  const std::set<std::string>& names() const;
  /// Every vector of which a formula reads elements; of extents without names "ProblemSize".
  std::set<std::string> vectors() const;
  /// Column (from 1) of the first use of a name, 0 when it is not used.
  std::size_t column_of(std::string_view name) const;
  const std::string& text() const;
  const ExpressionNode& root() const;

private:
  struct Parsed;
  std::shared_ptr<const Parsed> parsed_;
};

/// Arithmetic whose result is undefined; inside a constraint it counts as "not satisfied".
class EvaluationError : public Error {
public:
  using Error::Error;
};

/// An integer of more than 4,096 bits, or what Python calls an overflow. Never "not satisfied": what
/// the constraint says of such a configuration is not known.
class NumberTooLarge : public InputError {
public:
  using InputError::InputError;
};

/// Python's truth of a value: non-zero number, non-empty string.
bool is_true(const Value& value);

} // namespace gridsmith
