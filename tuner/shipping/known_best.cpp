// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/shipping/known_best.hpp"

#include "gridsmith/base/number_text.hpp"
#include "gridsmith/results/measurement/device_distance.hpp"
#include "gridsmith/results/measurement/problem_distance.hpp"
#include "gridsmith/results/store/holdings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace gridsmith {
namespace {

void add(KnownBest one, std::vector<KnownBest>& known) {
  const auto last = std::find_if(known.rbegin(), known.rend(), [&](const KnownBest& other) {
    return other.kernel == one.kernel && other.device.name == one.device.name;
  });
  if (last != known.rend())
    one.device = last->device;
  known.insert(last != known.rend() ? last.base() : known.end(), std::move(one));
}

/// A fact for people; 0 is one that nobody told.
struct Fact {
  const char* name;
  double (*value)(const Device&);
  const char* unit;
};

constexpr double mib = 1024 * 1024, kib = 1024;

const Fact facts[] = {
    {"compute capability", [](const Device& d) { return d.compute_capability / 10.0; }, ""},
    {"SMs", [](const Device& d) { return static_cast<double>(d.sm_count); }, ""},
    {"DRAM", [](const Device& d) { return d.peak_dram_gb_per_s; }, " GB/s"},
    {"FP32", [](const Device& d) { return d.peak_fp32_gflop_per_s / 1e3; }, " TFLOP/s"},
    {"L2", [](const Device& d) { return static_cast<double>(d.l2_bytes) / mib; }, " MiB"},
    {"shared memory of a block",
     [](const Device& d) { return static_cast<double>(d.shared_bytes_per_block_optin) / kib; },
     " KiB"},
    {"shared memory of an SM",
     [](const Device& d) { return static_cast<double>(d.shared_bytes_per_sm) / kib; }, " KiB"},
    {"registers of an SM", [](const Device& d) { return static_cast<double>(d.registers_per_sm); },
     ""},
    {"threads of an SM", [](const Device& d) { return static_cast<double>(d.max_threads_per_sm); },
     ""},
};

} // namespace

std::vector<KnownBest> known_best(std::span<const std::filesystem::path> files) {
  std::vector<Holding> held;
  for (const std::filesystem::path& file : files)
    for (Holding& one : holdings_of(file))
      if (one.best_ms)
        held.push_back(std::move(one));
  std::vector<KnownBest> known;
  for (const Holding& one : newest(held)) {
    const Export exported = one.load();
    if (std::vector<std::int64_t> extents = extents_of(one.problem); !extents.empty())
      add({one.kernel,
           exported.recording.device,
           {std::move(extents)},
           best_of(exported).configuration},
          known);
  }
  return known;
}

std::vector<KnownBest> transfers(std::span<const KnownBest> known, const std::string& kernel,
                                 const Device& device, const ProblemSize& problem) {
  std::vector<KnownBest> all;
  for (const KnownBest& one : known)
    if (one.kernel == kernel && one.device.name != device.name)
      all.push_back(one);
  const auto distance = [&](const KnownBest& one) {
    return std::tuple(device_distance(device, one.device),
                      problem_distance(to_text(problem), to_text(one.problem)));
  };
  std::stable_sort(all.begin(), all.end(), [&](const KnownBest& a, const KnownBest& b) {
    return distance(a) < distance(b);
  });
  std::vector<KnownBest> once;
  for (KnownBest& one : all)
    if (std::none_of(once.begin(), once.end(), [&](const KnownBest& kept) {
          return kept.configuration == one.configuration;
        }))
      once.push_back(std::move(one));
  return once;
}

std::vector<std::string> news(const Device& device, const Device& known) {
  std::vector<std::string> lines;
  for (const Fact& fact : facts) {
    const double now = fact.value(device), then = fact.value(known);
    if (now > 0 && then > 0 && number_text(now) != number_text(then))
      lines.push_back(
          fmt::format("{}: {} -> {}{}", fact.name, number_text(then), number_text(now), fact.unit));
  }
  return lines;
}

} // namespace gridsmith
