// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/fleet/anchors.hpp"

#include "gridsmith/base/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

// One is as noisy as a median of 15 samples is; more would follow a drift too late.
constexpr std::size_t considered = 3;
constexpr double steady = 0.005; // so near is the next, where a board neither drifts nor is noisy

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return median(values);
}

} // namespace

void Anchors::timed(std::size_t gpu, double ms) {
  Series& series = series_[gpu];
  const auto before = now(gpu);
  const bool agrees = before && std::abs(ms / *before - 1) < steady;
  series.every = agrees ? std::min(2 * series.every, 4 * every_) : every_;
  series.since = 0;
  series.last.push_back(ms);
  if (series.last.size() > considered)
    series.last.pop_front();
}

bool Anchors::is_due(std::size_t gpu) const {
  const Series& series = series_[gpu];
  return !series.lost && (series.last.empty() || series.since >= series.every);
}

std::optional<double> Anchors::now(std::size_t gpu) const {
  const auto& last = series_[gpu].last;
  return last.empty() ? std::nullopt : std::optional(middle({last.begin(), last.end()}));
}

std::optional<double> Anchors::ratio(std::size_t gpu) const {
  const auto there = now(first_), here = now(gpu);
  return there && here ? std::optional(*there / *here) : std::nullopt;
}

std::vector<double> Anchors::others(std::size_t gpu) const {
  std::vector<double> times;
  for (std::size_t other = 0; other < series_.size(); ++other)
    if (const auto ms = now(other); ms && other != gpu)
      times.push_back(*ms);
  return times;
}

std::optional<double> Anchors::off_peers(std::size_t gpu) const {
  const auto here = now(gpu);
  std::vector<double> times = others(gpu);
  if (!here || times.empty())
    return std::nullopt;
  if (times.size() > 1)
    times.push_back(*here);
  return *here / middle(std::move(times)) - 1;
}

void Anchors::lost(std::size_t gpu) {
  series_[gpu].lost = true;
  if (gpu != first_ || !series_[gpu].last.empty())
    return;
  for (std::size_t next = 0; next < series_.size(); ++next)
    if (!series_[next].lost) {
      first_ = next;
      return;
    }
}

} // namespace gridsmith
