// SPDX-License-Identifier: Apache-2.0
// Every rule on hand-made facts: a launch without fault, and one number changed at a time.
#include "gridsmith/metrics/analysis/verdict.hpp"
#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace analysis_test {

using namespace gridsmith;

namespace {

using Changes = std::map<std::string_view, double>;

constexpr std::int64_t blocks_of_a_wave = 1056; // 132 * 8, of 256 threads

/// A launch on an H200 that keeps its DRAM at 80 %, with full occupancy and nothing wasted; counters by
/// our names.
class Launch {
public:
  explicit Launch(const Changes& changes = {}) {
    for (const Counter& counter : counter_catalogue())
      if (const auto chip_name = name_on(counter, "GH100"))
        values_[std::string(*chip_name)] = 0;
    for (const auto& [name, value] : healthy)
      set(name, value);
    for (const auto& [name, value] : changes)
      set(name, value);
    device_ = device_of_capability(90);
    device_.sm_count = 132;
    device_.chip = "GH100";
    device_.warp_schedulers_per_sm = 4;
    device_.sm_clock_khz = 1980000;
    device_.peak_fp32_gflop_per_s = 66908;
    compiled_.registers_per_thread = 32;
  }

  Launch& shape(std::int64_t blocks, int threads) {
    blocks_ = blocks;
    threads_ = threads;
    return *this;
  }

  Launch& registers(int each) {
    compiled_.registers_per_thread = each;
    return *this;
  }

  Launch& spilled(std::int64_t each) {
    compiled_.spill_store_bytes = compiled_.spill_load_bytes = each;
    return *this;
  }

  Launch& shared_bytes(std::int64_t each) {
    compiled_.static_shared_bytes = each;
    return *this;
  }

  Launch& flops(double model) {
    flops_ = model;
    return *this;
  }

  Launch& measured(std::string_view peak, double value) {
    peaks_.emplace_back().name = peak;
    peaks_.back().value = value;
    return *this;
  }

  Launch& timed(double ms) {
    time_ms_ = ms;
    return *this;
  }

  Launch& drop(std::string_view name) {
    for (const std::string& one : counters_behind(name))
      values_.erase(one);
    return *this;
  }

  Launch& keep(const std::vector<std::string>& names) {
    CounterValues kept;
    for (const std::string& name : names)
      for (const std::string& one : counters_behind(name))
        if (const auto found = values_.find(one); found != values_.end())
          kept.insert(*found);
    values_ = std::move(kept);
    return *this;
  }

  /// With DRAM and L2 next to idle.
  Launch& only_default_set() {
    const auto& sets = counter_sets();
    const auto set = std::find_if(sets.begin(), sets.end(),
                                  [](const CounterSet& one) { return one.name == "default"; });
    set_changes({{"dram_percent", 3}, {"l2_tag_percent", 14}});
    return keep({set->counters.begin(), set->counters.end()});
  }

  /// One instruction on each line of k.cu, from 1.
  Launch& code(const std::vector<MachineInstruction>& instructions) {
    code_.code = instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i)
      code_.lines.push_back({i * instruction_bytes, {{"k.cu", static_cast<int>(i) + 1}}});
    return *this;
  }

  Verdict verdict() const {
    return judge({.metrics = {.counters = values_,
                              .device = device_,
                              .time_ms = time_ms_,
                              .model_flops = flops_,
                              .peaks = &peaks_},
                  .blocks = blocks_,
                  .threads_per_block = threads_,
                  .compiled = compiled_,
                  .code = code_.code.empty() ? nullptr : &code_});
  }

private:
  static std::vector<std::string> counters_behind(std::string_view name) {
    std::vector<std::string> names;
    if (const Counter* counter = find_counter(name))
      return {std::string(counter->cupti)};
    REQUIRE(find_metric(name));
    for (const std::string_view one : counters_of(*find_metric(name)))
      names.emplace_back(find_counter(one)->cupti);
    return names;
  }

  void set_changes(const Changes& changes) {
    for (const auto& [name, value] : changes)
      set(name, value);
  }

  void set(std::string_view name, double value) {
    const Counter* counter = find_counter(name);
    REQUIRE(counter);
    values_[std::string(counter->cupti)] = value;
  }

  static const Changes healthy;
  CounterValues values_;
  Device device_;
  Peaks peaks_;
  CompileFacts compiled_;
  std::int64_t blocks_ = blocks_of_a_wave * 20;
  int threads_ = 256;
  double flops_ = 0, time_ms_ = 0;
  CodeFacts code_;
};

const Changes Launch::healthy = {{"duration_ns", 100e3},
                                 {"sm_elapsed_cycles", 175e3},
                                 {"sm_active_cycles", 170e3},
                                 {"sm_active_cycles_max", 172e3},
                                 {"instructions", 20e6},
                                 {"thread_instructions", 640e6},
                                 {"warps", 168960},
                                 {"threads_per_instruction", 32},
                                 {"warps_active_percent", 92},
                                 {"warps_per_scheduler", 14},
                                 {"issue_percent", 20},
                                 {"issue_active_percent", 21},
                                 {"dram_percent", 80},
                                 {"dram_read_bytes", 200e6},
                                 {"dram_write_bytes", 200e6},
                                 {"l2_tag_percent", 25},
                                 {"l2_read_sectors", 6.25e6},
                                 {"l2_write_sectors", 6.25e6},
                                 {"l2_requests_max", 100},
                                 {"l2_requests_mean", 100},
                                 {"l2_elapsed_cycles", 160e3},
                                 {"load_instructions", 1.5625e6},
                                 {"load_sectors", 6.25e6},
                                 {"load_data_bytes", 200e6},
                                 {"store_instructions", 1.5625e6},
                                 {"store_sectors", 6.25e6},
                                 {"store_data_bytes", 200e6},
                                 {"accesses_32_bit", 3.125e6},
                                 {"lsu_instructions", 3.125e6},
                                 {"l1_wavefront_percent", 15},
                                 {"l1_request_percent", 12},
                                 {"stall_long_scoreboard", 50},
                                 {"stall_wait", 3},
                                 {"stall_selected", 1}};

/// All is loaded twenty times, the L2 is busy with that, and the L1 holds some of it.
const Changes tile_at_l2 = {
    {"dram_percent", 5}, {"dram_read_bytes", 10e6}, {"l2_tag_percent", 55}, {"l1_hit_percent", 30}};

std::string causes(const Verdict& verdict) {
  std::string words;
  for (const Finding& one : verdict.findings)
    words += (words.empty() ? "" : " ") + std::string(to_text(one.cause));
  return words;
}

std::optional<Finding> finding_of(const Verdict& verdict, Cause cause) {
  for (const Finding& one : verdict.findings)
    if (one.cause == cause)
      return one;
  return std::nullopt;
}

std::string first(const Launch& launch) {
  const Verdict verdict = launch.verdict();
  return verdict.findings.empty() ? "" : std::string(to_text(verdict.findings.front().cause));
}

} // namespace

TEST_CASE("a launch without fault is accused of nothing, and its bound is told") {
  const Verdict verdict = Launch().verdict();
  CHECK(causes(verdict) == "");
  CHECK(verdict.bound == Bound::bandwidth);
  CHECK(verdict.headline() == "bound by bandwidth: DRAM runs at 80 % of its peak");
}

TEST_CASE("a device's own measured peak is what a launch is held against") {
  // 4000 GB/s are 80 % of the data sheet's.
  Launch copying;
  copying.measured("copy", 4100).measured("dram_read", 4900);
  CHECK(copying.verdict().bound_text ==
        "bound by bandwidth: DRAM runs at 98 % of the highest rate measured");
  Launch faster;
  faster.measured("copy", 3900);
  CHECK(faster.verdict().bound_text ==
        "bound by bandwidth: DRAM runs at the highest rate measured"); // 103 % of it
}

TEST_CASE("a finding rests on all that it names as evidence, and on nothing else") {
  const Changes conflicts = {{"dram_percent", 15},
                             {"l1_wavefront_percent", 90},
                             {"shared_load_instructions", 1e6},
                             {"shared_load_wavefronts", 16e6},
                             {"stall_long_scoreboard", 5},
                             {"stall_mio_throttle", 60}};
  Launch few({{"dram_percent", 15}, {"warps_active_percent", 12}});
  few.registers(250);
  Launch uneven({{"dram_percent", 5},
                 {"l2_tag_percent", 2},
                 {"stall_long_scoreboard", 3},
                 {"stall_wait", 1},
                 {"sm_active_cycles_max", 340e3}});
  for (const Launch& launch :
       {few, uneven, Launch(conflicts), Launch({{"dram_percent", 25}}),
        Launch({{"load_sectors", 50e6}, {"dram_read_bytes", 1600e6}}), Launch(tile_at_l2),
        Launch({{"dram_percent", 5}, {"stall_barrier", 40}, {"stall_long_scoreboard", 3}}),
        Launch({{"dram_percent", 5},
                {"xu_percent", 94},
                {"issue_percent", 50},
                {"xu_instructions", 5e6},
                {"ffma", 200e6},
                {"stall_long_scoreboard", 2},
                {"stall_not_selected", 8}})}) {
    const Verdict verdict = launch.verdict();
    REQUIRE_FALSE(verdict.findings.empty());
    const Finding& told = verdict.findings.front();
    INFO(to_text(told.cause));
    REQUIRE_FALSE(told.evidence.empty());
    Launch only = launch;
    only.keep(told.evidence);
    const auto again = finding_of(only.verdict(), told.cause);
    REQUIRE(again);
    CHECK(again->what == told.what);
    for (const std::string& name : told.evidence) {
      INFO(name);
      Launch lacking = launch;
      lacking.drop(name);
      CHECK_FALSE(finding_of(lacking.verdict(), told.cause));
    }
  }
}

TEST_CASE("a unit that was not looked at may be the busy one") {
  Launch few({{"dram_percent", 15}, {"warps_active_percent", 12}});
  few.registers(250);
  CHECK(few.verdict().bound == Bound::latency);
  few.drop("tensor_percent");
  const Verdict verdict = few.verdict();
  CHECK(verdict.bound == Bound::unknown);
  CHECK(causes(verdict) == "");
  CHECK_THAT(verdict.bound_text, contains_text("tensor pipe were not counted"));
}

TEST_CASE("the work model and the instructions of a cycle are evidence") {
  // 100 us at 1.98 GHz on 132 SMs: 66.9 TFLOP/s are the peak; 3.36 instructions a cycle are 84 % of four.
  Launch multiplying({{"instructions_per_cycle", 3.36}});
  multiplying.only_default_set().timed(0.1).flops(5.07e9);
  CHECK(multiplying.verdict().bound_text ==
        "bound by compute: 76 % of the FP32 peak, 84 % of the issue slots");
  multiplying.flops(26.7e9); // more than so many instructions could do: tensor cores
  CHECK(multiplying.verdict().bound_text == "bound by compute: 84 % of the issue slots");
  Launch few_instructions({{"instructions_per_cycle", 1}});
  few_instructions.only_default_set().timed(0.1).flops(5.07e9);
  CHECK(few_instructions.verdict().bound == Bound::unknown);
}

TEST_CASE("a peak that no kernel comes near is not all that is said of a unit") {
  CHECK(Launch({{"l2_tag_percent", 48}, {"dram_percent", 30}}).verdict().bound_text ==
        "bound by bandwidth: L2 runs at 48 % of its peak (80 % of the rate that it can reach)");
}

TEST_CASE("a finding names the lines of what it is about") {
  std::vector<MachineInstruction> code(4);
  code[0].memory = MemoryKind::global_load;
  code[1].memory = MemoryKind::global_store;
  code[2].kind = CodeClass::fp64;
  code[3].memory = MemoryKind::generic_load;
  const Changes scattered = {{"load_sectors", 50e6}, {"dram_read_bytes", 1600e6}};
  const auto finding = [&](const Launch& launch) {
    const Verdict verdict = launch.verdict();
    REQUIRE_FALSE(verdict.findings.empty());
    REQUIRE(verdict.findings.front().cause == Cause::uncoalesced_access);
    return verdict.findings.front();
  };
  const auto places = finding(Launch(scattered).code(code)).places;
  REQUIRE(places.size() == 2);
  CHECK(places[0].place == "k.cu:1");
  CHECK(places[1].place == "k.cu:4");
  CHECK(finding(Launch(scattered)).places.empty());
}

TEST_CASE("shapes that leave the device idle") {
  Changes idle = {
      {"dram_percent", 5}, {"l2_tag_percent", 2}, {"stall_long_scoreboard", 3}, {"stall_wait", 1}};
  CHECK(first(Launch(idle).shape(8, 256)) == "grid_too_small");
  idle["sm_active_cycles_max"] = 340e3;
  CHECK(first(Launch(idle).shape(blocks_of_a_wave + 40, 256)) == "tail");
  CHECK(first(Launch(idle).shape(blocks_of_a_wave * 20, 256)) == "imbalance");
  idle["duration_ns"] = 2500;
  CHECK(first(Launch(idle).shape(16, 128)) == "launch_bound");
}

TEST_CASE("too few warps for what they wait for, by what limits them") {
  const Changes few = {{"dram_percent", 15}, {"warps_active_percent", 12}};
  CHECK(first(Launch(few).registers(250)) == "occupancy_registers");
  CHECK(first(Launch(few).shared_bytes(48000)) == "occupancy_shared_memory");
  CHECK(first(Launch({{"dram_percent", 15}, {"warps_active_percent", 30}})
                  .shape(4 * blocks_of_a_wave * 20, 32)) == "occupancy_block_size");
  CHECK(first(Launch({{"dram_percent", 25}})) == "memory_latency");
  CHECK(first(Launch({{"dram_percent", 2},
                      {"stall_long_scoreboard", 0.2},
                      {"issue_percent", 25},
                      {"issue_active_percent", 25}})) == "instruction_latency");
}

TEST_CASE("accesses that move more than they have to") {
  CHECK(first(Launch({{"load_sectors", 50e6}, {"dram_read_bytes", 1600e6}})) ==
        "uncoalesced_access");
  CHECK(first(Launch({{"load_sectors", 7.8125e6},
                      {"dram_read_bytes", 250e6},
                      {"store_instructions", 0},
                      {"store_sectors", 0},
                      {"store_data_bytes", 0},
                      {"dram_write_bytes", 0}})) == "misaligned_access"); // 5 sectors for 4
  CHECK(first(Launch({{"dram_percent", 20},
                      {"accesses_8_bit", 20e6},
                      {"accesses_32_bit", 0},
                      {"l1_request_percent", 80},
                      {"stall_lg_throttle", 40}})) == "narrow_access");
  CHECK(first(Launch({{"dram_read_bytes", 600e6}, {"stall_long_scoreboard", 90}})) ==
        "partial_writes");
  CHECK(first(Launch(tile_at_l2)) == "repeated_loads");
  Changes once_a_block = tile_at_l2;
  once_a_block["l1_hit_percent"] = 0; // no tile would hold anything
  CHECK(first(Launch(once_a_block)) == "");
  const Changes from_l1 = {{"dram_percent", 5},          {"dram_read_bytes", 10e6},
                           {"l2_tag_percent", 8},        {"l1_hit_percent", 95},
                           {"l1_wavefront_percent", 90}, {"stall_long_scoreboard", 10}};
  CHECK(first(Launch(from_l1)) == "repeated_loads");
  const Changes local = {{"dram_percent", 10},
                         {"local_load_sectors", 60e6},
                         {"local_store_sectors", 20e6},
                         {"local_load_instructions", 6e6},
                         {"local_store_instructions", 3e6},
                         {"lsu_instructions", 12e6},
                         {"l2_tag_percent", 40}};
  CHECK(first(Launch(local).spilled(64)) == "spills");
  CHECK(first(Launch(local)) == "local_arrays");
}

TEST_CASE("lanes that meet") {
  const Changes conflicts = {{"dram_percent", 15},
                             {"l1_wavefront_percent", 90},
                             {"shared_load_instructions", 1e6},
                             {"shared_load_wavefronts", 16e6},
                             {"stall_long_scoreboard", 5},
                             {"stall_mio_throttle", 60}};
  CHECK(first(Launch(conflicts)) == "bank_conflicts");
  CHECK(first(Launch({{"dram_percent", 15},
                      {"l1_wavefront_percent", 90},
                      {"shared_atomics", 1e6},
                      {"shared_atomic_wavefronts", 16e6},
                      {"stall_long_scoreboard", 5},
                      {"stall_mio_throttle", 60}})) == "atomic_contention");
  CHECK(first(Launch({{"dram_percent", 1},
                      {"reductions", 1e6},
                      {"l2_requests_max", 6000},
                      {"stall_long_scoreboard", 9000}})) == "atomic_contention");
  CHECK(first(Launch({{"dram_percent", 5},
                      {"constant_percent", 95},
                      {"constant_instructions", 1e6},
                      {"constant_replays", 20e6},
                      {"stall_long_scoreboard", 5},
                      {"stall_mio_throttle", 300}})) == "constant_divergence");
  CHECK(first(Launch({{"dram_percent", 5},
                      {"stall_barrier", 40},
                      {"stall_long_scoreboard", 3},
                      {"issue_active_percent", 65}})) == "barriers");
  CHECK(first(Launch({{"dram_percent", 5},
                      {"threads_per_instruction", 4},
                      {"issue_percent", 90},
                      {"stall_long_scoreboard", 1},
                      {"stall_not_selected", 10}})) == "divergence");
}

TEST_CASE("work on the wrong pipe, and work for nothing") {
  Changes busy = {{"dram_percent", 5}, {"stall_long_scoreboard", 2}, {"stall_not_selected", 8}};
  const auto with = [&](Changes more) {
    more.insert(busy.begin(), busy.end());
    return Launch(more);
  };
  CHECK(
      first(with(
          {{"fp64_percent", 70}, {"issue_percent", 60}, {"dfma", 300e6}, {"conversions", 40e6}})) ==
      "fp64");
  CHECK(first(with({{"fp64_percent", 70},
                    {"issue_percent", 60},
                    {"dfma", 300e6},
                    {"accesses_64_bit", 4e6}})) == ""); // its data are double
  CHECK(first(with({{"xu_percent", 94},
                    {"issue_percent", 50},
                    {"xu_instructions", 5e6},
                    {"ffma", 200e6}})) == "special_functions");
  CHECK(first(with({{"issue_percent", 85},
                    {"xu_percent", 60},
                    {"xu_instructions", 2e6},
                    {"integer_operations", 400e6},
                    {"conversions", 40e6}})) == "integer_arithmetic");
  CHECK(first(with({{"issue_percent", 85},
                    {"control_operations", 100e6},
                    {"integer_operations", 250e6},
                    {"ffma", 100e6}})) == "loop_overhead");
  CHECK(first(with({{"issue_percent", 88}, {"ffma", 500e6}}).flops(20e6)) ==
        "little_work_per_thread");
}

TEST_CASE("without counters the shape says what it can, without a gain") {
  const CounterValues none;
  Device device = device_of_capability(90);
  device.sm_count = 132;
  CompileFacts compiled;
  compiled.registers_per_thread = 250;
  const auto judged = [&](std::int64_t blocks) {
    return judge({.metrics = {.counters = none, .device = device},
                  .blocks = blocks,
                  .threads_per_block = 256,
                  .compiled = compiled});
  };
  CHECK(causes(judged(128)) == ""); // 3 % of the multiprocessors: never worth naming
  const Verdict few = judged(8);
  REQUIRE(causes(few) == "grid_too_small");
  CHECK_FALSE(few.findings.front().gain);
  const Verdict fat = judged(5 * blocks_of_a_wave);
  CHECK(causes(fat) == ""); // few warps are no fault where something is busy, and nobody looked
  CHECK(fat.bound == Bound::unknown);
  CHECK(fat.bound_text == "not known what limits it: nothing was counted");
}

TEST_CASE("of the default set alone no latency is claimed") {
  const Device device = device_of_capability(90);
  const CounterValues some = {{"gpu__time_duration.sum", 1e5},
                              {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 30},
                              {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 12}};
  const Verdict verdict = judge({.metrics = {.counters = some, .device = device}});
  CHECK(verdict.bound == Bound::unknown);
  CHECK_THAT(verdict.bound_text,
             contains_text("DRAM runs at 30 % of its peak, L2 runs at 12 % of its peak; 9 of 11 "
                           "units and what warps wait for were not counted"));
}

} // namespace analysis_test
