// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/references.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/definition/input_specs.hpp"
#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/inputs/fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace gridsmith {
namespace {

constexpr const char* of_parameter =
    "is a parameter, and what an element is does not depend on how it is computed";

double number_of(const ElementNumber& number) {
  return std::visit([](auto held) { return static_cast<double>(held); }, number);
}

void add_number(FormulaNames& names, const std::string& name, const ElementNumber& number) {
  if (name == "i")
    throw InputError("'i' is the index of the element; the argument or extent of this name needs "
                     "another one");
  const auto [place, fresh] = names.numbers.emplace(name, number);
  if (!fresh && number_of(place->second) != number_of(number))
    throw InputError(fmt::format("'{}' is an extent, {}, and a scalar argument, {}", name,
                                 number_of(place->second), number_of(number)));
}

/// As the kernel gets it.
void add_scalar(FormulaNames& names, const ScalarSpec& scalar) {
  if (!scalar.pitch_of.empty()) {
    names.refused[scalar.name] = "is a pitch, which is the device's choice";
    return;
  }
  if (scalar.texture) {
    names.refused[scalar.name] = "is a texture; the vector '" + scalar.texture->of + "' is not";
    return;
  }
  if (scalar.struct_bytes > 0) {
    names.refused[scalar.name] = "is a struct; give what the formula needs of it as its value";
    return;
  }
  const Value passed = passed_value(scalar);
  if (const auto* whole = std::get_if<std::int64_t>(&passed))
    add_number(names, scalar.name, *whole);
  else if (is_real(scalar.type))
    add_number(names, scalar.name, std::get<double>(passed));
  else
    names.refused[scalar.name] = "has more than 63 bits";
}

ScalarSpec without_value(const Argument& argument) {
  ScalarSpec spec{.name = argument.name, .type = argument.type, .value = 1};
  if (argument.layout)
    spec.struct_bytes = argument.layout->bytes;
  if (argument.pitch)
    spec.pitch_of = argument.pitch->argument;
  if (argument.texture)
    spec.texture = TextureSpec{.of = argument.texture->argument};
  return spec;
}

/// The arguments where neither the problem nor a number is known.
std::vector<ArgumentSpec> without_sizes(const std::vector<Argument>& arguments) {
  std::vector<ArgumentSpec> specs;
  for (const Argument& argument : arguments)
    if (argument.is_vector)
      specs.push_back({.buffer = BufferSpec{.name = argument.name,
                                            .type = argument.type,
                                            .access = argument.access,
                                            .output = argument.output},
                       .scalar = {}});
    else
      specs.push_back({.buffer = {}, .scalar = without_value(argument)});
  return specs;
}

} // namespace

Extents extents_of(const KernelInstance& instance) {
  Extents extents;
  for (std::size_t i = 0; i < instance.problem.extents.size(); ++i) {
    extents[fmt::format("ProblemSize[{}]", i)] = instance.problem.extents[i];
    if (i < instance.definition.extent_names.size())
      extents[instance.definition.extent_names[i]] = instance.problem.extents[i];
  }
  return extents;
}

FormulaNames element_names(const std::vector<ArgumentSpec>& arguments, const Extents& extents,
                           DataSeed seed) {
  FormulaNames names;
  for (const auto& [name, extent] : extents)
    add_number(names, name, extent);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto& scalar = arguments[i].scalar)
      add_scalar(names, *scalar);
    const auto& buffer = arguments[i].buffer;
    if (!buffer)
      continue;
    if (buffer->output && buffer->access != Access::read_write)
      names.refused[buffer->name] =
          "is an output that is not ReadWrite: nothing is in it to be read";
    else
      names.vectors.push_back({buffer->name, is_real(buffer->type), buffer->elements,
                               [filled = FilledBuffer(arguments, seed, i)](std::uint64_t at) {
                                 return filled.value(at);
                               }});
  }
  return names;
}

OutputFormula::OutputFormula(const std::string& formula, const BufferSpec& output,
                             FormulaNames names)
    : output_(output), formula_(formula, std::move(names)) {
  if (formula_.gives_real() && !is_real(output.type))
    throw InputError(
        fmt::format("'{}' gives a real, the elements of '{}' are {}; int() and round() "
                    "make an integer of one",
                    formula, output.name, to_text(output.type)));
}

std::optional<ElementNumber> OutputFormula::element(std::uint64_t index,
                                                    Clock::time_point deadline) {
  const auto fail = [&](const std::string& what) {
    throw EvaluationError(fmt::format("element {} of '{}': {}", index, output_.name, what));
  };
  std::optional<ElementNumber> number;
  try {
    number = formula_.element(index, deadline);
  } catch (const EvaluationError& error) {
    fail(error.what());
  }
  if (number && !is_real(output_.type) && !holds(output_.type, std::get<std::int64_t>(*number)))
    fail(fmt::format("the formula gives {}, which {} does not hold",
                     std::get<std::int64_t>(*number), to_text(output_.type)));
  return number;
}

std::uint64_t bits_of_number(ElementType type, const ElementNumber& number) {
  const auto* whole = std::get_if<std::int64_t>(&number);
  if (!whole || is_real(type))
    return bits_of_value(type, number_of(number));
  const std::size_t spare = 64 - 8 * size_of(type);
  return static_cast<std::uint64_t>(*whole) << spare >> spare;
}

std::optional<std::vector<std::uint8_t>> OutputFormula::bytes(Clock::time_point deadline) {
  constexpr std::uint64_t elements_per_look = 1024; // some 10 us
  const std::size_t width = size_of(output_.type);
  std::vector<std::uint8_t> bytes(output_.elements * width);
  for (std::uint64_t i = 0; i < output_.elements; ++i) {
    if (i % elements_per_look == 0 && Clock::now() > deadline)
      return std::nullopt;
    const auto number = element(i, deadline);
    if (!number)
      return std::nullopt;
    const std::uint64_t bits = bits_of_number(output_.type, *number);
    std::memcpy(&bytes[i * width], &bits, width); // little-endian, as the device
  }
  return bytes;
}

namespace {

/// An element that may be anything may have no value by the formula.
std::string where_verified(const std::string& formula, const BufferSpec& output) {
  return output.verified.empty()
             ? formula
             : fmt::format("({}) if ({}) != 0 else 0", formula, output.verified);
}

} // namespace

std::vector<OutputFormula> output_formulas(const std::map<std::string, std::string>& formulas,
                                           const std::vector<ArgumentSpec>& arguments,
                                           const Extents& extents, DataSeed seed) {
  std::vector<OutputFormula> all;
  for (const ArgumentSpec& argument : arguments)
    if (argument.buffer && argument.buffer->output)
      if (const auto formula = formulas.find(argument.buffer->name); formula != formulas.end())
        all.emplace_back(where_verified(formula->second, *argument.buffer), *argument.buffer,
                         element_names(arguments, extents, seed));
  return all;
}

std::optional<OutputFormula> verified_formula(const BufferSpec& output,
                                              const std::vector<ArgumentSpec>& arguments,
                                              const Extents& extents) {
  if (output.verified.empty())
    return std::nullopt;
  FormulaNames names = element_names(arguments, extents, 0);
  names.vectors.clear();
  BufferSpec truth = output;
  truth.type = ElementType::uint8;
  return OutputFormula("(" + output.verified + ") != 0", truth, std::move(names));
}

namespace {

/// Of one on this host, in the mean over some; at least the limit where one is not done.
std::chrono::duration<double> time_of_element(OutputFormula& formula) {
  using Clock = OutputFormula::Clock;
  constexpr std::chrono::milliseconds limit{20};
  constexpr std::uint64_t samples = 5;
  const std::uint64_t last = formula.output().elements - 1;
  const auto begun = Clock::now();
  for (std::uint64_t i = 0; i < samples; ++i) {
    const std::uint64_t index = i * (last / (samples - 1));
    try {
      if (!formula.element(std::min(index, last), begun + limit))
        return limit;
    } catch (const EvaluationError&) { // told when it is computed
    }
  }
  return (Clock::now() - begun) / static_cast<double>(samples);
}

double lanes_of(const Device& device) {
  return std::max(1.0, static_cast<double>(device.sm_count) *
                           static_cast<double>(device.max_threads_per_sm));
}

} // namespace

std::vector<std::string> slow_formulas(const std::map<std::string, std::string>& formulas,
                                       const std::vector<ArgumentSpec>& arguments,
                                       const Extents& extents, const Device& device) {
  constexpr double busy_lane = 200; // times slower than the host, with all others at work
  constexpr double told_s = 1;
  std::vector<std::string> lines;
  for (OutputFormula& formula : output_formulas(formulas, arguments, extents, 1)) {
    const double one_s = time_of_element(formula).count();
    const std::uint64_t elements = formula.output().elements;
    const double all = static_cast<double>(elements);
    const double seconds = elements < least_for_device
                               ? one_s * all
                               : one_s * busy_lane * std::max(1.0, all / lanes_of(device));
    if (seconds > told_s)
      lines.push_back(
          fmt::format("Reference.Element takes some {:.0f} s for the {} elements of '{}'{}; with a "
                      "Reference.Kernel as well, it checks only some of them",
                      seconds, elements, formula.output().name,
                      seconds > static_cast<double>(formula_limit.count())
                          ? fmt::format(", and has {}", formula_limit.count())
                          : ""));
  }
  return lines;
}

std::vector<std::string> slow_formulas(const KernelInstance& instance) {
  const Reference& reference = instance.definition.reference;
  if (reference.element.empty() || reference.kernel || reference.file)
    return {};
  const std::vector<ArgumentSpec> arguments = argument_specs(instance);
  for (const ArgumentSpec& argument : arguments)
    if (argument.buffer && argument.buffer->fill == Fill::file)
      return {};
  return slow_formulas(reference.element, arguments, extents_of(instance), instance.device);
}

void check_formula(const std::string& formula, const Argument& output,
                   const KernelDefinition& definition) {
  Extents extents;
  for (std::size_t i = 0; i < definition.default_problem().extents.size(); ++i)
    extents[fmt::format("ProblemSize[{}]", i)] = 1;
  for (const std::string& name : definition.extent_names)
    extents[name] = 1;
  FormulaNames names = element_names(without_sizes(definition.arguments), extents, 1);
  for (const Parameter& parameter : definition.parameters)
    names.refused[parameter.name] = of_parameter;
  for (const std::string& name : automatic_names(definition.automatic))
    names.refused[name] = of_parameter;
  for (const auto& [name, value] : device_facts(Device{}))
    names.refused.emplace(name,
                          "is a fact of the device, and what an element is does not depend on it");
  const BufferSpec spec{.name = output.name, .type = output.type, .output = true};
  OutputFormula(formula, spec, std::move(names));
}

void check_elements(const KernelInstance& instance) {
  constexpr std::chrono::milliseconds limit{50}; // of an author's patience
  const auto& formulas = instance.definition.reference.element;
  try {
    std::vector<ArgumentSpec> arguments = argument_specs(instance);
    read_contents(instance, arguments);
    for (OutputFormula& one : output_formulas(formulas, arguments, extents_of(instance), 1))
      for (const std::uint64_t index : {std::uint64_t{0}, one.output().elements - 1})
        one.element(index, OutputFormula::Clock::now() + limit);
  } catch (const Error& error) {
    throw InputError(instance.definition.file.string() +
                     ": Gridsmith.Reference.Element: " + error.what());
  }
}

} // namespace gridsmith
