// SPDX-License-Identifier: Apache-2.0
// Our own top-level object "Gridsmith" of a definition; read_definition.hpp describes it.
#pragma once

#include "gridsmith/kernels/reading/reading.hpp"

namespace gridsmith {

/// @param section possibly not present: then the definition is the community's.
void read_section(const JsonField& section, const JsonField& root, Reading& reading);

} // namespace gridsmith
