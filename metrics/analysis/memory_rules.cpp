// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/metrics/analysis/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

constexpr double sector_bytes = 32, warp_row_bytes = 128; // of L1's data stage in one pass

/// Passes of L1's data stage in all: it does one per cycle on each multiprocessor.
double l1_passes(const LaunchModel& launch) {
  return launch("l1_wavefront_percent") / 100 * launch("sm_elapsed_cycles") *
         launch.facts().metrics.device.sm_count;
}

// ---- global memory

/// One direction of global accesses.
struct Accesses {
  std::string_view verb; ///< "load"
  double requests = 0, sectors = 0, ideal = 0;

  double each() const { return sectors / requests; }

  double ideal_each() const { return ideal / requests; }

  double excess() const { return sectors - ideal; }
};

/// Nothing where there are none, or what threads asked for was not counted.
std::optional<Accesses> accesses(const LaunchModel& launch, std::string_view verb) {
  const std::string name(verb);
  Accesses found{verb, launch(name + "_instructions"), launch(name + "_sectors"), 0};
  double bytes = launch(name + "_data_bytes");
  if (verb == "load") { // asynchronous copies are counted with the sectors of loads alone
    found.requests += zero_if_absent(launch("async_copies"));
    bytes += zero_if_absent(launch("async_copy_bytes"));
  }
  if (!(found.requests > 0) || !(found.sectors > 0) || !(bytes > 0))
    return std::nullopt;
  found.ideal = std::min(found.sectors, bytes / sector_bytes);
  return found;
}

/// Share of the wait for memory that is left where nothing queues on the way there.
double unqueued_share(const LaunchModel& launch) {
  return std::min(1.0, launch.unqueued_memory_wait() / std::max(1.0, launch.waits(Stall::memory)));
}

/// Twice the share of the waits in which queues are seen: so much of the contention is theirs.
double queueing(const LaunchModel& launch) {
  const double queues = launch("stall_lg_throttle") + launch("stall_drain");
  return 2 * zero_if_absent(queues / launch.all_waits());
}

/// All of the traffic behind L1 that the excess makes up.
/// @param scattered of one direction, or of both
Change without(const LaunchModel& launch, std::span<const Accesses> scattered) {
  const double load = zero_if_absent(launch("load_sectors"));
  const double store = zero_if_absent(launch("store_sectors"));
  const double read = zero_if_absent(launch("dram_read_bytes"));
  const double written = zero_if_absent(launch("dram_write_bytes"));
  // What is written in part is filled from DRAM.
  const double filled = std::clamp(read - load * sector_bytes, 0.0, store * sector_bytes);
  double excess = 0, less = 1, still_read = read, still_written = written;
  bool loads = false;
  for (const Accesses& one : scattered) {
    const double needed = one.ideal * sector_bytes;
    excess += one.excess();
    less = std::min(less, one.ideal / one.sectors);
    if (one.verb == "load") {
      loads = true;
      still_read = std::min(still_read, needed + (scattered.size() > 1 ? 0 : filled));
    } else {
      still_read = std::min(still_read, read - filled);
      still_written = std::min(written, needed);
    }
  }
  Change change;
  change.work[Unit::l1_data] = change.work[Unit::l2] = 1 - excess / (load + store);
  if (read + written > 0)
    change.work[Unit::dram] = (still_read + still_written) / (read + written);
  change.contention = std::min(1.0, queueing(launch));
  // Nobody waits for a store, but behind a queue of them everybody does.
  const double behind = loads ? 1 : change.contention;
  change.waits[Stall::shared] = 1 - behind * (1 - less);
  change.waits[Stall::memory] = std::max(change.waits[Stall::shared], unqueued_share(launch));
  change.waits[Stall::drain] = less;
  return change;
}

/// The instructions of one direction.
InstructionTest global_accesses(std::string_view verb) {
  return verb == "load" ? accesses_of({MemoryKind::global_load, MemoryKind::generic_load})
                        : accesses_of({MemoryKind::global_store, MemoryKind::generic_store});
}

constexpr double scattered_from = 1.5; // sectors over ideal ones

std::optional<Accesses> scattered(const LaunchModel& launch, std::string_view verb) {
  const auto found = accesses(launch, verb);
  if (!found || found->each() < scattered_from * found->ideal_each() ||
      found->each() - found->ideal_each() < 2)
    return std::nullopt;
  return found;
}

/// Both directions at once where both are scattered: a layout of the data that cures one cures the other.
std::optional<Finding> uncoalesced(const LaunchModel& launch) {
  std::vector<Accesses> all;
  std::vector<std::string> words;
  double excess = 0, sectors = 0;
  for (const std::string_view verb : {"load", "store"})
    if (const auto one = scattered(launch, verb)) {
      all.push_back(*one);
      words.push_back(fmt::format("global {}: {:.1f} sectors per request, ideal {:.1f}", verb,
                                  one->each(), one->ideal_each()));
      excess += one->excess();
      sectors += one->sectors;
    }
  if (all.empty())
    return std::nullopt;
  const bool both = all.size() == 2;
  return Finding{Cause::uncoalesced_access,
                 fmt::format("{}: {:.0f} % of the sectors are wasted", fmt::join(words, "; "),
                             100 * excess / sectors),
                 "let neighbouring threads access neighbouring elements, by way of shared memory "
                 "where the algorithm does not",
                 launch.gain(without(launch, all)),
                 both ? accesses_of({MemoryKind::global_load, MemoryKind::generic_load,
                                     MemoryKind::global_store, MemoryKind::generic_store})
                      : global_accesses(all.front().verb)};
}

std::optional<Finding> misaligned(const LaunchModel& launch) {
  // Rows of any length that begin at a sector touch half a sector more than they fill, on average;
  // rows that begin anywhere a whole one.
  constexpr double least = 0.75, most = 1.3;
  constexpr double rows = 1.5; // sectors: fewer may as well be a few places that lanes share
  for (const std::string_view verb : {"load", "store"}) {
    const auto found = accesses(launch, verb);
    const double more = found ? found->each() - found->ideal_each() : 0;
    if (more < least || more > most || found->ideal_each() < rows)
      continue;
    // Neighbouring rows share the sector: one of them finds it in a cache.
    Change aligned = without(launch, std::array{*found});
    aligned.waits[Stall::memory] = (1 + found->ideal / found->sectors) / 2;
    aligned.contention = 0;
    return Finding{Cause::misaligned_access,
                   fmt::format("global {}: {:.2f} sectors per request where {:.2f} would hold the "
                               "bytes: rows begin amid a sector",
                               verb, found->each(), found->ideal_each()),
                   "begin rows at multiples of 32 bytes (of 128 where a warp reads that much)",
                   launch.gain(aligned), global_accesses(verb)};
  }
  return std::nullopt;
}

/// Accesses of 8 and 16 bits keep the load-store unit as busy as those of 32 or 128, and have as little under
/// way as they are narrow. The gain is that of 8 bytes, between a word and the widest vector.
std::optional<Finding> narrow(const LaunchModel& launch) {
  constexpr double mostly = 0.5;
  const double bytes = launch("accesses_8_bit"), halves = launch("accesses_16_bit");
  const double wider =
      launch("accesses_32_bit") + launch("accesses_64_bit") + launch("accesses_128_bit");
  const double all = bytes + halves + wider;
  if (!(all > 0) || !((bytes + halves) / all > mostly))
    return std::nullopt;
  const double words = (bytes / 8 + halves / 4 + wider) / all;
  const double of_instructions = zero_if_absent(all / launch("instructions"));
  Change wide;
  wide.work[Unit::l1_requests] = wide.work[Unit::l1_data] = words;
  wide.work[Unit::issue] = wide.instructions = 1 - of_instructions * (1 - words);
  wide.waits[Stall::memory] = words;
  return Finding{
      Cause::narrow_access,
      fmt::format("{:.0f} % of the memory instructions move {} a thread, and the "
                  "load-store unit is {:.0f} % busy",
                  100 * (bytes + halves) / all, bytes > halves ? "one byte" : "two bytes",
                  launch.percent(Unit::l1_requests)),
      "load and store words or vectors (uchar4, float4) and take them apart in registers",
      launch.gain(wide),
      [](const MachineInstruction& one) { return one.memory && one.bytes > 0 && one.bytes < 4; }};
}

std::optional<Finding> partial_writes(const LaunchModel& launch) {
  constexpr double more = 1.25, busy = 0.5;
  const double read = launch("dram_read_bytes"), written = launch("dram_write_bytes");
  const double asked = sector_bytes * launch("load_sectors");
  const double stored = launch("store_data_bytes");
  const double filled = read - asked; // what nobody loaded
  if (!(read > more * asked) || !(filled > 0.25 * written) || !(stored > 0) ||
      launch.busy(Unit::dram) < busy)
    return std::nullopt;
  Change whole;
  whole.work[Unit::dram] = (asked + std::min(written, stored)) / (read + written);
  const double l2_read = zero_if_absent(launch("l2_read_sectors"));
  const double l2_written = zero_if_absent(launch("l2_write_sectors"));
  if (l2_written > 0)
    whole.work[Unit::l2] =
        (l2_read + std::min(l2_written, stored / sector_bytes)) / (l2_read + l2_written);
  whole.waits[Stall::memory] = whole.work[Unit::dram];
  return Finding{Cause::partial_writes,
                 fmt::format("DRAM is read for {:.0f} MB more than the loads asked for: sectors "
                             "that were written in part are filled from it",
                             filled / 1e6),
                 "write whole sectors of 32 bytes at once", launch.gain(whole),
                 global_accesses("store")};
}

/// What is loaded over what there is to load: DRAM has given all of it, since nothing is in the caches before.
std::optional<Finding> repeated_loads(const LaunchModel& launch) {
  constexpr double often = 4, least_kept = 0.25; // a tile of 4 by 4 in registers needs a quarter
  constexpr double with_address = 1.5;
  constexpr double next_to_none =
      0.1; // percent: what a block uses once, or asks for past the L1, no tile would hold
  const double loaded = sector_bytes * launch("load_sectors");
  const double distinct = std::max(launch("dram_read_bytes"), 1.0);
  const double times = loaded / distinct;
  if (!(times > often) || !(launch("l1_hit_percent") > next_to_none) || scattered(launch, "load") ||
      narrow(launch))
    return std::nullopt;
  const double kept = std::max(least_kept, 1 / times);
  const double loads = zero_if_absent(launch("load_instructions") / launch("instructions"));
  const double of_lsu = zero_if_absent(launch("load_instructions") / launch("lsu_instructions"));
  const double shared =
      std::min(1.0, zero_if_absent(launch("shared_wavefronts")) / l1_passes(launch));
  Change reused;
  reused.work[Unit::l1_data] = 1 - (1 - shared) * (1 - kept);
  reused.work[Unit::l1_requests] = 1 - of_lsu * (1 - kept);
  reused.work[Unit::l2] = kept;
  reused.instructions = reused.work[Unit::issue] =
      1 - std::min(0.9, with_address * loads) * (1 - kept);
  reused.waits[Stall::memory] = kept;
  return Finding{Cause::repeated_loads,
                 fmt::format("{} are loaded, {:.0f} times what DRAM gives: the same data come "
                             "from the caches again and again",
                             bytes_text(loaded), times),
                 "keep in registers, or in a tile in shared memory, what is used more than once",
                 launch.gain(reused), global_accesses("load")};
}

// ---- local memory

std::optional<Finding> local_memory(const LaunchModel& launch) {
  constexpr double matters = 0.15;
  const double sectors = launch("local_load_sectors") + launch("local_store_sectors");
  const double others = launch("load_sectors") + launch("store_sectors");
  const double share = sectors / (sectors + others);
  if (!(share > matters))
    return std::nullopt;
  const double local = launch("local_load_instructions") + launch("local_store_instructions");
  const double of_memory =
      zero_if_absent(launch("local_load_instructions") /
                     (launch("local_load_instructions") + launch("load_instructions")));
  Change kept;
  kept.instructions = kept.work[Unit::issue] = 1 - local / launch("instructions");
  kept.work[Unit::l1_requests] = kept.work[Unit::l1_data] = 1 - local / launch("lsu_instructions");
  kept.work[Unit::l2] = kept.work[Unit::dram] = 1 - share;
  // Where local memory is most of what L1 has to do, the others queue behind it.
  kept.waits[Stall::memory] = std::min(1 - of_memory, std::max(1 - share, unqueued_share(launch)));
  kept.contention = std::min(1.0, share * queueing(launch));
  const auto& compiled = launch.facts().compiled;
  const bool spilled = compiled && compiled->spill_store_bytes.value_or(0) > 0;
  const char* array = compiled && !compiled->spill_store_bytes
                          ? "an array of the thread is not kept in registers, or they are spilled"
                          : "an array of the thread is not kept in registers";
  return Finding{spilled ? Cause::spills : Cause::local_arrays,
                 fmt::format("{:.0f} % of the sectors in L1 are local memory: {}", 100 * share,
                             spilled ? fmt::format("{} bytes of registers are spilled by a thread",
                                                   *compiled->spill_store_bytes)
                                     : array),
                 spilled ? "allow more registers (launch bounds), or keep fewer values alive"
                         : "index arrays of a thread by constants, so that they can be registers",
                 launch.gain(kept), accesses_of({MemoryKind::local_load, MemoryKind::local_store})};
}

// ---- shared and constant memory

std::optional<Finding> bank_conflicts(const LaunchModel& launch) {
  constexpr double matters = 0.1, ways = 1.5; // ncu's rule: conflicts in a tenth of the passes
  const double global = zero_if_absent(launch("load_instructions") + launch("store_instructions"));
  const double widest = std::max(0.0, zero_if_absent(launch("accesses_128_bit")) - global);
  constexpr double half_a_warp = 64; // bytes
  const auto ideal = [&](const std::string& verb) {
    double each = zero_if_absent(launch("shared_" + verb + "_instructions"));
    // Where few lanes access anything, in many instructions none does: those take no pass.
    if (const double bytes = launch("shared_" + verb + "_data_bytes"); bytes < half_a_warp * each)
      each = std::min(
          each, std::max(bytes / warp_row_bytes, launch("shared_" + verb + "_wavefronts") -
                                                     launch("shared_" + verb + "_conflicts")));
    // 128 bits a lane take two passes even where all lanes read the same.
    return std::max(each + std::min(each, widest),
                    zero_if_absent(launch("shared_" + verb + "_data_bytes")) / warp_row_bytes);
  };
  const double passes = launch("shared_load_wavefronts") + launch("shared_store_wavefronts");
  const double needed = ideal("load") + ideal("store");
  const double of_all = (passes - needed) / l1_passes(launch);
  if (!(needed > 0) || !(passes / needed > ways) || !(of_all > matters))
    return std::nullopt;
  const double kept = needed / passes;
  Change free;
  free.work[Unit::l1_data] = std::max(0.0, 1 - of_all);
  free.waits[Stall::shared] = kept;
  free.waits[Stall::drain] = kept;
  return Finding{
      Cause::bank_conflicts,
      fmt::format("shared memory takes {:.1f} times the passes it needs ({:.1f} a load, "
                  "{:.1f} a store)",
                  passes / needed, zero_if_absent(launch("shared_load_wavefronts_per_request")),
                  zero_if_absent(launch("shared_store_wavefronts_per_request"))),
      "pad rows by one element, or swizzle, so that the lanes of a warp meet no bank twice",
      launch.gain(free), accesses_of({MemoryKind::shared_load, MemoryKind::shared_store})};
}

std::optional<Finding> shared_atomics(const LaunchModel& launch) {
  constexpr double matters = 0.2, ways = 2;
  const double passes = launch("shared_atomic_wavefronts"), needed = launch("shared_atomics");
  const double of_all = (passes - needed) / l1_passes(launch);
  if (!(needed > 0) || !(passes / needed > ways) || !(of_all > matters))
    return std::nullopt;
  Change spread;
  spread.work[Unit::l1_data] = std::max(0.0, 1 - of_all);
  spread.waits[Stall::shared] = needed / passes;
  return Finding{Cause::atomic_contention,
                 fmt::format("a shared atomic takes {:.1f} passes: the lanes of a warp meet at the "
                             "same addresses",
                             passes / needed),
                 "a copy of the sums for each lane or warp, added up at the end",
                 launch.gain(spread), accesses_of({MemoryKind::shared_atomic})};
}

std::optional<Finding> global_atomics(const LaunchModel& launch) {
  constexpr double one_slice = 3, waiting = 0.5;
  const double atomics = zero_if_absent(launch("atomics")) + zero_if_absent(launch("reductions"));
  const double unit = launch("l2_atomic_cycles_max") / launch("l2_elapsed_cycles");
  const bool meeting = launch("l2_slice_imbalance") > one_slice || unit > waiting;
  const double queueing = launch.share(Stall::memory) + launch.share(Stall::drain) +
                          launch.share(Stall::fence) +
                          zero_if_absent(launch("stall_lg_throttle") / launch.all_waits());
  if (!(atomics > 0) || !meeting || !(queueing > waiting))
    return std::nullopt;
  Change spread;
  spread.waits[Stall::memory] =
      std::min(1.0, launch.unqueued_memory_wait() / std::max(1.0, launch.waits(Stall::memory)));
  spread.waits[Stall::drain] = spread.waits[Stall::fence] = 0;
  spread.contention = 1;
  spread.work[Unit::l2] = 0.1;
  return Finding{
      Cause::atomic_contention,
      fmt::format("{:.0f} global atomics of warps meet at few addresses: the busiest "
                  "slice of L2 has {:.1f} times the requests of the mean, and {:.0f} % of "
                  "the waiting is for them",
                  atomics, zero_if_absent(launch("l2_slice_imbalance")), 100 * queueing),
      "add up in registers and shared memory first, one atomic for each block", launch.gain(spread),
      accesses_of({MemoryKind::global_atomic})};
}

std::optional<Finding> constant_divergence(const LaunchModel& launch) {
  constexpr double often = 0.25;
  const double replays = launch("constant_replays_per_request");
  if (!(replays > often))
    return std::nullopt;
  Change uniform;
  uniform.work[Unit::constant] = 1 / (1 + replays);
  uniform.waits[Stall::shared] = uniform.waits[Stall::constants] = 1 / (1 + replays);
  return Finding{Cause::constant_divergence,
                 fmt::format("a load from constant memory is repeated {:.1f} times: the lanes of a "
                             "warp ask for different places, and it serves one at a time",
                             replays),
                 "tables that are indexed by each thread belong into shared or global memory",
                 launch.gain(uniform), [](const MachineInstruction& one) { return one.indexed; }};
}

} // namespace

std::span<const Rule> memory_rules() {
  static const std::vector<Rule> rules = {
      {uncoalesced,
       {"load_instructions", "load_sectors", "load_data_bytes", "store_instructions",
        "store_sectors", "store_data_bytes"}},
      {misaligned,
       {"load_instructions", "load_sectors", "load_data_bytes", "store_instructions",
        "store_sectors", "store_data_bytes"}},
      {narrow,
       {"accesses_8_bit", "accesses_16_bit", "accesses_32_bit", "accesses_64_bit",
        "accesses_128_bit", "instructions", "l1_request_percent"}},
      {partial_writes,
       {"dram_read_bytes", "dram_write_bytes", "load_sectors", "store_data_bytes",
        "dram_percent_of_peak"}},
      {repeated_loads,
       {"load_sectors", "load_instructions", "load_data_bytes", "dram_read_bytes", "l1_hit_percent",
        "lsu_instructions", "instructions", "shared_wavefronts", "l1_wavefront_percent",
        "sm_elapsed_cycles", "l1_request_percent", "accesses_8_bit", "accesses_16_bit",
        "accesses_32_bit", "accesses_64_bit", "accesses_128_bit"}},
      {local_memory,
       {"local_load_sectors", "local_store_sectors", "load_sectors", "store_sectors",
        "local_load_instructions", "local_store_instructions", "instructions", "lsu_instructions"}},
      {bank_conflicts,
       {"shared_load_instructions", "shared_store_instructions", "shared_load_data_bytes",
        "shared_store_data_bytes", "shared_load_wavefronts", "shared_store_wavefronts",
        "shared_load_conflicts", "shared_store_conflicts", "accesses_128_bit", "load_instructions",
        "store_instructions", "l1_wavefront_percent", "sm_elapsed_cycles"}},
      {shared_atomics,
       {"shared_atomics", "shared_atomic_wavefronts", "l1_wavefront_percent", "sm_elapsed_cycles"}},
      {global_atomics,
       {"atomics", "reductions", "l2_atomic_cycles_max", "l2_elapsed_cycles", "l2_slice_imbalance"},
       false,
       true},
      {constant_divergence, {"constant_replays_per_request", "constant_percent"}}};
  return rules;
}

} // namespace gridsmith
