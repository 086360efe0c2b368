// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/counter_change.hpp"

#include "gridsmith/base/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace gridsmith {
namespace {

/// A quotient of two counters that says more than either.
struct Quotient {
  const char* what;
  const char* above;
  const char* below;
};

constexpr std::array<Quotient, 4> quotients{{
    {"load sectors per request", "load_sectors", "load_instructions"},
    {"store sectors per request", "store_sectors", "store_instructions"},
    {"shared load wavefronts per request", "shared_load_wavefronts", "shared_load_instructions"},
    {"shared store wavefronts per request", "shared_store_wavefronts", "shared_store_instructions"},
}};

bool starts_with_any(std::string_view cupti, std::span<const std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return cupti.starts_with(start); });
}

/// By CUPTI's way of naming: sums of what warps did, not of what caches and clocks made of it.
bool is_exact(std::string_view cupti) {
  constexpr std::array<std::string_view, 8> starts{"smsp__inst_executed",
                                                   "smsp__sass_",
                                                   "smsp__thread_inst_executed.",
                                                   "smsp__warps_launched",
                                                   "sm__inst_executed_pipe_",
                                                   "l1tex__t_sectors_pipe_lsu_mem_",
                                                   "l1tex__t_requests_pipe_lsu_mem_",
                                                   "l1tex__data_pipe_lsu_wavefronts_mem_shared"};
  return cupti.ends_with(".sum") && starts_with_any(cupti, starts);
}

/// What stands for other work of its kind: adds and multiplies for multiply-adds, wide accesses for narrow
/// ones, one pipe for another. More of one of them alone is no loss.
bool is_kind_of_work(std::string_view cupti) {
  constexpr std::array<std::string_view, 7> starts{"smsp__sass_thread_inst_executed_op_f",
                                                   "smsp__sass_thread_inst_executed_op_d",
                                                   "smsp__sass_thread_inst_executed_op_h",
                                                   "smsp__sass_thread_inst_executed_op_integer",
                                                   "smsp__sass_inst_executed_op_memory_",
                                                   "smsp__warps_launched",
                                                   "sm__inst_executed_pipe_"};
  return starts_with_any(cupti, starts);
}

/// Of the counted launch, which is not the kernel's own.
bool is_time(const Counter& counter) {
  return counter.name == "duration_ns";
}

/// |log| of the ratio; infinite where one of them is 0.
double distance(double before, double now) {
  if (before == now)
    return 0;
  return before > 0 && now > 0 ? std::abs(std::log(now / before))
                               : std::numeric_limits<double>::infinity();
}

std::optional<double> value_named(const char* name, const CounterValues& values) {
  return value_of(*find_counter(name), values);
}

std::optional<double> value_of_quotient(const Quotient& quotient, const CounterValues& values) {
  const auto above = value_named(quotient.above, values),
             below = value_named(quotient.below, values);
  return above && below && *below > 0 ? std::optional(*above / *below) : std::nullopt;
}

std::string plain_name(const Counter& counter) {
  std::string name(counter.name);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

} // namespace

std::vector<CounterChange> counter_changes(const CounterValues& before, const CounterValues& now,
                                           double tolerance) {
  std::vector<CounterChange> changes;
  const auto add = [&](std::string what, std::optional<double> was, std::optional<double> is,
                       bool exact, bool counts_work) {
    if (was && is && distance(*was, *is) > std::log1p(exact ? tolerance : scatter_of_counters))
      changes.push_back({std::move(what), *was, *is, exact, counts_work && *is > *was});
  };
  for (const Quotient& one : quotients) // wider accesses raise it: its sectors say what is worse
    add(one.what, value_of_quotient(one, before), value_of_quotient(one, now), true, false);
  const auto first_plain = static_cast<std::ptrdiff_t>(changes.size());
  for (const Counter& counter : counter_catalogue())
    if (!is_time(counter)) {
      const bool exact = is_exact(counter.cupti);
      add(plain_name(counter), value_of(counter, before), value_of(counter, now), exact,
          exact && !is_kind_of_work(counter.cupti));
    }
  std::stable_sort(changes.begin() + first_plain, changes.end(),
                   [](const CounterChange& a, const CounterChange& b) {
                     return a.exact != b.exact
                                ? a.exact
                                : distance(a.before, a.now) > distance(b.before, b.now);
                   });
  return changes;
}

bool any_in_both(const CounterValues& before, const CounterValues& now) {
  const auto& all = counter_catalogue();
  return std::any_of(all.begin(), all.end(), [&](const Counter& one) {
    return !is_time(one) && value_of(one, before) && value_of(one, now);
  });
}

std::string to_text(const CounterChange& change) {
  return fmt::format("{} {} → {}", change.what, number_text(change.before),
                     number_text(change.now));
}

} // namespace gridsmith
