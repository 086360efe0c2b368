// SPDX-License-Identifier: Apache-2.0
// What a check found, as a value: what every report is written from, whatever was compared and how.
#pragma once

#include "gridsmith/results/check/verdict.hpp"

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
};

struct CheckCase {
  std::string kernel = {}, problem = {};
  std::string where = {};         ///< "NVIDIA H200", "sm_90"
  std::string configuration = {}; ///< as text
  std::string file = {};          ///< of the kernel's source, as people name it; "": not known
  int line = 0;                   ///< of the kernel in it, from 1; 0: not known
  CheckVerdict verdict = CheckVerdict::undecided;
  std::string reason = {}; ///< one line; "" where the verdict says all
  std::optional<PairedTime> time = {};
  /// What differs besides time, the most telling first: "registers 32 -> 40, occupancy 100 -> 75 %".
  std::vector<std::string> changes = {};
  bool weaker = false; ///< times of two sessions, not of pairs
  double seconds = 0;  ///< that judging it took
};

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
