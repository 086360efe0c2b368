// SPDX-License-Identifier: Apache-2.0
// The manual page, made from the command line itself.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace gridsmith {

/// Section 1, in the man macros of roff, with every command and option.
std::string manual_page(const CLI::App& app, const std::string& version);

} // namespace gridsmith
