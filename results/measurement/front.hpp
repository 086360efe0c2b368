// SPDX-License-Identifier: Apache-2.0
// The front of two objectives: of measurements, those that no other is as good as by both and better by one.
#pragma once

#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <optional>
#include <span>
#include <vector>

namespace gridsmith {

struct FrontPoint {
  const Measurement* measurement = nullptr;
  double first = 0, second = 0; ///< values of the objectives, not costs
  /// Where giving up more of one gains least of the other: farthest from the line between the ends, both objectives
  /// in logarithms of cost and scaled to the front. False of all where there are fewer than three.
  bool knee = false;
};

/// The best by the first objective comes first, and each after it is better by the second by more than 1 %. Of equal
/// ones the first measured. Only those that have a value by both.
/// The points refer to the measurements.
std::vector<FrontPoint> front_of(std::span<const Measurement> measurements, const Objective& first,
                                 const Objective& second, const Workload& workload = {});

/// Of what the answer ranks; empty where it was not looked for. Refers to the answer.
std::vector<FrontPoint> front_of(const Answer& answer, const Device& device = {});

/// What is first on the front wins; nothing changes where there is none.
void lead_by_front(Answer& answer, const Device& device = {});

/// Of a value that has one: the time, and the energy of a launch. 95 %.
struct ValueInterval {
  double low = 0, high = 0;
};

std::optional<ValueInterval> interval_of(const Objective& objective,
                                         const Measurement& measurement);

} // namespace gridsmith
