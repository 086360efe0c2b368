// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/read_inputs.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/inputs/compile_program.hpp"
#include "gridsmith/kernels/inputs/element_file.hpp"
#include "gridsmith/kernels/inputs/fill_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

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

/// A vector that is read reads none.
void check_read_vectors(const JsonField& inputs, const KernelDefinition& definition) {
  const auto read_by = [&](const Argument& argument) {
    std::set<std::string> read;
    if (argument.input && argument.input->fill == Fill::expression)
      read = argument.input->numbers.at("Value").vectors();
    read.erase(extents_name);
    return read;
  };
  for (const Argument& argument : definition.arguments)
    for (const std::string& name : read_by(argument))
      for (const Argument& other : definition.arguments)
        if (other.name == name && !read_by(other).empty())
          inputs.find(argument.name)
              .find("Value")
              .fail(fmt::format("reads '{}', which reads '{}' itself; what is read reads no vector",
                                name, *read_by(other).begin()));
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

void read_numbers(const JsonField& entry, const Argument& argument, Reading& reading,
                  InputRule& rule) {
  for (const FillField& field : fill_fields(*rule.fill)) {
    const JsonField number = field.otherwise ? entry.find(field.name) : entry.required(field.name);
    if (number.present())
      rule.numbers.emplace(field.name, reading.number(number));
  }
  if (rule.fill == Fill::expression)
    read_element_value(entry.required("Value"), argument, reading, rule);
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
    read_numbers(entry, argument, reading, rule);
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
  section.only(
      argument_names(reading.definition, [](const Argument& one) { return one.is_vector; }),
      "vector argument", "no argument is a vector");
}

void read_need(const JsonField& entry, Argument& argument, Reading& reading) {
  entry.only({"Alignment", "LeadingDimension"});
  if (const JsonField alignment = entry.find("Alignment"); alignment.present())
    argument.alignment = reading.expression(alignment, true);
  if (const JsonField leading = entry.find("LeadingDimension"); leading.present()) {
    if (argument.input && argument.input->row)
      leading.fail("Row in Inputs makes rows with a pitch, which a scalar passes to the kernel");
    argument.leading_dimension = reading.expression(leading, false);
  }
}

/// A word of a list; a missing field leaves what is there.
template <Worded Enum>
void read_word(const JsonField& field, Enum& word) {
  if (!field.present())
    return;
  try {
    word = from_text<Enum>(field.text());
  } catch (const InputError& error) {
    field.fail(error.what());
  }
}

/// The vector of a texture. Of what hardware can read, and what nobody changes meanwhile.
const Argument& texture_source(const JsonField& field, const KernelDefinition& definition) {
  const auto fits = [](const Argument& argument) {
    return argument.is_vector && argument.numbers_each == 1 && size_of(argument.type) <= 4 &&
           !argument.output && argument.access == Access::read_only &&
           !(argument.input && argument.input->row);
  };
  const std::string name = field.text();
  std::vector<std::string> valid;
  for (const Argument& argument : definition.arguments) {
    if (fits(argument) && argument.name == name)
      return argument;
    if (fits(argument))
      valid.push_back(argument.name);
  }
  constexpr std::string_view kind = "ReadOnly vector of at most 32 bits, without a Row,";
  field.fail(valid.empty() ? "there is no " + std::string(kind) + " for a texture"
                           : unknown_name(kind, name, valid));
}

bool read_truth(const JsonField& field) {
  const Value value = field.value();
  if (const bool* truth = std::get_if<bool>(&value))
    return *truth;
  field.fail("expected true or false");
}

TextureOf read_texture(const JsonField& entry, Reading& reading) {
  entry.only({"Of", "Columns", "Filter", "Address", "Normalized"});
  const JsonField of = entry.required("Of");
  const Argument& source = texture_source(of, reading.definition);
  TextureOf texture{.argument = source.name};
  if (const JsonField columns = entry.find("Columns"); columns.present())
    texture.columns = reading.expression(columns, false);
  read_word(entry.find("Filter"), texture.mode.filter);
  read_word(entry.find("Address"), texture.mode.address);
  if (const JsonField normalized = entry.find("Normalized"); normalized.present())
    texture.mode.normalized = read_truth(normalized);
  if (texture.mode.filter == TextureFilter::linear && !is_real(source.type))
    entry.find("Filter").fail("linear needs elements that are reals, and those of '" + source.name +
                              "' are " + std::string(to_text(source.type)));
  const bool turns = texture.mode.address == TextureAddress::wrap ||
                     texture.mode.address == TextureAddress::mirror;
  if (turns && !texture.mode.normalized)
    entry.find("Address").fail("wrap and mirror need Normalized coordinates");
  return texture;
}

} // namespace

void read_textures(const JsonField& textures, Reading& reading) {
  if (!textures.present())
    return;
  textures.only(argument_names(reading.definition,
                               [](const Argument& one) {
                                 return !one.is_vector && one.type == ElementType::uint64;
                               }),
                "scalar argument of uint64", "a texture is a scalar argument of the type uint64");
  for (Argument& argument : reading.definition.arguments)
    if (const JsonField entry = textures.find(argument.name); entry.present())
      argument.texture = read_texture(entry, reading);
}

void read_element_value(const JsonField& field, const Argument& argument, Reading& reading,
                        InputRule& rule) {
  const auto& extents = reading.definition.extent_names;
  if (std::find(extents.begin(), extents.end(), index_name) != extents.end())
    field.fail("'i' is the element's index here, and an extent's name; the extent needs another");
  std::vector<std::string> also{std::string(index_name)};
  std::vector<FormulaVector> vectors;
  for (const Argument& other : reading.definition.arguments)
    if (!other.is_vector)
      also.push_back(other.name);
    else if (other.name != argument.name)
      vectors.push_back({other.name, is_real(other.type), 1, {}});
  const Expression expression =
      reading.remember({field, reading.parts.expression(field, Syntax::formula), false, also});
  const Value any = std::int64_t{1};
  try {
    compile_program(expression, [&](std::string_view) { return &any; }, std::move(vectors));
  } catch (const InputError& error) {
    field.fail(error.what());
  }
  rule.numbers.emplace("Value", expression);
}

void read_inputs(const JsonField& inputs, Reading& reading) {
  if (!inputs.present())
    return;
  check_vectors(inputs, reading);
  for (Argument& argument : reading.definition.arguments)
    if (const JsonField entry = inputs.find(argument.name); argument.is_vector && entry.present())
      argument.input = read_input(entry, argument, reading);
  check_read_vectors(inputs, reading.definition);
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
