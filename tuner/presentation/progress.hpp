// SPDX-License-Identifier: Apache-2.0
// One line on a terminal that says how far the tuning is; nothing when piped.
#pragma once

#include "gridsmith/tuner/loop/tuning.hpp"

#include <chrono>
#include <string>

namespace gridsmith {

/// "12/225 (4 failed, 3 dropped)  best 4.93 ms  compiling 16, queued 30, measuring 2  11.2 s, 48 s
/// left"
std::string progress_text(const Progress& progress);

class ProgressLine {
public:
  explicit ProgressLine(bool visible) : visible_(visible) {}

  ~ProgressLine() { clear(); }

  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);
  /// A line of its own for each that is new, on a terminal or not.
  void tell(const Progress& progress);
  /// Always true: as a SpaceWatch it goes on.
  bool show(const SpaceProgress& progress);
  /// Any line, where the last one has stood for a while.
  void show(const std::string& text);
  void clear();

private:
  bool is_due() const;
  void put(const std::string& text);

  bool visible_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

/// "13/225  0.1312 ms  TILE=64 ROWS=16", "14/225  compile  TILE=64 ROWS=32: no such header"
/// @param number of the evaluation, from 1 on
std::string measurement_text(const Measurement& measurement, std::uint64_t number,
                             std::uint64_t total);

/// "building the space: 12 %"
std::string progress_text(const SpaceProgress& progress);

/// Whether stderr is a terminal that takes a moving line.
bool stderr_is_terminal();

} // namespace gridsmith
