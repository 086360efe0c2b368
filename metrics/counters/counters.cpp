#include "gridsmith/metrics/counters/counters.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/counters/counter_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

namespace gridsmith {
namespace {

using namespace counter_names;

// What a counter needs of the chip to exist there. Found by asking CUPTI 13.0 for every chip it
// lists (tests/cpu/metrics repeats the question).
enum class Where {
  everywhere,
  discrete,     // chips with their own DRAM; Orin, Thor and DGX Spark count no DRAM traffic
  not_turing,   // and discrete: one more pass on Turing, so left out there
  ampere_later, // no cp.async (LDGSTS) before
};

struct Counter {
  std::string_view name;
  Where where = Where::everywhere;
  std::string_view on_gb20x = {}; ///< renamed on GB202 … GB207
};

bool is_one_of(std::string_view chip, std::span<const std::string_view> chips) {
  return std::find(chips.begin(), chips.end(), chip) != chips.end();
}

bool has_dram_counters(std::string_view chip) {
  static constexpr std::array<std::string_view, 4> without = {"GV11B", "GA10B", "GB10B", "GB20B"};
  return !is_one_of(chip, without);
}

bool renamed_dram_counters(std::string_view chip) {
  static constexpr std::array<std::string_view, 5> renamed = {"GB202", "GB203", "GB205", "GB206",
                                                              "GB207"};
  return is_one_of(chip, renamed);
}

bool before_ampere(std::string_view chip) {
  return chip.substr(0, 2) == "TU" || chip.substr(0, 2) == "GV";
}

bool exists(const Counter& counter, std::string_view chip) {
  switch (counter.where) {
  case Where::everywhere:
    return true;
  case Where::discrete:
    return has_dram_counters(chip);
  case Where::not_turing:
    return has_dram_counters(chip) && !before_ampere(chip);
  case Where::ampere_later:
    return !before_ampere(chip);
  }
  return false;
}

std::vector<std::string> names_on(std::span<const Counter> counters, std::string_view chip) {
  std::vector<std::string> names;
  for (const auto& counter : counters)
    if (exists(counter, chip)) {
      const bool renamed = !counter.on_gb20x.empty() && renamed_dram_counters(chip);
      names.emplace_back(renamed ? counter.on_gb20x : counter.name);
    }
  return names;
}

// One pass on every chip from Turing on. Only one more instruction counter fits; LDGSTS earns the
// place, because where it is not 0 the sectors per load say nothing about the loads that matter.
constexpr std::array<Counter, 15> default_counters = {{
    {time_ns},
    {load_sectors},
    {store_sectors},
    {load_instructions},
    {store_instructions},
    {dram_read, Where::discrete, dram_read_gb20x},
    {dram_write, Where::discrete, dram_write_gb20x},
    {warps_percent},
    {l2_read},
    {l2_write},
    {sm_ipc},
    {sm_active},
    {sm_elapsed},
    {dram_percent, Where::not_turing},
    {async_instructions, Where::ampere_later},
}};

constexpr std::array<Counter, 7> shared_counters = {{
    {time_ns},
    {shared_loads},
    {shared_stores},
    {shared_load_waves},
    {shared_store_waves},
    {shared_load_conflicts},
    {shared_store_conflicts},
}};

std::vector<Counter> full_counters() {
  std::vector<Counter> all(default_counters.begin(), default_counters.end());
  all.insert(all.end(), shared_counters.begin() + 1, shared_counters.end()); // time is there
  for (const auto name :
       {threads_per_inst, issue_percent, eligible, l2_hit, l1_hit, l2_atomics, l2_reductions})
    all.push_back({name});
  return all;
}

const std::vector<CounterSet>& all_sets() {
  static const std::vector<CounterSet> sets = {
      {"default",
       "global loads and stores, DRAM and L2 traffic, occupancy, instructions per cycle: one pass",
       [](std::string_view chip) { return names_on(default_counters, chip); }},
      {"shared", "shared-memory instructions, wavefronts and bank conflicts: one pass",
       [](std::string_view chip) { return names_on(shared_counters, chip); }},
      {"full",
       "both, and issue, divergence, atomics and cache hit rates: three passes on most chips",
       [](std::string_view chip) { return names_on(full_counters(), chip); }},
      {"none", "no counters: tune by time alone",
       [](std::string_view) { return std::vector<std::string>(); }},
  };
  return sets;
}

} // namespace

const std::vector<CounterSet>& counter_sets() {
  return all_sets();
}

const CounterSet& counter_set(std::string_view name) {
  std::vector<std::string> words;
  for (const auto& set : counter_sets()) {
    if (set.name == name)
      return set;
    words.push_back(set.name);
  }
  throw InputError(unknown_name("counter set", name, words));
}

std::string_view counter_unit(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  const bool per_second = has(".per_second");
  if (has(".pct"))
    return "%";
  if (has(".ratio") || (has(".per_") && !per_second))
    return "";
  if (has("__bytes"))
    return per_second ? "B/s" : "B";
  if (has("__time_"))
    return "ns";
  if (has("__cycles"))
    return per_second ? "Hz" : "cycles";
  return "";
}

double ideal_sectors_per_request(int element_bytes) {
  constexpr double lanes = 32, sector_bytes = 32;
  return lanes * element_bytes / sector_bytes;
}

} // namespace gridsmith
