// SPDX-License-Identifier: Apache-2.0
// Gridsmith.Inputs for one problem size: numbers instead of expressions, checked against the argument's
// type and elements, and the content of the files.
#pragma once

#include "gridsmith/kernels/definition/launch.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// The largest whole number up to which the type has all, or 2^53, which a number in a definition
/// says exactly.
double largest_whole(ElementType type);

/// Sets the place in memory, and the fill where the rule has one. @pre name, type and elements are
/// set. @throws InputError
/// naming the field.
void apply_input(const KernelInstance& instance, const InputRule& rule, BufferSpec& spec);

/// The programs of expressions, once what they may read is known. @throws InputError naming the field
void compile_fills(const KernelInstance& instance, std::vector<ArgumentSpec>& specs);

/// Offsets and columns of one sparse structure draw from one stream. @throws InputError: offsets
/// without columns of the same structure, or columns without offsets.
void join_structures(const KernelDefinition& definition, std::vector<ArgumentSpec>& specs);

/// Reads the files of the arguments. @throws InputError, also where one has changed
void read_contents(const KernelInstance& instance, std::vector<ArgumentSpec>& specs);

} // namespace gridsmith
