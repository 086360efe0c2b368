// SPDX-License-Identifier: Apache-2.0
// What NVRTC's log says: the first error, and the resources that ptxas reports. Pure functions.
#pragma once

#include "gridsmith/metrics/device/occupancy.hpp"

#include <string>
#include <string_view>

namespace gridsmith {

/// Bytes of a log that are kept; a template error can fill megabytes.
constexpr std::size_t longest_log = 16u << 10;

/// The first line that is an error, with its place; "" when there is none.
std::string first_error(std::string_view log);

/// Facts of one entry function from the log of --ptxas-options=-v; what it does not say stays 0.
/// @param kernel lowered name.
CompileFacts facts_from_log(std::string_view log, std::string_view kernel);

/// Takes out what NVRTC says of precompiled headers: "made", "used", or "" for neither.
std::string take_headers_lines(std::string& log);

} // namespace gridsmith
