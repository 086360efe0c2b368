// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/report/report_set.hpp"

#include "gridsmith/results/formats/answer_json.hpp"

namespace gridsmith {

ReportSet::ReportSet(const ReportSource& from, const ReportSettings& with)
    : source(from), settings(with), exported(from.exported), recording(exported.recording),
      answer(answer_of(exported)) {
  for (std::size_t row = 0; row < recording.measurements.size(); ++row)
    row_of.emplace(recording.measurements[row].configuration, row);
}

const ReportCode* ReportSet::code() const {
  return settings.source && source.code ? &*source.code : nullptr;
}

std::optional<std::size_t> ReportSet::row(const Configuration& configuration) const {
  const auto found = row_of.find(configuration);
  return found == row_of.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> ReportSet::default_row() const {
  const auto standard = default_of(exported);
  return standard ? row(*standard) : std::nullopt;
}

LaunchExplanation ReportSet::explanation() const {
  const ReportCode* of = code();
  return explain(recording, best_of(exported), of ? &of->facts : nullptr,
                 of && of->fast_math ? &*of->fast_math : nullptr);
}

} // namespace gridsmith
