// SPDX-License-Identifier: Apache-2.0
// What is known of every configuration of a recording as columns of numbers or words: what a report draws,
// filters and downloads. docs/schema/report.schema.json says what a column is.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace gridsmith {

struct ReportColumn {
  std::string name, kind, unit = {};
  std::string words = {};  ///< for people: "registers per thread"
  std::string label = {};  ///< short title; "" the name
  std::string source = {}; ///< how it is made, "" where that is plain
  Better better = Better::neither;
  std::vector<double> numbers = {};    ///< one per row, NaN: not known; empty: a column of words
  std::vector<std::string> texts = {}; ///< one per row, "" nothing to say
};

/// Rows are the recording's measurements, in its order; parameters come first, then what became of each
/// configuration, then whatever is known of one of them at least.
std::vector<ReportColumn> report_columns(const Recording& recording);

/// With its values: an array in short columns, else packed.
nlohmann::ordered_json column_json(const ReportColumn& column);

/// Numbers as the page reads them, the same way. NaN is null.
nlohmann::ordered_json numbers_json(const std::vector<double>& numbers);

} // namespace gridsmith
