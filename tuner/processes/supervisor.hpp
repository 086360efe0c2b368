// SPDX-License-Identifier: Apache-2.0
// What is sent to a GPU worker, who is to blame when it dies, and when to give up: decisions only.
// No process and no clock of its own, so that each rule can be tested; WorkerLink acts on them.
//
// The rules. Whoever the worker was working on is guilty at once after a time-out, and after the
// second death otherwise; of a worker killed from outside nobody is guilty. The guilty one gets its
// result once a new worker is open, which shows that the fault was not the device's; all others run
// again in their old order; of an interleaved batch the rest is repeated. Restarts in a row without
// one result in between have a limit, and a pause that grows. A worker that falls silent while it
// opens is given up.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gridsmith {

struct WorkerLimits {
  std::chrono::milliseconds open_limit{60'000};  ///< start, data and reference
  std::chrono::milliseconds stage_limit{10'000}; ///< watchdog: one stage of one configuration
  std::size_t most_in_flight = 64;               ///< configurations
};

class Supervisor {
public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  Supervisor(WorkerLimits limits, Time now);

  // ---- what is wanted

  void evaluate(EvaluateBatch batch);
  /// Batches of the mode `race` that are not sent yet race against it; none: against nothing.
  void best_so_far(std::optional<double> best_ms);
  /// Dropped when it was not sent; else it runs on, its result is not reported, and it is not
  /// repeated.
  void withdraw(std::uint64_t id);

  // ---- what happened

  // Its first word is awaited from the start.
  /// It opens something: no batches until it says that it has.
  /// @param limit of its silence; none: the usual one
  void opening(Time now, std::optional<std::chrono::milliseconds> limit = {});
  void at_rest(Time now); ///< it has said all that was awaited of it, and nothing is open
  void opened(Time now);  ///< the process is ready for batches
  /// A new one is in its place, and what was given to the other was withdrawn.
  void replaced(Time now);
  void heard(Time now); ///< anything else that it said
  /// Nobody listened for so long: no silence of the worker's.
  void paused(Clock::duration by, Time now);
  void stage_begun(StageBegun stage, Time now);
  void executed(Executed result, Time now);
  void context_lost(const ContextLost& lost, Time now);
  /// The process is gone (it may have been killed after silence: Status::timeout). True: start it
  /// again; false: give up.
  /// @param how "was killed by signal 11 (Segmentation fault)", for the guilty one's reason
  /// @param from_outside by somebody, not by a fault of its own
  bool ended(Status status, const std::string& how, Time now, bool from_outside = false);

  // ---- what to do

  /// Before the process is started again.
  std::chrono::milliseconds pause() const;
  /// To be sent now, in this order; they count as in flight.
  std::vector<EvaluateBatch> batches_to_send(Time now);
  std::vector<Executed> take();
  /// When the process has been silent for too long; max() when nothing is expected of it.
  Time deadline() const;
  /// Since it was last heard, or given something to do.
  std::chrono::milliseconds silent_for(Time now) const;

  std::size_t waiting() const { return count(waiting_); }

  std::size_t in_flight() const { return count(in_flight_); }

  /// Whether somebody waits for what is in flight, or not sent yet.
  bool is_wanted() const { return waiting() > 0 || in_flight() > withdrawn_.size(); }

  std::size_t restarts() const { return restarts_; }

  double idle_ms() const { return idle_ms_; } ///< ready without work

private:
  using Batches = std::deque<EvaluateBatch>;

  static std::size_t count(const Batches& batches);
  static bool remove(Batches& batches, std::uint64_t id);
  void report(Executed result, std::vector<Executed>& to);
  void blame(std::uint64_t id, Status status, const std::string& reason);
  void note_idle(Time now);

  WorkerLimits limits_;
  Batches waiting_;
  Batches in_flight_; ///< without those that have a result
  std::set<std::uint64_t> withdrawn_;
  std::map<std::uint64_t, int> deaths_; ///< how often a worker died on it without saying why
  std::optional<StageBegun> stage_;
  std::optional<double> best_ms_;
  std::vector<Executed> done_, held_; ///< held: verdicts, until a worker is open again
  bool ready_ = false, awaited_ = true;
  std::optional<std::chrono::milliseconds> open_limit_; ///< of what it opens; none: the usual one
  Time last_heard_;
  std::optional<Time> idle_since_;
  double idle_ms_ = 0;
  std::size_t restarts_ = 0, restarts_without_result_ = 0;
};

} // namespace gridsmith
