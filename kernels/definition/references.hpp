// SPDX-License-Identifier: Apache-2.0
// What outputs must hold by the definition's Reference.Element, in integers and doubles, slowly and
// plainly, and what the inputs hold that it reads. For spot checks of a reference kernel's answer, for
// definitions without one, for tests at small sizes. Nothing here touches a GPU.
#pragma once

#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/search/formula/formula.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// By the names that expressions use: "m", "ProblemSize[0]".
using Extents = std::map<std::string, std::int64_t>;

Extents extents_of(const KernelInstance& instance);

/// What names mean in a formula: extents, scalar arguments, the vectors that are filled for the
/// kernel to read (no outputs but those it reads and writes, which have what they are filled with).
/// @throws InputError: one name for two numbers, or the name `i`
FormulaNames element_names(const std::vector<ArgumentSpec>& arguments, const Extents& extents,
                           DataSeed seed);

/// The elements of one output.
class OutputFormula {
public:
  using Clock = ElementFormula::Clock;

  /// @throws InputError naming text and column; reals for an output of integers
  OutputFormula(const std::string& formula, const BufferSpec& output, FormulaNames names);

  const BufferSpec& output() const { return output_; }

  const ElementFormula& formula() const { return formula_; }

  /// Before it is rounded to the output's type; nothing where it is not done by `deadline`.
  /// @throws EvaluationError naming the element, also of an integer that the type does not hold
  std::optional<ElementNumber> element(std::uint64_t index, Clock::time_point deadline);
  /// All, rounded, as they lie in memory; nothing where that is not done by `deadline`.
  /// @throws EvaluationError
  std::optional<std::vector<std::uint8_t>> bytes(Clock::time_point deadline);

private:
  BufferSpec output_;
  ElementFormula formula_;
};

/// As an element of this type; reals are rounded to it. @pre the type holds the integer
std::uint64_t bits_of_number(ElementType type, const ElementNumber& number);

/// By the definition, one for each output that it has a formula for.
/// @param formulas by the name of the output. @throws InputError naming the output
std::vector<OutputFormula> output_formulas(const std::map<std::string, std::string>& formulas,
                                           const std::vector<ArgumentSpec>& arguments,
                                           const Extents& extents, DataSeed seed);

/// Of an output of which not all elements are verified: not 0 where one is.
/// @throws InputError naming text and column
std::optional<OutputFormula> verified_formula(const BufferSpec& output,
                                              const std::vector<ArgumentSpec>& arguments,
                                              const Extents& extents);

/// In which all outputs that have nothing but formulas have to be computed.
inline constexpr std::chrono::seconds formula_limit{5};
/// A lane of the device does a step some 40 times slower than the host: with fewer elements the host is
/// faster.
inline constexpr std::uint64_t least_for_device = 256;

/// What takes long, before it is waited for: one line for each output of which all elements by this
/// formula take more than a second, about, by the time of some on this host.
/// @pre contents of files were read
std::vector<std::string> slow_formulas(const std::map<std::string, std::string>& formulas,
                                       const std::vector<ArgumentSpec>& arguments,
                                       const Extents& extents, const Device& device);
/// Of an instance; nothing where a kernel or a file is the reference, or where a file is read.
std::vector<std::string> slow_formulas(const KernelInstance& instance);

/// Of the definition without a problem: what can be said of its formulas before there are numbers.
/// @throws InputError naming text and column
void check_formula(const std::string& formula, const Argument& output,
                   const KernelDefinition& definition);
/// Of one problem: the first and the last element of every output, where they take no longer than
/// some milliseconds. @throws InputError naming output and element
void check_elements(const KernelInstance& instance);

} // namespace gridsmith
