#include "gridsmith/metrics/analysis/verdict.hpp"

#include "gridsmith/metrics/analysis/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

constexpr double limit = 0.8;    // of what a unit reaches: it is the bound
constexpr double latency = 0.6;  // ncu's "Speed of Light": below, latency
constexpr double balanced = 0.1; // ncu's rule

bool is_memory(Unit unit) {
  return unit == Unit::dram || unit == Unit::l2 || unit == Unit::l1_data ||
         unit == Unit::l1_requests || unit == Unit::constant;
}

Bound bound_of(const LaunchModel& launch, const std::vector<Finding>& findings) {
  const bool all_counted = launch.all_waits() > 0;
  if (launch.duration_us() == 0 || (!all_counted && launch.busy(launch.busiest()) < limit))
    return Bound::unknown;
  if (!findings.empty() && findings.front().cause == Cause::launch_bound)
    return Bound::launch;
  if (launch.busy(launch.busiest()) < latency)
    return Bound::latency;
  return is_memory(launch.busiest()) ? Bound::bandwidth : Bound::compute;
}

std::string text_of(Bound bound, const LaunchModel& launch) {
  if (bound == Bound::unknown && launch.duration_us() == 0)
    return "not known what limits it: nothing was counted";
  if (bound == Bound::unknown)
    return fmt::format(
        "not known what limits it: DRAM is {:.0f} % busy, L2 {:.0f} %, and what else "
        "there is was not counted",
        100 * launch.busy(Unit::dram), 100 * launch.busy(Unit::l2));
  const Unit most = launch.busiest();
  std::string others;
  for (std::size_t i = 0; i < unit_count; ++i) {
    const auto unit = static_cast<Unit>(i);
    if (unit != most && launch.busy(unit) > launch.busy(most) - balanced &&
        launch.busy(unit) >= latency)
      others += fmt::format(", {} {:.0f} %", to_text(unit), 100 * launch.busy(unit));
  }
  const std::string busiest =
      fmt::format("{} is {:.0f} % busy{}", to_text(most), 100 * launch.busy(most), others);
  switch (bound) {
  case Bound::launch:
    return fmt::format("bound by launching it: {:.1f} us", launch.duration_us());
  case Bound::latency:
    return fmt::format("bound by latency: no unit is busy ({}, of what it reaches)", busiest);
  case Bound::bandwidth:
    return fmt::format("bound by bandwidth: {}, of what it reaches", busiest);
  default:
    return fmt::format("bound by compute: {}, of what it reaches", busiest);
  }
}

/// What cannot be estimated comes last, but for the launch that is too short for anything else to
/// matter.
double rank(const Finding& finding) {
  if (finding.cause == Cause::launch_bound)
    return 1e9;
  return finding.gain.value_or(0);
}

} // namespace

std::string Verdict::headline() const {
  if (findings.empty())
    return bound_text;
  const Finding& first = findings.front();
  return first.gain ? fmt::format("{}: {} (without it about {:.1f} times as fast)",
                                  to_text(first.cause), first.what, *first.gain)
                    : fmt::format("{}: {}", to_text(first.cause), first.what);
}

Verdict judge(const LaunchFacts& facts) {
  const LaunchModel launch(facts);
  Verdict verdict;
  for (const auto rules : {shape_rules(), memory_rules(), compute_rules()})
    for (const Rule rule : rules)
      if (auto finding = rule(launch);
          finding && finding->gain.value_or(2) >= worth_naming(finding->cause))
        verdict.findings.push_back(std::move(*finding));
  std::stable_sort(verdict.findings.begin(), verdict.findings.end(),
                   [](const Finding& a, const Finding& b) { return rank(a) > rank(b); });
  for (Finding& one : verdict.findings)
    if (facts.code && one.about)
      one.places = lines_of(*facts.code, one.about);
  verdict.bound = bound_of(launch, verdict.findings);
  verdict.bound_text = text_of(verdict.bound, launch);
  return verdict;
}

} // namespace gridsmith
