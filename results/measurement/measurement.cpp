// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/measurement.hpp"

#include "gridsmith/metrics/catalogue/counter_sets.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace gridsmith {

std::optional<TimeSummary> time_of(const Measurement& measurement) {
  const auto& [stated, samples] = std::tie(measurement.reported_ms, measurement.times_ms);
  const bool alone = stated && (samples.empty() || samples == std::vector{*stated});
  if (!alone)
    return summarise(samples);
  TimeSummary time = *summarise({*stated});
  time.samples = 0;
  return time;
}

std::optional<double> cost_ms(const Measurement& measurement) {
  const auto time = measurement.correct() ? time_of(measurement) : std::nullopt;
  return time ? std::optional(time->median_ms) : std::nullopt;
}

std::string counted_text(const Measurement& measurement) {
  const auto& counted = measurement.counted;
  if (!counted)
    return "";
  std::string text = "more counters read " + counted->date.substr(0, 10);
  text += counted->driver.empty() ? "" : ", driver " + counted->driver;
  return text + (counted->toolkit.empty() ? "" : ", toolkit " + counted->toolkit);
}

std::string launched_as(const Measurement& measurement) {
  return measurement.same_code_as.empty() ? to_text(measurement.configuration)
                                          : measurement.same_code_as;
}

std::size_t count_shared(std::span<const Measurement> measurements) {
  return static_cast<std::size_t>(
      std::count_if(measurements.begin(), measurements.end(),
                    [](const Measurement& one) { return !one.same_code_as.empty(); }));
}

bool compile_given_up(const Measurement& measurement) {
  // Records of earlier versions say it in other words, but no other time-out begins so.
  return measurement.status == Status::timeout && measurement.reason.starts_with("compilation ");
}

namespace {

/// Without what was added later: no search would have been told it.
CounterValues counted_with_times(const Measurement& measurement) {
  if (!measurement.counted)
    return measurement.counters;
  CounterValues own;
  for (const std::string& name : wanted_counters(measurement.conditions.counter_set, "").names)
    if (const auto found = measurement.counters.find(name); found != measurement.counters.end())
      own.insert(*found);
  return own;
}

} // namespace

std::map<std::string, double> facts_of(const Measurement& measurement) {
  std::map<std::string, double> facts = counted_with_times(measurement);
  if (const auto& compiled = measurement.compile_facts) {
    facts["registers"] = compiled->registers_per_thread;
    if (const auto spills = compiled->spill_bytes())
      facts["spill_bytes"] = static_cast<double>(*spills);
    facts["static_shared_bytes"] = static_cast<double>(compiled->static_shared_bytes);
    if (compiled->local_bytes)
      facts["local_bytes"] = static_cast<double>(*compiled->local_bytes);
  }
  return facts;
}

namespace {

/// Whether one who was dropped early under these rules might stay longer under those asked.
bool asks_more(const Sampling& asked, const Sampling& had) {
  return asked.interval < had.interval || asked.min_samples > had.min_samples ||
         asked.max_samples > had.max_samples || asked.max_ms > had.max_ms;
}

} // namespace

bool satisfies(const Measurement& record, const Conditions& asked) {
  if (record.status == Status::timeout)
    return !compile_given_up(record) && record.conditions.timeout_s >= asked.timeout_s;
  if (!record.correct())
    return true;
  if (record.pruned_early)
    return asked.sampling.prune && !asks_more(asked.sampling, record.conditions.sampling);
  return next_step(record.times_ms, std::nullopt, asked.sampling) == NextStep::settled ||
         record.conditions.sampling == asked.sampling;
}

} // namespace gridsmith
