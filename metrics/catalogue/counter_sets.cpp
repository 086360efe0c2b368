// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/catalogue/counter_sets.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/metrics/catalogue/metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::string_view one_pass = "default", everything = "full";

// One pass on every chip from Turing on, with one exception below. Only one more instruction
// counter fits; asynchronous copies earn the place, because where they are not 0 the sectors per
// load say nothing about the loads that matter.
const std::vector<std::string_view> default_set = {
    "duration_ns",        "load_sectors",        "store_sectors",          "load_instructions",
    "store_instructions", "dram_read_bytes",     "dram_write_bytes",       "warps_active_percent",
    "l2_read_sectors",    "l2_write_sectors",    "instructions_per_cycle", "sm_active_cycles",
    "sm_elapsed_cycles",  "dram_percent",        "async_copies",           "instructions",
    "l2_tag_percent",     "sm_active_cycles_max"};

/// Of the default set, what costs a second pass on a chip.
bool needs_another_pass(std::string_view counter, std::string_view chip) {
  return counter == "dram_percent" && chip.starts_with("TU");
}

const std::vector<std::string_view> shared_set = {"duration_ns",
                                                  "shared_load_instructions",
                                                  "shared_store_instructions",
                                                  "shared_load_wavefronts",
                                                  "shared_store_wavefronts",
                                                  "shared_load_conflicts",
                                                  "shared_store_conflicts"};

std::vector<std::string_view> all_of_profiler() {
  std::vector<std::string_view> all;
  for (const Counter& one : counter_catalogue())
    if (counter_kind(one.cupti) == CounterKind::profiler)
      all.push_back(one.name);
  return all;
}

std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    if (comma == list.npos)
      return parts;
    list.remove_prefix(comma + 1);
  }
}

class Collector {
public:
  explicit Collector(std::string_view chip) : chip_(chip) {}

  void add(std::string_view word) {
    if (const CounterSet* set = find_named(word, counter_sets()))
      return add_set(*set);
    if (const Counter* counter = find_counter(word))
      return add(*counter);
    if (const Metric* metric = find_metric(word))
      return add_all(counters_of(*metric));
    if (word.find("__") != word.npos && word.find('.') != word.npos)
      return add_name(word);
    throw unknown(word);
  }

  WantedCounters take() { return std::move(wanted_); }

private:
  void add_set(const CounterSet& set) {
    for (const std::string_view name : set.counters)
      if (set.name != one_pass || !needs_another_pass(name, chip_))
        add(*find_counter(name));
  }

  void add_all(const std::vector<std::string_view>& counters) {
    for (const std::string_view name : counters)
      add(*find_counter(name));
  }

  void add(const Counter& counter) {
    if (const auto name = name_on(counter, chip_))
      return add_name(*name);
    wanted_.missing.push_back(
        fmt::format("{} does not count {}: {}", chip_, counter.name, why_missing(counter, chip_)));
  }

  void add_name(std::string_view name) {
    if (std::find(wanted_.names.begin(), wanted_.names.end(), name) == wanted_.names.end())
      wanted_.names.emplace_back(name);
  }

  static InputError unknown(std::string_view word) {
    const std::vector<std::string> sets = names_in(counter_sets());
    std::vector<std::string> known = sets;
    for (const Counter& one : counter_catalogue())
      known.emplace_back(one.name);
    for (const Metric& one : metric_catalogue())
      known.push_back(one.name);
    const std::string nearest = nearest_name(word, known);
    return InputError(fmt::format(
        "unknown counter '{}'{}; there are the sets {}, the names that 'gridsmith counters' "
        "lists, and CUPTI's own with their rollup (\"sm__cycles_active.max\")",
        word, nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest),
        fmt::join(sets, ", ")));
  }

  std::string_view chip_;
  WantedCounters wanted_;
};

} // namespace

const std::vector<CounterSet>& counter_sets() {
  static const std::vector<CounterSet> sets = {
      {"none", "no counters: tune by time alone", {}},
      {one_pass,
       "global loads and stores, DRAM and L2 traffic, occupancy, instructions per cycle, in one "
       "pass; finalists are counted in full",
       default_set},
      {"shared", "shared-memory instructions, wavefronts and bank conflicts, in one pass",
       shared_set},
      {everything, "all that the analysis uses: 13 to 19 passes", all_of_profiler()},
  };
  return sets;
}

WantedCounters wanted_counters(std::string_view wanted, std::string_view chip) {
  Collector collector(chip);
  const std::vector<std::string_view> words = parts_of(wanted);
  if (words.size() > 1 && std::find(words.begin(), words.end(), "none") != words.end())
    throw InputError(
        fmt::format("counters '{}': none is no counter at all; give it alone", wanted));
  for (const std::string_view word : words)
    collector.add(word);
  return collector.take();
}

std::string counters_of_finals(std::string_view wanted) {
  std::vector<std::string_view> words = parts_of(wanted);
  std::replace(words.begin(), words.end(), one_pass, everything);
  return fmt::format("{}", fmt::join(words, ","));
}

bool are_profiled(std::span<const std::string_view> counters) {
  return std::any_of(counters.begin(), counters.end(), [](std::string_view name) {
    return counter_kind(find_counter(name)->cupti) == CounterKind::profiler;
  });
}

std::string of_results_alone(std::string_view wanted) {
  std::vector<std::string> left;
  for (const std::string& name : wanted_counters(wanted, "").names)
    if (counter_kind(name) == CounterKind::result)
      left.push_back(name);
  return left.empty() ? "none" : fmt::format("{}", fmt::join(left, ","));
}

std::string with_counters(std::string_view wanted, std::span<const std::string_view> more) {
  if (wanted == "none")
    return more.empty() ? std::string(wanted) : fmt::format("{}", fmt::join(more, ","));
  std::string all(wanted);
  for (const std::string_view counter : more)
    if (std::string longer = fmt::format("{},{}", all, counter);
        wanted_counters(longer, "").names.size() > wanted_counters(all, "").names.size())
      all = std::move(longer);
  return all;
}

} // namespace gridsmith
