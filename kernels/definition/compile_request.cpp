// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/compile_request.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/expression_values.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/source/compiler_options.hpp"
#include "gridsmith/kernels/source/header_options.hpp"
#include "gridsmith/kernels/source/letters.hpp"
#include "gridsmith/kernels/syntax/rewriting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gridsmith {
namespace {

void add_macro(std::vector<std::string>& options, const std::string& name,
               const std::string& value) {
  options.push_back("-D" + name + "=" + value);
}

bool has_word(std::string_view text, std::string_view word) {
  const auto goes_on = [&](std::size_t at) {
    return at < text.size() && is_letter_or_digit(text[at]);
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if (!goes_on(at - 1) && !goes_on(at + word.size()))
      return true;
  return false;
}

/// Whether the source or a header of its own has this name: in code, or in a comment.
bool mentions(const SourceBundle& source, const std::string& name) {
  const auto holds = [&](const SourceFile& file) { return has_word(file.text, name); };
  return holds(source.main) || std::any_of(source.headers.begin(), source.headers.end(), holds);
}

/// What the community's sources find beside their parameters: Kernel Tuner's block_size_*,
/// grid_size_* and kernel_tuner. With our section only what the source mentions: a grid in the
/// compiler's options compiles the same code again for every problem size.
void add_community_macros(const KernelInstance& instance, const Configuration& configuration,
                          std::vector<std::string>& options) {
  constexpr std::array<const char*, 3> grid_names{"grid_size_x", "grid_size_y", "grid_size_z"};
  const Geometry geometry = launch_geometry(instance, configuration);
  const auto add = [&](const std::string& name, std::int64_t value) {
    if (!find_value(configuration, name) && !instance.definition.macros.contains(name) &&
        (instance.definition.community || mentions(*instance.source, name)))
      add_macro(options, name, std::to_string(value));
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    add(block_names[axis], geometry.block[axis]);
    add(grid_names[axis], geometry.grid[axis]);
  }
  add("kernel_tuner", 1);
}

/// What the compiler is given the value of a parameter or macro as.
std::string macro_in(const std::shared_ptr<const SourceBundle>& source,
                     const KernelInstance& instance, const std::string& name) {
  const bool rewritten = source == instance.source && instance.definition.rewritten.contains(name);
  return rewritten ? value_macro(name) : name;
}

CompileRequest request_for(const KernelInstance& instance, const Configuration& configuration,
                           const std::shared_ptr<const SourceBundle>& source,
                           const std::filesystem::path& file, const std::string& kernel) {
  if (!source)
    throw InputError(
        fmt::format("{}: KernelSpecification.KernelFile: cannot read {} (looked in the "
                    "definition's folder and its parent folder)",
                    instance.definition.file.string(), file.string()));
  CompileRequest request{source, kernel, {}, {}, instance.definition.compiler};
  request.units = unit_names(instance.definition, file);
  for (const std::string& header : source->before)
    request.options.push_back("--pre-include=" + header);
  for (std::string& option : header_options(instance.definition.compiler_options).others)
    request.options.push_back(std::move(option));
  for (const auto& [name, value] : configuration)
    add_macro(request.options, macro_in(source, instance, name), to_macro(value));
  for (const auto& [name, value] : macros_of(instance, configuration)) {
    add_macro(request.options, macro_in(source, instance, name), value);
    request.parameters.push_back({macro_in(source, instance, name)});
  }
  for (const auto& [name, form] : instance.definition.parameter_options)
    if (const Value* value = find_value(configuration, name))
      if (auto option = option_of_value(form, *value))
        request.options.push_back(*std::move(option));
  return request;
}

void require_runnable(const KernelDefinition& definition) {
  if (!definition.runnable())
    throw InputError(
        fmt::format("{}: KernelSpecification.Language: only CUDA is run, not '{}'; 'gridsmith "
                    "space' and replays of recordings work",
                    definition.file.string(), definition.language));
}

} // namespace

std::map<std::string, std::string> macros_of(const KernelInstance& instance,
                                             const Configuration& configuration) {
  std::map<std::string, std::string> macros;
  const Lookup lookup = lookup_in(configuration, instance.facts);
  for (const auto& [name, value] : instance.definition.macros) {
    const std::string field = "Gridsmith.Macros." + name;
    macros.emplace(name, to_macro(value_of({instance.definition, field}, value, lookup)));
  }
  return macros;
}

CompileRequest compile_request(const KernelInstance& instance, const Configuration& configuration) {
  const KernelDefinition& definition = instance.definition;
  require_runnable(definition);
  CompileRequest request =
      request_for(instance, configuration, instance.source, definition.source, definition.kernel);
  for (const Parameter& parameter : instance.parameters)
    request.parameters.push_back(
        {macro_in(instance.source, instance, parameter.name), parameter.values.size() > 1});
  add_community_macros(instance, configuration, request.options);
  return request;
}

CompileRequest reference_compile_request(const KernelInstance& instance,
                                         const Configuration& first) {
  const KernelDefinition& definition = instance.definition;
  const Reference& reference = definition.reference;
  require_runnable(definition);
  if (!reference.kernel)
    throw InputError(definition.file.string() + ": Gridsmith.Reference.Kernel: there is none");
  return request_for(instance, reference_configuration(instance, first), instance.reference_source,
                     reference.source.value_or(definition.source), *reference.kernel);
}

} // namespace gridsmith
