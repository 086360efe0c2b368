// An outcome as people read it: the winner, the best beside each other, what separates them, and
// what became of everything that was tried.
#pragma once

#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// The configuration without parameters that have one value only.
std::string short_text(const Configuration& configuration,
                       const std::vector<Parameter>& parameters);

/// Its name, or "an unknown device".
std::string device_text(const Subject& subject);

/// "2026-11-21", "recorded 2026-11-21", "date unknown".
std::string date_text(const Subject& subject);

/// What the right results were compared with: "verified against the reference kernel", "not
/// verified".
std::string verification_text(const Outcome& outcome);

/// The winner, the table of the best, the winner beside the second, the default and the slowest,
/// and how it was told from those tied with it.
std::string answer_text(const Outcome& outcome, const Terminal& terminal);
/// How many were tried, what became of them and why they failed, where the time went.
std::string summary_text(const Outcome& outcome, const Terminal& terminal);

} // namespace gridsmith
