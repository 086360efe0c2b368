// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/limits.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/ranges.hpp"

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <utility>

namespace gridsmith {
namespace {

void check_positive(const char* field, double value, double most) {
  if (!(value > 0 && value <= most)) // so that nan is refused
    throw InputError(fmt::format("{}: {}", field, not_positive(fmt::to_string(value), most)));
}

template <std::integral Count>
void check_count(const char* field, Count value, std::uint64_t most = any_count) {
  if (std::cmp_less(value, 1) || std::cmp_greater(value, most))
    throw InputError(fmt::format("{}: {}", field, not_a_count(fmt::to_string(value), 1, most)));
}

} // namespace

void check_limits(const SessionSettings& settings) {
  const Conditions& conditions = settings.conditions;
  check_positive("conditions.timeout_s", conditions.timeout_s, longest_launch_s);
  check_count("conditions.sampling.max_samples", conditions.sampling.max_samples, most_samples);
  for (const int mhz : settings.clocks)
    check_count("clocks", mhz, fastest_clock_mhz);
  if (conditions.locked_clock_mhz)
    check_count("conditions.locked_clock_mhz", *conditions.locked_clock_mhz, fastest_clock_mhz);
  if (settings.budget.seconds)
    check_positive("budget.seconds", *settings.budget.seconds, longest_s);
  if (settings.budget.evaluations)
    check_count("budget.evaluations", *settings.budget.evaluations);
  if (!settings.compile_timeout.adapts)
    check_positive("compile_timeout.seconds", settings.compile_timeout.seconds,
                   std::numeric_limits<double>::infinity());
  if (settings.helpers.compilers)
    check_count("compilers", *settings.helpers.compilers, most_processes);
  if (settings.store && settings.store->empty())
    throw InputError("store: '' is no name of a file");
}

} // namespace gridsmith
