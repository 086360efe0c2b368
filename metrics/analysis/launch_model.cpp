#include "gridsmith/metrics/analysis/launch_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace gridsmith {
namespace {

/// From the start of a launch until its blocks run and their first data arrive, and back, in us:
/// what a kernel of next to no work lasts beyond its work (1.5 us) and one latency of memory (H200).
constexpr double ramp_us = 2.5;

struct UnitCounters {
  Unit unit;
  std::string_view percent; ///< counter
  /// Share of its peak that the unit reaches where nothing else holds it back: copies, FMA chains,
  /// conflict-free reads on an H200, whose L2 gives 9.1 TB/s, 0.6 of what its tags could look up.
  double reach;               ///< where it was not measured on the device
  std::string_view rate = {}; ///< metric in GB/s that is measured as a peak too
};

constexpr std::array<UnitCounters, unit_count> unit_counters = {{
    {Unit::dram, "dram_percent_of_peak", 0.90, "dram_gb_per_s"},
    {Unit::l2, "l2_tag_percent", 0.60, "l2_gb_per_s"},
    {Unit::l1_data, "l1_wavefront_percent", 0.95},
    {Unit::l1_requests, "l1_request_percent", 0.95},
    {Unit::issue, "issue_percent", 0.92},
    {Unit::alu, "alu_percent", 0.95},
    {Unit::fma, "fma_percent", 0.95},
    {Unit::fp64, "fp64_percent", 0.95},
    {Unit::special, "xu_percent", 0.95},
    {Unit::constant, "constant_percent", 0.95},
}};

constexpr std::array<std::string_view, 8> contention = {
    "stall_not_selected", "stall_math_throttle", "stall_mio_throttle", "stall_lg_throttle",
    "stall_texture",      "stall_dispatch",      "stall_gmma",         "stall_misc"};

/// Of the waiting for memory, what is left of it when nothing on the way there is saturated any more:
/// latency of an idle DRAM over that of a full queue (H200, copies).
constexpr double unloaded_latency = 0.35;
constexpr double saturated = 0.75;

double known(double value) {
  return std::isfinite(value) ? value : 0;
}

/// The peak that bounds a launch of this traffic.
std::string_view bounding_peak(Unit unit, const LaunchModel& launch) {
  constexpr double mostly = 0.9;
  if (unit == Unit::l2)
    return "l2_read";
  const double read = known(launch("dram_read_bytes")), written = known(launch("dram_write_bytes"));
  return read > mostly * (read + written)      ? "dram_read"
         : written > mostly * (read + written) ? "dram_write"
                                               : "copy";
}

/// A measured peak as a share of the one that the percentage counts from.
double reach_of(const UnitCounters& unit, const LaunchModel& launch) {
  const Peaks* peaks = launch.facts().metrics.peaks;
  if (unit.rate.empty() || !peaks)
    return unit.reach;
  const auto measured = peak_of(*peaks, bounding_peak(unit.unit, launch));
  const double all = launch(unit.rate) / (launch(unit.percent) / 100);
  const double share = measured.value_or(0) / all;
  return share > 0 && share <= 1 ? share : unit.reach;
}

} // namespace

LaunchModel::LaunchModel(const LaunchFacts& facts) : facts_(facts) {
  const LaunchModel& self = *this;
  duration_us_ = known(self("duration_ns")) / 1e3;
  for (const UnitCounters& one : unit_counters)
    busy_[one.unit] = known(self(one.percent)) / 100 / reach_of(one, self);
  for (std::size_t i = 0; i < stall_count; ++i) {
    waits_.of[i] = known(self("stall_" + std::string(Words<Stall>::list[i])));
    all_waits_ += waits_.of[i];
  }
  for (const std::string_view name : contention)
    all_waits_ += known(self(name));
  if (facts.compiled && facts.threads_per_block > 0 &&
      facts.metrics.device.max_threads_per_sm > 0) {
    const Occupancy found = occupancy(facts.metrics.device, *facts.compiled,
                                      facts.threads_per_block, facts.dynamic_shared_bytes);
    if (found.blocks_per_sm > 0)
      possible_ = found;
  }
}

double LaunchModel::operator()(std::string_view name) const {
  return metric_value(name, facts_.metrics).value_or(std::numeric_limits<double>::quiet_NaN());
}

Unit LaunchModel::busiest() const {
  const auto most = std::max_element(busy_.of.begin(), busy_.of.end());
  return static_cast<Unit>(most - busy_.of.begin());
}

double LaunchModel::share(Stall stall) const {
  const double others = all_waits_ - waits_[Stall::barrier];
  return others > 0 ? waits_[stall] / others : 0;
}

double LaunchModel::unqueued_memory_wait() const {
  constexpr double usually_under_way = 2; // where the code is not at hand
  const double loads = known((*this)("load_instructions") / (*this)("instructions"));
  const double under_way = facts_.code ? facts_.code->in_flight.loads : usually_under_way;
  const double measured = known((*this)("peak_dram_latency_cycles"));
  return (measured > 0 ? measured : usual_latency_cycles) * loads / std::max(1.0, under_way);
}

/// As a share of the time now: what warps wait without contention, which the units' work stands for.
double LaunchModel::waiting_after(const Change& change) const {
  if (all_waits_ <= 0)
    return 0;
  bool queued = false;
  for (const Unit unit : {Unit::dram, Unit::l2, Unit::l1_data, Unit::l1_requests})
    queued = queued || busy_[unit] > saturated;
  double cycles = 0;
  for (std::size_t i = 0; i < stall_count; ++i) {
    const auto stall = static_cast<Stall>(i);
    const double left = stall == Stall::memory && queued ? unloaded_latency : 1;
    if (stall != Stall::barrier)
      cycles += waits_[stall] * change.waits[stall] * left;
  }
  // At a barrier a warp waits for the others' waits.
  const double others = all_waits_ - waits_[Stall::barrier];
  const double barrier = others > 0 ? waits_[Stall::barrier] * cycles / others : 0;
  cycles += barrier * change.waits[Stall::barrier];
  return cycles / all_waits_ * change.instructions / change.concurrency;
}

/// As a share of the time now.
double LaunchModel::time_after(const Change& change, double waiting) const {
  // Work and waiting overlap, but not wholly: a norm between their sum (1) and the larger (infinite), set
  // on the planted bottlenecks.
  constexpr double sharp = 4;
  double slowest = 0;
  for (std::size_t i = 0; i < unit_count; ++i)
    slowest = std::max(slowest, busy_.of[i] * change.work.of[i]);
  const double together = std::pow(std::pow(slowest, sharp) + std::pow(waiting, sharp), 1 / sharp);
  const double ramp = duration_us_ > 0 ? std::min(1.0, ramp_us / duration_us_) : 0;
  return std::min(1.0, ramp + together * (1 - ramp));
}

double LaunchModel::gain_at(const Change& change, double waiting) const {
  return 1 / time_after(change, waiting);
}

double LaunchModel::gain(const Change& change) const {
  const double now = time_after({}, waiting_after({}));
  const double taken_off = now / time_after(change, waiting_after(change));
  if (taken_off <= 1)
    return 1;
  // All of it where it halves the rest.
  const double part = std::min(1.0, std::max(change.contention, std::log2(taken_off)));
  return taken_off * std::pow(1 / now, part);
}

} // namespace gridsmith
