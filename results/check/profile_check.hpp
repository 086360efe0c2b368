// SPDX-License-Identifier: Apache-2.0
// Two runs under a profiler, or a baseline and one such run, compared launch by launch. Such runs are
// sessions apart, so the rules are those of recorded times: weaker than old and new in turn.
#pragma once

#include "gridsmith/results/check/baseline.hpp"
#include "gridsmith/results/check/check_result.hpp"
#include "gridsmith/results/check/paired.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// One run, as recordings_of() a profile gives it: a recording for each kernel and device, in it a
/// measurement for each shape of launch.
struct ProfiledRun {
  std::string file;
  std::span<const Recording> recordings;
};

struct ProfileRules {
  PairRules times = {};
  bool exact_counters = false; ///< an exact one that is worse makes the gate red where times do not
};

/// Launches are matched by kernel (with its template arguments), device, shape, and their order: each
/// is compared with the one that was launched as that of the same number. One case for each kernel and
/// shape of the old run; what only the new run has is a note. Where the numbers of launches differ
/// the two are not the same run, and incomparable. Counters explain; where there are no times they are
/// what is judged: changed where an exact one is worse, different where exact ones merely differ, undecided where
/// only those that scatter do.
/// @throws InputError, one line: no kernel is in both
CheckResult profile_check(const ProfiledRun& before, const ProfiledRun& now,
                          const ProfileRules& rules);

/// Leaves of both runs the kernels that are named; none: all. @throws InputError: a name that neither has
void keep_named(const std::vector<std::string>& kernels, std::vector<Recording>& before,
                std::vector<Recording>& now);

/// The kernel's name in the code, without template arguments; "" if it is no longer known.
using FunctionName = std::function<std::string(const BaselineEntry&)>;

/// One case for each entry of the baseline with a time; its launches are those of its geometry.
/// @throws InputError, one line: the run has none of the baseline's kernels
CheckResult profile_check(const Baseline& before, const ProfiledRun& now, const ProfileRules& rules,
                          const FunctionName& function_name);

} // namespace gridsmith
