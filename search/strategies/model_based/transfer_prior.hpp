// SPDX-License-Identifier: Apache-2.0
// What was measured on another device or problem, used as a hint: asked first, believed as far as
// it agrees with what is measured here, and dropped where it misleads.
#pragma once

#include "gridsmith/search/strategies/strategy.hpp"

#include <memory>

namespace gridsmith {

/// The strategy that `make` makes (without the prior) and the prior take turns. The prior's best
/// few are asked first; later turns go to a model of cost over the parameters and the prior's cost,
/// which learns how far to believe the prior, and come more rarely each time they bring nothing.
/// The strategy hears what it asked itself and goes its own way, so a prior that misleads costs no
/// more than its few turns. Without a valid observation in the prior it is make(problem) itself.
std::unique_ptr<Strategy> with_transfer_prior(const SearchProblem& problem,
                                              const StrategyMaker& make);

} // namespace gridsmith
