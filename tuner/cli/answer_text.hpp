// An outcome as people read it and as scripts read it.
#pragma once

#include "gridsmith/tuner/session/session.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace gridsmith {

/// The configuration without parameters that have one value only.
std::string short_text(const Configuration& configuration,
                       const std::vector<Parameter>& parameters);

/// "2026-11-21", "recorded 2026-11-21", "date unknown".
std::string date_text(const Subject& subject);

/// The table of the best and the lines below it: winner, ties, conditions.
std::string answer_text(const Outcome& outcome);
/// Evaluations by status and where the time went.
std::string summary_text(const Outcome& outcome);
nlohmann::json answer_json(const Outcome& outcome);

} // namespace gridsmith
