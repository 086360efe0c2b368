// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/spite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace gridsmith {
namespace {

Fill fill_of(const Argument& argument) {
  return argument.input && argument.input->fill ? *argument.input->fill : argument.fill;
}

bool is_constant(const Argument& argument) {
  return !(argument.input && argument.input->fill) && argument.fill == Fill::constant;
}

bool is_real_input(const Argument& argument) {
  return argument.is_vector && argument.access != Access::write_only && is_real(argument.type) &&
         fill_of(argument) != Fill::file;
}

/// A definition's tolerance may be made for its own data, whose sums are exact: what rounds may be off by more.
KernelDefinition loosened(KernelDefinition definition) {
  constexpr double off = 1e-3;
  for (Argument& argument : definition.arguments)
    if (argument.output && is_real(argument.type)) {
      argument.tolerance.relative = std::max(argument.tolerance.relative, off);
      argument.tolerance.magnitude = std::max(argument.tolerance.magnitude, off);
    }
  return definition;
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

/// In 32 bits: squares of the small ones are as small as what kernels add for safety, exponentials of the large ones are
/// infinite, squares of the huge ones are not.
constexpr std::array all_reals{
    Between{"zeros", "0", "0"}, Between{"small numbers", "-1e-3", "1e-3"},
    Between{"large numbers", "-1e3", "1e3"}, Between{"huge numbers", "-1e15", "1e15"},
    Between{"denormal numbers", "-1e-40", "1e-40"}};

/// None: `change` changes no argument.
template <typename Change>
std::optional<OtherData> changed(OtherData other, const Change& change) {
  bool any = false;
  for (Argument& argument : other.definition.arguments)
    any = change(argument) || any;
  return any ? std::optional(std::move(other)) : std::nullopt;
}

/// None: no vector of reals.
/// @param fill given each of them
template <typename F>
std::optional<OtherData> with_reals(const KernelDefinition& definition, const char* word,
                                    const F& fill) {
  return changed({word, definition}, [&](Argument& argument) {
    const bool meant = is_real_input(argument) && argument.type != ElementType::float16;
    if (meant)
      fill(argument);
    return meant;
  });
}

/// One element in 509 is no number. No result that is none is right, so that this tells of a kernel only where its
/// reference passes over them, as fmaxf() does.
void fill_with_some_nan(Argument& argument) {
  InputRule rule = argument.input.value_or(InputRule{});
  rule.fill = Fill::expression;
  rule.numbers = {{"Value", Expression::parse("sqrt(-1) if i % 509 == 77 else "
                                              "i * 7919 % 4001 / 2000 - 1",
                                              Syntax::formula)}};
  argument.input = std::move(rule);
}

/// The least or the most that the rule of an integer vector allows, as an expression; none: the order of its elements
/// may matter, or it is another's index by a rule of its own.
std::optional<std::string> end_of_integers(const Argument& argument, bool most) {
  if (!argument.is_vector || argument.access == Access::write_only || is_real(argument.type))
    return std::nullopt;
  if (fill_of(argument) == Fill::uniform && argument.input && argument.input->fill)
    return argument.input->numbers.find(most ? "To" : "From")->second.text();
  if (fill_of(argument) != Fill::random)
    return std::nullopt;
  if (argument.fill_value > 1)
    return most ? fmt::format("{:.0f}", argument.fill_value) : "0";
  const bool negative = is_signed_integer(argument.type);
  const int bits = 8 * static_cast<int>(size_of(argument.type)) - (negative ? 1 : 0);
  constexpr int exact = 53; // what a number of a definition says exactly
  return most       ? fmt::format("{:.0f}", std::ldexp(1.0, std::min(bits, exact)) - 1)
         : negative ? fmt::format("-{:.0f}", std::ldexp(1.0, std::min(bits, exact)))
                    : "0";
}

/// In place of a permutation any numbers of its range, some of them twice, so that what knows their spacing is found
/// out. None: there is no permutation.
std::optional<OtherData> with_any_order(const KernelDefinition& definition) {
  return changed({"numbers drawn at random", definition}, [](Argument& argument) {
    if (fill_of(argument) != Fill::permutation || !argument.size)
      return false;
    std::string step = "1";
    if (argument.input)
      if (const auto held = argument.input->numbers.find("Step");
          held != argument.input->numbers.end())
        step = held->second.text();
    fill_between(argument, "0", fmt::format("(({}) - 1) * ({})", argument.size->text(), step));
    return true;
  });
}

/// Rows of very different lengths, as many elements in all. None: no sparse structure, or it has such rows already.
std::optional<OtherData> with_uneven_rows(const KernelDefinition& definition) {
  return changed({"uneven rows", definition}, [](Argument& argument) {
    const Fill fill = fill_of(argument);
    if ((fill != Fill::csr_offsets && fill != Fill::csr_columns) || !argument.input)
      return false;
    auto& numbers = argument.input->numbers;
    const auto held = numbers.find("Skew");
    if (held != numbers.end() && held->second.text() != "0")
      return false;
    numbers.insert_or_assign("Skew", Expression::parse("0.5"));
    return true;
  });
}

/// None: no such vector.
std::optional<OtherData> with_integers(const KernelDefinition& definition, bool most) {
  return changed({most ? "largest integers" : "smallest integers", definition,
                  /*at_smallest*/ false},
                 [&](Argument& argument) {
                   const auto value = end_of_integers(argument, most);
                   if (value)
                     fill_between(argument, *value, *value);
                   return value.has_value();
                 });
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

std::vector<OtherData> other_data(const KernelDefinition& own) {
  std::vector<OtherData> all;
  const KernelDefinition definition = loosened(own);
  for (const Between& numbers : all_reals)
    if (auto one = with_reals(definition, numbers.word, [&](Argument& argument) {
          fill_between(argument, numbers.least, numbers.most);
        }))
      all.push_back(std::move(*one));
  if (auto one = with_reals(definition, "some NaN", fill_with_some_nan))
    all.push_back(std::move(*one));
  for (const bool most : {false, true})
    if (auto one = with_integers(definition, most))
      all.push_back(std::move(*one));
  for (const auto& other : {with_any_order, with_uneven_rows})
    if (auto one = other(definition))
      all.push_back(std::move(*one));
  if (auto one = without_constants(definition))
    all.push_back(std::move(*one));
  return all;
}

} // namespace gridsmith
