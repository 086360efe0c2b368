// SPDX-License-Identifier: Apache-2.0
// What became known of one configuration: the answer to a question of a strategy.
#pragma once

#include "gridsmith/search/space/space.hpp"

#include <map>
#include <optional>
#include <string>

namespace gridsmith {

struct Observation {
  ConfigurationId id = 0;
  /// To be made small, the time in ms; nothing when the configuration failed (compile, run, wrong
  /// result, time-out).
  std::optional<double> cost = {};
  /// By the second objective of a search for a front; nothing where it failed, or there is none.
  std::optional<double> second_cost = {};
  /// Counters and compile facts by name, where there are any.
  std::map<std::string, double> facts = {};
  /// What the answer itself cost, in ms, where that was measured.
  std::optional<double> compile_ms = {}, run_ms = {};
};

} // namespace gridsmith
