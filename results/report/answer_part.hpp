// SPDX-License-Identifier: Apache-2.0
// The part of a report's set that is the answer: what is best and how sure that is, why it takes as long as
// it does, and the header to copy.
#pragma once

#include "gridsmith/results/influence/influence.hpp"
#include "gridsmith/results/report/report_set.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>

namespace gridsmith {

/// The field "answer" of docs/schema/report.schema.json. @param known of the same recording
nlohmann::ordered_json answer_part(const ReportSet& set, std::optional<std::size_t> worst_row,
                                   const Influence& known);

} // namespace gridsmith
