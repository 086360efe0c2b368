// SPDX-License-Identifier: Apache-2.0
// A launch as the analysis sees it: how busy each unit was, what its warps waited for, and how long
// it would take if some of that were gone.
#pragma once

#include "gridsmith/base/words.hpp"
#include "gridsmith/metrics/analysis/gain.hpp"
#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/metrics/code/code_facts.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

inline constexpr double warp_lanes = 32;

/// Of an idle L2 and DRAM (H200: 653), where it was not measured; no data sheet has it.
inline constexpr double usual_latency_cycles = 700;

/// All that is known of one launch. What is referred to outlives it.
struct LaunchFacts {
  MetricFacts metrics;
  std::int64_t blocks = 0;   ///< 0: unknown
  int threads_per_block = 0; ///< 0: unknown
  std::int64_t dynamic_shared_bytes = 0;
  std::optional<CompileFacts> compiled = {};
  const CodeFacts* code = nullptr;      ///< of its machine code; nullptr: not read
  const CodeFacts* fast_math = nullptr; ///< … compiled with fast math; nullptr: it was not
  bool transfers = false;               ///< its time is also that of copies between host and device
};

/// What does work that can be saturated.
enum class Unit {
  dram,
  l2,
  l1_data,
  l1_requests,
  issue,
  alu,
  fma,
  fp64,
  special,
  constant,
  tensor
};

template <>
struct Words<Unit> {
  static constexpr std::string_view kind = "unit";
  static constexpr std::array<std::string_view, 11> list{"DRAM",
                                                         "L2",
                                                         "L1 and shared memory",
                                                         "load-store unit",
                                                         "instruction issue",
                                                         "integer pipe",
                                                         "FP32 pipe",
                                                         "FP64 pipe",
                                                         "special-function unit",
                                                         "constant cache",
                                                         "tensor pipe"};
};

inline constexpr std::size_t unit_count = Words<Unit>::list.size();

/// What warps wait for without a unit being saturated, in the order of `Stall`'s names.
enum class Stall {
  issued,
  wait,
  memory,
  shared,
  barrier,
  branch,
  instructions,
  constants,
  drain,
  fence,
  sleeping
};

template <>
struct Words<Stall> {
  static constexpr std::string_view kind = "wait";
  static constexpr std::array<std::string_view, 11> list{
      "selected",       "wait",     "long_scoreboard", "short_scoreboard", "barrier", "branch",
      "no_instruction", "constant", "drain",           "membar",           "sleeping"};
};

inline constexpr std::size_t stall_count = Words<Stall>::list.size();

template <typename Key, std::size_t count>
struct Shares {
  std::array<double, count> of;

  explicit Shares(double all) { of.fill(all); }

  double& operator[](Key key) { return of[static_cast<std::size_t>(key)]; }

  double operator[](Key key) const { return of[static_cast<std::size_t>(key)]; }
};

/// What would be different. 1: as it is.
struct Change {
  Shares<Unit, unit_count> work{1};    ///< of each unit
  Shares<Stall, stall_count> waits{1}; ///< of each cycle of waiting per instruction
  double instructions = 1;             ///< executed, in number
  double concurrency = 1;              ///< warps under way at once
  double contention = 0;               ///< share of it that is the cause's for certain
};

/// The counters, by portable name, of all that warps wait for.
std::vector<std::string> wait_counters();
/// Those, or metrics, that tell how busy each unit is.
std::vector<std::string> unit_counters();

class LaunchModel {
public:
  explicit LaunchModel(const LaunchFacts& facts);

  const LaunchFacts& facts() const { return facts_; }

  /// A counter, metric or fact by name. NaN where it has no value, so that a comparison with it
  /// fails and what rests on it is not said.
  double operator()(std::string_view name) const;

  /// Whether the value was counted, also where it is none: there was nothing of it, or the chip has no such
  /// thing. Of a metric: all that it is derived from.
  bool counted(std::string_view name) const;

  /// Share (0 … 1) of what the unit is known to reach; 0 where unknown. Where the unit was not counted, the
  /// least that the work model says of it.
  double busy(Unit unit) const { return busy_[unit]; }

  /// Whether its counter tells how busy it was.
  bool looked_at(Unit unit) const { return looked_at_.of[static_cast<std::size_t>(unit)] > 0; }

  /// All units that counters tell of.
  bool all_looked_at() const;

  /// That no unit is busier is known of units that were looked at: false where one was not.
  bool idle(double share) const { return all_looked_at() && busy(busiest()) <= share; }

  /// How busy it was in percent for people: of the highest rate measured on the device where one was, else
  /// of the unit's own peak.
  double percent(Unit unit) const { return percent_[unit]; }

  /// Whether percent() is of a rate that was measured.
  bool of_measured(Unit unit) const { return measured_.of[static_cast<std::size_t>(unit)] > 0; }

  /// Share (0 … 1) of the FP32 peak that the work model's operations need; 0 where they are unknown, or more
  /// than the instructions issued could do without tensor cores.
  double fp32_by_model() const { return fp32_by_model_; }

  Unit busiest() const;

  /// Cycles per issued instruction of a warp that it waited for this.
  double waits(Stall stall) const { return waits_[stall]; }

  /// … in all, contention for units too; 0: none, or not all of it was counted.
  double all_waits() const { return all_waits_; }

  /// Of the waiting apart from barriers, which last as long as the slowest's other waits.
  double share(Stall stall) const;

  /// Cycles per instruction that it would wait for memory if nothing was queued on the way there:
  /// latency of DRAM * loads in each instruction / loads under way at once.
  double unqueued_memory_wait() const;

  double duration_us() const { return duration_us_; } ///< of the counted launch; 0: unknown

  const std::optional<Occupancy>& possible() const { return possible_; }

  /// Time now over the time after the change. The model makes the time of the slowest unit's work or
  /// the warps' waiting, and the ramp of every launch; what it takes off belongs to the change, and
  /// so does the contention that no unit's work explains, the more of it the more the change takes
  /// off. Between: how sharply work and waiting overlap, and how much of the contention goes.
  Gain gain(const Change& change) const;
  /// The same where the waiting would be this share of the time now.
  Gain gain_at(const Change& change, double waiting) const;

private:
  void look_at_units();
  void believe_the_work_model();
  double waiting_after(const Change& change) const;
  double time_after(const Change& change, double waiting, double sharp) const;

  LaunchFacts facts_;
  double duration_us_ = 0;
  Shares<Unit, unit_count> busy_{0}, percent_{0}, looked_at_{0}, measured_{0};
  double fp32_by_model_ = 0;
  Shares<Stall, stall_count> waits_{0};
  double all_waits_ = 0;
  std::optional<Occupancy> possible_;
};

} // namespace gridsmith
