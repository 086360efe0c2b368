// What a header of ours ships, read back from its rows: so that the next one can keep it.
#pragma once

#include "gridsmith/results/selection/selection.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// What is shipped of a kernel for a device: a configuration for each measured problem.
struct Shipment {
  std::string kernel;
  std::string device; ///< as device_identifier() names it
  std::vector<PreviousChoice> choices;
};

/// By kernel and device, as they follow each other.
/// @throws InputError, one line: as check_header(), or rows that are none of ours
std::vector<Shipment> read_header(std::string_view text);

/// The name that a device has in a header.
std::string device_identifier(const std::string& name);

} // namespace gridsmith
