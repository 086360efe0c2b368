// SPDX-License-Identifier: Apache-2.0
// The part of a report's set that tells the way to the answer: what was tried when, and what it took.
#pragma once

#include "gridsmith/results/report/report_set.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>

namespace gridsmith {

/// The field "runs" of docs/schema/report.schema.json: the order of the rows, and other searches beside it.
nlohmann::ordered_json runs_json(const ReportSet& set, std::span<const ReportSource* const> others);
/// The field "timeline": what each process was at, as it was looked on; else as the recording tells it.
nlohmann::ordered_json timeline_json(const ReportSet& set);
/// The field "spent": seconds of all measurements together, or null.
nlohmann::ordered_json spent_json(const ReportSet& set, const nlohmann::ordered_json& timeline);

} // namespace gridsmith
