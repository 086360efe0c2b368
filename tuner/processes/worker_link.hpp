// The tuner's end of one GPU worker: keeps it open, gives it jobs, and replaces it when it crashes,
// hangs or loses its context. The guilty configuration gets its outcome; the innocent ones in
// flight run again.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

struct pollfd;

namespace gridsmith {

/// The worker cannot work at all: no device, no memory for the data, a reference that fails.
class WorkerRefused : public Error {
public:
  WorkerRefused(const std::string& reason, bool no_device)
      : Error(reason), no_device_(no_device) {}

  bool no_device() const { return no_device_; }

private:
  bool no_device_;
};

struct WorkerSettings {
  std::filesystem::path program;
  std::chrono::milliseconds open_limit{60'000};  ///< start, data and reference
  std::chrono::milliseconds stage_limit{10'000}; ///< watchdog: one stage of one configuration
  std::size_t most_in_flight = 64;
};

class WorkerLink {
public:
  using Clock = std::chrono::steady_clock;

  WorkerLink(WorkerSettings settings, OpenWork open);

  /// Nothing until the worker is ready.
  const std::optional<WorkOpened>& opened() const { return opened_; }

  void evaluate(EvaluateJob job);
  void best_so_far(double best_ms);
  /// Outcomes since the last call.
  std::vector<EvaluateOutcome> take();
  /// Starts the finals; the outcome comes from take_finals(). A guilty finalist is left out and the
  /// rest repeated.
  void finals(FinalsJob job);
  std::optional<FinalsOutcome> take_finals();

  void add_descriptors(std::vector<pollfd>& descriptors) const;
  /// @throws WorkerRefused when the worker cannot be opened, or dies again and again.
  void advance();
  Clock::time_point deadline() const;

  std::size_t waiting() const { return waiting_.size(); }

  std::size_t in_flight() const { return in_flight_.size(); }

  std::size_t restarts() const { return restarts_; }

  double idle_ms() const;

private:
  void start();
  void feed();
  void handle(Message message);
  void blame(std::uint64_t id, Status status, const std::string& reason);
  void lost(Status status, const std::string& how);
  void heard();
  void note_idle();

  WorkerSettings settings_;
  OpenWork open_;
  std::optional<ChildProcess> child_;
  std::optional<WorkOpened> opened_;
  bool ready_ = false; ///< this process has answered WorkOpened
  std::deque<EvaluateJob> waiting_;
  std::deque<EvaluateJob> in_flight_;
  std::map<std::uint64_t, int> deaths_; ///< how often a worker died on this job without saying why
  std::optional<StageBegun> stage_;
  std::optional<FinalsJob> finals_;
  bool finals_sent_ = false;
  std::map<std::uint64_t, EvaluateOutcome> final_outcomes_;
  std::vector<std::uint64_t> finalist_order_;
  std::optional<FinalsOutcome> finals_done_;
  std::vector<EvaluateOutcome> done_;
  Clock::time_point last_heard_;
  std::optional<Clock::time_point> idle_since_;
  double idle_ms_ = 0;
  std::size_t restarts_ = 0, restarts_in_vain_ = 0;
};

} // namespace gridsmith
