// SPDX-License-Identifier: Apache-2.0
// The program: its commands put together, what they throw told in one line, and the exit code.
#pragma once

#include "gridsmith/tuner/processes/installation.hpp"

namespace gridsmith {

/// @param words as main() has them
/// @return the exit code
int run_program(int count, char** words, const Installation& installation = find_installation());

} // namespace gridsmith
