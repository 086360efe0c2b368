// SPDX-License-Identifier: Apache-2.0
// The definition that a person named, read, with its warnings told.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/tuner/processes/installation.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

/// Warnings go to stderr, one line each. @throws InputError
KernelDefinition open_definition(const std::string& name_or_path,
                                 const std::vector<std::filesystem::path>& include,
                                 const Installation& installation);

} // namespace gridsmith
