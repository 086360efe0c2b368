// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/analysis/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gridsmith {
namespace {

constexpr std::array<Unit, 5> arithmetic = {Unit::issue, Unit::alu, Unit::fma, Unit::fp64,
                                            Unit::special};

/// A counter over all instructions of threads.
double share_of_threads(const LaunchModel& launch, std::string_view counter) {
  return zero_if_absent(launch(counter) / launch("thread_instructions"));
}

constexpr std::array<std::string_view, 9> flops = {"fadd", "fmul", "ffma", "dadd", "dmul",
                                                   "dfma", "hadd", "hmul", "hfma"};

double flop_share(const LaunchModel& launch) {
  double share = 0;
  for (const std::string_view one : flops)
    share += share_of_threads(launch, one);
  return share;
}

double busiest_arithmetic(const LaunchModel& launch) {
  double most = 0;
  for (const Unit unit : arithmetic)
    most = std::max(most, launch.busy(unit));
  return most;
}

/// Fewer instructions of all kinds.
Change fewer(double keep) {
  Change change;
  change.instructions = keep;
  for (const Unit unit : arithmetic)
    change.work[unit] = keep;
  return change;
}

std::optional<Finding> divergence(const LaunchModel& launch) {
  constexpr double few = 24; // threads, ncu's rule "Thread divergence"
  const double threads = launch("threads_per_instruction");
  if (!(threads < few))
    return std::nullopt;
  return Finding{Cause::divergence,
                 fmt::format("an instruction works for {:.1f} of 32 threads: the lanes of a warp "
                             "take different branches",
                             threads),
                 "let the threads of a warp take the same branch, e.g. by sorting the work",
                 std::min(warp_lanes / threads, launch.gain(fewer(threads / warp_lanes))),
                 [](const MachineInstruction& one) { return one.name() == "BRA" && one.guarded; }};
}

std::optional<Finding> barriers(const LaunchModel& launch) {
  constexpr double matters = 0.3, busy = 0.7;
  const double share = launch.waits(Stall::barrier) / launch.all_waits();
  if (!(share > matters) || !launch.idle(busy))
    return std::nullopt;
  Change none;
  none.waits[Stall::barrier] = 0;
  return Finding{
      Cause::barriers, fmt::format("{:.0f} % of the waiting is at barriers", 100 * share),
      "fewer barriers, or smaller groups that wait for one another (warps)", launch.gain(none),
      [](const MachineInstruction& one) { return one.name() == "BAR"; }};
}

/// FP64 pipes are a half as wide as FP32's on 8.0, 9.0 and 10.0, elsewhere a 32nd or 64th (CUDA C
/// Programming Guide, arithmetic throughput).
double fp64_over_fp32(int capability) {
  return capability == 80 || capability == 90 || capability == 100 || capability == 103 ? 0.5
                                                                                        : 1.0 / 64;
}

std::optional<Finding> fp64(const LaunchModel& launch) {
  constexpr double busy = 0.25;
  const double conversions = share_of_threads(launch, "conversions");
  const bool of_single =
      launch("accesses_32_bit") > launch("accesses_64_bit") && conversions > 0.001;
  if (launch.busy(Unit::fp64) < busy || !of_single)
    return std::nullopt;
  const double ratio = fp64_over_fp32(launch.facts().metrics.device.compute_capability);
  // A constant of 64 bits is moved into registers, of 32 it is part of the instruction: moves are what
  // is left of the instructions.
  const double moves = std::max(
      0.0, 1 - flop_share(launch) - conversions - share_of_threads(launch, "integer_operations") -
               share_of_threads(launch, "control_operations") -
               zero_if_absent(launch("lsu_instructions") / launch("instructions")));
  Change single = fewer(std::max(0.1, 1 - conversions - moves));
  single.work[Unit::fma] =
      1 + launch.busy(Unit::fp64) * ratio / std::max(launch.busy(Unit::fma), 1e-3);
  single.work[Unit::fp64] = single.work[Unit::special] = 0;
  return Finding{Cause::fp64,
                 fmt::format("the FP64 pipe is {:.0f} % busy on data of 32 bits, and {:.0f} % of "
                             "the instructions convert between them",
                             launch.percent(Unit::fp64), 100 * conversions),
                 "write constants as 1.0f and call the functions of single precision",
                 launch.gain(single), [](const MachineInstruction& one) {
                   return one.kind == CodeClass::fp64 || one.kind == CodeClass::conversion_64;
                 }};
}

std::optional<Finding> special_functions(const LaunchModel& launch) {
  constexpr double busy = 0.7, few_conversions = 0.03, few_flops = 0.1, kept = 0.1;
  // Instructions that go with it: itself, and what prepares its argument or its result.
  constexpr double with_it = 1.5;
  // Divisions of integers keep the unit busy too, without any arithmetic on reals.
  const bool dividing =
      share_of_threads(launch, "conversions") > few_conversions && flop_share(launch) < few_flops;
  if (launch.busy(Unit::special) < busy || dividing)
    return std::nullopt;
  const double share = zero_if_absent(launch("xu_instructions") / launch("instructions"));
  Change fewer_of_them = fewer(1 - std::min(0.9, with_it * share) * (1 - kept));
  fewer_of_them.work[Unit::special] = kept;
  return Finding{Cause::special_functions,
                 fmt::format("the special-function unit is {:.0f} % busy: {:.0f} % of the "
                             "instructions are sines, exponentials, roots or reciprocals",
                             launch.percent(Unit::special), 100 * share),
                 "compute them once, by recurrence, by table or by a polynomial",
                 launch.gain(fewer_of_them), of_class(CodeClass::special)};
}

/// A division by a value that the compiler does not know converts to FP32 and back. Other arithmetic on
/// integers may be the work itself: nothing tells.
std::optional<Finding> integer_arithmetic(const LaunchModel& launch) {
  constexpr double mostly = 0.45, busy = 0.65, few_flops = 0.25, dividing = 0.02;
  constexpr double without_division = 0.55;
  const double integers = share_of_threads(launch, "integer_operations");
  if (!(integers > mostly) || flop_share(launch) > few_flops ||
      share_of_threads(launch, "conversions") < dividing || busiest_arithmetic(launch) < busy)
    return std::nullopt;
  Change less = fewer(without_division);
  less.work[Unit::special] = 0.1;
  return Finding{Cause::integer_arithmetic,
                 fmt::format("{:.0f} % of the instructions are integer arithmetic, with divisions "
                             "by values that the compiler does not know",
                             100 * integers),
                 "divide by constants or powers of two, or multiply by a reciprocal",
                 launch.gain(less), of_class(CodeClass::conversion)};
}

std::optional<Finding> loop_overhead(const LaunchModel& launch) {
  constexpr double branching = 0.12, busy = 0.6, kept = 0.2;
  const double control = share_of_threads(launch, "control_operations");
  const double useful =
      flop_share(launch) + zero_if_absent(launch("lsu_instructions") / launch("instructions"));
  if (!(control > branching) || launch.busy(Unit::issue) < busy || useful > 0.45)
    return std::nullopt;
  const CodeFacts* code = launch.facts().code;
  const LoopFacts* loop = code ? code->hottest_loop() : nullptr;
  const std::string body =
      loop ? fmt::format(": a turn of the loop is {} instructions", loop->mix.instructions) : "";
  return Finding{Cause::loop_overhead,
                 fmt::format("{:.0f} % of the instructions are branches and {:.0f} % integer "
                             "arithmetic, {:.0f} % are the work itself{}",
                             100 * control, 100 * share_of_threads(launch, "integer_operations"),
                             100 * useful, body),
                 "unroll the loop: trip counts that the compiler knows, #pragma unroll",
                 launch.gain(fewer(useful + kept * (1 - useful)))};
}

std::optional<Finding> little_work(const LaunchModel& launch) {
  constexpr double many = 4, busy = 0.7;
  const double executed = launch("fadd") + launch("fmul") + 2 * launch("ffma") + launch("dadd") +
                          launch("dmul") + 2 * launch("dfma");
  const double ratio = executed / launch("model_flops");
  if (!(ratio > many) || busiest_arithmetic(launch) < busy)
    return std::nullopt;
  return Finding{Cause::little_work_per_thread,
                 fmt::format("{:.0f} times the operations of the work model are executed: each of "
                             "{:.3g} threads repeats work that many could share",
                             ratio, warp_lanes * launch("warps")),
                 "several items for each thread, so that what comes before them is done once",
                 launch.gain(fewer(1 / ratio))};
}

/// And the share of floating-point operations.
std::vector<std::string_view> with_flops(std::vector<std::string_view> names) {
  names.insert(names.end(), flops.begin(), flops.end());
  names.emplace_back("thread_instructions");
  return names;
}

} // namespace

std::span<const Rule> compute_rules() {
  static const std::vector<Rule> rules = {
      {divergence, {"threads_per_instruction"}},
      {barriers, {}, true, true},
      {fp64, with_flops({"fp64_percent", "fma_percent", "conversions", "accesses_32_bit",
                         "accesses_64_bit", "integer_operations", "control_operations",
                         "lsu_instructions", "instructions"})},
      {special_functions,
       with_flops({"xu_percent", "xu_instructions", "conversions", "instructions"})},
      {integer_arithmetic,
       with_flops({"integer_operations", "conversions", "issue_percent", "alu_percent",
                   "fma_percent", "fp64_percent", "xu_percent"})},
      {loop_overhead, with_flops({"control_operations", "integer_operations", "lsu_instructions",
                                  "instructions", "issue_percent"})},
      {little_work, with_flops({"warps", "issue_percent", "alu_percent", "fma_percent",
                                "fp64_percent", "xu_percent"})}};
  return rules;
}

} // namespace gridsmith
