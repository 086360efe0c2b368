// SPDX-License-Identifier: Apache-2.0
// What a check found, as a value: what every report is written from, whatever was compared and how.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/results/check/guarded_objective.hpp"
#include "gridsmith/results/check/verdict.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// Old and new launched in turn; ratios are new / old.
struct PairedTime {
  double old_ms = 0, new_ms = 0;       ///< medians
  double ratio = 1, low = 0, high = 0; ///< with its interval, adjusted for the number of kernels
  int pairs = 0, workers = 0;          ///< processes that they were taken in
  std::vector<double> ratios = {};     ///< of each pair, in the order taken

  /// An interval of too few has no ends.
  bool interval_known() const { return low > 0 && std::isfinite(low) && std::isfinite(high); }
};

template <Like<PairedTime> T>
void for_fields(T& v, auto&& visit) {
  visit("old_ms", v.old_ms);
  visit("new_ms", v.new_ms);
  visit("ratio", v.ratio);
  visit("low", v.low);
  visit("high", v.high);
  visit("pairs", v.pairs);
  visit("workers", v.workers);
  visit("ratios", v.ratios);
}

struct CheckCase {
  std::string kernel = {}, problem = {};
  std::string data = {};          ///< what it was filled with: "zeros"; "": as its definition says
  std::string where = {};         ///< "NVIDIA H200", "sm_90"
  std::string configuration = {}; ///< as text
  std::string file = {};          ///< of the kernel's source, as people name it; "": not known
  int line = 0;                   ///< of the kernel in it, from 1; 0: not known
  CheckVerdict verdict = CheckVerdict::undecided;
  std::string reason = {}; ///< one line; "" where the verdict says all
  std::optional<PairedTime> time = {};
  std::optional<GuardedObjective> objective = {}; ///< none: tuned by time
  std::string doubt =
      {}; ///< why the new time cannot be, one line; "": it can, or that is not known
  /// What differs besides time, the most telling first: "registers 32 -> 40, occupancy 100 -> 75 %".
  std::vector<std::string> changes = {};
  std::string helps = {}; ///< the first cause of the new time, and its gain: one line; "": unknown
  bool weaker = false;    ///< times of two sessions, not of pairs
  double seconds = 0;     ///< that judging it took
};

template <Like<CheckCase> T>
void for_fields(T& v, auto&& visit) {
  visit("kernel", v.kernel);
  visit("problem", v.problem);
  visit("data", v.data);
  visit("where", v.where);
  visit("configuration", v.configuration);
  visit("file", v.file);
  visit("line", v.line);
  visit("verdict", v.verdict);
  visit("reason", v.reason);
  visit("time", v.time);
  visit("objective", v.objective);
  visit("doubt", v.doubt);
  visit("changes", v.changes);
  visit("helps", v.helps);
  visit("weaker", v.weaker);
  visit("seconds", v.seconds);
}

struct CheckResult {
  std::string how;      ///< one line: "old and new in turn on NVIDIA H200", "compiled for sm_90"
  std::string date;     ///< UTC
  std::string baseline; ///< what was compared with, as people named it
  double least_effect = 0.02; ///< relative; smaller ones count as the same
  FailureRules rules;
  std::vector<std::string> notes; ///< one line each, for people
  std::vector<CheckCase> cases;
  bool interrupted = false; ///< by a stop; what was not judged until then is undecided

  /// gate_of() its cases; interrupted, it is never green.
  Gate gate() const;
};

/// "transpose 8192x8192".
std::string title_of(const CheckCase& one);

} // namespace gridsmith
