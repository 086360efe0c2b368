// SPDX-License-Identifier: Apache-2.0
// T1's "ConfigurationSpace" of a definition: parameters, their values and defaults, constraints.
#pragma once

#include "gridsmith/kernels/reading/reading.hpp"

namespace gridsmith {

/// @throws InputError naming the parameter
void read_space(const JsonField& space, Reading& reading);

/// Whether each parameter and each macro can have its name, where device facts, C++ and expressions have theirs.
/// @throws InputError naming the parameter or the macro
void check_macro_names(const JsonField& root, const KernelDefinition& definition);

/// Conditions that compare a parameter with a value that it does not have: texts are warned of,
/// numbers remarked.
void tell_strange_values(const JsonField& space, Reading& reading);

} // namespace gridsmith
