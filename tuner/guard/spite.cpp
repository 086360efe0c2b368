// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/spite.hpp"

#include <array>
#include <optional>

namespace gridsmith {
namespace {

bool is_filled_by_rule(const Argument& argument) {
  const Fill fill = argument.input && argument.input->fill ? *argument.input->fill : argument.fill;
  return fill != Fill::file && fill != Fill::expression;
}

bool is_constant(const Argument& argument) {
  return !(argument.input && argument.input->fill) && argument.fill == Fill::constant;
}

bool is_real_input(const Argument& argument) {
  return argument.is_vector && argument.access != Access::write_only && is_real(argument.type) &&
         is_filled_by_rule(argument);
}

/// @param most above the least, or the same: all elements are that
void fill_between(Argument& argument, const std::string& least, const std::string& most) {
  InputRule rule = argument.input.value_or(InputRule{});
  rule.numbers.clear();
  if (least == most) {
    rule.fill = Fill::constant;
    rule.numbers.emplace("Value", Expression::parse(least));
  } else {
    rule.fill = Fill::uniform;
    rule.numbers.emplace("From", Expression::parse(least));
    rule.numbers.emplace("To", Expression::parse(most));
  }
  argument.input = std::move(rule);
}

struct Between {
  const char *word, *least, *most;
};

/// The squares of the huge ones are numbers of 32 bits; the small ones are none that is normal.
constexpr std::array all_reals{Between{"zeros", "0", "0"}, Between{"huge numbers", "-1e15", "1e15"},
                               Between{"denormal numbers", "-1e-40", "1e-40"}};

/// None: no vector of reals.
std::optional<OtherData> with_reals(const KernelDefinition& definition, const Between& numbers) {
  OtherData other{numbers.word, definition};
  bool any = false;
  for (Argument& argument : other.definition.arguments)
    if (is_real_input(argument) && argument.type != ElementType::float16) {
      fill_between(argument, numbers.least, numbers.most);
      any = true;
    }
  return any ? std::optional(std::move(other)) : std::nullopt;
}

/// Whether it was constant.
bool make_another(Argument& argument) {
  constexpr double times = 1.25, more = 0.5;
  if (is_real_input(argument) && is_constant(argument)) {
    fill_between(argument, "0.5", "1.5");
    return true;
  }
  if (argument.is_vector || !is_real(argument.type) || argument.value || argument.layout)
    return false;
  argument.fill_value = argument.fill_value * times + more;
  return true;
}

/// None: nothing is constant.
std::optional<OtherData> without_constants(const KernelDefinition& definition) {
  OtherData other{"other constants", definition};
  bool any = false;
  for (auto* arguments : {&other.definition.arguments, &other.definition.reference.arguments})
    for (Argument& argument : *arguments)
      any = make_another(argument) || any;
  return any ? std::optional(std::move(other)) : std::nullopt;
}

} // namespace

std::vector<OtherData> other_data(const KernelDefinition& definition) {
  std::vector<OtherData> all;
  for (const Between& numbers : all_reals)
    if (auto one = with_reals(definition, numbers))
      all.push_back(std::move(*one));
  if (auto one = without_constants(definition))
    all.push_back(std::move(*one));
  return all;
}

} // namespace gridsmith
