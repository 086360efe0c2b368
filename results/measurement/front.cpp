// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/front.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gridsmith {
namespace {

/// What less is the same: rounding in another order, and what answers call a tie.
constexpr double least_gain = 0.01;

/// With costs in the place of values, the least first.
std::vector<FrontPoint> by_cost(std::span<const Measurement> measurements, const Objective& first,
                                const Objective& second, const Workload& workload) {
  std::vector<FrontPoint> all;
  for (const Measurement& one : measurements)
    if (const auto a = first.cost(one, workload), b = second.cost(one, workload); a && b)
      all.push_back({&one, *a, *b});
  std::stable_sort(all.begin(), all.end(), [](const FrontPoint& a, const FrontPoint& b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  return all;
}

/// @param front with costs, in order
std::size_t knee_of(const std::vector<FrontPoint>& front) {
  const double left = std::log(front.front().first), right = std::log(front.back().first);
  const double top = std::log(front.front().second), bottom = std::log(front.back().second);
  std::size_t knee = 0;
  double farthest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i + 1 < front.size(); ++i) {
    const double x = (std::log(front[i].first) - left) / (right - left);
    const double y = (std::log(front[i].second) - bottom) / (top - bottom);
    if (const double below = 1 - x - y; below > farthest) {
      farthest = below;
      knee = i;
    }
  }
  return knee;
}

} // namespace

std::vector<FrontPoint> front_of(std::span<const Measurement> measurements, const Objective& first,
                                 const Objective& second, const Workload& workload) {
  std::vector<FrontPoint> front;
  for (const FrontPoint& one : by_cost(measurements, first, second, workload))
    if (front.empty() || one.second < (1 - least_gain) * front.back().second)
      front.push_back(one);
  if (front.size() >= 3)
    front[knee_of(front)].knee = true;
  for (FrontPoint& one : front) {
    one.first = *first.value(*one.measurement, workload);
    one.second = *second.value(*one.measurement, workload);
  }
  return front;
}

std::vector<FrontPoint> front_of(const Answer& answer, const Device& device) {
  if (answer.found_by.against.empty())
    return {};
  const Objective first = objective_of(answer.found_by, device),
                  second = against_of(answer.found_by, device);
  std::vector<FrontPoint> points;
  std::vector<Measurement> ranked;
  ranked.reserve(answer.ranking.size());
  for (const Ranked& one : answer.ranking)
    ranked.push_back(one.measurement);
  for (FrontPoint point : front_of(ranked, first, second, answer.found_by.workload)) {
    const auto place = point.measurement - ranked.data();
    point.measurement = &answer.ranking[static_cast<std::size_t>(place)].measurement;
    points.push_back(point);
  }
  return points;
}

void lead_by_front(Answer& answer, const Device& device) {
  const auto front = front_of(answer, device);
  if (front.empty() || answer.found_by.unconfirmed)
    return;
  const auto first =
      std::find_if(answer.ranking.begin(), answer.ranking.end(), [&](const Ranked& one) {
        return &one.measurement == front.front().measurement;
      });
  answer.ranking.front().tied = first->tied;
  std::rotate(answer.ranking.begin(), first, std::next(first));
  answer.ranking.front().tied = false;
}

std::optional<ValueInterval> interval_of(const Objective& objective,
                                         const Measurement& measurement) {
  const auto counted = [&](std::string_view name) {
    return value_of(*find_counter(name), measurement.counters);
  };
  if (objective.name == objectives().front().name)
    if (const auto time = time_of(measurement); time && !measurement.times_ms.empty())
      return ValueInterval{time->low_ms, time->high_ms};
  if (objective.name == "energy_mj")
    if (const auto low = counted("launch_energy_low"), high = counted("launch_energy_high");
        low && high)
      return ValueInterval{*low, *high};
  return std::nullopt;
}

} // namespace gridsmith
