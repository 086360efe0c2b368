// SPDX-License-Identifier: Apache-2.0
// What files of KTT have beside what T1 says: inputs by expressions and files, and what outputs are compared with.
#pragma once

#include "gridsmith/kernels/reading/reading.hpp"

namespace gridsmith {

/// An argument whose FillType is "Generator", its DataSource an expression of the element's index, or "BinaryRaw", a
/// file. @return whether it is one of them. @throws InputError naming the field
bool read_ktt_fill(const JsonField& entry, Argument& argument, Reading& reading);

/// ReferenceArguments, where Gridsmith.Reference says nothing. What is not read of them is remarked.
/// @pre the arguments are read. @throws InputError naming the field
void read_ktt_reference(const JsonField& entries, Reading& reading);

} // namespace gridsmith
