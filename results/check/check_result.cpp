// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/check_result.hpp"

#include <algorithm>
#include <iterator>

namespace gridsmith {

Gate CheckResult::gate() const {
  std::vector<CheckVerdict> verdicts;
  std::transform(cases.begin(), cases.end(), std::back_inserter(verdicts),
                 [](const CheckCase& one) { return one.verdict; });
  const Gate gate = gate_of(verdicts, rules);
  return gate == Gate::green && interrupted ? Gate::incomplete : gate;
}

std::string title_of(const CheckCase& one) {
  return one.problem.empty() ? one.kernel : one.kernel + " " + one.problem;
}

} // namespace gridsmith
