// SPDX-License-Identifier: Apache-2.0
// One configuration on its way through the worker, and who is told of it.
#pragma once

#include "gridsmith/results/measurement/execution.hpp"
#include "gridsmith/tuner/worker/steps/device_port.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct Candidate {
  std::uint64_t id = 0;
  std::string label;              ///< the configuration as text
  std::shared_ptr<Kernel> kernel; ///< none: it could not be loaded
  Execution execution;
  bool failed = false;            ///< the execution says how; it takes part in nothing any more
  std::optional<double> first_ms; ///< of the first launch: the order of timing
  std::optional<double> again_ms; ///< of the last one that was judged after timing
  bool saw_damage = false;        ///< when it was judged
  std::vector<ResultDigest>
      digests; ///< of the first judged launch on each data, where that is wanted
};

using Candidates = std::vector<Candidate*>;

/// Hears what goes on, from whom: the tuner and Nsight, or a test.
class Observer {
public:
  virtual ~Observer() = default;

  /// Said before every step that may kill the process, so that the guilty one is known.
  virtual void stage_begun(const Candidate& candidate, std::string_view stage) = 0;
  virtual void stage_ended() = 0;
  /// Around the launches that were meant to be profiled.
  virtual void profiling(bool on) = 0;
  /// The execution is complete.
  virtual void done(Candidate& candidate) = 0;
  /// Nothing in this process is of use any more. Does not return.
  [[noreturn]] virtual void context_lost(const Candidate& candidate, const std::string& reason) = 0;
};

/// One stage ("load", "verify", "count", "time") of one candidate, from construction to
/// destruction.
class Stage {
public:
  Stage(Observer& observer, const Candidate& candidate, std::string_view name);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

private:
  Observer& observer_;
};

/// What is launched while one lives is what was meant to be profiled.
class ProfiledSection {
public:
  explicit ProfiledSection(Observer& observer);
  ~ProfiledSection();
  ProfiledSection(const ProfiledSection&) = delete;
  ProfiledSection& operator=(const ProfiledSection&) = delete;

private:
  Observer& observer_;
};

/// A failed one has a status, a reason and no times.
void fail(Candidate& candidate, Status status, const std::string& reason);
/// What a device's refusal means for a candidate: it failed, or the context is lost and this does
/// not return.
void fail(Candidate& candidate, const DeviceError& error, Observer& observer);

/// Runs `action`; a refusal of the device fails the candidate. Whether there was none.
template <typename Action>
bool guarded(Candidate& candidate, Observer& observer, const Action& action) {
  try {
    action();
    return true;
  } catch (const DeviceError& error) {
    fail(candidate, error, observer);
    return false;
  }
}

/// Wall time from construction on.
class HostClock {
public:
  double ms() const;

private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

} // namespace gridsmith
