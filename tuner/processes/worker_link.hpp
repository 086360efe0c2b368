// SPDX-License-Identifier: Apache-2.0
// The tuner's end of one GPU worker: keeps its process running, has it open one work after the other
// and gives it batches, and replaces it when it crashes, hangs or loses its context. Who is guilty and
// what runs again is decided by the Supervisor.
#pragma once

#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/processes/helper_settings.hpp"
#include "gridsmith/tuner/processes/pauses.hpp"
#include "gridsmith/tuner/processes/supervisor.hpp"
#include "gridsmith/tuner/processes/worker_spans.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

struct pollfd;

namespace gridsmith {

/// The worker cannot work at all: no device, no memory for the data, a reference that fails.
class WorkerRefused : public HelperError {
public:
  WorkerRefused(const std::string& reason, bool no_device)
      : HelperError(reason), no_device_(no_device) {}

  bool no_device() const { return no_device_; }

private:
  bool no_device_;
};

struct WorkerSettings {
  std::filesystem::path program;
  bool confined = true; ///< false: with all rights of the user
  /// A program that starts it, with what stands before the worker's name; empty: none.
  std::vector<std::string> under = {};
  WorkerLimits limits = {};
  SpanSink spans = {};
};

/// @param timeout_s of a launch; none: the usual one
WorkerSettings worker_settings(const HelperSettings& helpers, std::optional<double> timeout_s = {});
/// @throws HelperError
ChildProcess start_worker(const WorkerSettings& settings);

class WorkerLink {
public:
  using Clock = Supervisor::Clock;

  /// Starts the process. @throws HelperError when the program cannot be started.
  explicit WorkerLink(WorkerSettings settings);

  /// As soon as that is known, and again once its code is; no work is opened before.
  void use(UseDevice device);

  /// From here on batches are of this work; one that was opened before is open still, unless it had to
  /// make room. What was evaluated of another is done, or withdrawn: for what still runs then nobody
  /// waits, its process is replaced.
  void open(OpenWork work);

  bool has_work() const { return work_.has_value(); }

  /// Whether somebody waits for what it was given.
  bool is_wanted() const { return supervisor_.is_wanted(); }

  bool works_on(std::uint64_t work) const { return work_ && work_->work == work; }

  /// The work of now; nothing until it is open.
  const std::optional<WorkOpened>& opened() const { return opened_; }

  /// Of the work of now. Ids are the caller's, each used once.
  void evaluate(EvaluateBatch batch);
  /// … and waits for all of it, for who waits for nothing else.
  /// @return of each job, in their order; none: stopped
  std::optional<std::vector<Execution>> evaluate_all(EvaluateBatch batch,
                                                     const std::stop_token& stop);
  void best_so_far(double best_ms);

  /// Drops what was not sent; of what was, the result is not reported.
  void withdraw(std::uint64_t id) { supervisor_.withdraw(id); }

  /// Results since the last call.
  std::vector<Executed> take() { return supervisor_.take(); }

  /// Nothing more is wanted of it: its process ends while others do.
  void end() { child_.kill(); }

  /// … and has time to end by itself: what watches it may have something to write.
  void finish() {
    child_.hang_up();
    child_.reap();
  }

  void add_descriptors(std::vector<pollfd>& descriptors) const;
  /// Reads and sends whatever is possible, replaces a worker that died or hangs.
  /// @throws WorkerRefused when the worker cannot be opened, or dies again and again; HelperError
  /// when it is of another version.
  void advance();
  /// Waits for news, or a moment, and advances; for who waits for nothing else.
  void turn();

  Clock::time_point deadline() const { return starts_ ? *starts_ : supervisor_.deadline(); }

  std::size_t waiting() const { return supervisor_.waiting(); }

  std::size_t in_flight() const { return supervisor_.in_flight(); }

  std::size_t restarts() const { return supervisor_.restarts(); }

  double idle_ms() const { return supervisor_.idle_ms(); }

private:
  /// Whether works can be opened on it.
  bool has_device() const { return device_ && !device_->code_follows; }

  /// While the default's result is made that others are compared with: as long as a launch may take, and some.
  std::optional<std::chrono::milliseconds> limit_of_default() const;

  void start();
  void tell();
  void feed();
  void handle(Message message);
  void take(WorkOpened opened, Clock::time_point now);
  void lost(Status status, const std::string& how, bool from_outside = false);

  WorkerSettings settings_;
  Supervisor supervisor_;
  Pauses pauses_;
  WorkerSpans spans_;
  ChildProcess child_;
  std::optional<UseDevice> device_;
  std::optional<OpenWork> work_; ///< of now
  std::optional<WorkOpened> opened_;
  std::map<std::uint64_t, WorkOpened> open_; ///< in this process, by their numbers
  bool refused_ = false;                     ///< it is of no use for the work of now
  bool greeted_ = false;                     ///< it has said its version
  bool device_ready_ = false;                ///< … and has its device
  bool ready_ = false;                       ///< … and has opened the work of now
  std::optional<Clock::time_point> starts_;  ///< none: it runs
};

} // namespace gridsmith
