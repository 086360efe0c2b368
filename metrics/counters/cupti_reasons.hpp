// SPDX-License-Identifier: Apache-2.0
// What CUPTI's error codes mean to a user, in one line with the remedy where there is one. Codes as
// numbers (cupti_result.h), so that nothing here needs a toolkit.
#pragma once

#include <string_view>

namespace gridsmith {

/// "" for a code without a line of its own.
std::string_view cupti_reason(int code);

} // namespace gridsmith
