// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/unfilled_constants.hpp"

#include "gridsmith/kernels/definition/input_specs.hpp"
#include "gridsmith/kernels/source/kernel_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gridsmith {

std::optional<Remark> unfilled_constants(const KernelInstance& instance,
                                         std::vector<std::string> zeros) {
  if (zeros.empty())
    return std::nullopt;
  for (const ArgumentSpec& one : argument_specs(instance))
    if (one.buffer && one.buffer->constant_memory)
      std::erase(zeros, one.buffer->name);
  if (zeros.empty())
    return std::nullopt;
  return Remark{kernel_names(instance.source->main.text).size() == 1,
                fmt::format("{}: nothing fills the __constant__ {} {} of the source, so that {} 0; "
                            "an argument of this name with the MemType Constant does",
                            instance.definition.file.string(),
                            zeros.size() == 1 ? "variable" : "variables", fmt::join(zeros, ", "),
                            zeros.size() == 1 ? "it is" : "they are")};
}

} // namespace gridsmith
