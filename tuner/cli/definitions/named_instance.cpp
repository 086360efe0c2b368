// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/named_instance.hpp"

#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tuner/cli/command.hpp"

namespace gridsmith {

void add_instance_options(CLI::App& command, NamedInstance& named) {
  add_kernel_option(command, named.kernel);
  add_include_option(command, named.include);
  add_size_option(command, named.size);
  add_capability_option(command, named.capability);
}

KernelInstance open_instance(const NamedInstance& named, const Installation& installation) {
  const KernelDefinition definition =
      read_definition(find_definition(named.kernel, installation.catalogue), named.include);
  for (const Remark& remark : definition.remarks)
    if (remark.warning)
      note(remark.text);
  return instantiate(definition, problem_of(definition, named.size),
                     device_of_text(named.capability));
}

} // namespace gridsmith
