// SPDX-License-Identifier: Apache-2.0
// How CUPTI is called: parameter structures, errors, names. With CUPTI's headers, so for this folder's
// sources alone.
#pragma once

#include <cupti_result.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// Every parameter structure of CUPTI starts with its own size, the rest zero.
template <typename Params>
Params sized(std::size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}

/// @param doing after "cannot" @throws CuptiError unless the call succeeded
void check(CUptiResult code, std::string_view doing);

/// As long as the names live.
std::vector<const char*> pointers(const std::vector<std::string>& names);

} // namespace gridsmith
