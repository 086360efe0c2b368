// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/read_space.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/tree.hpp"
#include "gridsmith/base/expression/value_list.hpp"
#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/source/compiler_options.hpp"
#include "gridsmith/kernels/source/words_in_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gridsmith {
namespace {

/// T1's types of parameters.
enum class ParameterType { integer, natural, real, boolean, text };

constexpr std::array<std::string_view, 5> parameter_types{"int", "uint", "float", "bool", "string"};

std::vector<Value> read_values(const JsonField& field) {
  if (field.present() && field.json().is_string()) {
    try {
      return parse_value_list(field.text());
    } catch (const InputError& error) {
      field.fail(error.what());
    }
  }
  std::vector<Value> values;
  for (const JsonField& element : field.elements())
    values.push_back(element.value());
  return values;
}

bool is_text(const Value& value) {
  return std::holds_alternative<std::string>(value);
}

bool fits(ParameterType type, const Value& value) {
  const double number = to_number(value); // NaN of a text
  const bool whole = std::holds_alternative<std::int64_t>(value);
  switch (type) {
  case ParameterType::integer:
    return whole;
  case ParameterType::natural:
    return whole && number >= 0;
  case ParameterType::real:
    return !is_text(value) && !std::holds_alternative<bool>(value);
  case ParameterType::boolean:
    return number == 0 || number == 1;
  case ParameterType::text:
    return is_text(value);
  }
  return false;
}

void check_type(const JsonField& entry, const Parameter& parameter, Reading& reading) {
  const JsonField field = entry.find("Type");
  if (!field.present())
    return;
  const std::string word = field.text();
  const auto found = std::find(parameter_types.begin(), parameter_types.end(), word);
  if (found == parameter_types.end())
    return reading.object_to(
        field,
        "parameter '" + parameter.name + "': " +
            unknown_name("type", word,
                         std::vector<std::string>(parameter_types.begin(), parameter_types.end())));
  const auto type = static_cast<ParameterType>(found - parameter_types.begin());
  for (const Value& value : parameter.values)
    if (!fits(type, value))
      return reading.doubt(
          entry.find("Values"),
          "parameter '" + parameter.name + "' has the type " + word + ", which its value " +
              (is_text(value) ? "'" + to_text(value) + "', a text," : to_text(value)) + " has not");
}

void check_mixture(const JsonField& entry, const Parameter& parameter, Reading& reading) {
  const auto texts = std::count_if(parameter.values.begin(), parameter.values.end(), is_text);
  if (texts > 0 && texts < std::ssize(parameter.values))
    reading.object_to(entry.find("Values"),
                      "parameter '" + parameter.name + "' has texts and numbers as values");
}

/// "'trees' is not a value of METHOD (tree, shuffle); did you mean 'tree'?"
std::string not_a_value(const Value& value, const Parameter& parameter,
                        std::string (*text_of)(const Value&) = to_text) {
  constexpr std::size_t most_listed = 24; // more values than this no longer help the reader
  std::vector<std::string> listed, texts;
  for (const Value& one : parameter.values) {
    listed.push_back(text_of(one));
    if (is_text(one))
      texts.push_back(to_text(one));
  }
  const std::string more =
      listed.size() > most_listed ? fmt::format(", … {} more", listed.size() - most_listed) : "";
  listed.resize(std::min(listed.size(), most_listed));
  if (!is_text(value))
    return fmt::format("{} is not a value of {} ({}{})", text_of(value), parameter.name,
                       fmt::join(listed, ", "), more);
  const std::string near = nearest_name(to_text(value), texts);
  return fmt::format("'{}'{} is not a value of {} ({}{}){}", to_text(value),
                     texts.empty() ? ", a text," : "", parameter.name, fmt::join(listed, ", "),
                     more, near.empty() ? "" : "; did you mean '" + near + "'?");
}

/// A list of one value is found in the community's files.
void read_default(JsonField field, const Parameter& parameter, Reading& reading) {
  if (!field.present())
    return;
  if (field.json().is_array() && field.json().size() == 1) {
    reading.hint(field, "is a list; the one value in it is the default");
    field = field.elements().front();
  }
  const Value value = field.value();
  const auto same = [&](const Value& listed) { return same_value(listed, value); };
  if (std::none_of(parameter.values.begin(), parameter.values.end(), same))
    return reading.doubt(field, not_a_value(value, parameter, to_macro)); // booleans as JSON's
  reading.definition.defaults.emplace_back(parameter.name, value);
}

/// "for": a name else, and no expression of its own.
bool is_word_of_expressions(const std::string& name) {
  try {
    Expression::parse(name);
    return false;
  } catch (const InputError&) {
    return is_macro_name(name);
  }
}

void read_parameter(const JsonField& entry, Reading& reading) {
  KernelDefinition& definition = reading.definition;
  Parameter parameter{entry.required("Name").text(), read_values(entry.required("Values"))};
  tell_unknown(entry, {"Name", "Type", "Values", "Default"}, {"Description", "Comment"}, reading);
  if (parameter.values.empty())
    entry.find("Values").fail("a parameter needs at least one value");
  const auto same = [&](const Parameter& other) { return other.name == parameter.name; };
  const auto before =
      std::find_if(definition.parameters.begin(), definition.parameters.end(), same);
  if (before != definition.parameters.end() && !reading.ours && before->values == parameter.values)
    return reading.hint(entry.find("Name"),
                        "parameter '" + parameter.name + "' appears twice, alike");
  if (before != definition.parameters.end())
    entry.find("Name").fail("parameter '" + parameter.name + "' appears twice");
  if (is_word_of_expressions(parameter.name)) // no condition could name it
    entry.find("Name").fail("parameter '" + parameter.name +
                            "' has the name of a word of C++ or of expressions");
  check_mixture(entry, parameter, reading);
  check_type(entry, parameter, reading);
  read_default(entry.find("Default"), parameter, reading);
  definition.parameters.push_back(std::move(parameter));
}

/// A parameter and the literal that it is compared with, in either order.
void check_pair(const ExpressionNode& one, const ExpressionNode& other, const JsonField& field,
                Reading& reading) {
  const auto& parameters = reading.definition.parameters;
  const auto parameter = std::find_if(parameters.begin(), parameters.end(),
                                      [&](const Parameter& p) { return p.name == one.text; });
  if (one.kind != NodeKind::name || other.kind != NodeKind::literal || !other.text.empty() ||
      parameter == parameters.end())
    return;
  const auto same = [&](const Value& value) { return same_value(value, other.value); };
  if (std::any_of(parameter->values.begin(), parameter->values.end(), same))
    return;
  const std::string what = not_a_value(other.value, *parameter);
  is_text(other.value) ? reading.warn(field, what) : reading.hint(field, what);
}

void check_values(const ExpressionNode& node, const JsonField& field, Reading& reading) {
  for (const ExpressionNode* child = node.first; child; child = child->next) {
    check_values(*child, field, reading);
    const ExpressionNode* next = child->next;
    const Operator relation = next ? next->relation : Operator::none;
    if (relation == Operator::equal || relation == Operator::not_equal) {
      check_pair(*child, *next, field, reading);
      check_pair(*next, *child, field, reading);
    } else if (relation == Operator::in || relation == Operator::not_in) {
      for (const ExpressionNode* listed = next->first; listed; listed = listed->next)
        check_pair(*child, *listed, field, reading);
    }
  }
}

/// "-DTILE=4" or "-UTILE" of a parameter TILE; "" where there is none.
std::string macro_option(const std::string& name, const KernelDefinition& definition) {
  for (const std::string& option : definition.compiler_options)
    if ((option.starts_with("-D") || option.starts_with("-U")) &&
        option.substr(2, option.find_first_of("=(") - 2) == name)
      return option;
  return "";
}

/// @param what "parameter 'TILE'"
void check_macro_name(const JsonField& field, const std::string& what, const std::string& name,
                      const KernelDefinition& definition) {
  const auto refuse = [&](const std::string& why) { field.fail(what + " " + why); };
  if (!is_macro_name(name))
    refuse("cannot be a macro of the source: letters, digits and underscores, no digit first");
  if (words_in_use().contains(name))
    refuse("has the name of a word of C++ or of expressions; as a macro it would change others");
  if (const std::string option = macro_option(name, definition); !option.empty())
    refuse(fmt::format("has the name of a macro of KernelSpecification.CompilerOptions, '{}'; omit "
                       "one of them",
                       option));
}

/// A text always holds, so a comparison in quotes of its own excludes nothing.
void check_truth(const ExpressionNode& root, const JsonField& field, Reading& reading) {
  const auto names_texts = [&](const Parameter& parameter) {
    return parameter.name == root.text && is_text(parameter.values.front());
  };
  const auto& parameters = reading.definition.parameters;
  const bool text = root.kind == NodeKind::literal
                        ? is_text(root.value)
                        : root.kind == NodeKind::name &&
                              std::any_of(parameters.begin(), parameters.end(), names_texts);
  if (text)
    reading.object_to(field, "is a text, so it always holds; write the comparison without quotes");
}

} // namespace

void read_space(const JsonField& space, Reading& reading) {
  tell_unknown(space, {"TuningParameters", "Conditions"}, {}, reading);
  const JsonField parameters = space.required("TuningParameters");
  for (const JsonField& entry : parameters.elements())
    read_parameter(entry, reading);
  for (const JsonField& entry : space.find("Conditions").elements()) {
    tell_unknown(entry, {"Expression"}, {"Parameters", "Description", "Comment"}, reading);
    const JsonField field = entry.required("Expression");
    field.text(); // a number would be a constraint that always or never holds
    const Expression expression = reading.expression(field, true);
    check_truth(expression.root(), field, reading);
    reading.definition.constraints.push_back({expression, expression.text()});
  }
}

void tell_strange_values(const JsonField& space, Reading& reading) {
  const auto conditions = space.find("Conditions").elements();
  for (std::size_t i = 0; i < conditions.size(); ++i)
    check_values(reading.definition.constraints[i].expression.root(),
                 conditions[i].find("Expression"), reading);
}

void check_macro_names(const JsonField& root, const KernelDefinition& definition) {
  const auto facts = device_facts(Device{});
  std::vector<std::string> parameters = automatic_names(definition.automatic);
  for (const JsonField& entry :
       root.find("ConfigurationSpace").find("TuningParameters").elements()) {
    const JsonField field = entry.find("Name");
    parameters.push_back(field.text());
    if (std::any_of(facts.begin(), facts.end(),
                    [&](const auto& fact) { return fact.first == parameters.back(); }))
      field.fail("parameter '" + parameters.back() +
                 "' has the name of a fact of the device; constraints could not tell them apart");
    if (definition.runnable())
      check_macro_name(field, "parameter '" + parameters.back() + "'", parameters.back(),
                       definition);
  }
  for (const auto& [name, value] : definition.macros) {
    const JsonField field = root.find("Gridsmith").find("Macros").find(name);
    check_macro_name(field, "'" + name + "'", name, definition);
    if (std::find(parameters.begin(), parameters.end(), name) != parameters.end())
      field.fail("'" + name + "' is a parameter, and so a macro already");
  }
}

} // namespace gridsmith
