// Best configurations found by Gridsmith. Generated: change it by tuning and exporting again.
// C++17, no dependencies.
//
//   constexpr auto& best = tuned::transpose::lookup("NVIDIA H200", 90, 8192, 8192);
//   best.parameters.tile, best.block[0], …
//
// For device code, outside of the kernel; inside of it the numbers of P are constants:
//
//   constexpr auto P = tuned::transpose::lookup("NVIDIA H200", 90, 8192, 8192).parameters;
#pragma once

#include <cstdint>
#include <string_view>

namespace tuned::transpose {

// NVIDIA H200 (compute capability 9.0), problem 8192x8192: 0.125 ms, middle half 0.109375 to 0.15625 ms of 3 samples, tied with 1 other
//   best of 2 configurations, measured on 2026-11-22, driver 580.159, CUDA toolkit 13.0, cold L2 cache, counters: default
// NVIDIA H200 (compute capability 9.0), problem 512x512: 0.125 ms, middle half 0.109375 to 0.15625 ms of 3 samples
//   best of 2 configurations, measured on 2026-11-21, driver 580.159, CUDA toolkit 13.0, cold L2 cache, counters: default
// NVIDIA RTX "A" (compute capability 8.6), problem 8192x8192: 0.125 ms, middle half 0.109375 to 0.15625 ms of 3 samples
//   best of 2 configurations, measured on 2026-11-20, driver 580.159, CUDA toolkit 13.0, cold L2 cache, counters: default

struct Parameters {
  int tile;
  bool padded;
  double scale;
  std::string_view mode;
};

struct Entry {
  std::string_view device;       // as the driver names it
  int compute_capability;        // 10 * major + minor; 0: unknown
  bool fallback;                 // serves devices that nothing here was measured on
  std::int64_t problem[3];       // extents; 1 where there are fewer
  Parameters parameters;
  std::int64_t grid[3];          // blocks, for exactly this problem; 1, 1, 1 where not recorded
  unsigned block[3];             // threads; 1, 1, 1 where not recorded
  std::int64_t dynamic_shared_bytes;
  double time_ms;
};

inline constexpr Entry entries[] = {
    {"NVIDIA H200", 90, true, {8192, 8192, 1},
     {32, true, 16.0, "a,\"b\""},
     {256, 512, 1}, {32, 8, 1}, 4096, 0.125},
    {"NVIDIA H200", 90, true, {512, 512, 1},
     {16, false, 8.0, "a,\"b\""},
     {256, 512, 1}, {16, 8, 1}, 4096, 0.125},
    {"NVIDIA RTX \"A\"", 86, false, {8192, 8192, 1},
     {64, true, 32.0, "a,\"b\""},
     {256, 512, 1}, {64, 8, 1}, 4096, 0.125},
};

// How far a problem is from the one that was measured: the product over the extents of the larger
// divided by the smaller; 1 is equal.
constexpr double distance(const Entry& entry, const std::int64_t (&problem)[3]) {
  double product = 1;
  for (int i = 0; i < 3; ++i) {
    const double a = static_cast<double>(entry.problem[i]);
    const double b = problem[i] > 0 ? static_cast<double>(problem[i]) : 1.0;
    product *= a > b ? a / b : b / a;
  }
  return product;
}

// 3: measured on this device, 2: on one of its compute capability, 1: the fallback, 0: no use.
constexpr int fit(const Entry& entry, std::string_view device, int compute_capability) {
  if (entry.device == device && !device.empty())
    return 3;
  if (entry.compute_capability == compute_capability && compute_capability > 0)
    return 2;
  return entry.fallback ? 1 : 0;
}

// The best known configuration. Compute capability as 10 * major + minor (90 for 9.0).
constexpr const Entry& lookup(std::string_view device, int compute_capability, std::int64_t x,
                              std::int64_t y = 1, std::int64_t z = 1) {
  const std::int64_t problem[3] = {x, y, z};
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    const int level = fit(entry, device, compute_capability);
    const int best_level = best ? fit(*best, device, compute_capability) : 0;
    if (level > best_level ||
        (level > 0 && level == best_level && distance(entry, problem) < distance(*best, problem)))
      best = &entry;
  }
  return *best; // the fallback's entries fit anything
}

} // namespace tuned::transpose
