#include "gridsmith/metrics/device/peaks.hpp"

#include <algorithm>

namespace gridsmith {

std::optional<double> peak_of(const Peaks& peaks, std::string_view name) {
  const auto found =
      std::find_if(peaks.begin(), peaks.end(), [&](const Peak& one) { return one.name == name; });
  return found == peaks.end() ? std::nullopt : std::optional(found->value);
}

} // namespace gridsmith
