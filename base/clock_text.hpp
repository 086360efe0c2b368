// SPDX-License-Identifier: Apache-2.0
// Times for people and records.
#pragma once

#include <string>

namespace gridsmith {

/// Now, UTC, ISO 8601: "2026-11-21T08:15:00Z".
std::string utc_now();

/// "2 min 05 s", "12.3 s", "480 ms".
std::string duration_text(double seconds);

} // namespace gridsmith
