// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/analysis/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

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

/// Fewer instructions of all kinds, those included that wait for memory.
Change less_of_all(double keep) {
  Change change;
  change.instructions = keep;
  for (const Unit unit : arithmetic)
    change.work[unit] = keep;
  return change;
}

/// Fewer that compute: those that are left wait for memory and for one another as long as before.
Change fewer(double keep) {
  Change change = less_of_all(keep);
  for (const Stall stall : {Stall::memory, Stall::barrier, Stall::drain, Stall::fence})
    change.waits[stall] = 1 / keep;
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
                 at_most(launch.gain(less_of_all(threads / warp_lanes)), warp_lanes / threads),
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

// What the special-function unit does, as shares of all instructions. It converts between types too.

double conversion_share(const LaunchModel& launch) {
  return share_of_threads(launch, "conversions");
}

/// Sines, exponentials, roots, reciprocals, and bits counted.
double function_share(const LaunchModel& launch) {
  const double all = zero_if_absent(launch("xu_instructions") / launch("instructions"));
  return std::max(0.0, all - conversion_share(launch));
}

/// One turn of the loop in which most is done, or all of a kernel without loops.
const InstructionMix& turn_of(const CodeFacts& code) {
  const LoopFacts* loop = code.hottest_loop();
  return loop ? loop->mix : code.mix;
}

int count_of(const InstructionMix& mix, std::string_view name) {
  const auto found = mix.by_name.find(name);
  return found == mix.by_name.end() ? 0 : found->second;
}

/// A division of integers is a reciprocal between two conversions, and more than a dozen instructions on integers.
double division_share(const LaunchModel& launch) {
  constexpr double least = 0.002, integers_each = 8;
  // Conversions may be between singles and doubles: the code says whether a real becomes an integer.
  const CodeFacts* code = launch.facts().code;
  if (code ? count_of(code->mix, "F2I") == 0 : launch("fp64_instructions") > 0)
    return 0;
  const double divisions = std::min(function_share(launch), conversion_share(launch) / 2);
  const bool of_integers =
      share_of_threads(launch, "integer_operations") > integers_each * divisions;
  return of_integers && divisions > least ? divisions : 0;
}

/// Fewer conversions and functions: of two one is arithmetic instead, and of functions what goes with them is too.
Change fewer_special(const LaunchModel& launch, double conversions, double functions) {
  constexpr double of_conversion = 0.5, with_function = 1.5;
  const double all = conversion_share(launch) + function_share(launch);
  const double gone = conversions + functions;
  Change change = fewer(1 - std::min(0.9, of_conversion * conversions + with_function * functions));
  change.work[Unit::special] = all > 0 ? 1 - gone / all : 1;
  // Who waits for a short scoreboard waits for this unit or for shared memory.
  const double shared = zero_if_absent(launch("shared_load_instructions") / launch("instructions"));
  change.waits[Stall::shared] = all > 0 ? 1 - gone / (all + shared) : 1;
  return change;
}

std::optional<Finding> fp64(const LaunchModel& launch) {
  const double conversions = conversion_share(launch);
  const double doubles = share_of_threads(launch, "dadd") + share_of_threads(launch, "dmul") +
                         share_of_threads(launch, "dfma");
  const bool of_single =
      launch("accesses_32_bit") > launch("accesses_64_bit") && conversions > 0.001;
  if (!(doubles > 0) || !of_single)
    return std::nullopt;
  const double ratio = fp64_over_fp32(launch.facts().metrics.device.compute_capability);
  // A constant of 64 bits is moved into two registers, of 32 it is part of the instruction: moves are what
  // is left of the instructions, two for each operation at most.
  constexpr double of_constant = 2;
  const double rest = 1 - flop_share(launch) - conversions -
                      share_of_threads(launch, "integer_operations") -
                      share_of_threads(launch, "control_operations") -
                      zero_if_absent(launch("lsu_instructions") / launch("instructions"));
  const double moves = std::clamp(rest, 0.0, of_constant * doubles);
  Change single = fewer_special(launch, conversions, 0);
  const double keep = std::max(0.1, 1 - conversions - moves);
  single.instructions = single.work[Unit::issue] = single.work[Unit::alu] = keep;
  single.work[Unit::fma] =
      keep + launch.busy(Unit::fp64) * ratio / std::max(launch.busy(Unit::fma), 1e-3);
  single.work[Unit::fp64] = 0;
  return Finding{Cause::fp64,
                 fmt::format("{:.0f} % of the instructions are double precision on data of 32 bits "
                             "(its pipe is {:.0f} % busy), and {:.0f} % convert between types",
                             100 * doubles, launch.percent(Unit::fp64), 100 * conversions),
                 "write constants as 1.0f and call the functions of single precision",
                 launch.gain(single), [](const MachineInstruction& one) {
                   return one.kind == CodeClass::fp64 || one.kind == CodeClass::conversion_64;
                 }};
}

std::optional<Finding> type_conversions(const LaunchModel& launch) {
  constexpr double kept = 0.1;
  const double conversions = conversion_share(launch) - 2 * division_share(launch);
  if (!(conversions > 0) || launch("fp64_instructions") > 0)
    return std::nullopt;
  return Finding{
      Cause::type_conversions,
      fmt::format("{:.0f} % of the instructions convert between types, on a unit that is "
                  "{:.0f} % busy",
                  100 * conversions, launch.percent(Unit::special)),
      "keep values in the type that is computed with; convert once, outside the loop",
      launch.gain(fewer_special(launch, (1 - kept) * conversions, 0)),
      of_class(CodeClass::conversion)};
}

/// Of what the special-function unit does in the hottest loop besides converting: it counts bits too.
double share_of_functions(const CodeFacts* code) {
  if (!code)
    return 1;
  const InstructionMix& mix = turn_of(*code);
  const int functions = count_of(mix, "MUFU");
  const int bits = count_of(mix, "POPC") + count_of(mix, "FLO") + count_of(mix, "BREV");
  return functions + bits > 0 ? static_cast<double>(functions) / (functions + bits) : 1;
}

std::optional<Finding> special_functions(const LaunchModel& launch) {
  constexpr double kept = 0.1;
  constexpr double least_flops = 0.01; // elsewhere the unit counts bits
  const double functions =
      (function_share(launch) - division_share(launch)) * share_of_functions(launch.facts().code);
  if (!(functions > 0) || flop_share(launch) < least_flops)
    return std::nullopt;
  return Finding{Cause::special_functions,
                 fmt::format("the special-function unit is {:.0f} % busy: {:.0f} % of the "
                             "instructions are sines, exponentials, roots or reciprocals",
                             launch.percent(Unit::special), 100 * functions),
                 "compute them once, by recurrence, by table or by a polynomial",
                 launch.gain(fewer_special(launch, 0, (1 - kept) * functions)),
                 of_class(CodeClass::special)};
}

int special_instructions(const InstructionMix& mix) {
  return mix.of(CodeClass::special) + mix.of(CodeClass::conversion);
}

/// Of the memories that kernels share: functions keep what they need in local memory.
int accesses_in(const InstructionMix& mix) {
  int count = 0;
  for (const MemoryCount& one : mix.memory)
    if (one.kind != MemoryKind::local_load && one.kind != MemoryKind::local_store)
      count += one.count;
  return count;
}

/// Turns of the loop of `now` that one turn of `then` does: the compiler unrolls short loops more often. Accesses to
/// memory are the same in each turn; a line without functions is compiled to the same in both, others to less.
double turns_in_one(const CodeFacts& now, const CodeFacts& then) {
  const int each = accesses_in(turn_of(now)), after = accesses_in(turn_of(then));
  if (each > 0 && after > 0)
    return static_cast<double>(after) / each;
  std::map<std::string, int> before;
  for (const LineCount& line : lines_of(now, of_class(CodeClass::fp32)))
    before[line.place] = line.instructions;
  double most = 0;
  for (const LineCount& line : lines_of(then, of_class(CodeClass::fp32)))
    if (const auto found = before.find(line.place); found != before.end())
      most = std::max(most, static_cast<double>(line.instructions) / found->second);
  return most > 0 ? most : 1;
}

/// The part of the operations on reals that is left where the fast forms are taken; the rest are the accurate
/// functions' own. 1: not known.
double operations_of_the_source(const LaunchModel& launch) {
  const CodeFacts *code = launch.facts().code, *fast = launch.facts().fast_math;
  if (!code || !fast || (code->hottest_loop() == nullptr) != (fast->hottest_loop() == nullptr))
    return 1;
  const double now = turn_of(*code).of(CodeClass::fp32);
  const double then =
      turn_of(*fast).of(CodeClass::fp32) / (code->hottest_loop() ? turns_in_one(*code, *fast) : 1);
  return now > 0 ? std::min(1.0, then / now) : 1;
}

/// What the compiler itself makes of the same source where it may take the fast forms.
std::optional<Finding> precise_functions(const LaunchModel& launch) {
  constexpr double shorter = 0.9;
  const CodeFacts *code = launch.facts().code, *fast = launch.facts().fast_math;
  if (!code || !fast || (code->hottest_loop() == nullptr) != (fast->hottest_loop() == nullptr))
    return std::nullopt;
  const InstructionMix &now = turn_of(*code), &then = turn_of(*fast);
  // Without a loop what a warp executes is known, slow paths that none takes are not in it.
  const double executed =
      code->hottest_loop() ? now.instructions : launch("instructions") / launch("warps");
  const double turns = code->hottest_loop() ? turns_in_one(*code, *fast) : 1;
  const double after = then.instructions / turns;
  const double keep = after / executed;
  if (!(keep < shorter))
    return std::nullopt;
  Change faster = fewer(keep);
  if (const int special = special_instructions(now); special > 0)
    faster.work[Unit::special] = special_instructions(then) / turns / special;
  return Finding{
      Cause::precise_functions,
      fmt::format("with fast math {} would be {:.0f} instructions in place of {:.0f}: "
                  "divisions, roots or functions are rounded right, and have slow paths",
                  code->hottest_loop() ? "a turn of the loop" : "what a warp executes", after,
                  executed),
      "call the fast forms (__powf, __sinf, __fdividef), or compile with -use_fast_math, "
      "where the results allow it",
      launch.gain(faster), of_class(CodeClass::special)};
}

/// Where the work is on reals, integers are addresses, counters and indices; elsewhere only divisions are known to
/// be too much.
std::optional<Finding> integer_arithmetic(const LaunchModel& launch) {
  // Of the 20 to 25 instructions of a division of 32 bits a multiplication and a shift are left.
  constexpr double of_division = 17, mostly = 0.5, least_flops = 0.02, without = 0.7;
  const double divisions = division_share(launch);
  // The uniform datapath, which takes an instruction every other cycle, knows nothing but integers.
  const double uniform =
      zero_if_absent(launch("uniform_percent") / launch("issue_active_percent") / 2);
  const double integers = share_of_threads(launch, "integer_operations") + uniform;
  const double reals = flop_share(launch);
  const bool addresses = integers > mostly && reals >= least_flops;
  const double gone = std::max(of_division * divisions, addresses ? without * integers : 0);
  if (!(gone > 0))
    return std::nullopt;
  Change less = fewer_special(launch, 2 * divisions, divisions);
  const Change shorter = fewer(std::max(0.1, 1 - gone));
  less.instructions = shorter.instructions;
  less.work[Unit::issue] = less.work[Unit::alu] = shorter.work[Unit::issue];
  less.waits[Stall::memory] = shorter.waits[Stall::memory];
  const std::string divided =
      divisions > 0 ? fmt::format(", and one in {:.0f} begins a division by a value that the "
                                  "compiler does not know",
                                  1 / divisions)
                    : "";
  return Finding{
      Cause::integer_arithmetic,
      fmt::format("{:.0f} % of the instructions are integer arithmetic, {:.0f} % compute on "
                  "reals{}",
                  100 * integers, 100 * reals, divided),
      divisions > 0 ? "divide by constants or powers of two, or multiply by a reciprocal"
                    : "compute offsets outside the loop and add strides within it",
      launch.gain(less), of_class(divisions > 0 ? CodeClass::conversion : CodeClass::integer)};
}

std::optional<Finding> loop_overhead(const LaunchModel& launch) {
  constexpr double branching = 0.12, kept = 0.2;
  const double control = share_of_threads(launch, "control_operations");
  const double useful =
      flop_share(launch) + zero_if_absent(launch("lsu_instructions") / launch("instructions"));
  if (!(control > branching) || useful > 0.45)
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
  constexpr double many = 4;
  constexpr double of_function = 25; // operations that go with one of the special-function unit
  const double executed = launch("fadd") + launch("fmul") + 2 * launch("ffma") + launch("dadd") +
                          launch("dmul") + 2 * launch("dfma");
  const double of_functions = of_function * function_share(launch) * launch("thread_instructions");
  const double ratio =
      (executed - of_functions) * operations_of_the_source(launch) / launch("model_flops");
  if (!(ratio > many))
    return std::nullopt;
  return Finding{Cause::little_work_per_thread,
                 fmt::format("{:.0f} times the operations of the work model are executed: each of "
                             "{:.3g} threads repeats work that many could share",
                             ratio, warp_lanes * launch("warps")),
                 "several items for each thread, so that what comes before them is done once",
                 launch.gain(less_of_all(1 / ratio))};
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
                         "lsu_instructions", "instructions", "xu_instructions",
                         "shared_load_instructions"})},
      {type_conversions,
       {"conversions", "thread_instructions", "xu_instructions", "instructions",
        "integer_operations", "fp64_instructions", "xu_percent", "shared_load_instructions"}},
      {special_functions,
       with_flops({"conversions", "xu_instructions", "instructions", "integer_operations",
                   "fp64_instructions", "xu_percent", "shared_load_instructions"})},
      {integer_arithmetic,
       with_flops({"integer_operations", "fp64_instructions", "conversions", "xu_instructions",
                   "instructions", "xu_percent", "shared_load_instructions", "uniform_percent",
                   "issue_active_percent"})},
      {precise_functions, {"instructions", "warps"}},
      {loop_overhead, with_flops({"control_operations", "integer_operations", "lsu_instructions",
                                  "instructions"})},
      {little_work, with_flops({"warps", "xu_instructions", "instructions", "conversions"})}};
  return rules;
}

} // namespace gridsmith
