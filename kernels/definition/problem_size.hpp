// SPDX-License-Identifier: Apache-2.0
// The extents of a problem, in elements, and their text "8192x8192".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct ProblemSize {
  std::vector<std::int64_t> extents; ///< 1 to 3
  bool operator==(const ProblemSize&) const = default;
};

std::string to_text(const ProblemSize& size); ///< "8192x8192"
/// @throws InputError
ProblemSize problem_size_from_text(std::string_view text);

/// The extents of such a text, any number of them; empty when it is none.
std::vector<std::int64_t> extents_of(std::string_view text);

} // namespace gridsmith
