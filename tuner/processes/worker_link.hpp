// The tuner's end of one GPU worker: keeps its process open and gives it batches, and replaces it
// when it crashes, hangs or loses its context. Who is guilty and what runs again is decided by the
// Supervisor.
#pragma once

#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/processes/supervisor.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
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
  WorkerLimits limits = {};
};

class WorkerLink {
public:
  using Clock = Supervisor::Clock;

  /// @throws HelperError when the program cannot be started.
  WorkerLink(WorkerSettings settings, OpenWork open);

  /// Nothing until the worker is ready.
  const std::optional<WorkOpened>& opened() const { return opened_; }

  /// Ids are the caller's, each used once.
  void evaluate(EvaluateBatch batch);
  void best_so_far(double best_ms);

  /// Drops what was not sent; of what was, the result is not reported.
  void withdraw(std::uint64_t id) { supervisor_.withdraw(id); }

  /// Results since the last call.
  std::vector<Executed> take() { return supervisor_.take(); }

  void add_descriptors(std::vector<pollfd>& descriptors) const;
  /// Reads and sends whatever is possible, replaces a worker that died or hangs.
  /// @throws WorkerRefused when the worker cannot be opened, or dies again and again; HelperError
  /// when it is of another version.
  void advance();

  Clock::time_point deadline() const { return starts_ ? *starts_ : supervisor_.deadline(); }

  std::size_t waiting() const { return supervisor_.waiting(); }

  std::size_t in_flight() const { return supervisor_.in_flight(); }

  std::size_t restarts() const { return supervisor_.restarts(); }

  double idle_ms() const { return supervisor_.idle_ms(); }

private:
  void start();
  void feed();
  void handle(Message message);
  void lost(Status status, const std::string& how, bool from_outside = false);

  WorkerSettings settings_;
  OpenWork open_;
  Supervisor supervisor_;
  ChildProcess child_;
  std::optional<WorkOpened> opened_;
  bool greeted_ = false;                    ///< this process has said its version
  bool ready_ = false;                      ///< … and has opened the work
  std::optional<Clock::time_point> starts_; ///< none: it runs
};

} // namespace gridsmith
