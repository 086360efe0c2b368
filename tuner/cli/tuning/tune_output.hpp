// SPDX-License-Identifier: Apache-2.0
// What `tune` prints and writes.
#pragma once

#include "gridsmith/tuner/cli/tuning/tune_options.hpp"
#include "gridsmith/tuner/session/trace.hpp"

#include <span>

namespace gridsmith {

/// What runs where; a replay says so in the first line. @throws OutputError
void announce(const Subject& subject, const TuneOptions& options, const SessionSettings& settings);

/// Before hours of work. @throws InputError: a file asked for cannot hold the answer
void check_formats(const TuneOptions& options, const SessionSettings& settings);

/// The answers, one for each product of GPU, and the files asked for.
/// @throws CommandFailed: nothing was right; OutputError
void show(const TuneOptions& options, std::span<const Outcome> outcomes, const Trace& trace);

/// The same of all sizes, as one document or one table.
void show_campaign(const TuneOptions& options, const SessionSettings& settings,
                   std::span<const Outcome> outcomes, const Trace& trace);

/// A note has said why. @throws CommandFailed: a store was wanted, and has not all of it
void check_stored(const SessionSettings& settings, const Outcome& outcome);

} // namespace gridsmith
