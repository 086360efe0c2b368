// "Inputs" of our section: how vectors are filled and lie in memory; docs/definition.md describes it.
#pragma once

#include "gridsmith/kernels/reading/reading.hpp"

namespace gridsmith {

/// @param inputs possibly not present. @pre the arguments and the extents' names are read
void read_inputs(const JsonField& inputs, Reading& reading);

/// Gridsmith.Needs: what the kernel needs of its vectors. @pre their Inputs were read
void read_needs(const JsonField& needs, Reading& reading);

} // namespace gridsmith
