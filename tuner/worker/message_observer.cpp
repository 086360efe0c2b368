// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/message_observer.hpp"

#include "gridsmith/tuner/protocol/messages.hpp"

#include <cuda_profiler_api.h>
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace gridsmith {

namespace {

constexpr int exit_context_lost = 4;

} // namespace

MessageObserver::MessageObserver(int output, const HostClock& started)
    : output_(output), started_(started) {
}

void MessageObserver::stage_begun(const Candidate& candidate, std::string_view stage) {
  write_message(output_, StageBegun{candidate.id, std::string(stage), started_.ms()});
  nvtx_.push(fmt::format("{} | {} | {}", kernel_, candidate.label, stage));
}

void MessageObserver::stage_ended() {
  nvtx_.pop();
}

void MessageObserver::profiling(bool on) {
  static_cast<void>(on ? cudaProfilerStart() : cudaProfilerStop());
}

void MessageObserver::done(Candidate& candidate) {
  write_message(output_, Executed{candidate.id, std::move(candidate.execution), started_.ms()});
}

void MessageObserver::context_lost(const Candidate& candidate, const std::string& reason) {
  write_message(output_, ContextLost{candidate.id, Status::runtime, reason});
  ::_exit(exit_context_lost);
}

} // namespace gridsmith
