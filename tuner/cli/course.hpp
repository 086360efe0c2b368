// SPDX-License-Identifier: Apache-2.0
// How the work on several kernels is told while it goes on.
#pragma once

#include "gridsmith/tuner/presentation/progress.hpp"
#include "gridsmith/tuner/session/session.hpp"

namespace gridsmith {

/// Says once which recordings are replayed, and each kernel as it begins. @param line outlives it
Listener listener_of(ProgressLine& line, bool verbose);

} // namespace gridsmith
