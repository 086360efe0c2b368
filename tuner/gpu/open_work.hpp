// SPDX-License-Identifier: Apache-2.0
// What a worker needs to know of a kernel before it can measure it.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/measurement/conditions.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <cstdint>

namespace gridsmith {

/// All but the worker's own code, which is still to be compiled.
UseDevice use_device(const KernelInstance& instance, const Conditions& conditions);

/// All but its number and the reference kernel, which is still to be compiled.
/// @throws InputError when a file of elements or of expected output cannot be read.
OpenWork open_work(const KernelInstance& instance, const Conditions& conditions,
                   std::uint64_t seed);

} // namespace gridsmith
