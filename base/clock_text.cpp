// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/clock_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

namespace gridsmith {

std::string utc_now() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

std::string duration_text(double seconds) {
  if (seconds < 1)
    return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 60)
    return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(seconds + 0.5);
  return whole < 3600 ? fmt::format("{} min {:02} s", whole / 60, whole % 60)
                      : fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

} // namespace gridsmith
