// SPDX-License-Identifier: Apache-2.0
// What was answered once, made an outcome again, to be shown as `tune` showed it.
#pragma once

#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/session/session.hpp"

namespace gridsmith {

/// @param file where it is held. How long it took and what ran beside it is not known any more; of
/// what has no answer, the best as measured are ranked.
Outcome past_outcome(const Export& exported, const std::string& file);

} // namespace gridsmith
