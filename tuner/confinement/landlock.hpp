// SPDX-License-Identifier: Apache-2.0
// Landlock: the kernel's own sandbox of files, TCP, abstract sockets and signals.
#pragma once

#include "gridsmith/tuner/confinement/wall.hpp"

#include <string>

namespace gridsmith {

struct LandlockAnswer {
  int version = 0;
  std::string missing; ///< "" when it stands
};

/// @pre no_new_privs
LandlockAnswer restrict_files(const Wall& wall);

} // namespace gridsmith
