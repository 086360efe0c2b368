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

} // namespace gridsmith
