// SPDX-License-Identifier: Apache-2.0
// Many jobs of one kernel, or of several, on one device, searched together: plans (search/campaign) say what is
// measured where, one loop measures it.
#pragma once

#include "gridsmith/tuner/session/run.hpp"

#include <stop_token>
#include <vector>

namespace gridsmith {

/// Every job's first round; then the rounds that promise the most per second, or without a limit of
/// seconds per evaluation, as long as one is worth while; then the finals. Then the same at the problems that are
/// added (SessionSettings::add), and at those drawn (SessionSettings::calibrate), which begin with what a header of the
/// others ships; not in a replay.
/// @return whether the seconds were over before the end @throws as run_jobs()
bool run_together(std::vector<RunKernel>& kernels, const RunRules& rules, const Listener& listener,
                  const std::stop_token& stop);

} // namespace gridsmith
