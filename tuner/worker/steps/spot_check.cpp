// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/steps/spot_check.hpp"

#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/inputs/random.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

constexpr std::uint64_t spot_checks = 64;

bool close_enough(ElementType type, std::uint64_t found, const ElementNumber& expected,
                  const Tolerance& tolerance, bool to_the_bit) {
  if (found == bits_of_number(type, expected))
    return true;
  if (to_the_bit) // one NaN is as good as another
    return std::isnan(value_of_bits(type, found)) &&
           std::isnan(value_of_bits(type, bits_of_number(type, expected)));
  const double got = value_of_bits(type, found);
  const double want = std::visit([](auto number) { return static_cast<double>(number); }, expected);
  const double relative = is_real(type) ? tolerance.relative : 0;
  return std::fabs(got - want) <= tolerance.absolute + relative * std::fabs(want);
}

std::string difference(const BufferSpec& output, std::uint64_t element, std::uint64_t found,
                       const ElementNumber& expected, AnswerOf made_by) {
  const bool kernel = made_by == AnswerOf::kernel;
  return fmt::format("element {} of '{}' is {} by the {} and {} by {}", element, output.name,
                     text_of_bits(output.type, found), kernel ? "reference kernel" : "GPU",
                     std::visit([](auto number) { return fmt::to_string(number); }, expected),
                     kernel ? "its formula" : "the host, both by Reference.Element");
}

/// Of few elements all.
std::uint64_t element_to_check(std::uint64_t number, std::uint64_t elements, std::uint64_t seed) {
  return number == 0               ? 0
         : number == 1             ? elements - 1
         : elements <= spot_checks ? number - 1
                                   : random_bits(seed, 0, number) % elements;
}

/// What is allowed of a typical element is in the absolute part.
Tolerance tolerance_of(const BufferSpec& output, DataSeed seed, const AnswerBits& answer) {
  Tolerance tolerance = output.tolerance;
  if (tolerance.magnitude == 0 || !is_real(output.type))
    return tolerance;
  double squares = 0;
  for (std::uint64_t i = 0; i < spot_checks; ++i) {
    const std::uint64_t element = element_to_check(i, output.elements, seed.seed) % output.elements;
    const double value = value_of_bits(output.type, answer(output.name, element));
    squares += std::isfinite(value) ? value * value : 0;
  }
  tolerance.absolute += tolerance.magnitude * std::sqrt(squares / double{spot_checks});
  return tolerance;
}

/// One output, and what is asked of it.
struct Checked {
  OutputFormula formula;
  std::optional<OutputFormula> verified;
  Tolerance tolerance;
};

std::vector<Checked> outputs_of(const OpenWork& work, DataSeed seed, const AnswerBits& answer) {
  const ReferenceWork& reference = work.reference;
  std::vector<Checked> outputs;
  for (OutputFormula& formula :
       output_formulas(reference.element, work.arguments, reference.extents, seed)) {
    const BufferSpec output = formula.output();
    outputs.push_back({std::move(formula),
                       verified_formula(output, work.arguments, reference.extents),
                       tolerance_of(output, seed, answer)});
  }
  return outputs;
}

bool counts(std::optional<OutputFormula>& verified, std::uint64_t element,
            OutputFormula::Clock::time_point deadline) {
  return !verified || verified->element(element, deadline) != ElementNumber(std::int64_t{0});
}

} // namespace

SpotChecked spot_check(const OpenWork& work, DataSeed seed, const AnswerBits& answer,
                       AnswerOf made_by, std::chrono::milliseconds limit) {
  const auto deadline = OutputFormula::Clock::now() + limit;
  auto outputs = outputs_of(work, seed, answer);
  SpotChecked checked;
  for (std::uint64_t i = 0; i < spot_checks; ++i)
    for (auto& [formula, verified, tolerance] : outputs) {
      const BufferSpec& output = formula.output();
      if (i >= output.elements)
        continue;
      const std::uint64_t element = element_to_check(i, output.elements, seed.seed);
      if (!counts(verified, element, deadline))
        continue;
      std::optional<ElementNumber> expected;
      try {
        expected = formula.element(element, deadline);
      } catch (const EvaluationError& error) {
        checked.problem = std::string("Reference.Element: ") + error.what();
        return checked;
      }
      if (!expected || OutputFormula::Clock::now() > deadline)
        return checked;
      const std::uint64_t found = answer(output.name, element);
      ++checked.elements;
      const bool to_the_bit = made_by == AnswerOf::formula;
      if (!close_enough(output.type, found, *expected, tolerance, to_the_bit)) {
        checked.problem = difference(output, element, found, *expected, made_by);
        return checked;
      }
    }
  return checked;
}

} // namespace gridsmith
