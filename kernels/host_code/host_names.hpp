// SPDX-License-Identifier: Apache-2.0
// Whose the names of a file's host code are: variables of functions and of none, and what callers pass for them.
#pragma once

#include "gridsmith/kernels/syntax/signature.hpp"
#include "gridsmith/kernels/syntax/tokens.hpp"

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridsmith {

struct HostVariable {
  static constexpr std::size_t of_none = static_cast<std::size_t>(-1);

  std::size_t function = of_none; ///< where that begins
  std::string name;

  auto operator<=>(const HostVariable&) const = default;
};

/// A function, or a lambda: `const auto run = [&](float* x, int n) { … };`
struct HostFunction {
  std::size_t first = 0, body = 0, last = 0; ///< its tokens are from the first to before the last
  std::string_view name;                     ///< "": it has none, and is called elsewhere
  std::vector<std::span<const Token>> parameters;
};

struct HostParameter {
  const HostFunction* of = nullptr;
  std::size_t i = 0;

  std::span<const Token> written() const { return of->parameters[i]; }
};

struct HostCall {
  std::size_t place = 0; ///< of the function's name
  std::vector<std::span<const Token>> arguments;
};

/// Bytes that a variable points to.
struct HostAllocation {
  std::span<const Token> bytes;
  std::size_t place = 0;
};

class HostNames {
public:
  /// @param tokens outlive this
  explicit HostNames(const Tokens& tokens);

  const std::vector<Declaration>& declarations() const { return declarations_; }

  const Declaration* function_of(std::size_t place) const;

  /// Of the innermost function around the place that has one of this name.
  std::optional<HostParameter> parameter(std::string_view name, std::size_t place) const;

  HostVariable variable(std::string_view name, std::size_t place) const;

  /// Those in functions that pass as many arguments as it takes.
  std::vector<HostCall> calls_of(const HostFunction& function) const;

  /// What stands at this place and what callers pass for it, as far as all pass the same variable.
  std::vector<HostVariable> passed_on(std::string_view name, std::size_t place) const;

  /// `cudaMalloc(&name, bytes)`, also of what callers pass for a parameter, and by a function that has its address.
  std::vector<HostAllocation> allocations_of(std::string_view name, std::size_t place) const;

  /// `cudaMemset(name, 0, bytes)` before the place, or of what callers pass for a parameter.
  bool is_zeroed(std::string_view name, std::size_t place) const;

  /// The parameter of a function of the file that the argument is passed for which begins there.
  std::optional<HostParameter> argument_at(std::size_t place) const;

private:
  void add_lambdas();
  bool is_prototype(std::size_t name) const;
  void add_callers(const HostVariable& variable, std::vector<HostVariable>& found) const;
  bool is_target(std::span<const Token> target, std::size_t place,
                 const HostVariable& variable) const;
  void add_allocations(const HostVariable& variable, int depth,
                       std::vector<HostAllocation>& found) const;
  void add_by_address(const HostVariable& variable, int depth,
                      std::vector<HostAllocation>& found) const;

  const Tokens& tokens_;
  std::vector<Declaration> declarations_;
  std::vector<HostFunction> functions_;
};

/// `4` of `int n = 4`; empty: it has none.
std::span<const Token> default_of(std::span<const Token> parameter);

} // namespace gridsmith
