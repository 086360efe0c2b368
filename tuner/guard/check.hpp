// SPDX-License-Identifier: Apache-2.0
// The regression check as a library call: what a baseline knows of kernels against their code of
// now, on a GPU. Old and new binary are launched in turn in one process; where there is no old
// binary, times of today are compared with recorded ones, which is weaker and says so.
//
//   gridsmith::CheckResult result = gridsmith::run_check({.baseline = "gridsmith-baseline.json"});
//   return result.gate() == gridsmith::Gate::green ? 0 : 1;
#pragma once

#include "gridsmith/base/words.hpp"
#include "gridsmith/results/check/check_result.hpp"
#include "gridsmith/results/check/paired.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// What hardware counters are read for.
enum class CounterUse {
  none,
  explain, ///< for kernels that changed, to say why
  exact,   ///< of everything; a changed count fails on its own
};

template <>
struct Words<CounterUse> {
  static constexpr std::string_view kind = "use of counters";
  static constexpr std::array<std::string_view, 3> list{"none", "explain", "exact"};
};

inline constexpr const char* usual_baseline = "gridsmith-baseline.json";

struct CheckSettings {
  /// How kernels are found and measured: of its problems (empty: all of the baseline, or the definition's first), of the
  /// devices the first, include, conditions but for regime and counters, seed and helpers (unconfined: no binary of a
  /// baseline runs); in its store the result is kept for 'gridsmith history'.
  SessionSettings session = {};
  /// A baseline; or a store or a recording, of which the best of each kernel and problem counts.
  std::filesystem::path baseline = usual_baseline;
  /// A git revision that takes the baseline's place: definitions and sources as they were there,
  /// compiled by the current compiler. Kernels are named then.
  std::optional<std::string> against = {};
  /// The library that compiles the old side, of the current source or of the revision: in place of a
  /// baseline, to judge a compiler. Kernels are named then.
  std::optional<std::filesystem::path> old_nvrtc = {};
  /// By the definition's name, or its file; empty: all of the baseline.
  std::vector<std::string> kernels = {};
  PairRules pairs = {};
  FailureRules failures = {};
  CounterUse counters = CounterUse::explain;
  /// Pairs are run also where old and new are the same machine code, which is the same without them.
  bool identical_too = false;
  bool measure_copy = false; ///< for what is doubted of a time
  /// A few elements of the data change before each timed launch: code may keep results (EvaluateBatch::vary).
  bool vary_data = false;
  /// What is wrong once is not looked at any further; what was not is undecided.
  bool end_when_wrong = false;
  /// Cases whose counters are read, in their order.
  std::size_t most_counted = std::numeric_limits<std::size_t>::max();
};

struct CheckProgress {
  std::string kernel; ///< "transpose 8192x8192"
  std::size_t number = 0, kernels = 0;
};

/// All may be empty; in the thread that runs the check.
struct CheckListener {
  std::function<void(const CheckProgress&)> progress = {};
  std::function<void(const std::string&)> note = {}; ///< one line that a person should read
};

/// A stop ends within a second; what was not judged until then is undecided, and `interrupted` says
/// so.
/// @throws InputError, NoSuchDevice, HelperError, WorkerRefused (no device), StoreError
CheckResult run_check(const CheckSettings& settings, const std::stop_token& stop = {},
                      const CheckListener& listener = {});

} // namespace gridsmith
