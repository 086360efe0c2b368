// SPDX-License-Identifier: Apache-2.0
// What one element of an output is, as a formula (Reference.Element of a definition): our
// expressions with elements of vectors, sums and the roots that sums need, compiled once to a small
// program and evaluated for one index after the other. Nothing of it runs as code on the host.
#pragma once

#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/search/formula/formula_program.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gridsmith {

using ElementNumber = std::variant<std::int64_t, double>;

/// A vector whose elements a formula may read.
struct FormulaVector {
  std::string name;
  bool real = false;
  std::uint64_t elements = 0;
  /// Of an index below `elements`; a whole number where the vector is not real.
  std::function<double(std::uint64_t)> element;
};

/// What names mean in a formula, beside `i`.
struct FormulaNames {
  std::map<std::string, ElementNumber> numbers;
  std::vector<FormulaVector> vectors;
  std::map<std::string, std::string> refused; ///< names that are known elsewhere: why not here
};

/// The program of a text. `total` is for plain expressions. @throws InputError as ElementFormula
std::vector<FormulaStep> compile_formula(std::string_view text, const FormulaNames& names,
                                         FormulaKind kind);

/// Grammar: that of Expression with functions of reals, and beside it name[index], sum(l, count, term), min and max of
/// the same form, all over l = 0 … count - 1. `i` is the element's index. Of min and max
/// with three operands the first is such an l where it means nothing else and the third names it.
///
/// Every part is an integer or a real, known before anything is evaluated: integers are exact in 64
/// bits; with a real beside them, and of / and functions of reals, the result is a double, the same to the bit on every
/// device (reals.hpp). A truth is
/// the integer 0 or 1. // and % round towards minus infinity; only what is needed is evaluated.
class ElementFormula {
public:
  using Clock = std::chrono::steady_clock;

  /// @throws InputError naming the text and the column: of the syntax, an unknown name, a vector
  /// without index or with a real one, a text.
  ElementFormula(std::string_view text, FormulaNames names);

  bool gives_real() const;

  /// For the device.
  const std::vector<FormulaStep>& program() const { return program_; }

  /// By their places in the program.
  const std::vector<FormulaVector>& vectors() const { return vectors_; }

  /// Element `index` of the output; nothing where that is not done by `deadline`, which is looked at
  /// every few thousand terms. Not from several threads at once.
  /// @throws EvaluationError naming the column: a division by zero, an index outside its vector, an
  /// integer of more than 64 bits, …
  std::optional<ElementNumber> element(std::uint64_t index, Clock::time_point deadline);

private:
  std::string text_;
  std::vector<FormulaStep> program_;
  std::vector<FormulaRegister> registers_;
  std::vector<FormulaVector> vectors_;
  std::uint32_t patience_ = 0;
};

} // namespace gridsmith
