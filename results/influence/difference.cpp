// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/influence/difference.hpp"

#include "gridsmith/results/measurement/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

namespace gridsmith {
namespace {

// What counts instructions and what they asked for is the same in every run of most kernels; caches,
// DRAM and what is averaged over time vary.
constexpr double steady_ratio = 1.02, varying_ratio = 1.1;
constexpr double least_part = 0.01; // of the most that is counted in the same unit
constexpr double least_points = 2;  // of a percentage
constexpr double from_nothing = 8;  // a change from or to 0 counts as this ratio
constexpr double same_ratio = 0.02; // of its logarithm
// Weights beside the share of variance of what is known to matter.
constexpr double unknown_weight = 0.05, against_weight = 0.01;

/// Logarithm of to / from.
double change(const Difference& one) {
  if (one.from > 0 && one.to > 0)
    return std::log(one.to / one.from);
  return one.to > one.from ? std::log(from_nothing) : -std::log(from_nothing);
}

bool varies(std::string_view cupti) {
  return cupti.starts_with("dram__") || cupti.starts_with("lts__") || !cupti.ends_with(".sum");
}

double least_ratio(const Quantity& quantity) {
  if (quantity.is_fact()) // exact, but a register more or less is nothing
    return varying_ratio;
  bool any = false;
  if (const Metric* metric = find_metric(quantity.name))
    for (const std::string_view counter : counters_of(*metric))
      any = any || varies(find_counter(counter)->cupti);
  else if (const Counter* counter = find_counter(quantity.name))
    any = varies(counter->cupti);
  else
    any = varies(quantity.name);
  return any ? varying_ratio : steady_ratio;
}

bool within_noise(const Difference& one) {
  if (one.from == one.to || std::abs(change(one)) < std::log(least_ratio(one.quantity)))
    return true;
  return one.quantity.unit == "%" && std::abs(one.to - one.from) < least_points;
}

/// Whether it is a sum over the GPU, which others dwarf.
bool is_sum(const Quantity& quantity) {
  if (quantity.is_fact())
    return false;
  const Counter* counter = find_counter(quantity.name);
  return quantity.unit == "B" ||
         (quantity.kind == Quantity::Kind::counter && counter && counter->cupti.ends_with(".sum"));
}

/// What it is a part of, beside which it may be too little to matter; "": of nothing.
std::string whole_of(const Quantity& quantity) {
  if (quantity.name.starts_with("stall_"))
    return "waiting";
  return is_sum(quantity) ? "sums of " + quantity.unit : "";
}

/// Leaves out what changed by little beside the largest of its kind.
void leave_out_dwarfed(std::vector<Difference>& differences, const std::vector<Difference>& all) {
  std::erase_if(differences, [&](const Difference& one) {
    const std::string whole = whole_of(one.quantity);
    double most = 0;
    for (const Difference& other : all)
      if (whole_of(other.quantity) == whole)
        most = std::max({most, other.from, other.to});
    return !whole.empty() && std::abs(one.to - one.from) < least_part * most;
  });
}

/// Leaves out what DRAM does where its data sheet's rate would do that in next to no part of the time.
void leave_out_light(std::vector<Difference>& differences, const std::vector<Difference>& all,
                     const Contrast& times, const Device& device) {
  constexpr double of_weight = 0.05;
  const auto bytes = std::find_if(all.begin(), all.end(), [](const Difference& one) {
    return one.quantity.name == "dram_bytes";
  });
  const double per_ms = device.peak_dram_gb_per_s * 1e6; // 0: not known
  if (bytes == all.end() || !(bytes->from < of_weight * times.from_ms * per_ms) ||
      !(bytes->to < of_weight * times.to_ms * per_ms))
    return;
  std::erase_if(differences,
                [](const Difference& one) { return one.quantity.name.starts_with("dram"); });
}

double score(const Difference& one) {
  const double size = std::abs(change(one));
  if (one.agrees == false)
    return against_weight * size;
  return (one.share ? *one.share : unknown_weight) * size;
}

/// Whether the change goes with that of the time.
std::optional<bool> agreement(const Difference& one, const Explanation* explanation,
                              const Contrast& times) {
  const bool faster = times.to_ms < times.from_ms;
  if (!times.told_apart)
    return std::nullopt;
  // The exponent is that of the one named; what is like it may run against it.
  if (explanation && explanation->quantity == one.quantity.name)
    return (change(one) * explanation->exponent < 0) == faster;
  const auto improved = one.improved();
  return improved ? std::optional(*improved == faster) : std::nullopt;
}

/// @param plainer stands before
bool tell_the_same(const Difference& one, const Difference& plainer, const Influence& known) {
  const Explanation* explanation = known.explanation(one.quantity.name);
  if (explanation && explanation == known.explanation(plainer.quantity.name))
    return true;
  if (const Metric* metric = find_metric(plainer.quantity.name)) {
    const auto counters = counters_of(*metric);
    if (std::find(counters.begin(), counters.end(), one.quantity.name) != counters.end())
      return true;
  }
  return std::abs(std::abs(change(one) / change(plainer)) - 1) < same_ratio;
}

/// Of those that tell the same the plainest, which stands first.
void keep_plainest(std::vector<Difference>& differences, const Influence& known) {
  std::vector<Difference> kept;
  for (Difference& one : differences)
    if (std::none_of(kept.begin(), kept.end(),
                     [&](const Difference& other) { return tell_the_same(one, other, known); }))
      kept.push_back(std::move(one));
  differences = std::move(kept);
}

/// What matters most first; what runs against the time only where there is nothing else.
void rank(std::vector<Difference>& differences, std::size_t most) {
  std::stable_sort(differences.begin(), differences.end(),
                   [](const auto& a, const auto& b) { return score(a) > score(b); });
  const auto against = std::find_if(differences.begin(), differences.end(),
                                    [](const Difference& one) { return one.agrees == false; });
  if (against != differences.begin())
    std::erase_if(differences, [](const Difference& one) { return one.agrees == false; });
  if (differences.size() > most)
    differences.resize(most);
}

/// Whether it says why the second is the faster one.
bool is_reason(const Difference& one) {
  constexpr double weight = 1; // warps that wait, on average, at each instruction issued
  if (one.agrees == false ||
      std::abs(change(one)) < std::log(varying_ratio)) // by little: no reason
    return false;
  if (one.quantity.name.starts_with("stall_")) // not selected: others were ready, nothing was lost
    return one.to < one.from && one.from >= weight && one.quantity.name != "stall_not_selected";
  if (one.quantity.better != Better::neither)
    return one.improved() == true;
  return one.quantity.kind == Quantity::Kind::counter && is_sum(one.quantity) && one.to < one.from;
}

} // namespace

std::optional<bool> Difference::improved() const {
  if (quantity.better == Better::neither || from == to)
    return std::nullopt;
  return (to > from) == (quantity.better == Better::higher);
}

std::vector<Difference> reasons(const Contrast& contrast, std::size_t most) {
  std::vector<Difference> found;
  if (!contrast.told_apart || !(contrast.to_ms < contrast.from_ms))
    return found;
  std::copy_if(contrast.differences.begin(), contrast.differences.end(), std::back_inserter(found),
               is_reason);
  found.resize(std::min(found.size(), most));
  return found;
}

Contrast contrast(const Measurement& from, const Measurement& to, const Recording& recording,
                  const Influence& known, std::size_t most) {
  Contrast result;
  result.from_ms = cost_ms(from).value_or(0);
  result.to_ms = cost_ms(to).value_or(0);
  const auto by_samples = told_apart(from, to);
  result.few_samples = !by_samples;
  result.told_apart = by_samples.value_or(std::abs(std::log(result.to_ms / result.from_ms)) >=
                                          std::log(same_time_ratio));
  std::vector<Difference> all; // and what is the same in both
  const Measurement* const both[] = {&from, &to};
  for (Quantity& quantity : quantities_of(both, recording)) {
    const auto before = quantity.value(from, recording);
    const auto after = quantity.value(to, recording);
    if (quantity.of_time || !before || !after)
      continue;
    const Explanation* explanation = known.explanation(quantity.name);
    Difference one{std::move(quantity), *before, *after, std::nullopt, std::nullopt};
    if (explanation)
      one.share = explanation->share;
    one.agrees = agreement(one, explanation, result);
    all.push_back(std::move(one));
  }
  std::copy_if(all.begin(), all.end(), std::back_inserter(result.differences),
               [](const Difference& one) { return !within_noise(one); });
  leave_out_dwarfed(result.differences, all);
  leave_out_light(result.differences, all, result, recording.device);
  keep_plainest(result.differences, known);
  rank(result.differences, most);
  return result;
}

} // namespace gridsmith
