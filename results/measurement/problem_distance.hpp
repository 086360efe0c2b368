// How different two problem sizes are.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gridsmith {

/// The extents of "8192x8192"; empty when the text is no problem size.
std::vector<std::int64_t> extents_of(std::string_view problem);

/// Sum over the extents of |log2(a / b)|: 1 for twice as much along one extent. Infinite when the
/// two have different numbers of extents; 0 for equal texts.
double problem_distance(std::string_view a, std::string_view b);

} // namespace gridsmith
