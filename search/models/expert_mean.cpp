// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/models/expert_mean.hpp"

#include <algorithm>
#include <bit>

namespace gridsmith {
namespace {

using ShapeTerm = float (*)(const LaunchShape&);

struct Entry {
  const char* name;
  float mean;
  float spread;
  bool (*applies)(const FeatureMap&);
  ShapeTerm value;
};

bool needs_threads(const FeatureMap& f) {
  return f.has_threads();
}

bool needs_plane(const FeatureMap& f) {
  return f.has_block(0) && f.has_block(1);
}

bool needs_work(const FeatureMap& f) {
  return f.has_work();
}

bool needs_tiles(const FeatureMap& f) {
  return f.has_tile(0) && f.has_tile(1);
}

// Means: by the way GPUs work (CUDA programming guide: warps of 32 threads, blocks of at most 1024,
// coalesced access along x) and rounded from linear regressions of log cost, in standard
// deviations, over recordings of four kernels. Means fitted without the kernel they are tried on do
// nearly as well (tests/bench/search.md), which is what the spreads are for.
constexpr Entry entries[] = {
    {"fewer than 64 threads", 0.1f, 0.2f, needs_threads,
     [](const LaunchShape& s) { return std::max(0.0f, 6 - s.threads); }},
    {"more than 256 threads", 0.2f, 0.15f, needs_threads,
     [](const LaunchShape& s) { return std::max(0.0f, s.threads - 8); }},
    {"a warp not full", 0.35f, 0.3f, needs_threads,
     [](const LaunchShape& s) { return s.thread_count % 32 != 0 ? 1.0f : 0.0f; }},
    {"threads no power of two", 0.1f, 0.3f, needs_threads,
     [](const LaunchShape& s) { return std::has_single_bit(s.thread_count) ? 0.0f : 1.0f; }},
    {"block narrower than a warp", 0.3f, 0.2f, needs_plane,
     [](const LaunchShape& s) { return std::max(0.0f, 5 - s.block[0]); }},
    {"fewer than 4 elements per thread", 0.4f, 0.3f, needs_work,
     [](const LaunchShape& s) { return std::max(0.0f, 2 - s.work); }},
    {"more than 32 elements per thread", 0.0f, 0.2f, needs_work,
     [](const LaunchShape& s) { return std::max(0.0f, s.work - 5); }},
    {"work along x more than along y", 0.35f, 0.2f, needs_tiles,
     [](const LaunchShape& s) { return std::max(0.0f, s.tile[0] - s.tile[1]); }},
};

} // namespace

LaunchMean::LaunchMean(const FeatureMap& features) {
  for (const Entry& entry : entries) {
    if (!entry.applies(features))
      continue;
    terms_.push_back({entry.name, entry.mean, entry.spread, {}});
    values_.push_back(entry.value);
  }
}

void LaunchMean::evaluate(const LaunchShape& shape, std::span<float> out) const {
  for (std::size_t t = 0; t < values_.size(); ++t)
    out[t] = values_[t](shape);
}

} // namespace gridsmith
