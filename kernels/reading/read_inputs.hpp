// SPDX-License-Identifier: Apache-2.0
// "Inputs", "Needs" and "Textures" of our section: how vectors are filled and lie in memory, and how
// textures read them; docs/definition.md describes it.
#pragma once

#include "gridsmith/kernels/reading/reading.hpp"

namespace gridsmith {

/// Fills a vector by an expression of the element's index. @param argument whose vector it is, or will be
void read_element_value(const JsonField& field, const Argument& argument, Reading& reading,
                        InputRule& rule);

/// @param inputs possibly not present. @pre the arguments and the extents' names are read
void read_inputs(const JsonField& inputs, Reading& reading);

/// Gridsmith.Needs: what the kernel needs of its vectors. @pre their Inputs were read
void read_needs(const JsonField& needs, Reading& reading);

/// Gridsmith.Textures: scalars that are texture objects. @pre the Inputs were read
void read_textures(const JsonField& textures, Reading& reading);

} // namespace gridsmith
