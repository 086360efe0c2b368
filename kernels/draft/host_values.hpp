// SPDX-License-Identifier: Apache-2.0
// What the host code of a file computes where that is plain: a number, and how a definition says it.
#pragma once

#include "gridsmith/kernels/draft/polynomial.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"
#include "gridsmith/kernels/syntax/tokens.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridsmith {

struct HostValue {
  double number = 0;
  bool whole = true;             ///< of integers, whose division rounds down
  bool named = true;             ///< a name is in it
  std::optional<Polynomial> sum; ///< of names and whole numbers, where it is one
  std::string written;           ///< else: "n // 2"
  int binds = 0;                 ///< of that: 0 a name or in brackets, 1 a product, 2 a sum

  /// As an expression of a definition.
  std::string text() const { return sum ? sum->text() : written; }
};

class HostValues {
public:
  /// @param tokens outlive this
  /// @param constants whole numbers that the source has names for
  HostValues(const Tokens& tokens, std::map<std::string, std::int64_t> constants)
      : tokens_(tokens), declarations_(declarations_of(tokens)), constants_(std::move(constants)) {}

  /// From now on the host's variable, or the constant, is this name of the definition. The first time counts.
  void say(const std::string& variable, const std::string& as, double number) {
    said_.emplace(variable, std::pair(as, number));
  }

  /// Of an expression that stands at this place of the file. Variables of its function and of none are what they begin
  /// as, if nothing but the command line changes them; a parameter is what the only call in the file passes.
  std::optional<HostValue> value(std::span<const Token> expression, std::size_t place) const;

  /// Of a type's name: 4 of "float"; nothing where it is not known.
  std::optional<std::int64_t> bytes_of_type(std::span<const Token> type) const;

private:
  class Reader;

  std::string_view meaning(std::string_view word) const;

  const Tokens& tokens_;
  std::vector<Declaration> declarations_;
  std::map<std::string, std::int64_t> constants_;
  std::map<std::string, std::pair<std::string, double>> said_;
};

} // namespace gridsmith
