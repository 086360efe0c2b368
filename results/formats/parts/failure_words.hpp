// SPDX-License-Identifier: Apache-2.0
// What Kernel Tuner and those that read its files know a result by: a time, or the word of a failure.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"

#include <optional>
#include <string_view>

namespace gridsmith {

/// "CompilationFailedConfig", "InvalidConfig" where constraints forbade it, else
/// "RuntimeFailedConfig": there are no others. @pre not correct
constexpr std::string_view failure_word(Status status) {
  return status == Status::compile       ? "CompilationFailedConfig"
         : status == Status::constraints ? "InvalidConfig"
                                         : "RuntimeFailedConfig";
}

/// The time that those tools search by: the one that the file stated which the row was read from, else
/// the row's own.
inline std::optional<double> foreign_ms(const Measurement& row) {
  return row.correct() && row.reported_ms ? row.reported_ms : cost_ms(row);
}

} // namespace gridsmith
