// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/loop/evaluator.hpp"

#include "gridsmith/base/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {

void add(EvaluatorState& sum, const EvaluatorState& one) {
  const EvaluatorState before = sum;
  add_fields(sum, one);
  sum.compiling = before.compiling;
  sum.queued = before.queued;
  sum.gpus = before.gpus;
  sum.start_ms = std::max(before.start_ms, one.start_ms);
  sum.last_compiled_ms = std::max(before.last_compiled_ms, one.last_compiled_ms);
}

Execution given_up_after(double compiling_s) {
  Execution execution;
  execution.status = Status::timeout;
  execution.reason = fmt::format("{} after {}", given_up, duration_text(compiling_s));
  execution.spent.compile_ms = 1000 * compiling_s;
  return execution;
}

} // namespace gridsmith
