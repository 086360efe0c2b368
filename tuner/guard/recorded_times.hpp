// SPDX-License-Identifier: Apache-2.0
// A check without the old binary: times of now against recorded ones, which is weaker than pairs.
#pragma once

#include "gridsmith/results/check/check_result.hpp"
#include "gridsmith/tuner/guard/check_subject.hpp"

#include <stop_token>

namespace gridsmith {

/// By recorded times of the same device, which drift from session to session: only beyond
/// PairRules::widened times the least effect is anything slower or faster.
/// @param one gets the verdict
/// @throws what Session does
void judge_by_times(const CheckSubject& subject, CheckCase& one, const CheckSettings& settings,
                    const Device& device, const std::stop_token& stop);

} // namespace gridsmith
