// SPDX-License-Identifier: Apache-2.0
// seccomp: system calls that a helper has no use for are refused. The one door to libseccomp.
#pragma once

#include "gridsmith/tuner/confinement/wall.hpp"

#include <string>

namespace gridsmith {

/// @pre no_new_privs. @return "" when the filter stands, else why not.
std::string restrict_system_calls(const Wall& wall);

} // namespace gridsmith
