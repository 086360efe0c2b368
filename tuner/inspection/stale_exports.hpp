// SPDX-License-Identifier: Apache-2.0
// Whether what was measured is of the code as it is now: for whoever ships old measurements.
#pragma once

#include "gridsmith/results/formats/formats.hpp"

#include <span>
#include <string>
#include <vector>

namespace gridsmith {

struct Staleness {
  std::vector<std::string> stale;   ///< measured with other code than the definition's; a line each
  std::vector<std::string> unknown; ///< where that cannot be told; a line each
};

/// Compares the kernel's source and its own headers, on any machine: neither toolkit nor device count.
/// @throws InputError: a definition that cannot be instantiated
Staleness staleness_of(std::span<const Export> exports);

} // namespace gridsmith
