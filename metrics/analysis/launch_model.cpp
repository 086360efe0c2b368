// SPDX-License-Identifier: Apache-2.0
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

constexpr std::array<UnitCounters, unit_count> units = {{
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
    {Unit::tensor, "tensor_percent", 0.95},
}};

constexpr std::array<std::string_view, 8> contention = {
    "stall_not_selected", "stall_math_throttle", "stall_mio_throttle", "stall_lg_throttle",
    "stall_texture",      "stall_dispatch",      "stall_gmma",         "stall_misc"};

/// Of the waiting for memory, what is left of it when nothing on the way there is saturated any more:
/// latency of an idle DRAM over that of a full queue (H200, copies).
constexpr double unloaded_latency = 0.35;
constexpr double saturated = 0.75;

// How sharply work and waiting overlap; the usual was set on the first half of the planted bottlenecks.
constexpr double blunt = 2, usual = 4, sharpest = 8;

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

/// A measured peak as a share of the one that the percentage counts from; none: not measured.
std::optional<double> measured_reach(const UnitCounters& unit, const LaunchModel& launch) {
  const Peaks* peaks = launch.facts().metrics.peaks;
  if (unit.rate.empty() || !peaks)
    return std::nullopt;
  const auto measured = peak_of(*peaks, bounding_peak(unit.unit, launch));
  const double all = launch(unit.rate) / (launch(unit.percent) / 100);
  const double share = measured.value_or(0) / all;
  return share > 0 && share <= 1 ? std::optional(share) : std::nullopt;
}

/// Of the slots of all schedulers; none: unknown.
std::optional<double> issue_percent(const LaunchModel& launch) {
  const int schedulers = launch.facts().metrics.device.warp_schedulers_per_sm;
  const double percent = launch("issue_percent");
  const double by_instructions = 100 * launch("instructions_per_cycle") / schedulers;
  if (std::isfinite(percent))
    return percent;
  return schedulers > 0 && std::isfinite(by_instructions) ? std::optional(by_instructions)
                                                          : std::nullopt;
}

} // namespace

std::vector<std::string> wait_counters() {
  std::vector<std::string> names;
  names.reserve(std::size(Words<Stall>::list) + std::size(contention));
  for (const std::string_view stall : Words<Stall>::list)
    names.push_back("stall_" + std::string(stall));
  names.insert(names.end(), contention.begin(), contention.end());
  return names;
}

std::vector<std::string> unit_counters() {
  std::vector<std::string> names;
  names.reserve(std::size(units));
  for (const UnitCounters& one : units)
    names.emplace_back(one.percent);
  return names;
}

LaunchModel::LaunchModel(const LaunchFacts& facts) : facts_(facts) {
  const LaunchModel& self = *this;
  duration_us_ = known(self("duration_ns")) / 1e3;
  look_at_units();
  believe_the_work_model();
  const std::vector<std::string> waited = wait_counters();
  if (std::all_of(waited.begin(), waited.end(),
                  [&](const std::string& name) { return counted(name); })) {
    for (std::size_t i = 0; i < stall_count; ++i)
      waits_.of[i] = known(self(waited[i]));
    for (const std::string& name : waited)
      all_waits_ += known(self(name));
  }
  if (facts.compiled && facts.threads_per_block > 0 &&
      facts.metrics.device.max_threads_per_sm > 0) {
    const Occupancy found = occupancy(facts.metrics.device, *facts.compiled,
                                      facts.threads_per_block, facts.dynamic_shared_bytes);
    if (found.blocks_per_sm > 0)
      possible_ = found;
  }
}

void LaunchModel::look_at_units() {
  const LaunchModel& self = *this;
  for (const UnitCounters& one : units) {
    const auto measured = measured_reach(one, self);
    double percent = known(self(one.percent));
    looked_at_[one.unit] = counted(one.percent);
    if (one.unit == Unit::issue) {
      const auto slots = issue_percent(self);
      percent = slots.value_or(0);
      looked_at_[one.unit] = slots.has_value();
    }
    busy_[one.unit] = percent / 100 / measured.value_or(one.reach);
    measured_[one.unit] = measured.has_value();
    percent_[one.unit] = measured ? percent / *measured : percent;
  }
}

/// What the work needs passes units that nobody counted.
void LaunchModel::believe_the_work_model() {
  const Device& device = facts_.metrics.device;
  const double rate = known((*this)("gflop_per_s"));
  const double peak = known((*this)("peak_fp32_gflop_per_s"));
  const double clock_ghz = device.sm_clock_khz / 1e6;
  const double slots =
      device.warp_schedulers_per_sm * device.sm_count * clock_ghz; // 10^9 per second
  constexpr double flop_each = 2 * warp_lanes;                     // of a warp's multiply-add
  constexpr double samples_differ = 1.1;
  // Constants are moved by HFMA2, which counts there: on an H200 1.2 % of the multiply-adds of a matmul.
  constexpr double moves = 0.05;
  if (rate > 0 && peak > 0 && slots > 0 && looked_at(Unit::issue) &&
      known((*this)("tensor_instructions")) <= moves * known((*this)("fma_instructions")) &&
      rate / flop_each / slots <= samples_differ * percent(Unit::issue) / 100)
    fp32_by_model_ = std::min(1.0, rate / peak);
  if (!looked_at(Unit::fma)) {
    busy_[Unit::fma] = fp32_by_model_;
    percent_[Unit::fma] = 100 * fp32_by_model_;
  }
  const double bytes = facts_.metrics.model_bytes - static_cast<double>(device.l2_bytes);
  const double copy = known((*this)("peak_copy")), time_ms = facts_.metrics.time_ms;
  if (!looked_at(Unit::dram) && bytes > 0 && copy > 0 && time_ms > 0) {
    busy_[Unit::dram] = bytes / 1e6 / time_ms / copy;
    percent_[Unit::dram] = 100 * busy_[Unit::dram];
    measured_[Unit::dram] = 1;
  }
}

bool LaunchModel::counted(std::string_view name) const {
  if (metric_value(name, facts_.metrics))
    return true;
  const auto was = [&](const Counter& counter) {
    return value_of(counter, facts_.metrics.counters) ||
           !why_missing(counter, facts_.metrics.device.chip).empty();
  };
  if (const Counter* counter = find_counter(name))
    return was(*counter);
  const Metric* metric = find_metric(name);
  if (!metric)
    return false;
  const auto parts = counters_of(*metric);
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return was(*find_counter(part));
  });
}

bool LaunchModel::all_looked_at() const {
  return std::all_of(looked_at_.of.begin(), looked_at_.of.end(),
                     [](double known) { return known > 0; });
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
/// @param sharp of the norm between the sum of work and waiting (1) and the larger of them (infinite)
double LaunchModel::time_after(const Change& change, double waiting, double sharp) const {
  double slowest = 0;
  for (std::size_t i = 0; i < unit_count; ++i)
    slowest = std::max(slowest, busy_.of[i] * change.work.of[i]);
  const double together = std::pow(std::pow(slowest, sharp) + std::pow(waiting, sharp), 1 / sharp);
  const double ramp = duration_us_ > 0 ? std::min(1.0, ramp_us / duration_us_) : 0;
  return std::min(1.0, ramp + together * (1 - ramp));
}

Gain LaunchModel::gain_at(const Change& change, double waiting) const {
  const auto at = [&](double sharp) { return 1 / time_after(change, waiting, sharp); };
  return gain_between(at(blunt), at(usual), at(sharpest));
}

Gain LaunchModel::gain(const Change& change) const {
  const double before = waiting_after({}), after = waiting_after(change);
  // What the model's time now is off the counted one belongs to the change: all of it where it halves the rest.
  const auto at = [&](double sharp, std::optional<double> part) {
    const double now = time_after({}, before, sharp);
    const double taken_off = now / time_after(change, after, sharp);
    if (taken_off <= 1)
      return 1.0;
    const double usual_part = std::min(1.0, std::max(change.contention, std::log2(taken_off)));
    return taken_off * std::pow(1 / now, part.value_or(usual_part));
  };
  const double likely = at(usual, std::nullopt);
  const auto [low, high] = std::minmax({at(blunt, change.contention), at(usual, change.contention),
                                        likely, at(usual, 1.0), at(sharpest, 1.0)});
  return gain_between(low, likely, high);
}

} // namespace gridsmith
