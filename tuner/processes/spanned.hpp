// SPDX-License-Identifier: Apache-2.0
// An action of the session's own thread, told as a span.
#pragma once

#include "gridsmith/tuner/processes/span.hpp"

#include <string>
#include <type_traits>

namespace gridsmith {

/// What the action returns. One that throws is not told.
template <typename Action>
auto spanned(const SpanSink& spans, const char* row, const char* name, const Action& action) {
  const auto begin = std::chrono::steady_clock::now();
  const auto tell = [&] {
    if (spans)
      spans({row, name, "", begin, std::chrono::steady_clock::now()});
  };
  if constexpr (std::is_void_v<decltype(action())>) {
    action();
    tell();
  } else {
    auto result = action();
    tell();
    return result;
  }
}

} // namespace gridsmith
