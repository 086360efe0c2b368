// One compilation with NVRTC. No header of NVRTC leaks out of nvrtc.cpp.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <string>

namespace gridsmith {

/// "13.0"
std::string nvrtc_version();

/// Never throws for what is wrong with the source or the options: that is an outcome.
CompileOutcome compile(const CompileJob& job);

} // namespace gridsmith
