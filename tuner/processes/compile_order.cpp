// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/compile_order.hpp"

#include <algorithm>

namespace gridsmith {

std::size_t next_to_compile(std::span<const CompileForecast> waiting, std::size_t compilers) {
  const auto hopeful = [](const CompileForecast& one) { return !one.hopeless; };
  const auto oldest = std::find_if(waiting.begin(), waiting.end(), hopeful);
  if (oldest == waiting.end())
    return 0;
  auto longest = oldest;
  double all_ms = 0;
  for (auto one = oldest; one != waiting.end(); ++one)
    if (hopeful(*one)) {
      all_ms += one->ms;
      if (one->ms > longest->ms)
        longest = one;
    }
  const double others_ms = (all_ms - longest->ms) / static_cast<double>(compilers);
  const auto next = longest->ms > 0 && longest->ms >= others_ms ? longest : oldest;
  return static_cast<std::size_t>(next - waiting.begin());
}

} // namespace gridsmith
