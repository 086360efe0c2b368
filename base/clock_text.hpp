// SPDX-License-Identifier: Apache-2.0
// The time as records have it.
#pragma once

#include <string>

namespace gridsmith {

/// Now, UTC, ISO 8601: "2026-11-21T08:15:00Z".
std::string utc_now();

} // namespace gridsmith
