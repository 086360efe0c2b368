// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/explanation/explanation.hpp"

#include "gridsmith/base/number_text.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/results/measurement/derived.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

constexpr double worth_showing = 3; // percent
constexpr std::size_t told_in_short = 2;

/// Why counted and least bytes differ, where counters tell.
std::vector<std::string> differences(const LaunchModel& launch) {
  constexpr double same = 0.05;
  std::vector<std::string> reasons;
  const double read = launch("dram_read_bytes"), written = launch("dram_write_bytes");
  const double loaded = 32 * launch("load_sectors");
  const double stored = launch("store_data_bytes"); // sectors count once for each part written
  if (stored - written > same * stored)
    reasons.push_back(fmt::format("{} of its stores did not reach DRAM before it ended: the data "
                                  "was still in the L2, or overwritten there",
                                  bytes_text(stored - written)));
  if (loaded - read > same * loaded && loaded > 0)
    reasons.push_back(fmt::format("{} of its loads came from caches", bytes_text(loaded - read)));
  if (read - loaded > same * read && loaded >= 0)
    reasons.push_back(fmt::format("{} was read that no load asked for: sectors written in part, or "
                                  "spilled registers",
                                  bytes_text(read - loaded)));
  for (const std::string verb : {"load", "store"}) {
    const double sectors = launch(verb + "_sectors"), bytes = launch(verb + "_data_bytes");
    if (const double wasted = 32 * sectors - bytes; wasted > same * 32 * sectors)
      reasons.push_back(
          fmt::format("{} of the {}s' sectors was not used", bytes_text(wasted), verb));
  }
  return reasons;
}

std::vector<std::string> traffic_of(const LaunchModel& launch) {
  std::vector<std::string> lines;
  const double effective = launch("effective_gb_per_s"), counted = launch("dram_gb_per_s");
  if (std::isfinite(effective))
    lines.push_back(fmt::format("effective bandwidth {} GB/s: {} that the work model needs, over "
                                "the median of the timed launches",
                                number_text(effective), bytes_text(launch("model_bytes"))));
  if (std::isfinite(counted))
    lines.push_back(fmt::format("DRAM throughput {} GB/s: {} read and {} written, over the counted "
                                "launch's own {}",
                                number_text(counted), bytes_text(launch("dram_read_bytes")),
                                bytes_text(launch("dram_write_bytes")),
                                launch_time_text(launch.duration_us())));
  if (std::isfinite(effective) && std::isfinite(counted))
    lines.push_back(
        fmt::format("memory efficiency {:.3g}, the ratio of the two", launch("memory_efficiency")));
  if (std::isfinite(counted))
    for (std::string& reason : differences(launch))
      lines.push_back(std::move(reason));
  return lines;
}

LaunchWork work_of(const LaunchModel& launch) {
  const auto known = [&](std::string_view name, double factor = 1) {
    const double value = launch(name);
    return std::isfinite(value) ? std::optional(factor * value) : std::nullopt;
  };
  LaunchWork work;
  work.flops = known("fp32_gflop_per_s", launch.duration_us() * 1e3); // per ns
  if (!work.flops)
    work.flops = known("model_flops");
  work.fp64_flops = known("fp64_gflop_per_s", launch.duration_us() * 1e3);
  work.fp16_flops = known("fp16_gflop_per_s", launch.duration_us() * 1e3);
  // Operations of tensor cores are not counted; where they run, the model's are theirs.
  constexpr double next_to_none = 0.1;
  if (const auto model = known("model_flops");
      model && launch("tensor_percent") > 0 && work.flops.value_or(0) < next_to_none * *model)
    work.tensor_flops = model;
  work.dram_bytes = known("dram_bytes");
  work.l2_bytes = known("l2_gb_per_s", launch.duration_us() * 1e3);
  work.shared_bytes = known("shared_wavefronts", 128); // bytes of one pass
  work.time_ms = launch.duration_us() / 1e3;
  return work;
}

template <typename Kind, typename Value>
std::vector<std::pair<std::string, double>> shares(std::size_t count, const Value& value) {
  std::vector<std::pair<std::string, double>> all;
  for (std::size_t i = 0; i < count; ++i)
    if (const double percent = 100 * value(static_cast<Kind>(i)); percent >= worth_showing)
      all.emplace_back(Words<Kind>::list[i], percent);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return all;
}

} // namespace

std::string plain_words(Cause cause) {
  std::string words(to_text(cause));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string gain_text(const Finding& finding) {
  if (!finding.gain)
    return "the gain cannot be estimated";
  return (is_small(finding) ? "small: " : "") + to_text(*finding.gain) + " without it";
}

nlohmann::ordered_json finding_json(const Finding& finding) {
  nlohmann::ordered_json json = {{"cause", to_text(finding.cause)},
                                 {"what", finding.what},
                                 {"remedy", finding.remedy},
                                 {"gain", nullptr},
                                 {"gain_interval", nullptr},
                                 {"gain_text", gain_text(finding)},
                                 {"small", is_small(finding)},
                                 {"evidence", finding.evidence},
                                 {"places", nlohmann::ordered_json::array()}};
  if (const auto& gain = finding.gain) {
    json["gain"] = gain->likely;
    json["gain_interval"] = {gain->low, gain->high};
  }
  for (const LineCount& place : finding.places)
    json["places"].push_back({{"place", place.place}, {"instructions", place.instructions}});
  return json;
}

std::string how_to_count(const KernelDefinition* definition, const std::string& problem) {
  if (!definition || !is_kept(definition->file))
    return "'gridsmith tune --counters full' counts that on a GPU";
  return fmt::format("'gridsmith explain {} --size {}' counts that on a GPU",
                     kernel_word(definition->file), problem);
}

std::string why_text(const Verdict& verdict, const std::string& how_to_count) {
  std::string text = verdict.bound_text;
  for (std::size_t i = 0; i < std::min(told_in_short, verdict.findings.size()); ++i)
    text += fmt::format("; {}: {} ({})", plain_words(verdict.findings[i].cause),
                        verdict.findings[i].what, gain_text(verdict.findings[i]));
  if (verdict.bound == Bound::unknown)
    text += "; " + how_to_count;
  return text;
}

Verdict verdict_on(const Measurement& measurement, const Recording& recording) {
  return judge(launch_facts(measurement, recording.device, recording.peaks, recording.workload));
}

LaunchExplanation explain(const Recording& recording, const Measurement& measurement,
                          const CodeFacts* code, const CodeFacts* fast_math) {
  LaunchFacts facts =
      launch_facts(measurement, recording.device, recording.peaks, recording.workload);
  facts.code = code;
  facts.fast_math = fast_math;
  const LaunchModel launch(facts);
  LaunchExplanation found;
  found.configuration = measurement.configuration;
  found.time_ms = cost_ms(measurement);
  found.verdict = judge(facts);
  found.traffic = traffic_of(launch);
  found.roofline = roofline(work_of(launch), recording.peaks, recording.device);
  found.little = bytes_in_flight(launch);
  found.busy = busy_units(recording, measurement);
  if (launch.all_waits() > 0)
    found.waits = shares<Stall>(
        stall_count, [&](Stall stall) { return launch.waits(stall) / launch.all_waits(); });
  return found;
}

std::vector<std::pair<std::string, double>> busy_units(const Recording& recording,
                                                       const Measurement& measurement) {
  const LaunchFacts facts =
      launch_facts(measurement, recording.device, recording.peaks, recording.workload);
  const LaunchModel launch(facts);
  return shares<Unit>(unit_count, [&](Unit unit) {
    return launch.looked_at(unit) ? std::min(1.0, launch.percent(unit) / 100) : 0;
  });
}

} // namespace gridsmith
