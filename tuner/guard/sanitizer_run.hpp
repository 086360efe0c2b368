// SPDX-License-Identifier: Apache-2.0
// A kernel launched under the tools of compute-sanitizer, each in a process of its own: they change code and memory, so
// nothing is timed, counted or compared there.
#pragma once

#include "gridsmith/results/judge/candidate_verdict.hpp"
#include "gridsmith/tuner/guard/check_subject.hpp"
#include "gridsmith/tuner/processes/helper_settings.hpp"

#include <cstdint>
#include <stop_token>
#include <string>

namespace gridsmith {

/// What they find in the subject's code of now: its gate "clean".
/// An access outside of all memory and a barrier that not all reach are faults (failed); a race in shared memory and a
/// read of what was never written may be meant so (doubtful). Where there is no compute-sanitizer, or it does not work
/// here, the gate was not run. The worker is not confined there: the tool needs files and sockets.
/// @param kernel its name as the source has it
/// @pre the subject is compiled, and the GPU is the caller's
GateFinding clean_gate(const CheckSubject& subject, const std::string& kernel, std::uint64_t seed,
                       const HelperSettings& helpers, const std::stop_token& stop);

} // namespace gridsmith
