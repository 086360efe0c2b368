// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/counter_change.hpp"

#include "gridsmith/base/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
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
  return cupti.ends_with(".sum") &&
         std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return cupti.starts_with(start); });
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
                       bool exact) {
    if (was && is && distance(*was, *is) > std::log1p(exact ? tolerance : scatter_of_counters))
      changes.push_back({std::move(what), *was, *is, exact});
  };
  for (const Quotient& one : quotients)
    add(one.what, value_of_quotient(one, before), value_of_quotient(one, now), true);
  const auto first_plain = static_cast<std::ptrdiff_t>(changes.size());
  for (const Counter& counter : counter_catalogue())
    if (counter.name != "duration_ns") // of the counted launch, which is not the kernel's own
      add(plain_name(counter), value_of(counter, before), value_of(counter, now),
          is_exact(counter.cupti));
  std::stable_sort(changes.begin() + first_plain, changes.end(),
                   [](const CounterChange& a, const CounterChange& b) {
                     return a.exact != b.exact
                                ? a.exact
                                : distance(a.before, a.now) > distance(b.before, b.now);
                   });
  return changes;
}

std::string to_text(const CounterChange& change) {
  return fmt::format("{} {} → {}", change.what, number_text(change.before),
                     number_text(change.now));
}

} // namespace gridsmith
