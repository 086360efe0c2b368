// SPDX-License-Identifier: Apache-2.0
// The format `header`, for those who shipped one before.
#pragma once

#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/header/read_header.hpp"
#include "gridsmith/results/selection/select.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// As export_text(), and what was shipped before stays the best of its problem, and in the set, where
/// nothing is known to be better: the same measurements give the same header.
/// @throws InputError: nothing correct, or exports of one kernel with different parameters.
std::string header_text(std::span<const Export> exports, std::span<const Shipment> previous);

/// Of one kernel, device and objective: the newest export of every problem, and what is chosen from.
struct ToShip {
  std::vector<const Export*> exports;
  const KernelDefinition* definition = nullptr; ///< null where a header has none to go by
  std::vector<Recording> recordings;            ///< the finalists as they were measured again
  SizeTable table;
  SelectionRules rules;
};

/// @param all each with a best @throws as header_text()
ToShip to_ship(const std::vector<const Export*>& all, std::span<const Shipment> previous = {},
               const SelectionRules& usual = {});

/// By the objective's name, "" where time decides.
std::map<std::string, std::vector<const Export*>>
by_objective(const std::vector<const Export*>& exports);

struct WrittenHeader {
  std::string text;
  std::vector<std::string> losses; ///< what its sets lose, a line for each of several sizes
};

/// @param rules of each kernel's set. @throws as header_text(), select()
WrittenHeader header_of(std::span<const Export> exports, std::span<const Shipment> previous,
                        const SelectionRules& rules = {});

/// What a header of these says of drawn problems, one for each kernel and device that has some. @throws as header_text()
std::vector<Calibration> calibrations_of(std::span<const Export> exports);

/// What a header of these would ship. @throws as header_text()
std::vector<Shipment> shipments_of(std::span<const Export> exports);

} // namespace gridsmith
