#include "gridsmith/results/measurement/recording.hpp"

#include "gridsmith/results/formats/json_reader.hpp"
#include "gridsmith/results/formats/readers.hpp"
#include "gridsmith/base/file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

namespace gridsmith {
namespace {

/// A recording's format by the first of these keys at its top level.
struct ReaderEntry {
  std::string_view key;
  Recording (*read)(std::string_view text, const std::string& name);
};

constexpr std::array<ReaderEntry, 6> readers{{{"gridsmith recording", read_gridsmith_recording},
                                              {"tune_params_keys", read_kernel_tuner_cache},
                                              {"tune_params", read_kernel_tuner_cache},
                                              {"cache", read_kernel_tuner_cache},
                                              {"results", read_t4},
                                              {"Results", read_ktt}}};

/// Ends the walk over the top level as soon as the format is known.
struct Found {
  const ReaderEntry* reader;
};

const ReaderEntry& reader_of(std::string_view text, const std::string& name) {
  JsonReader json(text, name);
  const char* const expected = "expected a recording: one of Gridsmith's, a Kernel Tuner cache, a "
                               "T4 file or KTT's JSON results";
  try {
    if (text.empty() || json.peek() != JsonReader::Kind::object)
      json.fail_at(0, expected);
    json.object([&](const std::string& key) {
      for (const ReaderEntry& reader : readers)
        if (reader.key == key)
          throw Found{&reader};
      json.skip();
    });
  } catch (const Found& found) {
    return *found.reader;
  }
  json.fail_at(0, expected);
}

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

} // namespace

Recording read_recording(const std::filesystem::path& file) {
  const std::string text = read_unpacked(file);
  Recording recording = reader_of(text, file.string()).read(text, file.string());
  if (recording.date.empty())
    for (const Measurement& measurement : recording.measurements)
      if (!measurement.when.empty() &&
          (recording.date.empty() || measurement.when < recording.date))
        recording.date = measurement.when;
  return recording;
}

std::string describe(const Recording& recording) {
  std::map<Status, std::size_t> counts;
  for (const Measurement& measurement : recording.measurements)
    ++counts[measurement.status];
  std::string text = std::to_string(recording.measurements.size()) + " configurations";
  const char* separator = " (";
  for (const auto& [status, count] : counts) {
    text += separator + std::to_string(count) + " " + std::string(to_text(status));
    separator = ", ";
  }
  text += counts.empty() ? "" : ")";
  separator = ", set aside: ";
  for (const auto& [reason, count] : recording.set_aside) {
    text += separator + std::to_string(count) + " " + reason;
    separator = ", ";
  }
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
  return {id, cost_ms(found), facts_of(found)};
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
