// Times launches with events on one stream. Before every sample the L2 cache is flushed (cold), or
// the kernel itself runs once more (warm); both also keep the device busy while the host enqueues
// the sample, so that no launch latency is measured.
//
// Cold means: as many bytes as the L2 holds were just written, so nothing of the kernel's data is
// in it. Those lines are dirty, like the ones the kernel leaves behind: what a kernel pays for
// writing back at its begin stands for what it leaves to be written back after its end.
#pragma once

#include "metrics/device.hpp"
#include "tuner/worker/cuda_handles.hpp"
#include "tuner/worker/utilities.hpp"

#include <functional>
#include <vector>

namespace gridsmith {

struct Samples {
  std::vector<double> times_ms; ///< per launch: one entry per sample
  double gpu_ms = 0;            ///< everything on the device, flushes too
  double sm_clock_mhz = 0;      ///< mean over the samples; 0: not known
};

class Stopwatch {
public:
  using Launch = std::function<void()>;

  /// Allocates the flush buffer. @throws CudaError
  Stopwatch(const Utilities& utilities, const Device& device, bool warm);

  /// Takes `count` samples without a host round trip in between, then waits. Samples taken at a
  /// throttled clock are thrown away and taken again after a pause, a few times.
  /// @param launches per sample; more than one only when warm.
  Samples take(std::size_t count, int launches, const Launch& launch);

  /// One sample of each, in turn, without a host round trip in between; times_ms in that order.
  Samples take_round(const std::vector<Launch>& launches, const std::vector<int>& per_sample);

  bool warm() const { return warm_; }

  /// Enqueues a flush that leaves nothing to be written back: what is counted next is the kernel's.
  void flush_clean() const;

private:
  void flush() const;
  const Event& event(std::size_t number);
  Samples measured(const std::vector<Launch>& launches, const std::vector<int>& per_sample);
  Samples retaken(const std::vector<Launch>& launches, const std::vector<int>& per_sample);
  double clock_mhz() const;

  const Utilities& utilities_;
  bool warm_;
  std::size_t l2_bytes_;
  double expected_mhz_; ///< what an unthrottled device runs at
  DeviceMemory flush_;
  PinnedMemory stamps_; ///< two, written by the device
  std::vector<Event> events_;
};

} // namespace gridsmith
