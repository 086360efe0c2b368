// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/profile_check.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/check/counter_change.hpp"
#include "gridsmith/results/measurement/time_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

namespace gridsmith {
namespace {

const std::string shared_name = "SHARED"; // told only where it varies within one file

Configuration shape_of(const Measurement& measurement) {
  return measurement.configuration.without(shared_name);
}

bool same_shape(const Measurement& one, const Measurement& other) {
  const bool both = find_value(one.configuration, shared_name) != nullptr &&
                    find_value(other.configuration, shared_name) != nullptr;
  return both ? one.configuration == other.configuration : shape_of(one) == shape_of(other);
}

std::string kernels_text(const ProfiledRun& run) {
  std::set<std::string> names;
  for (const Recording& one : run.recordings)
    names.insert(one.kernel);
  return fmt::format("{} has {}", run.file,
                     names.empty() ? "none" : fmt::to_string(fmt::join(names, ", ")));
}

bool same_device(const Device& one, const Device& other) {
  return one.name.empty() || other.name.empty() || one.name == other.name;
}

CheckCase case_of(const Recording& recording, const Measurement& measurement) {
  CheckCase one;
  one.kernel = recording.kernel;
  one.where = recording.device.name;
  one.configuration = to_text(measurement.configuration);
  one.weaker = true;
  return one;
}

std::vector<const Recording*> of_kernel(const ProfiledRun& run, const std::string& kernel) {
  std::vector<const Recording*> found;
  for (const Recording& one : run.recordings)
    if (one.kernel == kernel)
      found.push_back(&one);
  return found;
}

/// Finds the launches that answer these, or says in one line why there are none.
const Measurement* counterpart(const Recording& before, const Measurement& wanted,
                               const ProfiledRun& now, CheckCase& one) {
  const std::vector<const Recording*> kernels = of_kernel(now, before.kernel);
  if (kernels.empty()) {
    one.verdict = CheckVerdict::missing;
    one.reason = now.file + " has no launch of it";
    return nullptr;
  }
  const auto there = std::find_if(kernels.begin(), kernels.end(), [&](const Recording* other) {
    return same_device(before.device, other->device);
  });
  if (there == kernels.end()) {
    one.verdict = CheckVerdict::incomparable;
    one.reason = fmt::format("launched on {} before, on {} now", before.device.name,
                             kernels.front()->device.name);
    return nullptr;
  }
  for (const Measurement& other : (*there)->measurements)
    if (same_shape(wanted, other))
      return &other;
  one.verdict = CheckVerdict::incomparable;
  one.reason =
      fmt::format("launched as {} now", to_text((*there)->measurements.front().configuration));
  return nullptr;
}

/// By the ratios of launches of the same number.
void judge_pairs(const std::vector<double>& before_ms, const std::vector<double>& now_ms,
                 const PairRules& rules, CheckCase& one) {
  std::vector<double> ratios;
  ratios.reserve(now_ms.size());
  for (std::size_t i = 0; i < now_ms.size(); ++i)
    ratios.push_back(now_ms[i] / before_ms[i]);
  Judged judged = judge_times(ratios, 1, 1, 1, rules);
  judged.time.old_ms = summarise(before_ms)->median_ms;
  judged.time.new_ms = summarise(now_ms)->median_ms;
  judged.time.pairs = static_cast<int>(ratios.size());
  judged.time.ratios = std::move(ratios);
  one.verdict = judged.verdict;
  one.reason = judged.reason;
  one.time = std::move(judged.time);
}

/// In place of times.
void judge_by_counters(const std::vector<CounterChange>& changes, CheckCase& one) {
  const auto any = [&](bool CounterChange::* is) {
    return std::any_of(changes.begin(), changes.end(),
                       [is](const CounterChange& change) { return change.*is; });
  };
  one.reason = "by its counters, there are no times";
  if (any(&CounterChange::worse)) {
    one.verdict = CheckVerdict::changed;
  } else if (any(&CounterChange::exact)) {
    one.verdict = CheckVerdict::different;
  } else if (!changes.empty()) { // bytes and hits scatter: they prove nothing alone
    one.verdict = CheckVerdict::undecided;
    one.reason = "there are no times, and counters that are not exact differ";
  } else {
    one.verdict = CheckVerdict::same;
  }
}

/// What counters say with times, or in their place.
void judge_counters(const CounterValues& before, const CounterValues& now,
                    const ProfileRules& rules, CheckCase& one) {
  const std::vector<CounterChange> changes = counter_changes(before, now);
  std::transform(changes.begin(), changes.end(), std::back_inserter(one.changes),
                 [](const CounterChange& change) { return to_text(change); });
  if (!one.time) {
    if (any_in_both(before, now))
      judge_by_counters(changes, one);
    return;
  }
  const bool passes = one.verdict == CheckVerdict::same || one.verdict == CheckVerdict::faster ||
                      one.verdict == CheckVerdict::undecided;
  if (passes && rules.exact_counters &&
      std::any_of(changes.begin(), changes.end(),
                  [](const CounterChange& change) { return change.worse; }))
    one.verdict = CheckVerdict::changed;
}

void judge(const Measurement& before, const Measurement& now, const ProfileRules& rules,
           CheckCase& one) {
  const auto &before_ms = before.times_ms, &now_ms = now.times_ms;
  one.verdict = CheckVerdict::incomparable;
  if (before_ms.empty() != now_ms.empty() || (before_ms.empty() && now.counters.empty())) {
    one.reason = fmt::format("no times {} (ncu: --metrics gpu__time_duration.sum)",
                             before_ms.empty() ? "before" : "now");
  } else if (before_ms.size() != now_ms.size()) {
    one.reason = fmt::format("{} before, {} now: they are not the same run",
                             counted(before_ms.size(), "launch"), counted(now_ms.size(), "launch"));
  } else {
    if (!now_ms.empty())
      judge_pairs(before_ms, now_ms, rules.times, one);
    else
      one.reason = "no times, and no counter that is known is in both";
    judge_counters(before.counters, now.counters, rules, one);
  }
}

CheckResult empty_result(const std::string& before, const ProfileRules& rules) {
  CheckResult result;
  result.date = utc_now();
  result.baseline = before;
  result.least_effect = rules.times.least_effect;
  return result;
}

/// Of times, unless counters alone were compared.
void say_how(CheckResult& result, const ProfiledRun& now, const ProfileRules& rules) {
  const auto any = [&](auto is) { return std::ranges::any_of(result.cases, is); };
  const bool by_counters =
      any([](const CheckCase& one) { return one.verdict < CheckVerdict::incomparable; }) &&
      !any([](const CheckCase& one) { return one.time.has_value(); });
  const std::string what = by_counters
                               ? "counters of two sessions"
                               : fmt::format("times of two sessions, so only {:g} % counts",
                                             100 * rules.times.widened * rules.times.least_effect);
  result.how = fmt::format("{}: {}, then {}", what, result.baseline, now.file);
}

void note_new(CheckResult& result, const ProfiledRun& now, const std::set<std::string>& known,
              const std::string& before) {
  std::set<std::string> added;
  for (const Recording& one : now.recordings)
    if (!known.contains(one.kernel))
      added.insert(one.kernel);
  if (!added.empty())
    result.notes.push_back(fmt::format("not in {}: {}", before, fmt::join(added, ", ")));
}

/// The shape of a profile's launch with this geometry.
bool has_geometry(const Measurement& measurement, const Geometry& geometry) {
  return std::equal(std::begin(geometry.grid), std::end(geometry.grid),
                    std::begin(measurement.geometry.grid)) &&
         std::equal(std::begin(geometry.block), std::end(geometry.block),
                    std::begin(measurement.geometry.block)) &&
         (!find_value(measurement.configuration, shared_name) ||
          measurement.geometry.dynamic_shared_bytes == geometry.dynamic_shared_bytes);
}

CheckCase case_of(const BaselineEntry& entry) {
  CheckCase one;
  one.kernel = entry.kernel;
  one.problem = entry.problem;
  one.where = entry.time->device;
  one.configuration = to_text(entry.configuration);
  one.weaker = true;
  return one;
}

/// A store and foreign recordings may have no samples of it.
void judge_launches(const BaselineEntry& entry, const Measurement& launches,
                    const ProfileRules& rules, CheckCase& one) {
  const KnownTime& known = *entry.time;
  if (launches.times_ms.empty() || !(known.low_ms > 0)) {
    one.reason = fmt::format("no times {}", launches.times_ms.empty() ? "now" : "before");
  } else {
    Judged judged =
        judge_times(launches.times_ms, known.median_ms, known.low_ms, known.high_ms, rules.times);
    one.verdict = judged.verdict;
    one.reason = judged.reason;
    one.time = std::move(judged.time);
  }
  judge_counters(entry.counters, launches.counters, rules, one);
}

void judge(const BaselineEntry& entry, const std::string& function, const ProfiledRun& now,
           const ProfileRules& rules, CheckCase& one) {
  const std::vector<const Recording*> kernels = of_kernel(now, function);
  if (kernels.empty()) {
    one.verdict = CheckVerdict::missing;
    one.reason = fmt::format("{} has no launch of {}", now.file,
                             function.empty() ? "a kernel without a definition" : function);
    return;
  }
  Device known;
  known.name = entry.time->device;
  one.verdict = CheckVerdict::incomparable;
  one.reason = entry.geometry == Geometry{} // what a recording from elsewhere may not state
                   ? "it is not known with which geometry it was launched before"
                   : fmt::format("no launch on {} has its geometry", known.name);
  for (const Recording* recording : kernels)
    for (const Measurement& launches : recording->measurements) {
      if (!same_device(known, recording->device) || !has_geometry(launches, entry.geometry))
        continue;
      judge_launches(entry, launches, rules, one);
      return;
    }
}

} // namespace

void keep_named(const std::vector<std::string>& kernels, std::vector<Recording>& before,
                std::vector<Recording>& now) {
  if (kernels.empty())
    return;
  std::set<std::string> known;
  for (const std::vector<Recording>* run : {&before, &now})
    for (const Recording& one : *run)
      known.insert(one.kernel);
  const std::vector<std::string> names(known.begin(), known.end());
  for (const std::string& kernel : kernels)
    if (!known.contains(kernel))
      throw InputError(unknown_name("kernel of the profiles", kernel, names));
  for (std::vector<Recording>* run : {&before, &now})
    std::erase_if(*run, [&](const Recording& one) {
      return std::find(kernels.begin(), kernels.end(), one.kernel) == kernels.end();
    });
}

CheckResult profile_check(const ProfiledRun& before, const ProfiledRun& now,
                          const ProfileRules& rules) {
  CheckResult result = empty_result(before.file, rules);
  std::set<std::string> known;
  bool any = false;
  for (const Recording& recording : before.recordings) {
    known.insert(recording.kernel);
    any = any || !of_kernel(now, recording.kernel).empty();
    for (const Measurement& launches : recording.measurements) {
      CheckCase& one = result.cases.emplace_back(case_of(recording, launches));
      if (const Measurement* other = counterpart(recording, launches, now, one))
        judge(launches, *other, rules, one);
    }
  }
  if (!any)
    throw InputError(
        fmt::format("no kernel is in both: {}; {}", kernels_text(before), kernels_text(now)));
  say_how(result, now, rules);
  note_new(result, now, known, before.file);
  return result;
}

CheckResult profile_check(const Baseline& before, const ProfiledRun& now, const ProfileRules& rules,
                          const FunctionName& function_name) {
  CheckResult result = empty_result("the baseline", rules);
  std::set<std::string> known;
  bool any = false;
  for (const BaselineEntry& entry : before.entries) {
    if (!entry.time)
      continue;
    const std::string function = function_name(entry);
    known.insert(function);
    any = any || !of_kernel(now, function).empty();
    judge(entry, function, now, rules, result.cases.emplace_back(case_of(entry)));
  }
  if (!any)
    throw InputError(fmt::format("none of the baseline's kernels with a time ({}) was launched: {}",
                                 known.empty() ? "none" : fmt::to_string(fmt::join(known, ", ")),
                                 kernels_text(now)));
  say_how(result, now, rules);
  note_new(result, now, known, "the baseline");
  return result;
}

} // namespace gridsmith
