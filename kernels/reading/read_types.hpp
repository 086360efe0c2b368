// SPDX-License-Identifier: Apache-2.0
// Gridsmith.Types: structs that arguments are.
#pragma once

#include "gridsmith/kernels/reading/reading.hpp"

namespace gridsmith {

/// All types of the section, which may name each other. @pre no argument was read yet
void read_types(const JsonField& types, Reading& reading);

/// Type, and the layout where it is none of a number, of an argument whose is_vector is set.
/// @throws InputError naming the valid types
void read_type(const JsonField& field, Argument& argument, const Reading& reading);

/// The values of a struct: an object by the names of its fields, an array for an array, and one
/// expression for all that is below a name.
void read_struct_values(const JsonField& values, Argument& argument, Reading& reading);

} // namespace gridsmith
