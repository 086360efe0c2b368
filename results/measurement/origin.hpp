// SPDX-License-Identifier: Apache-2.0
// Where figures come from: of which kernel, on what, how and when they were measured.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <string>

namespace gridsmith {

/// "" is unknown.
struct Origin {
  std::string kernel;
  std::string problem; ///< "8192x8192"; "" also where there are several
  Device device;       ///< with driver and toolkit; only the name where a file says no more
  std::string
      source_hash; ///< of all that was compiled; of a kept replay replayed_prefix and the file's
  std::string conditions; ///< how it was measured, one line for people: cold or warm cache, samples
  std::string date;       ///< UTC, ISO 8601
};

/// What a definition says of its kernel at a problem.
struct KernelModel {
  Workload workload; ///< zeros: unknown
  OwnMetrics own_metrics;
  bool drawn = false; ///< the problem was not asked for: it was drawn to judge a choice
};

template <Like<KernelModel> T>
void for_fields(T& v, auto&& visit) {
  visit("work_model", v.workload);
  visit("own_metrics", v.own_metrics);
  visit("drawn", v.drawn);
}

} // namespace gridsmith
