// SPDX-License-Identifier: Apache-2.0
// Keeping what was replayed: in a scope of its own, as measured on the recording's device, at its
// date, under its conditions. No tuning on a GPU finds it there: its key names the recording's
// content in place of a source.
#pragma once

#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <filesystem>

namespace gridsmith {

/// Adds what the scope does not hold yet, all at once, and the answer where no earlier one by its objective found
/// what is better, or as good among more.
/// @pre the outcome is of a recording
/// @throws InputError, StoreError as Store::open
/// @param is_answer false: without the answer
void keep_replay(const std::filesystem::path& store, const Outcome& outcome, const Run& run,
                 bool is_answer);

} // namespace gridsmith
