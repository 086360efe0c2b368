// SPDX-License-Identifier: Apache-2.0
// An outcome as people read it: the winner, the best beside each other, what separates them, and
// what became of everything that was tried.
#pragma once

#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <cstddef>
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

/// "No CUDA device here: replaying the recording of NVIDIA H200 (recorded 2026-11-21), FILE". @pre one is replayed
std::string replay_text(const Subject& subject);

/// What the right results were compared with: "verified against the reference kernel", "not
/// verified".
std::string verification_text(const Outcome& outcome);

/// The winner, the table of the best, the winner beside the second, the default and the slowest,
/// and how it was told from those tied with it. Where it is not confirmed the reasons first, then the ranking.
std::string answer_text(const Outcome& outcome, const Terminal& terminal);
/// Bytes of its first lines that say what is best, or that nothing is.
std::size_t answer_title_size(const Outcome& outcome, const Terminal& terminal);
/// The same without its tables, and how many were tried and how much faster it is: a sentence or two each.
std::vector<std::string> answer_sentences(const Outcome& outcome);

/// As it is typed: in quotes where it has blanks or anything else that a shell reads.
std::string shell_word(const std::string& text);

/// How many were tried, what became of them and why they failed, where the time went.
std::string summary_text(const Outcome& outcome, const Terminal& terminal);

} // namespace gridsmith
