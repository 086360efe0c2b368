// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/analysis/rate_doubt.hpp"

#include "gridsmith/base/number_text.hpp"

#include <algorithm>
#include <initializer_list>

namespace gridsmith {
namespace {

constexpr double narrowest_operands = 4; // of 4 bits, beside halves
constexpr double flop_per_integer_mad = 2;

struct Known {
  std::string_view name;
  double value = 0; ///< 0: unknown
  bool published = false;
};

Known measured(const MetricFacts& facts, std::string_view name, double times = 1) {
  return {name, times * peak_of(*facts.peaks, name).value_or(0)};
}

Known measured_or_published(const MetricFacts& facts, std::string_view name) {
  const Known known = measured(facts, name);
  return known.value > 0
             ? known
             : Known{name, data_sheet_peak(name, facts.device).value_or(0), /*published*/ true};
}

Known highest(std::initializer_list<Known> peaks) {
  return std::max(peaks, [](const Known& a, const Known& b) { return a.value < b.value; });
}

/// @param done that has to pass what the peak is of, out of `all`
std::optional<RateDoubt> beyond(const Known& peak, double done, double all, double time_ms,
                                std::string_view unit) {
  const double giga = 1e6 * time_ms; // ms to 10^9 per second
  if (peak.value <= 0 || done / giga <= doubtful_over_peak * peak.value)
    return std::nullopt;
  return RateDoubt{all / giga, peak.value, unit, peak.name, peak.published};
}

std::optional<RateDoubt> doubt_of_bytes(const MetricFacts& facts) {
  const double bytes = facts.model_bytes, l2 = static_cast<double>(facts.device.l2_bytes);
  if (bytes <= 0 || l2 <= 0)
    return std::nullopt;
  const Known dram = highest(
      {measured(facts, "copy"), measured(facts, "dram_read"), measured(facts, "dram_write")});
  if (const auto doubt = beyond(dram, bytes - l2, bytes, facts.time_ms, "GB/s"))
    return doubt;
  return beyond(measured(facts, "l2_read"), bytes, bytes, facts.time_ms, "GB/s");
}

/// The fastest that may have done it; 0: it may have been one of which nothing is known.
Known fastest_pipe(const MetricFacts& facts) {
  const Known fp32 = measured_or_published(facts, "fp32_fma"),
              fp16 = measured_or_published(facts, "fp16_fma");
  if (fp32.value <= 0 || fp16.value <= 0)
    return {};
  const Known plain = highest({fp32, fp16, measured(facts, "fp64_fma"),
                               measured(facts, "integer_mad", flop_per_integer_mad)});
  if (metric_value("tensor_instructions", facts) == 0.0)
    return plain;
  Known tensor = measured_or_published(facts, "tensor_fp16");
  if (tensor.value <= 0)
    return {};
  tensor.value = narrowest_operands *
                 std::max(tensor.value, data_sheet_peak("tensor_fp16", facts.device).value_or(0));
  return highest({plain, tensor});
}

} // namespace

std::optional<RateDoubt> rate_doubt(const MetricFacts& facts) {
  if (facts.time_ms <= 0 || !facts.peaks)
    return std::nullopt;
  if (const auto doubt = doubt_of_bytes(facts))
    return doubt;
  if (facts.model_flops <= 0)
    return std::nullopt;
  return beyond(fastest_pipe(facts), facts.model_flops, facts.model_flops, facts.time_ms,
                "GFLOP/s");
}

std::string to_text(const RateDoubt& doubt) {
  return number_text(doubt.rate) + " " + std::string(doubt.unit) + " by the work model, where " +
         std::string(doubt.name) +
         (doubt.published ? " may reach, by the data sheet, " : " was measured to reach ") +
         number_text(doubt.peak) + " " + std::string(doubt.unit);
}

} // namespace gridsmith
