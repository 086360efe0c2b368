// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/steps/spot_check.hpp"

#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/inputs/random.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gridsmith {
namespace {

constexpr std::uint64_t spot_checks = 64;

bool close_enough(ElementType type, std::uint64_t found, const ElementNumber& expected,
                  const ReferenceWork& rules, bool to_the_bit) {
  if (found == bits_of_number(type, expected))
    return true;
  if (to_the_bit) // one NaN is as good as another
    return std::isnan(value_of_bits(type, found)) &&
           std::isnan(value_of_bits(type, bits_of_number(type, expected)));
  const double got = value_of_bits(type, found);
  const double want = std::visit([](auto number) { return static_cast<double>(number); }, expected);
  const double relative = is_real(type) ? rules.relative_tolerance : 0;
  return std::fabs(got - want) <= rules.absolute_tolerance + relative * std::fabs(want);
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

} // namespace

SpotChecked spot_check(const OpenWork& work, std::uint64_t seed, const AnswerBits& answer,
                       AnswerOf made_by, std::chrono::milliseconds limit) {
  const ReferenceWork& reference = work.reference;
  const auto deadline = OutputFormula::Clock::now() + limit;
  auto formulas = output_formulas(reference.element, work.arguments, reference.extents, seed);
  SpotChecked checked;
  for (std::uint64_t i = 0; i < spot_checks; ++i)
    for (OutputFormula& formula : formulas) {
      const BufferSpec& output = formula.output();
      if (i >= output.elements)
        continue;
      const std::uint64_t element = element_to_check(i, output.elements, seed);
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
      if (!close_enough(output.type, found, *expected, reference, to_the_bit)) {
        checked.problem = difference(output, element, found, *expected, made_by);
        return checked;
      }
    }
  return checked;
}

} // namespace gridsmith
