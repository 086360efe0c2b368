// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/steps/candidate.hpp"

namespace gridsmith {

Stage::Stage(Observer& observer, const Candidate& candidate, std::string_view name)
    : observer_(observer) {
  observer_.stage_begun(candidate, name);
}

Stage::~Stage() {
  observer_.stage_ended();
}

ProfiledSection::ProfiledSection(Observer& observer) : observer_(observer) {
  observer_.profiling(true);
}

ProfiledSection::~ProfiledSection() {
  observer_.profiling(false);
}

void fail(Candidate& candidate, Status status, const std::string& reason) {
  candidate.failed = true;
  candidate.execution.status = status;
  candidate.execution.reason = reason;
  candidate.execution.times_ms.clear();
  candidate.execution.taken_at_ms.clear();
  candidate.execution.clocks_mhz.clear();
}

void fail(Candidate& candidate, const DeviceError& error, Observer& observer) {
  if (error.context_lost())
    observer.context_lost(candidate, error.plain());
  fail(candidate, Status::runtime, error.plain());
}

double HostClock::ms() const {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun_)
      .count();
}

} // namespace gridsmith
