// SPDX-License-Identifier: Apache-2.0
// Where the time of a session went, as a file for Perfetto (ui.perfetto.dev) and chrome://tracing: a
// row for each compiler, the worker, the GPU, the strategy and the session itself.
#pragma once

#include "gridsmith/tuner/processes/span.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// Collects a listener's spans. Format: Trace Event Format, complete events ("ph": "X"), microseconds
/// since the trace was made.
class Trace {
public:
  void add(const Span& span) { spans_.push_back(span); }

  /// Row by row, each in its order. In a row no span overlaps the next: where the clocks of two processes
  /// put them a little over each other, the later one begins later.
  std::vector<Span> in_order() const;

  /// When the trace was made.
  Span::Time zero() const { return zero_; }

  /// One JSON document.
  std::string text() const;

private:
  Span::Time zero_ = std::chrono::steady_clock::now();
  std::vector<Span> spans_;
};

} // namespace gridsmith
