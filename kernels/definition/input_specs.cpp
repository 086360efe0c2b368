// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/input_specs.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/expression_values.hpp"
#include "gridsmith/kernels/inputs/compile_program.hpp"
#include "gridsmith/kernels/inputs/element_file.hpp"
#include "gridsmith/kernels/inputs/fill_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gridsmith {
namespace {

constexpr double most_rows = 4294967295.0; // and columns: their products fit 64 bits
constexpr double largest_exponent = 10;    // beyond, nearly all is 0

std::string field_of(const BufferSpec& spec, std::string_view name) {
  return fmt::format("Gridsmith.Inputs.{}.{}", spec.name, name);
}

/// Checks the numbers of one buffer, each against what its fill allows.
class NumberCheck {
public:
  NumberCheck(const KernelDefinition& definition, const BufferSpec& spec)
      : definition_(definition), spec_(spec) {}

  void run() const {
    const FillNumbers& of = spec_.numbers;
    switch (spec_.fill) {
    case Fill::constant:
      return element("Value", of.value);
    case Fill::uniform:
    case Fill::sorted:
      element("From", of.from);
      element("To", of.to);
      return require(spec_.fill == Fill::uniform && is_real(spec_.type) ? of.from < of.to
                                                                        : of.from <= of.to,
                     "To", of.to, fmt::format("it is not above From, {}", of.from));
    case Fill::sequence:
    case Fill::permutation:
      element("From", of.from);
      element("Step", is_real(spec_.type) ? of.step : std::abs(of.step));
      return element("Step", of.from + static_cast<double>(spec_.elements - 1) * of.step,
                     " (the last element)");
    case Fill::normal:
      return require(of.deviation >= 0, "Deviation", of.deviation, "expected 0 or more");
    case Fill::zipf:
      whole("To", of.to);
      return require(of.exponent >= 0 && of.exponent <= largest_exponent, "Exponent", of.exponent,
                     fmt::format("expected 0 to {}", largest_exponent));
    case Fill::csr_offsets:
    case Fill::csr_columns:
      return sparse();
    default:
      return;
    }
  }

private:
  void require(bool holds, std::string_view name, double number, const std::string& what,
               std::string_view role = "") const {
    if (!holds)
      throw InputError(fmt::format("{}: {}: {}{}: {}", definition_.file.string(),
                                   field_of(spec_, name), number, role, what));
  }

  /// That the type has such an element.
  void element(std::string_view name, double number, std::string_view role = "") const {
    if (is_real(spec_.type))
      return;
    const double most = largest_whole(spec_.type),
                 least = is_signed_integer(spec_.type) ? -most - 1 : 0;
    require(number == std::floor(number) && number >= least && number <= most, name, number,
            fmt::format("expected a whole number from {} to {} for {}", least, most,
                        to_text(spec_.type)),
            role);
  }

  /// A whole number of any type, from 0 on.
  void whole(std::string_view name, double number, std::string_view role = "") const {
    const double most = largest_whole(spec_.type);
    require(number == std::floor(number) && number >= 0 && number <= most, name, number,
            fmt::format("expected a whole number from 0 to {} for {}", most, to_text(spec_.type)),
            role);
  }

  void sparse() const {
    const FillNumbers& of = spec_.numbers;
    for (const auto& [name, number] : {std::pair{"Rows", of.rows}, {"Columns", of.columns}})
      require(number == std::floor(number) && number >= 1 && number <= most_rows, name, number,
              fmt::format("expected a whole number from 1 to {}", most_rows));
    require(of.density >= 0 && of.density <= 1, "Density", of.density, "expected 0 to 1");
    require(of.skew >= 0 && of.skew <= 1, "Skew", of.skew, "expected 0 to 1");
    const bool offsets = spec_.fill == Fill::csr_offsets;
    const double nonzeros = std::floor(of.rows * of.columns * of.density);
    whole("Density", offsets ? nonzeros : of.columns - 1, " (the largest element)");
    const double needed = offsets ? of.rows + 1 : nonzeros;
    require(
        static_cast<double>(spec_.elements) == needed, offsets ? "Rows" : "Density",
        offsets ? of.rows : of.density,
        fmt::format("so the vector has {} elements; its Size gives {}", needed, spec_.elements));
  }

  const KernelDefinition& definition_;
  const BufferSpec& spec_;
};

bool same_structure(const BufferSpec& a, const BufferSpec& b) {
  return a.numbers.rows == b.numbers.rows && a.numbers.columns == b.numbers.columns &&
         a.numbers.density == b.numbers.density && a.numbers.skew == b.numbers.skew;
}

void check_file(const KernelInstance& instance, const InputRule& rule, const BufferSpec& spec) {
  try {
    check_elements(*rule.file, instance.definition.readable, spec.type, spec.elements);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", instance.definition.file.string(),
                                 field_of(spec, "File"), error.what()));
  }
}

void apply_fill(const KernelInstance& instance, const InputRule& rule, const Lookup& lookup,
                BufferSpec& spec) {
  const KernelDefinition& definition = instance.definition;
  spec.fill = *rule.fill;
  spec.numbers = {};
  for (const FillField& field : fill_fields(spec.fill)) {
    const auto given = rule.numbers.find(field.name);
    spec.numbers.*field.number =
        given == rule.numbers.end()
            ? field.otherwise.value_or(0)
            : number_of({definition, field_of(spec, field.name)}, given->second, lookup);
  }
  NumberCheck(definition, spec).run();
  if (spec.fill == Fill::file)
    check_file(instance, rule, spec);
}

} // namespace

double largest_whole(ElementType type) {
  if (is_real(type)) // bits of the mantissa and the one before it
    return type == ElementType::float16   ? 2048
           : type == ElementType::float32 ? 16777216
                                          : largest_exact_double;
  const int bits = 8 * static_cast<int>(size_of(type)) - (is_signed_integer(type) ? 1 : 0);
  return std::min(std::ldexp(1, bits) - 1, largest_exact_double);
}

void apply_input(const KernelInstance& instance, const InputRule& rule, BufferSpec& spec) {
  const KernelDefinition& definition = instance.definition;
  const Configuration no_parameters;
  const Lookup lookup = lookup_in(no_parameters, instance.facts);
  const auto elements = [&](std::string_view name, const std::optional<Expression>& expression,
                            std::int64_t least) -> std::uint64_t {
    return expression ? static_cast<std::uint64_t>(integer_of({definition, field_of(spec, name)},
                                                              *expression, lookup, least))
                      : 0;
  };
  if (rule.fill)
    apply_fill(instance, rule, lookup, spec);
  spec.offset = elements("Offset", rule.offset, 0);
  spec.row = elements("Row", rule.row, 1);
  if (spec.row > 0 && spec.elements % spec.row != 0)
    throw InputError(fmt::format("{}: {}: {} elements are no whole rows of {}",
                                 definition.file.string(), field_of(spec, "Row"), spec.elements,
                                 spec.row));
}

void compile_fills(const KernelInstance& instance, std::vector<ArgumentSpec>& specs) {
  const std::vector<Argument>& arguments = instance.definition.arguments;
  Bindings scalars;
  for (const ArgumentSpec& spec : specs)
    if (spec.scalar && has_value(*spec.scalar))
      scalars[spec.scalar->name] = passed_value(*spec.scalar);
  const Configuration no_parameters;
  const Lookup facts = lookup_in(no_parameters, instance.facts);
  const Lookup lookup = [&](std::string_view name) {
    const Value* fact = facts(name);
    const auto scalar = scalars.find(std::string(name));
    return fact || scalar == scalars.end() ? fact : &scalar->second;
  };
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].buffer || specs[i].buffer->fill != Fill::expression)
      continue;
    BufferSpec& spec = *specs[i].buffer;
    const Expression& value = arguments[i].input->numbers.at("Value");
    std::vector<FormulaVector> vectors;
    for (const std::string& name : value.vectors())
      for (std::size_t k = 0; k < specs.size(); ++k)
        if (const auto& read = specs[k].buffer; read && read->name == name) {
          vectors.push_back({name, is_real(read->type), read->elements, {}});
          spec.reads.push_back(k);
        }
    try {
      spec.program = compile_program(value, lookup, std::move(vectors));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}: {}", instance.definition.file.string(),
                                   field_of(spec, "Value"), error.what()));
    }
  }
}

void join_structures(const KernelDefinition& definition, std::vector<ArgumentSpec>& specs) {
  const auto is_sparse = [](const ArgumentSpec& spec) {
    return spec.buffer &&
           (spec.buffer->fill == Fill::csr_offsets || spec.buffer->fill == Fill::csr_columns);
  };
  for (ArgumentSpec& spec : specs) {
    if (!is_sparse(spec))
      continue;
    bool both = false, first = true;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      if (!is_sparse(specs[i]) || !same_structure(*specs[i].buffer, *spec.buffer))
        continue;
      if (first)
        spec.buffer->structure = i;
      first = false;
      both = both || specs[i].buffer->fill != spec.buffer->fill;
    }
    if (!both)
      throw InputError(fmt::format(
          "{}: {}: no argument is filled with {} of the same Rows, Columns, Density and Skew",
          definition.file.string(), field_of(*spec.buffer, "Fill"),
          to_text(spec.buffer->fill == Fill::csr_offsets ? Fill::csr_columns : Fill::csr_offsets)));
  }
}

void read_contents(const KernelInstance& instance, std::vector<ArgumentSpec>& specs) {
  const KernelDefinition& definition = instance.definition;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].buffer || specs[i].buffer->fill != Fill::file)
      continue;
    BufferSpec& spec = *specs[i].buffer;
    const std::string content = read_elements(*definition.arguments[i].input->file,
                                              definition.readable, spec.type, spec.elements);
    check_unchanged(instance, *definition.arguments[i].input->file, content);
    spec.content =
        std::make_shared<const std::vector<std::uint8_t>>(content.begin(), content.end());
  }
}

} // namespace gridsmith
