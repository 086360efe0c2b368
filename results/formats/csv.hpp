// Comma-separated values (RFC 4180 quoting, '\n' line ends): one header line, one row per
// configuration.
#pragma once

#include "gridsmith/results/formats/formats.hpp"

#include <span>
#include <string>

namespace gridsmith {

/// Parameters and counters of all exports are columns; a field is empty where a row has no value.
/// Units are in the column names.
std::string csv_text(std::span<const Export> exports);

} // namespace gridsmith
