// SPDX-License-Identifier: Apache-2.0
// What the text of a candidate says before it is compiled: its kernel, and the launch shape that it asks for.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/results/judge/candidate_verdict.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// The kernel's name in a candidate, which may have it in another namespace: "mine::scale<float, 4>".
std::string name_in(const std::string& candidate, const std::string& kernel);

/// Of the gate `compiles`: failed, or passed with the code "".
/// @param original the incumbent's source, whose kernel has the signature that is wanted
GateFinding looked_through(const KernelDefinition& definition, const std::string& candidate,
                           const std::string& original);

/// What the comments "// gridsmith: NAME=VALUE …" of a source name, over `usual`.
/// @throws InputError: no parameter of that name, or no such value
Configuration configuration_of(const std::string& source, Configuration usual,
                               const std::vector<Parameter>& parameters);

} // namespace gridsmith
