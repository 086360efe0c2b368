// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/open_definition.hpp"

#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tuner/presentation/output.hpp"

namespace gridsmith {

KernelDefinition open_definition(const std::string& name_or_path,
                                 const std::vector<std::filesystem::path>& include,
                                 const Installation& installation) {
  KernelDefinition definition =
      read_definition(find_definition(name_or_path, installation.catalogue), include);
  for (const Remark& remark : definition.remarks)
    if (remark.warning)
      note(remark.text);
  return definition;
}

} // namespace gridsmith
