// SPDX-License-Identifier: Apache-2.0
// The device of this process: context, stream, the worker's own kernels and the counters, made once
// for all works.
#pragma once

#include "gridsmith/metrics/cupti/counter_session.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/device/cuda_handles.hpp"
#include "gridsmith/tuner/worker/device/device_kernels.hpp"
#include "gridsmith/tuner/worker/steps/counting.hpp"
#include "gridsmith/tuner/worker/steps/spot_check.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

class OpenedDevice {
public:
  /// The context, and of the counters what needs no kernel.
  /// @throws Error with one line when the device cannot be used
  OpenedDevice(const UseDevice& use, Observer& observer);
  OpenedDevice(const OpenedDevice&) = delete; // its parts know each other's places
  OpenedDevice& operator=(const OpenedDevice&) = delete;

  /// Then the rest. Counters that cannot be opened are no error: counting() says why.
  /// @throws Error likewise
  void load(const UseDevice& use);

  const Device& facts() const { return facts_; }

  cudaStream_t stream() const { return stream_.get(); }

  const DeviceKernels& kernels() const { return *kernels_; }

  Counting& counting() { return *counting_; }

  SpotCheckTime& spot_checks() { return spot_checks_; }

  /// @pre they are cold
  void warm_up_counters();

  /// Of its memory, 0 to 1.
  double free_share() const;

private:
  using Counters = std::unique_ptr<CounterSession>;

  std::shared_ptr<CounterDevice> countable();
  void count_ahead(const UseDevice& use);
  std::unique_ptr<CounterSource> open_counters(const std::vector<std::string>& names);

  Device facts_;
  Stream stream_;
  std::optional<DeviceKernels> kernels_;
  DeviceMemory warm_up_;                     ///< what the first counted launch reads
  std::shared_ptr<CounterDevice> countable_; ///< none until counters are wanted
  Counters ahead_;                           ///< enabled, and waiting for the code
  std::vector<std::string> names_ahead_;
  std::optional<Counting> counting_;
  SpotCheckTime spot_checks_;
};

} // namespace gridsmith
