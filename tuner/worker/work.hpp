// One piece of work on one device: the context with its data, reference, counters and clock, made
// once; then configurations in batches, and the finalists. Every answer goes out as a message as
// soon as it is known. When a launch destroys the context, the guilty configuration is named in a
// last message and the process ends: nothing in it is of use any more.
#pragma once

#include "gridsmith/metrics/counters/counter_session.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/racing.hpp"
#include "gridsmith/tuner/worker/argument_data.hpp"
#include "gridsmith/tuner/worker/inbox.hpp"
#include "gridsmith/tuner/worker/nvtx.hpp"
#include "gridsmith/tuner/worker/stopwatch.hpp"
#include "gridsmith/tuner/worker/utilities.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

class Work {
public:
  using Clock = std::chrono::steady_clock;

  /// Most configurations that are loaded and counted together. A counting session has a fixed
  /// cost of tens of milliseconds, which 64 share as less than one each.
  static constexpr std::size_t largest_batch = 64;

  /// @param output descriptor for messages.
  /// @throws CudaError or std::runtime_error with one line when the work cannot be opened.
  Work(OpenWork open, int output, Inbox& inbox, Clock::time_point started);

  /// For the answer to OpenWork.
  const WorkOpened& opened() const { return opened_; }

  /// Loads, verifies, counts and times them; sends an EvaluateOutcome for each.
  void evaluate(std::vector<EvaluateJob> jobs);
  /// Sends a FinalsOutcome.
  void finals(FinalsJob job);

private:
  /// GPU time between pairs of events that belong to one configuration.
  class BusyTime {
  public:
    void begin(cudaStream_t stream);
    void end(cudaStream_t stream);
    /// Sum of the spans since the last call. @pre the stream has passed them
    double take_ms();

  private:
    std::vector<Event> events_;
    std::size_t used_ = 0;
  };

  struct Candidate {
    EvaluateJob job;
    std::optional<LoadedKernel> kernel;
    EvaluateOutcome outcome;
    bool failed = false;
    double prepare_ms = 0; ///< host time of preparing its launch and judging the one before
    double first_ms = 0;   ///< of the verified launch: the order of timing, never a result
    BusyTime busy, first;
  };

  using Candidates = std::vector<Candidate*>;

  // ---- work.cpp
  void open_counters();
  void warm_up_counters();
  double measure_copy();
  void begin_stage(const Candidate& candidate, const char* stage);
  std::string range_name(const Candidate& candidate, const char* stage) const;
  void fail(Candidate& candidate, Status status, const std::string& reason);
  /// Runs `action`; what CUDA refuses fails the candidate, a lost context ends the process.
  template <typename Action>
  bool guarded(Candidate& candidate, const Action& action);
  [[noreturn]] void context_lost(const Candidate& candidate, const CudaError& error);
  void load(Candidate& candidate);

  // ---- verification.cpp
  /// Verifies all, and counts them where `count`; the rest of a batch after a launch that damaged
  /// the data is verified again.
  void verify(Candidates candidates, bool count);
  /// How many of the first are done: all, or up to the one that did damage.
  std::size_t verify_once(const Candidates& candidates, bool count);
  void prepare_launch(const Candidates& candidates, std::size_t index, bool first_pass, bool count);
  void first_launch(Candidate& candidate, bool first_pass, bool count);
  void judge_pending(const Candidates& candidates);
  std::size_t read_verdicts(const Candidates& candidates);
  void share_time(const Candidates& candidates, double whole_ms, bool count);
  void take_counters(const Candidates& candidates, const std::vector<CounterValues>& values);
  Verdict* verdict_slots(std::size_t index) const;

  // ---- timing.cpp
  void time(Candidate& candidate);
  double to_beat_ms() const;
  bool first_launch_decides(const Candidate& candidate) const;
  void sample(Candidate& candidate, const SamplingRules& rules);
  void finish(Candidate& candidate);
  void interleave(Candidates candidates, int rounds);
  static void note(Candidate& candidate, const Samples& samples, std::size_t index, int launches);

  OpenWork open_;
  int output_;
  Inbox& inbox_;
  NvtxDomain nvtx_;
  Device device_;
  WorkOpened opened_;
  Stream stream_;
  std::optional<Utilities> utilities_;
  std::optional<ArgumentData> data_;
  std::optional<Stopwatch> stopwatch_;
  DeviceMemory verdicts_; ///< largest_batch times data_->verdicts()
  PinnedMemory host_verdicts_;
  std::optional<std::size_t> pending_;     ///< launched and not yet judged
  std::optional<CounterSession> counters_; ///< last: it ends before the context
};

template <typename Action>
bool Work::guarded(Candidate& candidate, const Action& action) {
  try {
    action();
    return true;
  } catch (const CudaError& error) {
    if (context_is_lost())
      context_lost(candidate, error);
    fail(candidate, Status::runtime, error.plain());
    return false;
  }
}

/// Milliseconds of the host's clock since `begun`.
inline double since_ms(Work::Clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(Work::Clock::now() - begun).count();
}

} // namespace gridsmith
