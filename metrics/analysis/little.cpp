// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/analysis/little.hpp"

#include "gridsmith/metrics/device/peaks.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gridsmith {
namespace {

std::optional<Known> latency_of(const LaunchModel& launch) {
  if (const double measured = launch("peak_dram_latency"); measured > 0)
    return Known{measured, true};
  const int clock_khz = launch.facts().metrics.device.sm_clock_khz;
  return clock_khz > 0 ? std::optional(Known{usual_latency_cycles / clock_khz * 1e6})
                       : std::nullopt;
}

std::optional<Known> bandwidth_of(const LaunchModel& launch) {
  for (const char* peak : {"peak_dram_read", "peak_copy"})
    if (const double measured = launch(peak); measured > 0)
      return Known{measured, true};
  const auto published = data_sheet_peak("copy", launch.facts().metrics.device);
  return published ? std::optional(Known{*published}) : std::nullopt;
}

std::string source_of(const BytesInFlight& bytes) {
  const std::string bandwidth = bytes.gb_per_s.measured ? "measured" : "of the data sheet";
  const std::string latency = bytes.latency_ns.measured ? "measured" : "assumed";
  return bandwidth == latency ? "both measured"
                              : fmt::format("the latency {}, the bandwidth {}", latency, bandwidth);
}

std::string plural(double count, std::string_view what) {
  return fmt::format("{:.0f} {}{}", count, what, count == 1 ? "" : "s");
}

std::string remedy_of(const BytesInFlight& bytes) {
  if (bytes.achieved >= bytes.needed)
    return "That would be enough if all threads had them under way all the time: begin loads "
           "earlier rather than more of them";
  const std::string loads = fmt::format("{} of as many bytes in each thread",
                                        plural(std::ceil(bytes.loads_needed()), "load"));
  if (bytes.warps_needed() <= bytes.most_warps)
    return fmt::format("More occupancy would do ({} of {}), and so would {}",
                       plural(std::ceil(bytes.warps_needed()), "warp"), bytes.most_warps, loads);
  return fmt::format("More occupancy alone would not do: all {} warps have {:.3g} KB under way; {} "
                     "would",
                     bytes.most_warps, bytes.achieved / bytes.warps * bytes.most_warps / 1e3,
                     loads);
}

} // namespace

double BytesInFlight::warps_needed() const {
  return needed / (warp_lanes * loads * bytes_each);
}

double BytesInFlight::loads_needed() const {
  return needed / (warp_lanes * warps * bytes_each);
}

std::optional<BytesInFlight> bytes_in_flight(const LaunchModel& launch) {
  const Device& device = launch.facts().metrics.device;
  const auto latency = latency_of(launch), bandwidth = bandwidth_of(launch);
  const auto& possible = launch.possible();
  const CodeFacts* code = launch.facts().code;
  if (!latency || !bandwidth || !possible || !code || device.sm_count == 0)
    return std::nullopt;
  const LoadsInFlight& loads = code->in_flight_mostly();
  if (loads.loads == 0 || loads.bytes == 0)
    return std::nullopt;
  const double counted = launch("achieved_occupancy") / 100 * possible->max_warps;
  BytesInFlight found{.latency_ns = *latency, .gb_per_s = *bandwidth};
  found.warps_counted = counted > 0;
  found.warps = found.warps_counted ? counted : possible->active_warps;
  found.most_warps = possible->max_warps;
  found.loads = loads.loads;
  found.bytes_each = static_cast<double>(loads.bytes) / loads.loads;
  found.needed = latency->value * bandwidth->value / device.sm_count; // ns * GB/s = bytes
  found.achieved = found.warps * warp_lanes * found.loads * found.bytes_each;
  return found;
}

std::string describe(const BytesInFlight& bytes) {
  return fmt::format(
      "Little's law: {:.3g} KB have to be under way on each multiprocessor ({:.0f} ns x {:.4g} GB/s "
      "over all, {}), at most {:.3g} KB are ({:.3g} warps x 32 threads x {} x {:.3g} bytes). {}.",
      bytes.needed / 1e3, bytes.latency_ns.value, bytes.gb_per_s.value, source_of(bytes),
      bytes.achieved / 1e3, bytes.warps, plural(bytes.loads, "load"), bytes.bytes_each,
      remedy_of(bytes));
}

} // namespace gridsmith
