// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/ranges.hpp"

#include <fmt/format.h>

namespace gridsmith {

std::string not_positive(std::string_view said, double most) {
  return fmt::format("'{}' is not a number above 0, at most {:.0f}", said, most);
}

std::string not_a_count(std::string_view said, std::uint64_t least, std::uint64_t most) {
  return most == any_count
             ? fmt::format("'{}' is not a whole number from {} on", said, least)
             : fmt::format("'{}' is not a whole number from {} to {}", said, least, most);
}

} // namespace gridsmith
