// SPDX-License-Identifier: Apache-2.0
// Measures what a device reaches: microkernels (peak_code.cu) on all SMs, or one thread where
// latencies are asked, each timed like a tuned kernel with warm caches, for about a millisecond at a
// time.
#pragma once

#include "gridsmith/metrics/device/peaks.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/device/device_kernels.hpp"
#include "gridsmith/tuner/worker/device/event_stopwatch.hpp"
#include "gridsmith/tuner/worker/peaks/peak_layout.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct PeakRecipe; // what is run for one name
class PeakLaunch;  // a loaded kernel with its argument

class PeakBench {
public:
  /// Takes up to 2 GiB of the device's memory, no more than a quarter.
  /// @param device the one asked for; it becomes the current one
  /// @throws CudaError, Error with one line
  PeakBench(Device device, const MeasurePeaks& asked, const HostClock& started);
  ~PeakBench();
  PeakBench(const PeakBench&) = delete; // its parts know each other's places
  PeakBench& operator=(const PeakBench&) = delete;

  /// @param name of peak_words
  /// @throws DeviceError; Error with one line why this device has no such peak
  Peak measure(std::string_view name);

private:
  /// Samples of one measurement, per launch.
  struct Timing {
    double median_ms = 0;
    double spread = 0; ///< (largest - smallest) / median
    std::optional<double> clock_mhz;
  };

  std::unique_ptr<PeakLaunch> load(const char* kernel, unsigned blocks, unsigned threads) const;
  std::unique_ptr<PeakLaunch> prepare(const PeakRecipe& recipe);
  void link(PeakWork& work, std::uint64_t links, std::uint32_t spacing, std::uint64_t page);
  void use_data(const PeakRecipe& recipe, PeakWork& work);
  Timing time(PeakLaunch& launch);
  Timing summary(const Samples& samples, std::size_t first, std::size_t step) const;
  Timing time_copy();
  Timing time_launches(int launches);
  Peak peak(std::string_view name, double value, const Timing& timing,
            const std::string& how) const;
  std::uint64_t cycles() const;

  Device device_;
  std::shared_ptr<const Bytes> code_;
  Stream stream_;
  std::optional<DeviceKernels> kernels_;
  std::optional<EventStopwatch> stopwatch_;
  std::size_t bytes_ = 0; ///< of data_
  DeviceMemory data_, state_;
};

} // namespace gridsmith
