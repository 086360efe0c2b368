// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/limits.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/ranges.hpp"
#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>

#include <cmath>
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
void check_count(const char* field, Count value, std::uint64_t most = any_count,
                 std::uint64_t least = 1) {
  if (std::cmp_less(value, least) || std::cmp_greater(value, most))
    throw InputError(fmt::format("{}: {}", field, not_a_count(fmt::to_string(value), least, most)));
}

} // namespace

void check_limits(const SessionSettings& settings) {
  const Conditions& conditions = settings.conditions;
  check_positive("timeout", conditions.timeout_s, longest_launch_s);
  check_count("samples", conditions.sampling.max_samples, most_samples);
  check_positive("interval", conditions.sampling.interval, 1);
  check_count("finalists", settings.finals.most, most_finalists, 0);
  check_count("calibrate", settings.calibrate, most_drawn_or_added, 0);
  check_count("add", settings.add, most_drawn_or_added, 0);
  for (const int mhz : settings.clocks)
    check_count("clocks", mhz, fastest_clock_mhz);
  if (conditions.locked_clock_mhz)
    check_count("locked_clock_mhz", *conditions.locked_clock_mhz, fastest_clock_mhz);
  if (settings.budget.seconds)
    check_positive("seconds", *settings.budget.seconds, longest_s);
  if (settings.budget.evaluations)
    check_count("evaluations", *settings.budget.evaluations);
  if (!settings.compile_timeout.adapts)
    check_positive("compile_timeout", settings.compile_timeout.seconds,
                   std::numeric_limits<double>::infinity());
  if (settings.helpers.compilers)
    check_count("compilers", *settings.helpers.compilers, most_processes);
  for (const double weight : settings.weights)
    if (!std::isfinite(weight) || weight <= 0)
      throw InputError(fmt::format("weights: {} is not a number above 0", weight));
  if (!settings.weights.empty() && !settings.across)
    throw InputError("weights: are of the sizes in one search over all, with 'across'");
  if (!settings.weights.empty() && settings.weights.size() != settings.problems.size())
    throw InputError(fmt::format("weights: {} for {}", settings.weights.size(),
                                 counted(settings.problems.size(), "size")));
  for (const int device : settings.devices)
    if (device < 0)
      throw InputError(fmt::format("devices: {} is no number of a GPU; the first is 0", device));
  if (!settings.only.empty() && settings.budget.evaluations)
    throw InputError("give 'only' or 'evaluations', not both");
  if (!settings.only.empty() && settings.own_strategy)
    throw InputError("give 'only' or a strategy of yours, not both");
  if (settings.store && settings.store->empty())
    throw InputError("store: '' is no name of a file");
}

} // namespace gridsmith
