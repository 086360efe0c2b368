// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/hardware/device_tables.hpp"

#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

std::string mib(std::int64_t bytes) {
  return number_text(static_cast<double>(bytes) / (1 << 20));
}

/// A fact and how it is for a device.
struct Fact {
  const char *name, *unit;
  std::string (*of)(const Device&);
};

std::string whole(std::int64_t value) {
  return fmt::format("{}", value);
}

constexpr std::array<Fact, 15> listed_facts = {
    {{"name", "", [](const Device& d) { return d.name; }},
     {"compute capability", "",
      [](const Device& d) {
        return fmt::format("{}.{}", d.compute_capability / 10, d.compute_capability % 10);
      }},
     {"chip", "", [](const Device& d) { return d.chip; }},
     {"SMs", "", [](const Device& d) { return whole(d.sm_count); }},
     {"SM clock", "MHz", [](const Device& d) { return whole(d.sm_clock_khz / 1000); }},
     {"memory clock", "MHz", [](const Device& d) { return whole(d.memory_clock_khz / 1000); }},
     {"memory", "MiB", [](const Device& d) { return mib(d.memory_bytes); }},
     {"L2 cache", "MiB", [](const Device& d) { return mib(d.l2_bytes); }},
     {"DRAM peak", "GB/s", [](const Device& d) { return number_text(d.peak_dram_gb_per_s); }},
     {"threads per block", "", [](const Device& d) { return whole(d.max_threads_per_block); }},
     {"threads per SM", "", [](const Device& d) { return whole(d.max_threads_per_sm); }},
     {"registers per SM", "", [](const Device& d) { return whole(d.registers_per_sm); }},
     {"shared memory per SM", "KiB",
      [](const Device& d) { return whole(d.shared_bytes_per_sm / 1024); }},
     {"shared memory per block", "KiB",
      [](const Device& d) { return whole(d.shared_bytes_per_block_optin / 1024); }},
     {"driver", "", [](const Device& d) { return d.driver_version; }}}};

std::string table(std::span<const Device> devices) {
  std::vector<Column> heads = {{"device", "", true}, {"", "", true}};
  for (const Device& device : devices)
    heads.push_back({whole(device.ordinal), ""});
  Table table(heads);
  for (const Fact& fact : listed_facts) {
    std::vector<std::string> cells = {fact.name, fact.unit};
    for (const Device& device : devices)
      cells.push_back(fact.of(device));
    table.add(std::move(cells));
  }
  return table.text();
}

} // namespace

std::string fact_tables(std::span<const Device> devices, std::size_t width) {
  std::string text;
  while (!devices.empty()) {
    std::size_t count = devices.size();
    while (count > 1 && widest_line(table(devices.first(count))) > width)
      --count;
    text += (text.empty() ? "" : "\n") + table(devices.first(count));
    devices = devices.subspan(count);
  }
  return text;
}

namespace {

/// "measured 2026-11-22", "measured 2026-11-20 to 2026-11-22"
std::string when(const Peaks& peaks) {
  const auto [first, last] = std::minmax_element(
      peaks.begin(), peaks.end(), [](const Peak& a, const Peak& b) { return a.date < b.date; });
  constexpr std::size_t day = 10; // characters of an ISO date
  const std::string from = first->date.substr(0, day), to = last->date.substr(0, day);
  return "measured " + (from == to ? from : from + " to " + to);
}

std::vector<std::string> cells(const PeakWord& word, const Peak& peak, const Device& device) {
  const auto sheet = data_sheet_peak(word.name, device);
  return {peak.name,
          number_text(peak.value),
          peak.unit,
          number_cell(sheet),
          sheet ? fmt::format("{:.0f}", 100 * peak.value / *sheet) : "",
          std::string(word.bounds)};
}

} // namespace

std::string peak_table(const Device& device, const Peaks& peaks, std::size_t width) {
  // On a narrow terminal without the data sheet, without what each peak is.
  constexpr std::size_t with_sheet = 66, with_meaning = 100;
  std::vector<Column> columns = {{"peak", "", true}, {"measured", ""}, {"", "", true}};
  if (width >= with_sheet)
    columns.insert(columns.end(), {{"data sheet", ""}, {"reached", "%"}});
  if (width >= with_meaning)
    columns.push_back({"is", "", true});
  Table table(columns);
  std::size_t rows = 0;
  for (const PeakWord& word : peak_words)
    for (const Peak& peak : peaks)
      if (peak.name == word.name) {
        std::vector<std::string> row = cells(word, peak, device);
        row.resize(columns.size());
        table.add(std::move(row));
        ++rows;
      }
  if (rows == 0)
    return "";
  return wrapped(
             fmt::format("Peaks of device {} ({}), {}", device.ordinal, device.name, when(peaks)),
             width, 2) +
         "\n\n" + table.text(width);
}

} // namespace gridsmith
