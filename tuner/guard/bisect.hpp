// SPDX-License-Identifier: Apache-2.0
// Which commit, or which compiler, made a kernel slower: a search by halves, each step judged by pairs
// of the first good code with the one in question.
#pragma once

#include "gridsmith/tuner/guard/check.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

struct BisectStep {
  std::string what; ///< the commit's title, or the compiler
  CheckCase found;
};

struct BisectResult {
  std::vector<BisectStep> steps; ///< in the order judged
  /// The first that is slower, or wrong; several where those before the last could not be judged.
  /// Empty: the last one is not worse than the first, or it was stopped.
  std::vector<std::string> first_bad;
};

/// @param judge of the candidate of this number, 0 … count-1; the last one is asked first
/// @return numbers from the first that may be bad to the first that is; empty as above
std::vector<std::size_t> bisect(std::size_t count,
                                const std::function<CheckVerdict(std::size_t)>& judge);

/// Commits after `good` up to `bad`, along first parents, of the repository of the one kernel that
/// the settings name, at one problem.
/// @throws InputError: not one kernel, no revision; as run_check()
BisectResult bisect_commits(const CheckSettings& settings, const std::string& good,
                            const std::string& bad, const std::stop_token& stop,
                            const CheckListener& listener);

/// @param libraries of NVRTC; the first is good. @throws InputError: not two, not one kernel
BisectResult bisect_compilers(const CheckSettings& settings,
                              const std::vector<std::filesystem::path>& libraries,
                              const std::stop_token& stop, const CheckListener& listener);

} // namespace gridsmith
