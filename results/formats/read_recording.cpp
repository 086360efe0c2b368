// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/formats/read_recording.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/utf16.hpp"
#include "gridsmith/results/formats/parts/json_reader.hpp"
#include "gridsmith/results/formats/readers.hpp"

#include <string_view>

namespace gridsmith {
namespace {

/// Ends the walk over the top level as soon as the format is known.
struct Found {
  const ReaderEntry* reader;
};

bool begins_object(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{';
}

const ReaderEntry& reader_of(std::string_view text, const std::string& name) {
  JsonReader json(text, name);
  const char* const expected = "expected a recording: one of Gridsmith's, a Kernel Tuner cache, a "
                               "T4 file, KTT's JSON results or Kernel Launcher's wisdom";
  if (text.starts_with("SQLite format 3"))
    throw InputError(name + ": is a store; 'gridsmith export recording' makes a recording of it");
  if (text.substr(0, 10).find("NUMPY") != text.npos)
    throw InputError(name + ": is a .npy file of elements; " + expected);
  try {
    if (!begins_object(text))
      json.fail_at(0, expected);
    json.object([&](const std::string& key) {
      for (const ReaderEntry& reader : recording_readers)
        if (reader.member == key)
          throw Found{&reader};
      json.skip();
    });
  } catch (const Found& found) {
    return *found.reader;
  }
  json.fail_at(0, expected);
}

/// By its oldest measurement, where the file does not say.
void date(Recording& recording) {
  if (recording.date.empty())
    for (const Measurement& measurement : recording.measurements)
      if (!measurement.when.empty() &&
          (recording.date.empty() || measurement.when < recording.date))
        recording.date = measurement.when;
}

} // namespace

bool is_recording(const std::filesystem::path& file) {
  try {
    const std::string text = read_as_utf8(file);
    reader_of(text, file.string());
    return true;
  } catch (const InputError&) {
    return false;
  }
}

Recording read_recording(const std::filesystem::path& file) {
  return read_recording(read_as_utf8(file), file.string());
}

Recording read_recording(std::string_view text, const std::string& name) {
  Recording recording = reader_of(text, name).read(text, name);
  date(recording);
  return recording;
}

std::vector<Recording> read_recordings(std::string_view text, const std::string& name) {
  if (reader_of(text, name).member != wisdom_member)
    return {read_recording(text, name)};
  std::vector<Recording> all = read_wisdom(text, name);
  for (Recording& recording : all)
    date(recording);
  return all;
}

} // namespace gridsmith
