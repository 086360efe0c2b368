// What was measured on another device or problem, used as a hint: asked first, believed as far as
// it agrees with what is measured here, and dropped where it misleads.
#pragma once

#include "search/strategy.hpp"

#include <functional>
#include <memory>

namespace gridsmith {

using StrategyMaker = std::function<std::unique_ptr<Strategy>(const SearchProblem&)>;

/// The strategy that `make` makes, with problem.prior beside it: the prior's best are asked first,
/// then a model of cost over the parameters and the prior's cost takes turns with the strategy,
/// more rarely the longer its turns bring nothing. The strategy hears every answer. Without a valid
/// observation in the prior it is make(problem) itself.
std::unique_ptr<Strategy> with_prior(const SearchProblem& problem, const StrategyMaker& make);

} // namespace gridsmith
