// SPDX-License-Identifier: Apache-2.0
// What happened when one configuration was compiled and run: the part of a measurement that a
// worker knows, the same struct from the worker to the store. A failed one is data too: it has a
// status and a reason, and no times.
#pragma once

#include "gridsmith/base/field_sums.hpp"
#include "gridsmith/base/words.hpp"
#include "gridsmith/metrics/catalogue/counters.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// The words of the T4 format.
enum class Status { correct, constraints, compile, runtime, correctness, timeout };

template <>
struct Words<Status> {
  static constexpr std::string_view kind = "status";
  static constexpr std::array<std::string_view, 6> list{"correct", "constraints", "compile",
                                                        "runtime", "correctness", "timeout"};
};

/// What the output was compared with. In addition to the status, which only says that nothing was wrong.
enum class Verification { none, host, kernel, file, default_configuration };

template <>
struct Words<Verification> {
  static constexpr std::string_view kind = "verification";
  static constexpr std::array<std::string_view, 5> list{"none", "host", "kernel", "file",
                                                        "default"};
};

/// Of the elements of all outputs that are verified, those that the default configuration writes: the others are
/// compared with nothing.
struct WrittenPart {
  std::uint64_t written = 0, elements = 0;

  bool operator==(const WrittenPart&) const = default;
};

template <Like<WrittenPart> T>
constexpr void for_fields(T& v, auto&& visit) {
  visit("written", v.written);
  visit("elements", v.elements);
}

static_assert(lists_all_fields<WrittenPart>());

/// Where the time went, in milliseconds of the host's clock but for gpu_ms.
struct TimeSpent {
  double compile_ms = 0; ///< elapsed time of this compilation; 0: nothing was compiled
  double gpu_ms = 0;     ///< GPU time of everything, flushes and checks too
  double verify_ms = 0, time_ms = 0, count_ms = 0; ///< stages in the worker
};

template <Like<TimeSpent> T>
constexpr void for_fields(T& v, auto&& visit) {
  visit("compile_ms", v.compile_ms);
  visit("gpu_ms", v.gpu_ms);
  visit("verify_ms", v.verify_ms);
  visit("time_ms", v.time_ms);
  visit("count_ms", v.count_ms);
}

static_assert(lists_all_fields<TimeSpent>());

struct Execution {
  Status status = Status::runtime;
  std::string reason; ///< one line for a failure
  Verification verification = Verification::none;
  std::vector<double> times_ms; ///< per sample, in the order taken; a batch of launches: its mean
  std::vector<double> taken_at_ms;    ///< of each, since the worker started; empty: not known
  std::vector<double> clocks_mhz;     ///< SM clock of each; empty: not known
  std::optional<double> sm_clock_mhz; ///< mean while timing
  bool pruned_early = false;          ///< timing was broken off: it cannot be the best
  bool compared_after = false;        ///< outputs were compared again after timed launches
  std::optional<CompileFacts> compile_facts;
  CounterValues counters;                       ///< empty when not counted
  std::optional<std::string> uncounted_because; ///< why counters that were wanted were not read
  TimeSpent spent;

  bool correct() const { return status == Status::correct; }
};

template <Like<Execution> T>
constexpr void for_fields(T& v, auto&& visit) {
  visit("status", v.status);
  visit("reason", v.reason);
  visit("verification", v.verification);
  visit("times_ms", v.times_ms);
  visit("taken_at_ms", v.taken_at_ms);
  visit("clocks_mhz", v.clocks_mhz);
  visit("sm_clock_mhz", v.sm_clock_mhz);
  visit("pruned_early", v.pruned_early);
  visit("compared_after", v.compared_after);
  visit("compile_facts", v.compile_facts);
  visit("counters", v.counters);
  visit("uncounted_because", v.uncounted_because);
  for_fields(v.spent, visit);
}

static_assert(lists_all_fields<Execution, TimeSpent>());

} // namespace gridsmith
