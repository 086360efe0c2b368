// SPDX-License-Identifier: Apache-2.0
// What a process, the GPU or the strategy was at, from when to when: for traces and reports, which show where
// the time went.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace gridsmith {

struct Span {
  using Time = std::chrono::steady_clock::time_point;

  std::string row;    ///< who: "worker", "GPU", "compiler 3", "strategy"; one thing at a time
  std::string name;   ///< what: "verify"
  std::string detail; ///< of which: a configuration, a kernel; may be empty
  Time begin, end;
};

/// Called once a span has ended, in the thread that runs the session; empty: not wanted.
using SpanSink = std::function<void(const Span&)>;

} // namespace gridsmith
