// SPDX-License-Identifier: Apache-2.0
// Whether a rate can be: what the work model needs, over the time, against what the device was measured
// to reach. A pure rule. Where a peak that could explain the rate is not known there is no doubt.
#pragma once

#include "gridsmith/metrics/catalogue/metrics.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

/// Beyond a peak by less is within what clocks and samples differ: of 53 shipped recordings none is beyond
/// its copy peak by more than 1.04.
inline constexpr double doubtful_over_peak = 1.2;

/// A rate that nothing on this device was measured to reach.
struct RateDoubt {
  double rate = 0;        ///< by the work model
  double peak = 0;        ///< that it is held against
  std::string_view unit;  ///< of both: "GB/s", "GFLOP/s"
  std::string_view name;  ///< of the peak: "copy"
  bool published = false; ///< it is of the data sheet: not measured
};

/// By time, work model, peaks, and what was counted on the tensor pipe:
///
/// * (bytes - size of the L2) / time > 1.2 * the highest of the DRAM's peaks: what the L2 holds need not be
///   read from DRAM when the launch was warm, nor be written to it before the launch ends;
/// * bytes / time > 1.2 * the L2's peak: every byte that a kernel needs passes it at least once;
/// * operations / time > 1.2 * the highest of the pipes' peaks. A pipe that was not measured may be the one
///   that did it, so FP32 and FP16 have to be known, and the tensor pipe unless it is counted that it was
///   not used; the data sheet's rates do where nothing was measured. Its measured peak is of `mma.sync` on
///   halves: here it is the data sheet's where that is
///   higher (`wgmma`), four times, as operands of 4 bits are (NVIDIA A100 white paper, table 1).
std::optional<RateDoubt> rate_doubt(const MetricFacts& facts);

/// "44620 GB/s by the work model, where copy was measured to reach 4218 GB/s"
std::string to_text(const RateDoubt& doubt);

} // namespace gridsmith
