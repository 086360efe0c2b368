// SPDX-License-Identifier: Apache-2.0
// What decides in place of tolerances whether a result is right: a condition on how far it is from what is
// expected.
#pragma once

#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/metrics/catalogue/counters.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

class Acceptance {
public:
  /// @param text "rms_error < 1e-4", of metrics of results (accepted_metrics())
  /// @throws InputError: no expression, or a name that is none of those
  explicit Acceptance(std::string_view text);

  /// One line: the values that are refused; "" where they are accepted.
  std::string refusal(const CounterValues& differences) const;

private:
  std::string text_;
  Expression condition_;
};

/// The names that a condition may use: "max_abs_error", …
std::vector<std::string> accepted_metrics();

} // namespace gridsmith
