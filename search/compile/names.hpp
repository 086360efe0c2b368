// SPDX-License-Identifier: Apache-2.0
// What the names of constraints stand for: parameters and facts.
#pragma once

#include "gridsmith/base/expression/tree.hpp"
#include "gridsmith/search/compile/constraint.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridsmith::detail {

class Names {
public:
  /// Both are kept by reference. @throws InputError: a parameter named twice.
  Names(const std::vector<Parameter>& parameters, const Bindings& facts);

  const std::uint32_t* find_parameter(std::string_view name) const;
  const Value* find_fact(std::string_view name) const;
  /// @throws InputError naming the column and the nearest, always.
  [[noreturn]] void unknown(const ExpressionNode& node, const Constraint& constraint) const;

  /// Of facts, and of parameters at these positions.
  Lookup lookup(std::span<const Position> positions) const;
  /// "A=1, B=2": the parameters below a node, each once.
  std::string values_text(const ExpressionNode& node, std::span<const Position> positions) const;

private:
  const std::vector<Parameter>& parameters_;
  const Bindings& facts_;
  std::vector<std::pair<std::string_view, std::uint32_t>> index_; ///< by name, sorted
};

} // namespace gridsmith::detail
