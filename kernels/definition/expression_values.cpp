// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/expression_values.hpp"

#include "gridsmith/base/error.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gridsmith {
namespace {

[[noreturn]] void fail(const Place& place, const Expression& expression, const std::string& what) {
  throw InputError(fmt::format("{}: {}: '{}' {}", place.definition.file.string(), place.field,
                               expression.text(), what));
}

} // namespace

Lookup lookup_in(const Configuration& configuration, const Bindings& facts) {
  return [&configuration, &facts](std::string_view name) -> const Value* {
    const std::string key(name);
    if (const Value* value = find_value(configuration, key))
      return value;
    const auto fact = facts.find(key);
    return fact == facts.end() ? nullptr : &fact->second;
  };
}

Lookup lookup_largest(const KernelInstance& instance) {
  return [&instance](std::string_view name) -> const Value* {
    const auto fact = instance.facts.find(std::string(name));
    if (fact != instance.facts.end())
      return &fact->second;
    const auto largest = instance.facts.find("max(" + std::string(name) + ")");
    return largest == instance.facts.end() ? nullptr : &largest->second;
  };
}

Value value_of(const Place& place, const Expression& expression, const Lookup& lookup) {
  try {
    return expression.evaluate(lookup);
  } catch (const EvaluationError& error) {
    fail(place, expression, std::string("has no value: ") + error.what());
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{}: {}: {}", place.definition.file.string(), place.field, error.what()));
  }
}

double number_of(const Place& place, const Expression& expression, const Lookup& lookup) {
  const Value value = value_of(place, expression, lookup);
  const double number = to_number(value);
  if (!std::isfinite(number))
    fail(place, expression, fmt::format("gives {}, which is no number", to_text(value)));
  return number;
}

std::int64_t integer_of(const Place& place, const Expression& expression, const Lookup& lookup,
                        std::int64_t least) {
  const double number = number_of(place, expression, lookup);
  if (number != std::floor(number) || std::abs(number) > largest_exact_double ||
      number < static_cast<double>(least))
    fail(place, expression,
         number > largest_exact_double
             ? fmt::format("gives {}; expected an integer of at most 2^53", number)
             : fmt::format("gives {}; expected an integer of at least {}", number, least));
  return static_cast<std::int64_t>(number);
}

} // namespace gridsmith
