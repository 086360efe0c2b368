// SPDX-License-Identifier: Apache-2.0
// What the names and parts of a formula are, before it is compiled. Not for use outside
// search/formula.
#pragma once

#include "gridsmith/base/expression/parser.hpp"
#include "gridsmith/search/formula/formula.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith::detail {

/// Of one node.
struct Meaning {
  bool real = false;
  bool vector = false;     ///< an element of one
  bool over_range = false; ///< a call of the form f(l, count, term)
  /// The innermost loop whose name stands below and is not made below; the outermost is 1, 0: none.
  std::uint32_t level = 0;
  std::uint32_t place =
      0; ///< of a name of level 0: `i`, or the constants in the order of the numbers; of an
         ///< element: its vector
};

class Resolver {
public:
  /// Both are kept by reference. @throws InputError as ElementFormula, always at a place
  Resolver(const ExpressionArena& arena, const FormulaNames& names);

  /// @pre root stands in the arena. @return by place in the arena
  std::vector<Meaning> resolve(const ExpressionNode& root);

private:
  friend NodeVisit;

  Meaning& meaning(const ExpressionNode& node) { return meanings_[index_of(node)]; }

  std::size_t index_of(const ExpressionNode& node) const {
    return static_cast<std::size_t>(&node - arena_.nodes.get());
  }

  const Meaning& visit(const ExpressionNode& node);
  Meaning literal(const ExpressionNode& node) const;
  Meaning name(const ExpressionNode& node) const;
  Meaning element(const ExpressionNode& node);
  Meaning unary(const ExpressionNode& node);
  Meaning chain(const ExpressionNode& node);
  Meaning comparison(const ExpressionNode& node);
  Meaning conditional(const ExpressionNode& node);
  Meaning call(const ExpressionNode& node);
  Meaning other(const ExpressionNode& node);

  Meaning junction(const ExpressionNode& node) { return joined(node.first); }

  Meaning over_range(const ExpressionNode& node);
  Meaning joined(const ExpressionNode* first);
  std::uint32_t level_below(const ExpressionNode& node, std::uint32_t own);

  const Meaning* number(std::string_view name) const;
  bool means_something(std::string_view name) const;
  bool is_over_range(const ExpressionNode& node) const;
  void require_whole(const ExpressionNode& node, const char* what);
  [[noreturn]] void unknown(const ExpressionNode& node) const;
  [[noreturn]] void fail(const ExpressionNode& node, const std::string& what) const;

  const ExpressionArena& arena_;
  const FormulaNames& names_;
  std::vector<Meaning> meanings_;
  std::vector<std::string_view> loops_; ///< names, the outermost first
  std::map<std::string, Meaning, std::less<>> numbers_;
};

} // namespace gridsmith::detail
