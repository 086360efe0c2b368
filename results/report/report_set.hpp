// SPDX-License-Identifier: Apache-2.0
// One set of a report while it is written: its source, its answer, and where each configuration stands.
#pragma once

#include "gridsmith/results/explanation/explanation.hpp"
#include "gridsmith/results/report/model.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

namespace gridsmith {

/// Of a source and settings that outlive it.
struct ReportSet {
  const ReportSource& source;
  const ReportSettings& settings;
  const Export& exported;
  const Recording& recording;
  Answer answer;
  std::unordered_map<Configuration, std::size_t> row_of = {};

  ReportSet(const ReportSource& from, const ReportSettings& with);

  /// Nothing where the source is not to be seen.
  const ReportCode* code() const;
  std::optional<std::size_t> row(const Configuration& configuration) const;
  std::optional<std::size_t> default_row() const;
  /// Why the best takes as long as it does. @pre there is one
  LaunchExplanation explanation() const;
};

} // namespace gridsmith
