// SPDX-License-Identifier: Apache-2.0
// The definition that goes with an export, for formats that say what is valid at other problems.
#pragma once

#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/processes/installation.hpp"

#include <span>
#include <string>

namespace gridsmith {

/// Of each export without one: the named definition of its kernel, else that of the catalogue where it
/// has the same parameters; else why there is none (Export::lacks).
/// @param files of definitions
/// @throws InputError: a file that is none, or of which nothing is exported
void add_definitions(std::span<Export> exports, std::span<const std::string> files,
                     const Installation& installation);

/// What is held, with the definition that the catalogue has of it.
Export defined(const Holding& holding, const Installation& installation);

} // namespace gridsmith
