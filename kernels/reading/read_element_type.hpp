// SPDX-License-Identifier: Apache-2.0
// The type of an argument's elements, by the names that T1, C++ and NumPy have for it.
#pragma once

#include "gridsmith/kernels/inputs/element_type.hpp"
#include "gridsmith/kernels/reading/json_field.hpp"

namespace gridsmith {

/// @throws InputError for another name, with the way to pass vectors of structs and of float4
ElementType read_element_type(const JsonField& field, bool is_vector);

} // namespace gridsmith
