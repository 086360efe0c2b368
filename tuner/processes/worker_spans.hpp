// SPDX-License-Identifier: Apache-2.0
// What a worker was at, from the times that it says with its messages.
#pragma once

#include "gridsmith/tuner/processes/span.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace gridsmith {

/// Rows "worker" (its stages; one lasts until the worker says the next thing) and "GPU" (the timed
/// launches, exactly). Where the sink is empty nothing is kept.
class WorkerSpans {
public:
  explicit WorkerSpans(SpanSink sink) : sink_(std::move(sink)) {}

  void started();                         ///< a process; what another was at has ended
  void sent(const EvaluateBatch& batch);  ///< for the names of its jobs
  void opening(const std::string& label); ///< it was told to open a work
  void heard(const Message& message);     ///< before it is taken apart
  void ended();                           ///< the process

private:
  using Time = Span::Time;

  struct Open {
    std::string name, detail;
    Time begin;
  };

  Time at(double at_ms, Time heard);
  void close(Time end);
  void open(const std::string& name, const std::string& detail, Time begin);
  void executed(const Executed& one);

  SpanSink sink_;
  Time zero_{}; ///< of the worker's clock, as near as its messages tell
  Time last_{}; ///< end of the last span in the worker's row
  std::optional<Open> open_;
  std::map<std::uint64_t, std::string> labels_; ///< of jobs that are not done
};

} // namespace gridsmith
