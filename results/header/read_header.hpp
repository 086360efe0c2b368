// SPDX-License-Identifier: Apache-2.0
// What a header of ours ships, read back from its rows: so that the next one can keep it, and a store or
// another device can begin with it.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/results/selection/selection.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// What one of the shipped set costs at a problem.
struct ShippedCost {
  std::size_t problem = 0; ///< of Shipment::choices
  Configuration configuration;
  double cost = 0; ///< by Shipment::objective: a time in ms, or Objective::cost() of another one
  Geometry geometry = {}; ///< given for a kernel without a definition
};

/// What is shipped of a kernel for a device by an objective: a configuration for each measured problem. Of what the
/// header does not say nothing is known.
struct Shipment
    : Origin { ///< of the device its name, capability, SMs, L2, bandwidth, driver and toolkit
  std::string identifier; ///< of the device: device_identifier()
  std::string objective = "time";
  std::vector<PreviousChoice> choices = {};
  std::vector<ShippedCost> costs = {}; ///< problem by problem, of each its choice first
};

/// By kernel, device and objective, as they follow each other.
/// @throws InputError, one line: as check_header(), or rows that are none of ours
std::vector<Shipment> read_header(std::string_view text);

/// A recording for each problem: of the set alone, times without samples. @pre shipped by time
std::vector<Recording> recordings_of(const Shipment& shipment);

/// The name that a device has in a header.
std::string device_identifier(const std::string& name);

} // namespace gridsmith
