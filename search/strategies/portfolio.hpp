// A portfolio of strategies with its members, for strategies that are compositions.
#pragma once

#include "gridsmith/search/strategies/strategy.hpp"

#include <memory>
#include <vector>

namespace gridsmith {

/// All members hear of every answer; who asks next is decided by what each one's asks have paid.
std::unique_ptr<Strategy> make_portfolio(const SearchProblem& problem,
                                         const std::vector<StrategyMaker>& members);

} // namespace gridsmith
