// The words by which Kernel Tuner and what reads its files know a failure.
#pragma once

#include "gridsmith/results/measurement/execution.hpp"

#include <string_view>

namespace gridsmith {

/// "CompilationFailedConfig", "InvalidConfig" where constraints forbade it, else
/// "RuntimeFailedConfig": there are no others. @pre not correct
constexpr std::string_view failure_word(Status status) {
  return status == Status::compile       ? "CompilationFailedConfig"
         : status == Status::constraints ? "InvalidConfig"
                                         : "RuntimeFailedConfig";
}

} // namespace gridsmith
