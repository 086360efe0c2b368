// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/device/roofline.hpp"

#include "gridsmith/base/named.hpp"

#include <algorithm>
#include <span>

namespace gridsmith {
namespace {

/// A limit and the peaks that measure it: the highest of them is the roof.
struct Limit {
  std::string_view name, unit;
  std::optional<double> LaunchWork::* amount;
  std::array<std::string_view, 3> peaks;
};

// Reading, writing and copying reach different rates; none of them alone bounds the others.
constexpr std::array<Limit, 7> limits = {{
    {"FP32", "GFLOP/s", &LaunchWork::flops, {"fp32_fma"}},
    {"FP64", "GFLOP/s", &LaunchWork::fp64_flops, {"fp64_fma"}},
    {"FP16", "GFLOP/s", &LaunchWork::fp16_flops, {"fp16_fma"}},
    {"tensor FP16", "GFLOP/s", &LaunchWork::tensor_flops, {"tensor_fp16"}},
    {"DRAM", "GB/s", &LaunchWork::dram_bytes, {"copy", "dram_read", "dram_write"}},
    {"L2", "GB/s", &LaunchWork::l2_bytes, {"l2_read"}},
    {"shared", "GB/s", &LaunchWork::shared_bytes, {"shared_read"}},
}};

struct Roof {
  double value = 0;
  bool measured = false;
};

std::optional<Roof> roof_of(const Limit& limit, const Peaks& peaks, const Device& device) {
  std::optional<Roof> roof;
  for (const std::string_view name : limit.peaks)
    if (const auto value = peak_of(peaks, name); value && (!roof || *value > roof->value))
      roof = Roof{*value, true};
  if (!roof)
    if (const auto value = data_sheet_peak(limit.peaks.front(), device))
      roof = Roof{*value, false};
  return roof && roof->value > 0 ? roof : std::nullopt;
}

/// Intensity is flops per byte of that level; a level that moved nothing bounds nothing.
void add_slope(Ceiling& ceiling, double flops, double bytes, const Ceiling* flat, double seconds) {
  if (bytes <= 0)
    return;
  ceiling.flop_per_byte = flops / bytes;
  const double slope = *ceiling.flop_per_byte * ceiling.peak;
  ceiling.gflop_per_s = flat ? std::min(flat->peak, slope) : slope;
  if (*ceiling.gflop_per_s > 0)
    ceiling.of_attainable = flops / 1e9 / seconds / *ceiling.gflop_per_s;
}

} // namespace

const Ceiling* Roofline::nearest() const {
  const auto found = std::max_element(
      ceilings.begin(), ceilings.end(),
      [](const Ceiling& one, const Ceiling& other) { return one.fraction < other.fraction; });
  return found == ceilings.end() ? nullptr : &*found;
}

const Ceiling* Roofline::find(std::string_view name) const {
  return find_named(name, ceilings);
}

Roofline roofline(const LaunchWork& work, const Peaks& peaks, const Device& device) {
  Roofline result;
  if (!(work.time_ms > 0))
    return result;
  const double seconds = work.time_ms / 1e3;
  for (const Limit& limit : limits) {
    const std::optional<double>& amount = work.*limit.amount;
    const auto roof = roof_of(limit, peaks, device);
    if (!amount || !roof || (limit.unit == "GFLOP/s" && !(*amount > 0)))
      continue;
    Ceiling ceiling{.name = limit.name,
                    .unit = limit.unit,
                    .peak = roof->value,
                    .measured = roof->measured,
                    .achieved = *amount / 1e9 / seconds};
    ceiling.fraction = ceiling.achieved / ceiling.peak;
    if (work.flops && limit.unit == "GB/s")
      add_slope(ceiling, *work.flops, *amount, result.find("FP32"), seconds);
    result.ceilings.push_back(ceiling);
  }
  return result;
}

} // namespace gridsmith
