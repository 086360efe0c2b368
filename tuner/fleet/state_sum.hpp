// What several evaluators are at, as one says it.
#pragma once

#include "gridsmith/tuner/loop/evaluator.hpp"

namespace gridsmith {

/// Not what is compiled and waits, which they may share. Of words the first ones stay.
void add(EvaluatorState& sum, const EvaluatorState& one);

} // namespace gridsmith
