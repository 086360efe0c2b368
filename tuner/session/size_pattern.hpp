// SPDX-License-Identifier: Apache-2.0
// One item of a list of sizes: a size, a range or a grid of ranges, or a size and what lies around it.
#pragma once

#include "gridsmith/kernels/definition/problem_size.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gridsmith {

/// first, first * step, … or first, first + step, … up to last; without a step a single extent.
struct ExtentRange {
  std::int64_t first = 1, last = 1, step = 0;
  bool times = false;
};

struct SizePattern {
  std::vector<ExtentRange> extents; ///< 1 to 3
  bool around = false;              ///< the size of these first extents and its neighbours
};

/// "1024x1024", "1024..8192:x2", "256..1024:x2x64", "1000..5000:+500", "around:4096x4096". A range ends with
/// its step, so an x behind a colon is the step's and every other x separates two extents.
/// @return nothing where the text is none of these. @throws InputError: a range that ends before it begins
std::optional<SizePattern> size_pattern(std::string_view text);

/// How many sizes it has, some perhaps twice; above 2^53 about.
double count_of(const SizePattern& pattern);

/// Each once, in the order of the text: the last extent changes first. A range alone gives equal extents, as
/// many as are wanted; another number of extents than the pattern's is not made up.
std::vector<ProblemSize> sizes_of(const SizePattern& pattern, std::size_t extents);

} // namespace gridsmith
