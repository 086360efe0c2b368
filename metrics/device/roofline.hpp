// SPDX-License-Identifier: Apache-2.0
// Where one launch stands below the ceilings of its device: the roofline model of Williams, Waterman
// and Patterson (Communications of the ACM 52(4), 2009), with a slanted roof for each level of the
// memory (Yang, Kurth and Williams, Concurrency and Computation 32(20), 2020). Pure functions.
#pragma once

#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/metrics/device/peaks.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace gridsmith {

/// What one launch did. Bytes that went through each level; nothing: not known.
struct LaunchWork {
  std::optional<double> flops;                            ///< single precision
  std::optional<double> fp64_flops = {}, fp16_flops = {}; ///< without tensor cores
  std::optional<double> tensor_flops = {};                ///< of tensor cores
  std::optional<double> dram_bytes = {}, l2_bytes = {}, shared_bytes = {};
  double time_ms = 0;
};

/// One limit, and how near the launch came to it.
struct Ceiling {
  std::string_view name; ///< "FP32", "FP64", "FP16", "tensor FP16", "DRAM", "L2", "shared"
  std::string_view unit; ///< of `peak` and `achieved`: "GFLOP/s" or "GB/s"
  double peak = 0;       ///< what the device reaches
  bool measured = false; ///< else of the data sheet
  double achieved = 0;   ///< amount / time
  double fraction = 0;   ///< achieved / peak: 1 is all that this limit allows
  std::optional<double> flop_per_byte = {}; ///< arithmetic intensity at this level of the memory
  std::optional<double> gflop_per_s = {};   ///< attainable: min(FP32 peak, flop_per_byte * peak)
  std::optional<double> of_attainable = {}; ///< achieved GFLOP/s / attainable
};

struct Roofline {
  /// Those of which amount and peak are known; none for operations that the launch does not do.
  std::vector<Ceiling> ceilings;

  /// The one with the largest fraction: what holds the launch back if anything of these does.
  /// Nothing without ceilings.
  const Ceiling* nearest() const;
  const Ceiling* find(std::string_view name) const;
};

/// @param work time above 0, else there are no ceilings
/// @param peaks as measured; where one is missing the device's data sheet serves
Roofline roofline(const LaunchWork& work, const Peaks& peaks, const Device& device);

} // namespace gridsmith
