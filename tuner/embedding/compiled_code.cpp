// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/embedding/compiled_code.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tuner/inspection/inspection.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <nlohmann/json.hpp>

#include <iterator>
#include <string>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

/// @throws InputError: only the worker makes it
Ordered scalar_json(const ScalarSpec& scalar) {
  if (!scalar.pitch_of.empty() || scalar.texture || scalar.chunk_elements)
    throw InputError(
        "argument '" + scalar.name +
        "' is made by Gridsmith's worker (a pitch, a texture or a part of a transfer): this kernel "
        "cannot be launched by itself");
  Ordered json = {{"name", scalar.name}, {"type", to_text(scalar.type)}, {"vector", false}};
  if (scalar.struct_bytes > 0)
    json["bytes"] = scalar.struct_bytes;
  json["words"] = words_of(scalar);
  json["value"] = scalar.struct_bytes > 0 ? Ordered() : Ordered(json_of(passed_value(scalar)));
  return json;
}

Ordered argument_json(const ArgumentSpec& argument) {
  if (argument.scalar)
    return scalar_json(*argument.scalar);
  const BufferSpec& buffer = *argument.buffer;
  if (buffer.row > 0)
    throw InputError(
        "argument '" + buffer.name +
        "' has rows whose pitch Gridsmith's worker chooses: this kernel cannot be launched by itself");
  return {{"name", buffer.name},
          {"type", to_text(buffer.type)},
          {"vector", true},
          {"elements", buffer.elements},
          {"output", buffer.output || buffer.access != Access::read_only},
          {"constant", buffer.constant_memory}};
}

} // namespace

CompiledCode compiled_code(const SessionSettings& settings, const Configuration& wanted,
                           const Device& device) {
  const KernelDefinition definition =
      settings.definition
          ? *settings.definition
          : read_definition(
                find_definition(settings.kernel, settings.helpers.installation.catalogue),
                settings.include);
  const KernelInstance instance = instantiate(
      definition,
      settings.problems.empty() ? definition.default_problem() : settings.problems.front(), device);
  const Configuration usual = usual_configuration(instance, std::nullopt).configuration;
  const Configuration whole = completed(wanted, usual, instance.parameters);
  if (!in_space(whole, instance))
    throw InputError(to_text(whole) + " is not in the space");
  if (instance.definition.transfer)
    throw InputError(
        "this kernel's work begins and ends in host memory: it cannot be launched by itself");
  const Inspection found = inspect(instance, whole, {.helpers = settings.helpers});
  if (!found.code->cubin)
    throw InputError(to_text(whole) + ": " + found.code->error.value_or("does not compile"));
  const Geometry& geometry = found.geometry;
  Ordered facts = {{"kernel", found.code->kernel},
                   {"grid", geometry.grid},
                   {"block", geometry.block},
                   {"cluster", geometry.cluster},
                   {"cooperative", geometry.cooperative},
                   {"dynamic_shared_bytes", geometry.dynamic_shared_bytes},
                   {"configuration", object_of(whole)},
                   {"compiler", found.compiler},
                   {"facts", to_fields(found.code->facts, Fields::all)},
                   {"variables", found.code->variables},
                   {"parameters", nullptr},
                   {"arguments", Ordered::array()}};
  if (const auto& bytes = found.code->parameter_bytes)
    facts["parameters"] = bytes->size();
  for (const ArgumentSpec& argument : argument_specs(instance))
    facts["arguments"].push_back(argument_json(argument));
  return {found.code->cubin, std::move(facts)};
}

} // namespace gridsmith
