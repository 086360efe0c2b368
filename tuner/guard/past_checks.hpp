// SPDX-License-Identifier: Apache-2.0
// A check's findings, written down for its history.
#pragma once

#include "gridsmith/results/check/check_result.hpp"
#include "gridsmith/tuner/guard/check_subject.hpp"

#include <filesystem>
#include <span>

namespace gridsmith {

/// Those that were judged. @param subjects of the result's cases, in their order
/// @throws InputError, StoreError
void keep_checks(const std::filesystem::path& store, const CheckResult& result,
                 std::span<const CheckSubject> subjects, const Device& device);

} // namespace gridsmith
