// SPDX-License-Identifier: Apache-2.0
// Launches of several programs for one job in turn, in one process and on one set of arguments, sampled by the worker's
// own stopwatch and rules: L2 flushed before each sample, as many as the median's interval needs.
#pragma once

#include "gridsmith/tests/bench/vendors/rival.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/device/argument_data.hpp"
#include "gridsmith/tuner/worker/device/event_stopwatch.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith::vendors {

/// A configuration, compiled, with what its result is compared with.
struct Tuned {
  std::string kernel;
  std::vector<std::int64_t> extents;
  OpenWork open; ///< with its reference
  Launchable launchable;
};

/// One who takes part.
struct Contender {
  std::string name;
  std::optional<std::string> differs; ///< from the reference, one line: of a library only
  std::vector<double> times_ms;

  double median_ms() const;
};

/// Device, stream and the worker's own kernels, for all jobs.
struct Bench {
  Bench(Device facts, const Bytes& device_code);

  Device device;
  Stream stream;
  DeviceKernels kernels;
  HostClock clock;
};

/// The job's own kernel first ("ours"), then the copy of equal bytes by the kernel ("copy kernel") and by the runtime
/// ("cudaMemcpy"), then the libraries. Each result is verified by the definition's reference first, but for cudaMemcpy's.
/// @param copy of as many bytes as the job has to move; none: there is no such copy
/// @throws Error, std::runtime_error
std::vector<Contender> compare(const Bench& bench, const Tuned& job,
                               const std::optional<Tuned>& copy);

} // namespace gridsmith::vendors
