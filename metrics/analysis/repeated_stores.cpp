// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/analysis/repeated_stores.hpp"

#include <string_view>

namespace gridsmith {

std::optional<double> stores_per_element(const CounterValues& counters, const WritableSize& size) {
  const auto counted = [&](std::string_view name) {
    return value_of(*find_counter(name), counters);
  };
  if (!(size.elements > 0) || !(size.bytes > 0))
    return std::nullopt;
  if (const auto bytes = counted("store_data_bytes"))
    return *bytes / size.bytes;
  if (const auto sectors = counted("store_sectors"))
    return *sectors / size.elements;
  return std::nullopt;
}

} // namespace gridsmith
