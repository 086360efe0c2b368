// SPDX-License-Identifier: Apache-2.0
// The answer of a tuning as scripts read it, schema "gridsmith-answer-1": what `tune --json` prints
// and the format `json` holds. docs/exports.md says what each field is, docs/schema holds it to that.
#pragma once

#include "gridsmith/results/explanation/winner.hpp"
#include "gridsmith/results/formats/formats.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gridsmith {

/// The name in the field "schema"; a change that readers would notice makes it "-2".
inline constexpr const char* answer_schema = "gridsmith-answer-1";
/// The document of several answers, as `export json` writes it.
inline constexpr const char* answers_schema = "gridsmith-answers-1";

/// Without an answer of its own an export is ranked by what was measured. Never throws for what an
/// export holds: where nothing is correct, "best" is null.
nlohmann::ordered_json answer_json(const Export& exported);

/// The answer's, or one made of what was measured: finalists and their ranking.
Answer answer_of(const Export& exported);

/// The answer's default, else that of the definition, as a tuning takes it: shapes that are left to Gridsmith
/// are the best guess of what was measured.
std::optional<Configuration> default_of(const Export& exported);

/// Why its best won. @pre has_best()
Winner winner_of(const Export& exported, const Influence& known);

/// The row of a configuration; nullptr: there is none.
const Measurement* row_of(const Recording& recording, const std::optional<Configuration>& wanted);

} // namespace gridsmith
