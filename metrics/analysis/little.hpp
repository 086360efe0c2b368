// SPDX-License-Identifier: Apache-2.0
// How many bytes have to be under way so that memory is kept busy, how many are, and what would bring
// more: Little's law on one launch.
#pragma once

#include "gridsmith/metrics/analysis/launch_model.hpp"

#include <optional>
#include <string>

namespace gridsmith {

/// A number and where it is from.
struct Known {
  double value = 0;
  bool measured = false; ///< on the device; else of the data sheet, or assumed
};

/// Bytes under way on each multiprocessor at once. The mean number of things in a system is the rate
/// at which they leave it times the time that each is in it (J. D. C. Little, Operations Research 9(3),
/// 1961); for the memory of GPUs V. Volkov, Understanding Latency Hiding on GPUs, UCB/EECS-2016-143.
struct BytesInFlight {
  Known latency_ns; ///< of one load from DRAM, idle: under load it is longer, and more is needed
  Known gb_per_s;   ///< of DRAM, read
  double warps = 0; ///< resident on a multiprocessor
  bool warps_counted = false; ///< else as many as can be
  int most_warps = 0;         ///< that a multiprocessor has room for
  int loads = 0;              ///< the most that a thread has under way at once
  double bytes_each = 0;      ///< of a load, of one thread

  double needed = 0;   ///< latency * bandwidth / multiprocessors
  double achieved = 0; ///< at most: warps * 32 * loads * bytes_each

  double warps_needed() const; ///< with as many loads
  double loads_needed() const; ///< of a thread, with as many warps
};

/// Nothing where the device's bandwidth or clock, the machine code or the resident warps are not known,
/// or the code has no loads whose widths are told.
std::optional<BytesInFlight> bytes_in_flight(const LaunchModel& launch);

/// Two sentences: the numbers, and whether more warps or more loads of a thread would do.
std::string describe(const BytesInFlight& bytes);

} // namespace gridsmith
