// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/inspection/exported_definition.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gridsmith {
namespace {

using Definition = std::shared_ptr<const KernelDefinition>;

bool same_parameters(const KernelDefinition& definition, const Recording& recording) {
  std::set<std::string> own, recorded;
  for (const Parameter& parameter : definition.parameters)
    own.insert(parameter.name);
  for (const std::string& name : automatic_names(definition.automatic))
    own.insert(name);
  for (const Parameter& parameter : recording.parameters)
    recorded.insert(parameter.name);
  return own == recorded;
}

Definition read(const std::string& name_or_path, const Installation& installation) {
  return std::make_shared<const KernelDefinition>(
      read_definition(find_definition(name_or_path, installation.catalogue)));
}

void add_from_catalogue(Export& exported, const Installation& installation) {
  const Recording& recording = exported.recording;
  const bool plain = recording.kernel.find_first_of("/.") == std::string::npos;
  try {
    const Definition found =
        plain && !recording.kernel.empty() ? read(recording.kernel, installation) : nullptr;
    if (found && same_parameters(*found, recording))
      exported.definition = found;
    else
      exported.lacks = found ? "the catalogue's definition of this name has other parameters"
                             : "no definition of this kernel is known";
  } catch (const InputError&) {
    exported.lacks = "no definition of this kernel is in the catalogue";
  }
}

} // namespace

void add_definitions(std::span<Export> exports, std::span<const std::string> files,
                     const Installation& installation) {
  for (const std::string& file : files) {
    const Definition definition = read(file, installation);
    bool used = false;
    for (Export& exported : exports)
      if (exported.recording.kernel == definition->name) {
        if (!same_parameters(*definition, exported.recording))
          throw InputError(
              fmt::format("--definition {}: other parameters than what was measured of "
                          "'{}'",
                          file, definition->name));
        exported.definition = definition;
        used = true;
      }
    if (!used)
      throw InputError(fmt::format("--definition {}: of kernel '{}', of which nothing is exported",
                                   file, definition->name));
  }
  for (Export& exported : exports)
    if (!exported.definition)
      add_from_catalogue(exported, installation);
}

Export defined(const Holding& holding, const Installation& installation) {
  Export exported = holding.load();
  add_definitions({&exported, 1}, {}, installation);
  return exported;
}

} // namespace gridsmith
