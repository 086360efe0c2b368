// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/recording.hpp"

#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace gridsmith {
namespace {

std::vector<Position> row_of(const Measurement& measurement,
                             const std::vector<std::unordered_map<std::string, Position>>& places) {
  std::vector<Position> row(places.size());
  for (std::size_t p = 0; p < places.size(); ++p)
    row[p] = places[p].at(to_text(measurement.configuration[p].second));
  return row;
}

/// Value positions of every measurement.
std::vector<std::vector<Position>> rows_of(const Recording& recording) {
  std::vector<std::unordered_map<std::string, Position>> places(recording.parameters.size());
  for (std::size_t p = 0; p < places.size(); ++p) {
    const auto& values = recording.parameters[p].values;
    for (std::size_t i = 0; i < values.size(); ++i)
      places[p].emplace(to_text(values[i]), static_cast<Position>(i));
  }
  std::vector<std::vector<Position>> rows;
  rows.reserve(recording.measurements.size());
  for (const Measurement& measurement : recording.measurements)
    rows.push_back(row_of(measurement, places));
  return rows;
}

/// "6 memory operations", "2 rows that are cut off"; what begins with no noun stays.
std::string several(std::size_t count, std::string reason) {
  const std::string number = std::to_string(count) + " ";
  for (const char* word : {"no ", "the ", "status "})
    if (count == 1 || reason.starts_with(word))
      return number + reason;
  std::size_t noun_end = reason.size();
  for (const char* after :
       {" of ", " that ", " without ", " about ", " in ", " over ", " missing", " not "})
    noun_end = std::min(noun_end, reason.find(after));
  if (const auto is = reason.find(" that is "); is == noun_end)
    reason.replace(is, std::string_view(" that is ").size(), " that are ");
  return number + reason.insert(noun_end, reason.substr(0, noun_end).ends_with("ch") ? "es" : "s");
}

} // namespace

std::string known_source(const Recording& recording) {
  return recording.source_hash.starts_with(replayed_prefix) ? "" : recording.source_hash;
}

namespace {

/// Default conditions are also those of a row that was read from another tool's file and written as ours.
bool says_own_conditions(const Recording& recording, const Measurement& measurement) {
  return recording.format == "gridsmith" &&
         (measurement.conditions != Conditions{} || is_summary(recording.conditions));
}

} // namespace

std::string conditions_of(const Recording& recording, const Measurement& measurement) {
  const std::string text = says_own_conditions(recording, measurement)
                               ? to_text(measurement.conditions)
                               : recording.conditions;
  const std::string counted = counted_text(measurement);
  return counted.empty() ? text : text + "; " + counted;
}

std::string to_text(const SetAside& set_aside) {
  std::string text;
  for (const auto& [reason, count] : set_aside)
    text += (text.empty() ? "" : ", ") + several(count, reason);
  return text;
}

std::string describe(const Recording& recording) {
  std::map<Status, std::size_t> counts;
  for (const Measurement& measurement : recording.measurements)
    ++counts[measurement.status];
  std::string text = counted(recording.measurements.size(), "configuration");
  const char* separator = " (";
  for (const auto& [status, count] : counts) {
    text += separator + std::to_string(count) + " " + std::string(to_text(status));
    separator = ", ";
  }
  text += counts.empty() ? "" : ")";
  if (!recording.set_aside.empty())
    text += ", skipped: " + to_text(recording.set_aside);
  return text;
}

RecordedSpace::RecordedSpace(const Recording& recording)
    : recording_(&recording),
      space_(SearchSpace::from_rows(recording.parameters, rows_of(recording))),
      row_of_id_(space_.size()) {
  const auto rows = rows_of(recording);
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (const auto id = space_.find(rows[row]))
      row_of_id_[*id] = row;
}

const SearchSpace& RecordedSpace::space() const {
  return space_;
}

const Measurement& RecordedSpace::measurement(ConfigurationId id) const {
  return recording_->measurements[row_of_id_[id]];
}

Observation RecordedSpace::observation(ConfigurationId id) const {
  const Measurement& found = measurement(id);
  return {.id = id, .cost = cost_ms(found), .facts = facts_of(found)};
}

double RecordedSpace::optimum_ms() const {
  double best = std::numeric_limits<double>::infinity();
  for (const Measurement& measurement : recording_->measurements)
    best = std::min(best, cost_ms(measurement).value_or(best));
  if (best == std::numeric_limits<double>::infinity())
    throw InputError("the recording of '" + recording_->kernel +
                     "' holds no correct configuration");
  return best;
}

} // namespace gridsmith
