// One piece of work on one device: the context with its data, reference, counters and clock, made
// once and wired to the steps that measure batches.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/device/argument_data.hpp"
#include "gridsmith/tuner/worker/device/device_workspace.hpp"
#include "gridsmith/tuner/worker/device/event_stopwatch.hpp"
#include "gridsmith/tuner/worker/device/expected_answer.hpp"
#include "gridsmith/tuner/worker/steps/batch_runner.hpp"

#include <memory>
#include <optional>
#include <string>

namespace gridsmith {

class Work {
public:
  /// @param best what races are timed against
  /// @param started since when samples and the start are counted
  /// @throws Error with one line when the work cannot be opened.
  Work(OpenWork open, Observer& observer, BestTime& best, const HostClock& started);
  Work(const Work&) = delete; // its parts know each other's places
  Work& operator=(const Work&) = delete;

  /// For the answer to OpenWork.
  const WorkOpened& opened() const { return opened_; }

  void run(const EvaluateBatch& batch) { runner_->run(batch); }

private:
  void make_data(const HostClock& started);
  std::unique_ptr<CounterSource> open_counters(const std::vector<std::string>& names);
  void wire(Observer& observer, BestTime& best);
  std::optional<Peak> measure_copy();
  ExpectedAnswer expect(std::uint64_t seed, SpotCheck spot);
  std::optional<std::string> expect_default();
  LoadedCandidate load(const Launchable& launchable);

  OpenWork open_;
  WorkOpened opened_;
  Stream stream_;
  std::optional<DeviceKernels> kernels_;
  std::optional<ArgumentData> data_;
  std::optional<EventStopwatch> stopwatch_;
  std::optional<DeviceWorkspace> workspace_;
  std::optional<Timer> timer_;
  std::optional<FirstLaunches> first_launches_;
  std::optional<Counting> counting_; ///< after what it uses: its counters end first
  std::optional<BatchRunner> runner_;
};

} // namespace gridsmith
