// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/worker_spans.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration ms(double count) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double, std::milli>(count));
}

} // namespace

void WorkerSpans::started() {
  if (!sink_)
    return;
  ended();
  zero_ = Time::max();
  labels_.clear();
  open("start", "", Clock::now());
}

void WorkerSpans::sent(const EvaluateBatch& batch) {
  if (sink_)
    for (const LaunchJob& job : batch.jobs)
      labels_[job.id] = job.label;
}

void WorkerSpans::opening(const std::string& label) {
  if (sink_ && !open_) // else it is still at something and comes to this after
    open("open", label, Clock::now());
}

/// A message comes some time after it was said, so the earliest puts the two clocks nearest.
WorkerSpans::Time WorkerSpans::at(double at_ms, Time heard) {
  zero_ = std::min(zero_, heard - ms(at_ms));
  return std::clamp(zero_ + ms(at_ms), last_, std::max(last_, heard));
}

void WorkerSpans::open(const std::string& name, const std::string& detail, Time begin) {
  open_ = Open{name, detail, std::max(begin, last_)};
}

void WorkerSpans::close(Time end) {
  if (!open_)
    return;
  last_ = std::max(end, open_->begin);
  sink_({"worker", open_->name, open_->detail, open_->begin, last_});
  open_.reset();
}

void WorkerSpans::heard(const Message& message) {
  if (!sink_)
    return;
  const Time now = Clock::now();
  if (const auto* ready = std::get_if<DeviceReady>(&message)) {
    close(at(ready->at_ms, now));
  } else if (const auto* opened = std::get_if<WorkOpened>(&message)) {
    if (!open_)
      open("open", "", last_);
    close(at(opened->at_ms, now));
  } else if (const auto* stage = std::get_if<StageBegun>(&message)) {
    const Time begin = at(stage->at_ms, now);
    close(begin);
    open(stage->stage, labels_[stage->id], begin);
  } else if (const auto* one = std::get_if<Executed>(&message)) {
    close(at(one->at_ms, now));
    executed(*one);
  }
}

/// Samples of interleaved configurations come with their own, so the row is in order only once sorted.
void WorkerSpans::executed(const Executed& one) {
  const Execution& execution = one.execution;
  const std::string label = std::exchange(labels_[one.id], {});
  labels_.erase(one.id);
  const std::size_t samples = std::min(execution.times_ms.size(), execution.taken_at_ms.size());
  for (std::size_t i = 0; i < samples; ++i) {
    const Time begin = zero_ + ms(execution.taken_at_ms[i]);
    sink_({"GPU", "launch", label, begin, begin + ms(execution.times_ms[i])});
  }
}

void WorkerSpans::ended() {
  if (sink_)
    close(Clock::now());
}

} // namespace gridsmith
