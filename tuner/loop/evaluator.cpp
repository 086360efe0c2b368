// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/loop/evaluator.hpp"

#include <algorithm>

namespace gridsmith {

void add(EvaluatorState& sum, const EvaluatorState& one) {
  sum.measuring += one.measuring;
  sum.worker_restarts += one.worker_restarts;
  sum.compiler_restarts += one.compiler_restarts;
  sum.compilations += one.compilations;
  sum.headers_made += one.headers_made;
  sum.headers_used += one.headers_used;
  sum.start_ms = std::max(sum.start_ms, one.start_ms);
  sum.last_compiled_ms = std::max(sum.last_compiled_ms, one.last_compiled_ms);
  sum.wait_ms += one.wait_ms;
  sum.spent.compile_ms += one.spent.compile_ms;
  sum.spent.gpu_ms += one.spent.gpu_ms;
  sum.spent.verify_ms += one.spent.verify_ms;
  sum.spent.time_ms += one.spent.time_ms;
  sum.spent.count_ms += one.spent.count_ms;
  const auto first = [](auto& held, const auto& other) {
    if (!held)
      held = other;
  };
  first(sum.uncounted_because, one.uncounted_because);
  first(sum.reference_problem, one.reference_problem);
  first(sum.elements_checked, one.elements_checked);
  first(sum.unverified_because, one.unverified_because);
}

} // namespace gridsmith
