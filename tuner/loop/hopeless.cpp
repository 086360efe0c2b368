// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/loop/hopeless.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gridsmith {
namespace {

// Enough that a part of the space which is broken in itself is not taken for the whole of a small
// one, and compiled in a second.
constexpr std::size_t enough = 10;

/// As compilers and workers say what does not come from a parameter's value.
bool is_of_definition(const Measurement& measurement) {
  constexpr std::array<std::string_view, 5> said{
      "arguments, the definition gives", "open source file", "has no kernel '",
      "so the definition's value has no effect", "host code ("};
  return std::any_of(said.begin(), said.end(), [&](std::string_view part) {
    return measurement.reason.find(part) != std::string::npos;
  });
}

} // namespace

void Hopeless::see(const Measurement& measurement) {
  if (!possible_)
    return;
  if (seen_ == 0) {
    reason_ = measurement.reason;
    status_ = measurement.status;
  }
  possible_ = measurement.status == status_ && measurement.reason == reason_ &&
              is_of_definition(measurement);
  seen_ += possible_ ? 1 : 0;
}

std::optional<std::string> Hopeless::verdict() const {
  if (!possible_ || seen_ < enough)
    return std::nullopt;
  return "the first " + std::to_string(enough) +
         " configurations all failed for the same reason: " + reason_;
}

} // namespace gridsmith
