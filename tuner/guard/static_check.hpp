// SPDX-License-Identifier: Apache-2.0
// The gate that needs no GPU: kernels compiled for architectures, and what their code consists of
// compared with a baseline. Deterministic: a difference means that something was changed.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/check/baseline.hpp"
#include "gridsmith/results/check/check_result.hpp"
#include "gridsmith/tuner/guard/check.hpp"

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

struct CodeObject; // of a compiler (tuner/protocol/messages.hpp)

/// One kernel at one size in one configuration, for the architecture of the instance's device.
struct StaticSubject {
  KernelInstance instance;
  Configuration configuration;
};

struct StaticAnswer {
  std::optional<BaselineEntry> entry;     ///< with all that is known without a GPU; none: see below
  std::shared_ptr<const CodeObject> code; ///< none: it was not compiled to an end
  std::string reason;                     ///< one line: why there is none
  bool of_source = false; ///< the source does not compile; else this machine does not compile it
  double ms = 0;          ///< that compiling it took
};

/// One answer for each, in order; empty ones for those not compiled before it was stopped. All
/// compilers may read what any of the definitions may. Nothing is cached, so that what counts is what the compiler
/// makes now.
/// @throws HelperError: no compiler, or none that works
std::vector<StaticAnswer> compile_statically(std::span<const StaticSubject> subjects,
                                             const HelperSettings& helpers,
                                             const std::stop_token& stop = {});

/// One case for each entry of the baseline that was asked for, and one that is missing for each
/// kernel, size and architecture that was asked for and has no entry.
/// @param settings what is asked for, and what fails; definitions are named from the folder of its baseline
/// @param architectures 90 for sm_90; empty: all of the baseline
/// @throws InputError: a kernel or a size that the baseline has not; HelperError as above
CheckResult static_check(const Baseline& baseline, const CheckSettings& settings,
                         const std::vector<int>& architectures = {},
                         const std::stop_token& stop = {});

} // namespace gridsmith
