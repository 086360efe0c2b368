// SPDX-License-Identifier: Apache-2.0
// Times launches with events on one stream. Before every sample the L2 cache is flushed (cold), or the kernel itself
// runs once more; both also keep the device busy while the host enqueues the sample, so that no launch latency is
// measured. Where many launches are a sample, the device waits until all of them are enqueued: what is timed is how soon
// one follows the other, as where the host is ahead.
//
// Cold means: the L2 holds other data, and nothing that has to be written back. It is flushed by
// reading, not by writing, so that the timed span has the traffic of the kernel alone. Seen on an
// H200 (60 MB of L2): after a memset of the L2's size a kernel that only reads 64 MB takes 26.4 us
// instead of 19.2, because it also evicts the dirty lines of the memset; a copy of 256 MB takes
// 129.7 us instead of 125.8, since after a clean flush the last lines it wrote are still in the L2
// when it ends. Counters are read in the same state, and it is the one ncu makes.
#pragma once

#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/results/measurement/conditions.hpp"
#include "gridsmith/tuner/worker/device/cuda_handles.hpp"
#include "gridsmith/tuner/worker/device/device_kernels.hpp"
#include "gridsmith/tuner/worker/steps/candidate.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace gridsmith {

/// What a stopwatch does to the data.
struct TimedData {
  /// Enqueues what makes changed inputs as they were, before a sample that is cold or rotates. Others go without: a
  /// restored buffer is not where the kernel left it in the cache.
  std::function<void()> restore;
  /// What launches from here on work on is another copy of the data, in turn.
  std::function<void()> next_copy;
  /// … is the data that is verified.
  std::function<void()> own_data;
};

class EventStopwatch final : public Stopwatch {
public:
  /// Allocates the flush buffer. @throws CudaError
  /// @param since what samples' times are counted from: it started with the worker
  /// @param data its copies are asked for by Regime::rotate alone
  EventStopwatch(const DeviceKernels& kernels, const Device& device, Regime regime,
                 const HostClock& since, TimedData data);

  /// Samples taken at a throttled clock are thrown away and taken again after a pause, a few times.
  /// @pre one launch per turn where they are cold
  Samples take(const std::vector<Turn>& turns) override;

  Regime regime() const override { return regime_; }

  /// Enqueues what empties the L2 of everything else.
  void flush() const;

  /// Enqueues what keeps the GPU at work until a slow host has enqueued an event, a launch and an event: what is
  /// between the events is the kernel then.
  void hold() const;

private:
  const Event& event(std::size_t number);
  Samples take_once(const std::vector<Turn>& turns);
  void make_ready(const Turn& turn) const;
  void launch(const Turn& turn) const;
  std::vector<GraphRun> graphs_of(const std::vector<Turn>& turns) const;
  std::optional<double> clock_mhz() const;

  const DeviceKernels& kernels_;
  Regime regime_;
  HostClock since_;
  TimedData data_;
  std::size_t flush_bytes_;
  double expected_mhz_; ///< what an unthrottled device runs at
  DeviceMemory flush_;
  PinnedMemory stamps_; ///< two, written by the device
  std::vector<Event> events_;
};

} // namespace gridsmith
