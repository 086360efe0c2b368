// What a device was measured to reach. Measurements, not facts: each has a date and conditions, and
// belongs to one board.
#pragma once

#include "gridsmith/base/fields.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct Peak {
  std::string name; ///< "copy": device-to-device copy, bytes read + written
  double value = 0;
  std::string unit;        ///< "GB/s"
  std::string date;        ///< UTC, ISO 8601
  std::string conditions;  ///< "L2 flushed, 1.07 GB buffers, median of 11"
  std::string device_uuid; ///< the board
};

using Peaks = std::vector<Peak>;

/// The value of that name; nothing when it was not measured.
std::optional<double> peak_of(const Peaks& peaks, std::string_view name);

template <Like<Peak> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("value", v.value);
  visit("unit", v.unit);
  visit("date", v.date);
  visit("conditions", v.conditions);
  visit("device_uuid", v.device_uuid);
}

} // namespace gridsmith
