// Why configurations failed: the same reason once, with how often it was given.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gridsmith {

struct FailureGroup {
  Status status = Status::runtime;
  std::string reason; ///< its first line
  std::size_t count = 0;
  const Measurement* first = nullptr; ///< of those given
};

/// The commonest first. They point into the measurements.
std::vector<FailureGroup> failure_groups(const std::vector<Measurement>& measurements);

} // namespace gridsmith
