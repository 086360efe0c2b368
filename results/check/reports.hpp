// SPDX-License-Identifier: Apache-2.0
// What a check found, as the places want it where people look: a terminal, a build's log, a merge
// request, a code scanner.
#pragma once

#include "gridsmith/results/check/check_result.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// "slower: 1 of 8 kernels (transpose 8192x8192 +4.8 %)": the first line of every report.
std::string headline(const CheckResult& result);

/// A table, what is short apart, then why each that is not the same is not.
std::string check_text(const CheckResult& result, std::size_t width);

/// A format that --report writes.
struct ReportFormat {
  std::string_view name;
  std::string_view says; ///< one line for people
  std::string (*text)(const CheckResult&, const std::filesystem::path& root);
};

/// json, junit, sarif, github, markdown, gitlab.
const std::vector<ReportFormat>& report_formats();
/// @throws InputError with the nearest
const ReportFormat& report_format(std::string_view name);

} // namespace gridsmith
