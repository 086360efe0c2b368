// SPDX-License-Identifier: Apache-2.0
// A kernel at a size on a device, as a person named them.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/tuner/processes/installation.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

struct NamedInstance {
  std::string kernel;
  std::vector<std::filesystem::path> include;
  std::string size; ///< "": the definition's first
  std::string capability = "9.0";
};

/// KERNEL, --include, --size, --capability.
void add_instance_options(CLI::App& command, NamedInstance& named);

/// Warnings of its definition go to stderr, one line each. @throws InputError
KernelInstance open_instance(const NamedInstance& named, const Installation& installation);

} // namespace gridsmith
