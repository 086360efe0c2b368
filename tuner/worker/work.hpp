// SPDX-License-Identifier: Apache-2.0
// One piece of work on a device that is open: data, reference and clock, made once and wired to the
// steps that measure batches.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/device/argument_data.hpp"
#include "gridsmith/tuner/worker/device/device_workspace.hpp"
#include "gridsmith/tuner/worker/device/event_stopwatch.hpp"
#include "gridsmith/tuner/worker/device/expected_answer.hpp"
#include "gridsmith/tuner/worker/device/transfer.hpp"
#include "gridsmith/tuner/worker/message_observer.hpp"
#include "gridsmith/tuner/worker/nvml_board.hpp"
#include "gridsmith/tuner/worker/opened_device.hpp"
#include "gridsmith/tuner/worker/steps/batch_runner.hpp"
#include "gridsmith/tuner/worker/steps/open_works.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace gridsmith {

class Work final : public OpenedWork {
public:
  /// @param device outlives the work, as do the others
  /// @param best what races are timed against
  /// @param started since when samples and the start are counted
  /// @param answer is completed
  /// @throws NoMemory, Error with one line when the work cannot be opened.
  Work(OpenWork open, OpenedDevice& device, MessageObserver& observer, BestTime& best,
       const HostClock& started, WorkOpened& answer);
  Work(const Work&) = delete; // its parts know each other's places
  Work& operator=(const Work&) = delete;

  void run(const EvaluateBatch& batch) override;

private:
  void make_data(const HostClock& started, WorkOpened& answer);
  void meter(const HostClock& started);
  void wire(BestTime& best);
  std::optional<Peak> measure_copy();
  ExpectedAnswer expect(DataSeed seed, std::chrono::milliseconds spot_limit);
  std::optional<std::string> expect_default(std::optional<WrittenPart>& only_written);
  LoadedCandidate load(const Launchable& launchable);
  std::unique_ptr<Kernel> transfer_kernel(LoadedKernel kernel, const HostTransfer& transfer,
                                          std::optional<std::string>& error);

  OpenWork open_;
  OpenedDevice& device_;
  MessageObserver& observer_;
  std::optional<ArgumentData> data_;
  std::map<HostMemory, std::shared_ptr<HostBuffers>> host_buffers_; ///< once one asks for it
  bool vary_ = false; ///< the data before each timed launch of the batch that runs
  std::optional<EventStopwatch> stopwatch_;
  std::optional<DeviceWorkspace> workspace_;
  std::optional<Timer> timer_;
  std::optional<JudgedLaunches> launches_;
  std::optional<NvmlBoard> board_; ///< where energy is wanted
  std::optional<EnergyMeter> energy_;
  std::string no_energy_because_;
  std::optional<BatchRunner> runner_;
};

} // namespace gridsmith
