// SPDX-License-Identifier: Apache-2.0
// Walks the tree of an expression with the names that a lookup knows. Only this
// folder and search/ use it.
#pragma once

#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/base/expression/tree.hpp"

#include <string>

namespace gridsmith::detail {

/// The value of one node of a text. @param known what to choose from when a name is unknown, or
/// nullptr. @throws as Expression::evaluate
Value evaluate(const std::string& text, const ExpressionNode& node, const Lookup& lookup,
               const Bindings* known = nullptr);

/// Its truth; 64 bits need not hold the number. @throws as Expression::holds
bool holds(const std::string& text, const ExpressionNode& node, const Lookup& lookup,
           const Bindings* known = nullptr);

} // namespace gridsmith::detail
