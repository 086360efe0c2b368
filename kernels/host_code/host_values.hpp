// SPDX-License-Identifier: Apache-2.0
// What the host code of a file computes where that is plain: a number, and how a definition says it.
#pragma once

#include "gridsmith/kernels/host_code/host_arithmetic.hpp"
#include "gridsmith/kernels/host_code/host_names.hpp"
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

class HostValues {
public:
  /// @param tokens outlive this @param headers that it includes: for names of types; likewise
  /// @param constants whole numbers that the source has names for
  HostValues(const Tokens& tokens, std::span<const Tokens> headers,
             std::map<std::string, std::int64_t> constants)
      : tokens_(tokens), headers_(headers), names_(tokens), constants_(std::move(constants)) {}

  const HostNames& names() const { return names_; }

  /// From now on the host's variable, or the constant, is this name of the definition. The first time counts.
  void say(const HostVariable& variable, const std::string& as, double number) {
    said_.emplace(variable, std::pair(as, number));
  }

  /// From now on a name is a number.
  void say_constant(const std::string& name, std::int64_t number) { constants_[name] = number; }

  /// From now on sizeof() of a type's name is so many bytes. The first time counts.
  void say_bytes(const std::string& type, int bytes) { bytes_.emplace(type, bytes); }

  /// The program is run with these arguments: argv[1] is the first.
  void run_with(std::vector<std::string> arguments) { run_ = std::move(arguments); }

  /// Of an expression that stands at this place of the file. Variables of its function and of none are what they begin
  /// as, if nothing but the command line changes them, or what that gives them; a parameter is what the calls in the file
  /// pass, where that is one value.
  /// @param block what is divided by a number that is this one's is divided by it; none: there is none
  std::optional<HostValue> value(std::span<const Token> expression, std::size_t place,
                                 const std::optional<HostValue>& block = {}) const;

  /// Of a type's name, or of `*x` and `x[0]`: 4 of "float"; nothing where it is not known.
  std::optional<std::int64_t> bytes_of_type(std::span<const Token> type) const;

private:
  class Reader;

  using Said = std::pair<std::string, double>;
  const Said* said(const std::string& name, std::size_t place) const;
  std::string meaning(const std::string& word) const;
  std::optional<std::int64_t> bytes_of_variable(std::span<const Token> operand) const;

  const Tokens& tokens_;
  std::span<const Tokens> headers_;
  HostNames names_;
  std::map<std::string, std::int64_t> constants_;
  std::map<HostVariable, Said> said_;
  std::map<std::string, int> bytes_;            ///< of types, as the compiler says
  std::optional<std::vector<std::string>> run_; ///< none: it is not known how the program is run
};

} // namespace gridsmith
