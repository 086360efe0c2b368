// SPDX-License-Identifier: Apache-2.0
// What people read on stderr while a check runs.
#pragma once

#include "gridsmith/tuner/guard/check.hpp"
#include "gridsmith/tuner/presentation/output.hpp"

#include <fmt/format.h>

namespace gridsmith {

/// @param quiet without its progress
inline CheckListener check_notes(bool quiet = false) {
  return {
      .progress =
          [quiet](const CheckProgress& progress) {
            if (!quiet)
              note(fmt::format("{} of {}: {}", progress.number, progress.kernels, progress.kernel));
          },
      .note = note};
}

} // namespace gridsmith
