// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/unused_parameters.hpp"

#include "gridsmith/base/named.hpp"
#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/source/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

void add(const std::optional<Expression>& expression, WordSet& words) {
  if (expression)
    add_words(expression->text(), words);
}

/// Its own names of a block's extents count where a file says nothing else.
void add_launch(const KernelDefinition& definition, WordSet& words) {
  words.insert(block_names.begin(), block_names.end());
  for (const std::string& name : automatic_names(definition.automatic))
    words.insert(name);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const Expression& factor : definition.grid_div[axis].value_or(std::vector<Expression>{}))
      add(factor, words);
    add(definition.grid[axis], words);
    add(definition.block[axis], words);
    add(definition.cluster[axis], words);
  }
  add(definition.dynamic_shared_bytes, words);
  add(definition.shared_carveout_percent, words);
  if (const auto& transfer = definition.transfer) {
    add(transfer->memory, words);
    add(transfer->chunks, words);
    add(transfer->streams, words);
  }
}

/// Where a word changes the code or the launch.
WordSet launched_words(const KernelInstance& instance) {
  const KernelDefinition& definition = instance.definition;
  WordSet words;
  if (definition.compiler == Compiler::none)
    words.emplace(binary_parameter);
  add_code_words(instance.source->main.text, words);
  for (const SourceFile& header : instance.source->headers)
    add_code_words(header.text, words);
  add_words(definition.kernel, words);
  for (const std::string& option : definition.compiler_options)
    add_words(option, words);
  for (const auto& [name, form] : definition.parameter_options)
    words.insert(name);
  for (const auto& [name, value] : definition.macros)
    add(value, words);
  for (const Argument& argument : definition.arguments)
    add(argument.alignment, words);
  add_launch(definition, words);
  return words;
}

/// Parameters that change no launch, @param named whether by a condition.
std::vector<std::string> without_launch(const KernelInstance& instance, bool named) {
  std::vector<std::string> names;
  if (!instance.source)
    return names;
  const WordSet launched = launched_words(instance);
  WordSet conditions;
  for (const Constraint& constraint : instance.definition.constraints)
    add(constraint.expression, conditions);
  for (const Parameter& parameter : instance.parameters)
    if (parameter.values.size() > 1 && !launched.contains(parameter.name) &&
        conditions.contains(parameter.name) == named)
      names.push_back(parameter.name);
  return names;
}

} // namespace

std::vector<std::string> unused_parameters(const KernelInstance& instance) {
  return without_launch(instance, false);
}

std::vector<std::string> parameters_of_conditions_alone(const KernelInstance& instance) {
  return without_launch(instance, true);
}

std::string unused_text(const KernelInstance& instance, const std::string& parameter) {
  const Parameter* found = find_named(parameter, instance.parameters);
  return fmt::format(
      "parameter {} is used nowhere: its name is not in {}, its headers, the launch, "
      "the conditions or the options, so its {} values are tuned as one",
      parameter, instance.source->main.name, found->values.size());
}

} // namespace gridsmith
