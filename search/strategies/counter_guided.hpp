// Search guided by hardware counters, around another strategy that leads while there are none.
#pragma once

#include "gridsmith/search/strategies/strategy.hpp"

#include <memory>

namespace gridsmith {

/// `unguided` asks until enough answers carry counters, and for good where none do; from then on
/// the counter model chooses (search/surrogate/counter_model.hpp). Seeds are `unguided`'s to ask.
std::unique_ptr<Strategy> guide_by_counters(const SearchProblem& problem,
                                            std::unique_ptr<Strategy> unguided);

} // namespace gridsmith
