// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/device/peaks.hpp"

#include "gridsmith/base/named.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

/// Results per clock and SM; 0: not known here.
struct Rates {
  int compute_capability;
  double fp64, fp16; ///< multiply-adds
  double tensor;     ///< floating-point operations of halves with float sums, dense
  double integer;    ///< multiply-adds
  double l1_bytes;
};

// clang-format off
constexpr std::array<Rates, 5> rates = {{
  //     fp64 fp16 tensor integer L1
  { 75,   2,  128, 1024,   64,     64},
  { 80,  32,  256, 2048,   64,    128},
  { 86,   2,    0,    0,   64,    128},
  { 89,   2,    0,    0,   64,    128},
  { 90,  64,  256, 4096,   64,    128},
}};
// clang-format on

constexpr double special_per_clock = 16;       // of all chips of the table
constexpr double shared_bytes_per_clock = 128; // 32 banks of 4 bytes
constexpr double flop_per_fma = 2;

/// Something per clock and SM, in units of 10^9 per second.
double at_clock(const Device& device, double per_clock) {
  return per_clock * device.sm_count * device.sm_clock_khz * 1e3 / 1e9;
}

using Published = double (*)(const Device&, const Rates&);

constexpr std::array<std::pair<std::string_view, Published>, 12> published = {{
    {"copy", [](const Device& d, const Rates&) { return d.peak_dram_gb_per_s; }},
    {"dram_read", [](const Device& d, const Rates&) { return d.peak_dram_gb_per_s; }},
    {"dram_write", [](const Device& d, const Rates&) { return d.peak_dram_gb_per_s; }},
    {"l1_read", [](const Device& d, const Rates& r) { return at_clock(d, r.l1_bytes); }},
    {"shared_read",
     [](const Device& d, const Rates&) { return at_clock(d, shared_bytes_per_clock); }},
    {"fp32_fma", [](const Device& d, const Rates&) { return d.peak_fp32_gflop_per_s; }},
    {"fp64_fma",
     [](const Device& d, const Rates& r) { return at_clock(d, flop_per_fma * r.fp64); }},
    {"fp16_fma",
     [](const Device& d, const Rates& r) { return at_clock(d, flop_per_fma * r.fp16); }},
    {"tensor_fp16", [](const Device& d, const Rates& r) { return at_clock(d, r.tensor); }},
    {"integer_mad", [](const Device& d, const Rates& r) { return at_clock(d, r.integer); }},
    {"special_function",
     [](const Device& d, const Rates& r) {
       return r.compute_capability == 0 ? 0 : at_clock(d, special_per_clock);
     }},
    {"instruction_issue",
     [](const Device& d, const Rates&) { return at_clock(d, d.warp_schedulers_per_sm); }},
}};

} // namespace

const PeakWord* find_peak_word(std::string_view name) {
  return find_named(name, peak_words);
}

std::optional<double> peak_of(const Peaks& peaks, std::string_view name) {
  const Peak* found = find_named(name, peaks);
  return found ? std::optional(found->value) : std::nullopt;
}

Peaks merged(Peaks newer, const Peaks& older) {
  for (const Peak& peak : older)
    if (!peak_of(newer, peak.name))
      newer.push_back(peak);
  return newer;
}

std::optional<double> data_sheet_peak(std::string_view name, const Device& device) {
  const auto* formula = std::find_if(published.begin(), published.end(),
                                     [&](const auto& one) { return one.first == name; });
  if (formula == published.end())
    return std::nullopt;
  const auto* row = std::find_if(rates.begin(), rates.end(), [&](const Rates& one) {
    return one.compute_capability == device.compute_capability;
  });
  const double value = formula->second(device, row == rates.end() ? Rates{} : *row);
  return value > 0 ? std::optional(value) : std::nullopt;
}

} // namespace gridsmith
