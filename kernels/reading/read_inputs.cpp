#include "gridsmith/kernels/reading/read_inputs.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/inputs/compile_program.hpp"
#include "gridsmith/kernels/inputs/element_file.hpp"
#include "gridsmith/kernels/inputs/fill_fields.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

/// The words of "Fill": T1 has its own for random bits, and a file is named.
Fill read_fill(const JsonField& field) {
  std::vector<std::string> valid;
  for (const std::string_view word : Words<Fill>::list)
    if (word != to_text(Fill::random) && word != to_text(Fill::file))
      valid.emplace_back(word);
  const std::string text = field.text();
  if (std::find(valid.begin(), valid.end(), text) == valid.end())
    field.fail(unknown_name("fill", text, valid));
  return from_text<Fill>(text);
}

/// A Value of the element's index, refused here if not all of it can be computed alike everywhere.
void read_program(const JsonField& field, Reading& reading, InputRule& rule) {
  const auto& extents = reading.definition.extent_names;
  if (std::find(extents.begin(), extents.end(), index_name) != extents.end())
    field.fail("'i' is the element's index here, and an extent's name; the extent needs another");
  const Expression expression = reading.expression(field, false, std::string(index_name));
  const Value any = std::int64_t{1};
  try {
    compile_program(expression, [&](std::string_view) { return &any; });
  } catch (const InputError& error) {
    field.fail(error.what());
  }
  rule.numbers.emplace("Value", expression);
}

std::vector<std::string> valid_fields(const InputRule& rule) {
  std::vector<std::string> valid{"Fill", "File", "Offset", "Row"};
  if (rule.fill)
    for (const FillField& field : fill_fields(*rule.fill))
      valid.emplace_back(field.name);
  if (rule.fill == Fill::expression)
    valid.emplace_back("Value");
  return valid;
}

void read_numbers(const JsonField& entry, Reading& reading, InputRule& rule) {
  for (const FillField& field : fill_fields(*rule.fill)) {
    const JsonField number = field.otherwise ? entry.find(field.name) : entry.required(field.name);
    if (number.present())
      rule.numbers.emplace(field.name, reading.expression(number, false));
  }
  if (rule.fill == Fill::expression)
    read_program(entry.required("Value"), reading, rule);
}

void read_file(const JsonField& field, const Argument& argument, const KernelDefinition& definition,
               InputRule& rule) {
  rule.fill = Fill::file;
  rule.file = located_file(field, definition);
  try {
    check_element_type(*rule.file, definition.readable, argument.type);
  } catch (const InputError& error) {
    field.fail(error.what());
  }
}

InputRule read_input(const JsonField& entry, const Argument& argument, Reading& reading) {
  InputRule rule;
  const JsonField fill = entry.find("Fill"), file = entry.find("File");
  if (fill.present() && file.present())
    entry.fail("Fill or File, not both");
  if (fill.present())
    rule.fill = read_fill(fill);
  entry.only(valid_fields(rule));
  if (rule.fill)
    read_numbers(entry, reading, rule);
  if (file.present())
    read_file(file, argument, reading.definition, rule);
  if (const JsonField offset = entry.find("Offset"); offset.present())
    rule.offset = reading.expression(offset, false);
  if (const JsonField row = entry.find("Row"); row.present()) {
    if (argument.constant_memory)
      row.fail("the rows of a __constant__ variable have no pitch");
    rule.row = reading.expression(row, false);
  }
  return rule;
}

/// Both sections name vectors.
void check_vectors(const JsonField& section, const Reading& reading) {
  std::vector<std::string> valid;
  for (const Argument& argument : reading.definition.arguments)
    if (argument.is_vector)
      valid.push_back(argument.name);
  for (const std::string& name : section.names())
    if (std::find(valid.begin(), valid.end(), name) == valid.end())
      section.fail(valid.empty() ? "no argument is a vector"
                                 : unknown_name("vector argument", name, valid));
}

void read_need(const JsonField& entry, Argument& argument, Reading& reading) {
  entry.only({"Alignment", "LeadingDimension"});
  if (const JsonField alignment = entry.find("Alignment"); alignment.present())
    argument.alignment = reading.expression(alignment, true);
  if (const JsonField leading = entry.find("LeadingDimension"); leading.present()) {
    if (argument.input && argument.input->row)
      leading.fail("the tuner lays rows of a pitch, by Row in Inputs, which is told by a scalar");
    argument.leading_dimension = reading.expression(leading, false);
  }
}

} // namespace

void read_inputs(const JsonField& inputs, Reading& reading) {
  if (!inputs.present())
    return;
  check_vectors(inputs, reading);
  for (Argument& argument : reading.definition.arguments)
    if (const JsonField entry = inputs.find(argument.name); argument.is_vector && entry.present())
      argument.input = read_input(entry, argument, reading);
}

void read_needs(const JsonField& needs, Reading& reading) {
  if (!needs.present())
    return;
  check_vectors(needs, reading);
  for (Argument& argument : reading.definition.arguments)
    if (const JsonField entry = needs.find(argument.name); argument.is_vector && entry.present())
      read_need(entry, argument, reading);
}

} // namespace gridsmith
