// The best configurations as one C++17 header without dependencies, for a library to compile in.
#pragma once

#include "gridsmith/results/formats/formats.hpp"

#include <span>
#include <string>

namespace gridsmith {

/// One namespace `tuned::<kernel>` per kernel with constexpr entries and a constexpr
/// lookup(device name, compute capability, extents…): entries of that device by name, else of its
/// compute capability, else of the first device exported; among them the nearest problem. Of
/// several exports for one device and problem the newest counts. Provenance is in the comments.
/// @throws InputError: nothing correct, or exports of one kernel with different parameters.
std::string header_text(std::span<const Export> exports);

} // namespace gridsmith
