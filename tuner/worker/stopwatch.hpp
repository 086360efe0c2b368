// Times launches with events on one stream. Before every sample the L2 cache is flushed (cold), or
// the kernel itself runs once more (warm); both also keep the device busy while the host enqueues
// the sample, so that no launch latency is measured.
//
// Cold means: the L2 holds other data, and nothing that has to be written back. It is flushed by
// reading, not by writing, so that the timed span has the traffic of the kernel alone. Seen on an
// H200 (60 MB of L2): after a memset of the L2's size a kernel that only reads 64 MB takes 26.4 us
// instead of 19.2, because it also evicts the dirty lines of the memset; a copy of 256 MB takes
// 129.7 us instead of 125.8, since after a clean flush the last lines it wrote are still in the L2
// when it ends. Counters are read in the same state, and it is the one ncu makes.
#pragma once

#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/tuner/worker/cuda_handles.hpp"
#include "gridsmith/tuner/worker/utilities.hpp"

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
  /// @param restore enqueues what makes changed inputs as they were; before every cold sample. Warm
  /// samples go without: a restored buffer is not where the kernel left it in the cache.
  Stopwatch(const Utilities& utilities, const Device& device, bool warm, Launch restore);

  /// Takes `count` samples without a host round trip in between, then waits. Samples taken at a
  /// throttled clock are thrown away and taken again after a pause, a few times.
  /// @param launches per sample; more than one only when warm.
  Samples take(std::size_t count, int launches, const Launch& launch);

  /// One sample of each, in turn, without a host round trip in between; times_ms in that order.
  Samples take_round(const std::vector<Launch>& launches, const std::vector<int>& per_sample);

  bool warm() const { return warm_; }

  /// Enqueues what empties the L2 of everything else.
  void flush() const;

private:
  const Event& event(std::size_t number);
  Samples measured(const std::vector<Launch>& launches, const std::vector<int>& per_sample);
  Samples retaken(const std::vector<Launch>& launches, const std::vector<int>& per_sample);
  double clock_mhz() const;

  const Utilities& utilities_;
  bool warm_;
  Launch restore_;
  std::size_t flush_bytes_;
  double expected_mhz_; ///< what an unthrottled device runs at
  DeviceMemory flush_;
  PinnedMemory stamps_; ///< two, written by the device
  std::vector<Event> events_;
};

} // namespace gridsmith
