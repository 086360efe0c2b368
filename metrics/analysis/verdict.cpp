// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/analysis/verdict.hpp"

#include "gridsmith/base/number_text.hpp"
#include "gridsmith/metrics/analysis/rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// Without counters of its own: what passes the link between host and device is the time of a launch whose
/// bytes and operations are next to nothing for the device.
bool is_transfer(const LaunchModel& launch) {
  constexpr double next_to_nothing = 0.1;
  return launch.facts().transfers && launch("percent_of_copy") < 100 * next_to_nothing &&
         !(launch("percent_of_fp32_peak") >= 100 * next_to_nothing);
}

Bound bound_of(const LaunchModel& launch, const std::vector<Finding>& findings) {
  const bool all_counted = launch.all_waits() > 0 && launch.all_looked_at();
  const double busiest = launch.busy(launch.busiest());
  if (is_transfer(launch))
    return Bound::transfer;
  if (!findings.empty() && findings.front().cause == Cause::launch_bound)
    return Bound::launch;
  if (busiest < limit && !all_counted)
    return Bound::unknown;
  if (busiest < latency)
    return Bound::latency;
  return is_memory(launch.busiest()) ? Bound::bandwidth : Bound::compute;
}

/// "DRAM runs at 95 % of the highest rate measured", "84 % of the issue slots".
std::string busy_text(Unit unit, const LaunchModel& launch) {
  const double percent = launch.percent(unit);
  if (!launch.looked_at(
          unit)) // what DRAM has to give by the work model; the FP32 pipe has words of its own
    return percent >= 99.5
               ? "the work model's bytes need the full rate of a copy"
               : fmt::format("the work model's bytes need {:.0f} % of the rate of a copy", percent);
  if (launch.of_measured(unit))
    return percent >= 99.5 ? fmt::format("{} runs at the highest rate measured", to_text(unit))
                           : fmt::format("{} runs at {:.0f} % of the highest rate measured",
                                         to_text(unit), percent);
  if (unit == Unit::issue)
    return fmt::format("{:.0f} % of the issue slots", percent);
  const double reached = 100 * launch.busy(unit);
  constexpr double far = 10; // percent: the L2's peak is no rate that a kernel comes near
  return fmt::format("{} runs at {:.0f} % of its peak", to_text(unit), percent) +
         (reached > percent + far
              ? fmt::format(" ({:.0f} % of the rate that it can reach)", reached)
              : "");
}

/// The busiest, and what is busy beside it.
std::string busiest_text(const LaunchModel& launch) {
  const Unit most = launch.busiest();
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const bool by_model = !is_memory(most) && launch.fp32_by_model() >= latency;
  if (by_model)
    add(fmt::format("{:.0f} % of the FP32 peak", 100 * launch.fp32_by_model()));
  if (!by_model || most != Unit::fma)
    add(busy_text(most, launch));
  for (std::size_t i = 0; i < unit_count; ++i) {
    const auto unit = static_cast<Unit>(i);
    if (unit != most && !(by_model && unit == Unit::fma) &&
        launch.busy(unit) > launch.busy(most) - balanced && launch.busy(unit) >= latency)
      add(busy_text(unit, launch));
  }
  return text;
}

/// What is known, and what was not looked at.
std::string unknown_text(const LaunchModel& launch) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> known, missing;
  for (std::size_t i = 0; i < unit_count; ++i) {
    const auto unit = static_cast<Unit>(i);
    if (launch.looked_at(unit))
      known.push_back(busy_text(unit, launch));
    else
      missing.emplace_back(to_text(unit));
  }
  if (launch.facts().metrics.counters.empty())
    return "nothing was counted";
  if (known.empty() && launch.all_waits() == 0)
    return "neither how busy units were nor what warps wait for was counted";
  std::string text;
  if (missing.size() > most_named)
    text = fmt::format("{} of {} units", missing.size(), unit_count);
  else
    text = fmt::format("{}", fmt::join(missing, ", "));
  if (launch.all_waits() == 0)
    text += std::string(text.empty() ? "" : " and ") + "what warps wait for";
  text += " were not counted";
  return known.empty() ? text : fmt::format("{}; {}", fmt::join(known, ", "), text);
}

std::string text_of(Bound bound, const LaunchModel& launch) {
  switch (bound) {
  case Bound::unknown:
    return "not known what limits it: " + unknown_text(launch);
  case Bound::launch:
    return fmt::format("bound by launching it: {:.1f} us", launch.duration_us());
  case Bound::transfer:
    return fmt::format("bound by the transfer between host and device: copied on the device its {} "
                       "would take {:.2g} % of the time",
                       bytes_text(launch("model_bytes")), launch("percent_of_copy"));
  case Bound::latency:
    return fmt::format("bound by latency: no unit is busy, the busiest is {} with {:.0f} %",
                       to_text(launch.busiest()), launch.percent(launch.busiest()));
  case Bound::bandwidth:
    return "bound by bandwidth: " + busiest_text(launch);
  case Bound::compute:
    return "bound by compute: " + busiest_text(launch);
  }
  return "";
}

/// What cannot be estimated comes last, but for the launch that is too short for anything else to
/// matter.
double rank(const Finding& finding) {
  if (finding.cause == Cause::launch_bound)
    return 1e9;
  return finding.gain ? finding.gain->likely : 0;
}

/// Nothing where something that the rule reads was not counted.
std::optional<Finding> asked(const Rule& rule, const LaunchModel& launch) {
  std::vector<std::string> evidence = evidence_of(rule);
  if (!std::all_of(evidence.begin(), evidence.end(),
                   [&](const std::string& name) { return launch.counted(name); }))
    return std::nullopt;
  auto finding = rule.look(launch);
  if (finding)
    finding->evidence = std::move(evidence);
  return finding;
}

} // namespace

bool is_small(const Finding& finding) {
  return finding.gain && finding.gain->likely < worth_a_change;
}

bool Verdict::clean() const {
  return std::all_of(findings.begin(), findings.end(), is_small);
}

std::string Verdict::headline() const {
  if (clean())
    return bound_text;
  const Finding& first = findings.front();
  return first.gain ? fmt::format("{}: {} ({} without it)", to_text(first.cause), first.what,
                                  to_text(*first.gain))
                    : fmt::format("{}: {}", to_text(first.cause), first.what);
}

std::vector<std::string> evidence_of(const Rule& rule) {
  std::vector<std::string> names(rule.reads.begin(), rule.reads.end());
  if (rule.units)
    for (std::string& name : unit_counters())
      names.push_back(std::move(name));
  if (rule.waits)
    for (std::string& name : wait_counters())
      names.push_back(std::move(name));
  return names;
}

Verdict judge(const LaunchFacts& facts) {
  const LaunchModel launch(facts);
  const bool complete = launch.all_waits() > 0 && launch.all_looked_at();
  Verdict verdict;
  for (const auto rules : {shape_rules(), memory_rules(), compute_rules()})
    for (const Rule& rule : rules)
      if (auto finding = asked(rule, launch)) {
        const bool little = finding->gain && finding->gain->likely < worth_naming;
        if (little && (complete || rule.at_most))
          continue;
        if (!complete) // what was not looked at may take as long
          finding->gain.reset();
        verdict.findings.push_back(std::move(*finding));
      }
  std::stable_sort(verdict.findings.begin(), verdict.findings.end(),
                   [](const Finding& a, const Finding& b) { return rank(a) > rank(b); });
  for (Finding& one : verdict.findings)
    if (facts.code && one.about)
      one.places = lines_of(*facts.code, one.about);
  verdict.bound = bound_of(launch, verdict.findings);
  verdict.bound_text = text_of(verdict.bound, launch);
  verdict.busy = std::min(1.0, launch.busy(launch.busiest()));
  return verdict;
}

} // namespace gridsmith
