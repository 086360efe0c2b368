// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/analysis/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

constexpr double hiding_occupancy = 0.85; // of the warps: more hide no more latency

int sms(const LaunchModel& launch) {
  return launch.facts().metrics.device.sm_count;
}

double waves(const LaunchModel& launch) {
  if (!launch.possible() || sms(launch) == 0)
    return 0;
  return static_cast<double>(launch.facts().blocks) /
         (launch.possible()->blocks_per_sm * sms(launch));
}

/// Share of the time now that the same work would take if each multiprocessor at work were full:
/// what keeps its schedulers from issuing more, or the warps it lacks.
double filled(const LaunchModel& launch) {
  constexpr double issues_at_most = 92; // %
  const double issuing = launch("issue_active_percent") / issues_at_most;
  const double achieved = launch("achieved_occupancy") / 100;
  const double room = launch.possible() ? launch.possible()->fraction * hiding_occupancy : 1;
  const double share = std::max(issuing, achieved / room);
  return std::isfinite(share) ? std::min(1.0, share) : 1;
}

std::optional<Finding> launch_bound(const LaunchModel& launch) {
  constexpr double short_us = 4, idle = 0.3; // an empty kernel lasts 1.5 us, and 2.5 to launch it
  if (launch.duration_us() == 0 || launch.duration_us() > short_us ||
      launch.busy(launch.busiest()) > idle)
    return std::nullopt;
  return Finding{
      Cause::launch_bound,
      fmt::format("the kernel runs for {:.1f} us, which is no longer than launching it takes",
                  launch.duration_us()),
      "give one launch more work, or put many launches into a CUDA graph",
      {}};
}

std::optional<Finding> grid_too_small(const LaunchModel& launch) {
  const auto blocks = static_cast<double>(launch.facts().blocks);
  if (blocks <= 0 || sms(launch) == 0 || blocks >= sms(launch))
    return std::nullopt;
  const Gain gain = launch.gain_at({}, blocks / sms(launch) * filled(launch));
  return Finding{Cause::grid_too_small,
                 fmt::format("{} {} for {} multiprocessors: {:.0f} % of them have nothing to do",
                             launch.facts().blocks, blocks == 1 ? "block" : "blocks", sms(launch),
                             100 * (1 - blocks / sms(launch))),
                 "split the work into more blocks, a multiple of the multiprocessors", gain};
}

/// ncu's rule "Tail effect": few waves, the last of which is not full.
bool ends_in_part(const LaunchModel& launch) {
  constexpr double few_waves = 5;
  const double in_waves = waves(launch);
  return in_waves > 1 && in_waves <= few_waves && in_waves != std::floor(in_waves);
}

Finding tail_of(const LaunchModel& launch) {
  const double in_waves = waves(launch);
  return Finding{Cause::tail,
                 fmt::format("{} blocks are {:.2f} waves of {}: for the last one most of the "
                             "device waits",
                             launch.facts().blocks, in_waves,
                             launch.possible()->blocks_per_sm * sms(launch)),
                 "blocks of less work, or a number that fills whole waves",
                 launch.gain_at({}, in_waves / std::ceil(in_waves))};
}

/// In the last wave multiprocessors idle …
std::optional<Finding> tail(const LaunchModel& launch) {
  constexpr double idle = 1.15;
  if (!ends_in_part(launch) || !(launch("sm_imbalance") > idle))
    return std::nullopt;
  return tail_of(launch);
}

/// … or have few warps, which the mean occupancy shows.
std::optional<Finding> thin_tail(const LaunchModel& launch) {
  constexpr double full = 0.8, limit = 0.75;
  if (!ends_in_part(launch) || tail(launch) || !launch.idle(limit) ||
      !(launch("achieved_occupancy") < full * 100 * launch.possible()->fraction))
    return std::nullopt;
  return tail_of(launch);
}

std::optional<Finding> imbalance(const LaunchModel& launch) {
  constexpr double worth_it = 1.25;
  const double excess = launch("sm_imbalance");
  if (!(excess > worth_it) || launch.facts().blocks < sms(launch) || tail(launch) ||
      thin_tail(launch))
    return std::nullopt;
  return Finding{Cause::imbalance,
                 fmt::format("the busiest multiprocessor works {:.2f} times as long as the mean: "
                             "blocks last unequally long",
                             excess),
                 "smaller blocks of work, taken as multiprocessors become free",
                 launch.gain_at({}, 1 / excess)};
}

std::optional<Cause> occupancy_cause(OccupancyLimiter limiter) {
  switch (limiter) {
  case OccupancyLimiter::registers:
    return Cause::occupancy_registers;
  case OccupancyLimiter::shared_memory:
    return Cause::occupancy_shared_memory;
  case OccupancyLimiter::blocks:
  case OccupancyLimiter::warps:
  case OccupancyLimiter::barriers:
    return Cause::occupancy_block_size;
  case OccupancyLimiter::none:
    return std::nullopt;
  }
  return std::nullopt;
}

std::string limit_words(const LaunchModel& launch) {
  const LaunchFacts& facts = launch.facts();
  switch (launch.possible()->limiter) {
  case OccupancyLimiter::registers:
    return fmt::format("{} registers a thread", facts.compiled->registers_per_thread);
  case OccupancyLimiter::shared_memory:
    return fmt::format("{} bytes of shared memory a block",
                       facts.compiled->static_shared_bytes + facts.dynamic_shared_bytes);
  default:
    return fmt::format("blocks of {} threads", facts.threads_per_block);
  }
}

std::optional<Finding> low_occupancy(const LaunchModel& launch) {
  constexpr double low = 0.6, busy = 0.6, waiting = 0.5;
  const auto& possible = launch.possible();
  if (!possible || possible->fraction > low || !launch.idle(busy))
    return std::nullopt;
  const auto cause = occupancy_cause(possible->limiter);
  const double achieved = launch("achieved_occupancy") / 100;
  const double latency =
      launch.share(Stall::memory) + launch.share(Stall::shared) + launch.share(Stall::wait);
  // Fewer blocks than would be resident anyway: room for more helps nobody.
  if (!cause || waves(launch) < 1 || !(latency > waiting))
    return std::nullopt;
  Change more;
  more.concurrency =
      hiding_occupancy / (std::isfinite(achieved) && achieved > 0 ? achieved : possible->fraction);
  // With few warps there is no contention: all their waiting is divided among more of them.
  const Gain gain = launch.gain_at(more, 1 / more.concurrency);
  return Finding{*cause,
                 fmt::format("{} leave {} of {} warps on a multiprocessor, too few to hide what "
                             "they wait for; no unit is more than {:.0f} % busy",
                             limit_words(launch), possible->active_warps, possible->max_warps,
                             launch.percent(launch.busiest())),
                 "fit more warps, or give each more independent work", gain};
}

/// By Little's law: bytes under way = latency * bandwidth.
std::optional<Finding> memory_latency(const LaunchModel& launch) {
  constexpr double waiting = 0.6, busy = 0.7, least_gain = 1.6, more_in_flight = 4;
  constexpr double as_well = 0.85,
                   plainly = 0.6; // the size of a block is the simplest thing to change
  if (!(launch.share(Stall::memory) > waiting) || !launch.idle(busy))
    return std::nullopt;
  Change deeper;
  deeper.waits[Stall::memory] = 1 / more_in_flight;
  Gain gain = launch.gain(deeper);
  if (gain.likely < least_gain)
    return std::nullopt;
  // Room for more warps does the same, and goes first where it is known to be small.
  const auto room = low_occupancy(launch);
  const bool by_blocks = room && room->cause == Cause::occupancy_block_size;
  if (room && room->gain->likely > (by_blocks ? plainly : as_well) * gain.likely)
    gain = at_most(gain, room->gain->likely);
  const CodeFacts* code = launch.facts().code;
  const std::string in_flight =
      code ? fmt::format(", with {} under way in a thread", code->in_flight_mostly().loads) : "";
  return Finding{
      Cause::memory_latency,
      fmt::format("{:.0f} % of the waiting is for data from memory{}, while DRAM is "
                  "{:.0f} % busy: too few bytes are under way",
                  100 * launch.share(Stall::memory), in_flight, launch.percent(Unit::dram)),
      "several independent loads in each thread before the first is used", gain,
      accesses_of({MemoryKind::global_load, MemoryKind::generic_load, MemoryKind::local_load,
                   MemoryKind::async_copy, MemoryKind::texture})};
}

std::optional<Finding> instruction_latency(const LaunchModel& launch) {
  constexpr double waiting = 0.55, issuing = 60; // %, ncu's rule "Issue slots": below 0.6
  constexpr double at_barriers = 0.3;
  if (launch.waits(Stall::barrier) > at_barriers * launch.all_waits())
    return std::nullopt;
  const double own =
      launch.share(Stall::wait) + launch.share(Stall::issued) + launch.share(Stall::shared);
  if (!(own > waiting) || !(launch("issue_active_percent") < issuing))
    return std::nullopt;
  Change independent;
  independent.waits[Stall::wait] = 0;
  independent.waits[Stall::issued] = 0; // the work of the issue unit
  independent.waits[Stall::shared] = 0.25;
  return Finding{
      Cause::instruction_latency,
      fmt::format("schedulers issue in {:.0f} % of the cycles: {:.0f} % of the waiting is "
                  "for the result of the instruction before, with {:.1f} warps each",
                  launch("issue_active_percent"),
                  100 * (launch.share(Stall::wait) + launch.share(Stall::shared)),
                  launch("warps_per_scheduler")),
      "independent chains of instructions in each thread, or more warps", launch.gain(independent)};
}

/// Every multiprocessor has a block, but could hold more. More warps hide any waiting: the plainer
/// cause goes first.
std::optional<Finding> part_of_a_wave(const LaunchModel& launch) {
  constexpr double part = 0.75, busy = 0.6, at_barriers = 0.3, least_gain = 1.6;
  const double in_waves = waves(launch);
  if (launch.facts().blocks < sms(launch) || in_waves <= 0 || in_waves > part ||
      launch.all_waits() == 0 || !launch.idle(busy) ||
      launch.waits(Stall::barrier) > at_barriers * launch.all_waits() || memory_latency(launch) ||
      instruction_latency(launch))
    return std::nullopt;
  const Gain gain = launch.gain_at({}, std::max(in_waves, filled(launch)));
  if (gain.likely < least_gain)
    return std::nullopt;
  return Finding{Cause::grid_too_small,
                 fmt::format("{} blocks are {:.2f} of those that the multiprocessors can run at "
                             "once, and no unit is more than {:.0f} % busy",
                             launch.facts().blocks, in_waves, launch.percent(launch.busiest())),
                 "split the work into more blocks, so that their waiting overlaps", gain};
}

} // namespace

std::span<const Rule> shape_rules() {
  static const std::vector<Rule> rules = {
      {launch_bound, {"duration_ns"}},
      {grid_too_small, {}, false, false, true},
      {part_of_a_wave, {"issue_active_percent", "achieved_occupancy"}, true, true},
      {tail, {"sm_imbalance"}, false, false, true},
      {thin_tail, {"sm_imbalance", "achieved_occupancy"}, true},
      {imbalance, {"sm_imbalance", "achieved_occupancy"}, false, false, true},
      {low_occupancy, {"achieved_occupancy"}, true, true},
      {memory_latency, {"achieved_occupancy"}, true, true},
      {instruction_latency, {"issue_active_percent", "warps_per_scheduler"}, false, true}};
  return rules;
}

} // namespace gridsmith
