// SPDX-License-Identifier: Apache-2.0
// The checks that launch nothing: compiled code against a baseline, and what profilers wrote.
#pragma once

#include "gridsmith/tuner/guard/check.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

struct OtherChecks {
  bool compiled = false; ///< --static
  std::vector<std::string> architectures;
  std::vector<std::string> ncu, nvprof, nsys; ///< files: the new one, or the old one first
};

/// --static, --arch, --ncu, --nvprof, --nsys.
void add_other_checks(CLI::App& command, OtherChecks& checks);

/// @throws InputError, one line: an option that the check which was asked for has no use for
void refuse_useless(const CLI::App& command, const OtherChecks& checks);

/// Nothing: none of them was asked for. @throws InputError, HelperError
std::optional<CheckResult> other_check(const OtherChecks& checks, const CheckSettings& settings,
                                       const std::stop_token& stop);

} // namespace gridsmith
