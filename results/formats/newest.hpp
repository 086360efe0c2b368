// SPDX-License-Identifier: Apache-2.0
// Which exports count where a format holds each kernel, device and problem once.
#pragma once

#include "gridsmith/results/formats/formats.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// By precedence().
bool is_newer(const Recording& one, const Recording& other);

/// Of each kernel, device and problem the newest (of equals the last), ordered by these, problems by
/// their extents.
std::vector<const Export*> newest_of(std::span<const Export> exports);

/// Where its best comes from, one line for a comment: "transpose 8192x8192 on NVIDIA H200, 0.125 ms,
/// the best by dram_traffic, 2026-11-21, …"; of time that is not said. Printable.
std::string provenance_of(const Export& exported);

/// @throws InputError: the parameter's name is none that a macro can have, which the format gives it
void check_macro_name(std::string_view format, const std::string& parameter);

} // namespace gridsmith
