// SPDX-License-Identifier: Apache-2.0
// One judgement of a kernel, as a store keeps it: the points of its history.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/results/check/verdict.hpp"

#include <string>

namespace gridsmith {

struct PastCheck {
  std::string date; ///< UTC
  std::string kernel, problem, configuration;
  std::string device, device_uuid;
  std::string old_code, new_code; ///< hashes of the machine code; old: what it was compared with
  CheckVerdict verdict = CheckVerdict::undecided;
  double old_ms = 0, new_ms = 0;       ///< 0: not measured
  double ratio = 1, low = 0, high = 0; ///< new / old with its interval
  int pairs = 0;                       ///< 0: not by pairs

  bool operator==(const PastCheck&) const = default;
};

template <Like<PastCheck> T>
void for_fields(T& v, auto&& visit) {
  visit("date", v.date);
  visit("kernel", v.kernel);
  visit("problem", v.problem);
  visit("configuration", v.configuration);
  visit("device", v.device);
  visit("device_uuid", v.device_uuid);
  visit("old_code", v.old_code);
  visit("new_code", v.new_code);
  visit("verdict", v.verdict);
  visit("old_ms", v.old_ms);
  visit("new_ms", v.new_ms);
  visit("ratio", v.ratio);
  visit("low", v.low);
  visit("high", v.high);
  visit("pairs", v.pairs);
}

} // namespace gridsmith
