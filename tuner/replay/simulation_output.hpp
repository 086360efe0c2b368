// SPDX-License-Identifier: Apache-2.0
// What people and programs read of a simulation: a text table, CSV and JSON. Strings; who
// calls writes the files.
#pragma once

#include "gridsmith/base/text_table.hpp"
#include "gridsmith/tuner/replay/simulation.hpp"

#include <string>

namespace gridsmith {

/// One row per recording and strategy, then, where there are several recordings, the geometric
/// means of each strategy, and who is best by how much. Ratios as "median [quartiles]"; without
/// quartiles, runs and times of the search where the rows would be wider.
std::string simulation_text(const SimulationTable& table, std::size_t width = unlimited_width);

/// Header and one row per recording, strategy and budget; ratios of runs that found nothing are
/// "inf", evaluations never reached are empty.
std::string simulation_csv(const SimulationTable& table);

/// {"results": […], "summary": […]}; what is infinite or not known is null. @pre there is a result
std::string simulation_json(const SimulationTable& table);

} // namespace gridsmith
