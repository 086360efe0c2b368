// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/store/import.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"

#include <fstream>
#include <set>
#include <sstream>
#include <unordered_set>

namespace gridsmith {
namespace {

/// Equal for one measurement, whatever file it was read from.
std::string identity(const Measurement& measurement) {
  return json_text(json_of(measurement));
}

bool same_subject(const Scope& scope, const Recording& recording) {
  return scope.key.kernel == recording.kernel && scope.key.problem == recording.problem &&
         scope.key.device_name == recording.device.name;
}

/// All that the store holds of the recording's kernel, problem and device.
std::set<std::string> held_of(const Store& store, const Recording& recording) {
  std::set<std::string> held;
  for (const Scope& scope : store.scopes())
    if (same_subject(scope, recording))
      for (const Measurement& one : store.history(scope.id))
        held.insert(identity(one));
  return held;
}

void remove_store(const std::filesystem::path& file) {
  std::error_code ignored;
  for (const char* ending : {"", "-wal", "-shm", "-journal"})
    std::filesystem::remove(file.string() + ending, ignored);
}

} // namespace

std::string replayed_hash(const std::filesystem::path& file) {
  std::ostringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  return std::string(replayed_prefix) + sha256_hex(content.str());
}

ScopeKey key_of_file(const Origin& origin, const std::string& source_hash,
                     const std::string& format) {
  return {.kernel = origin.kernel,
          .source_hash = source_hash,
          .definition_hash = "",
          .device_name = origin.device.name,
          .device_uuid = origin.device.uuid,
          .driver = origin.device.driver_version,
          .toolkit = origin.device.toolkit_version,
          .problem = origin.problem,
          .conditions = origin.conditions,
          .counter_set = format};
}

std::vector<Measurement> missing(const Store& store, ScopeId scope,
                                 const std::vector<Measurement>& measurements) {
  std::unordered_set<Configuration> held;
  for (const Measurement& one : store.all(scope))
    held.insert(one.configuration);
  std::vector<Measurement> rows;
  for (const Measurement& one : measurements)
    if (held.insert(one.configuration).second)
      rows.push_back(one);
  return rows;
}

Taken import_recording(Store& store, Recording recording, const std::string& source_hash) {
  std::vector<Measurement>& rows = recording.measurements;
  const std::size_t all = rows.size();
  for (Measurement& row : rows)
    if (row.when.empty())
      row.when = recording.date;
  const std::set<std::string> held = held_of(store, recording);
  std::erase_if(rows, [&](const Measurement& row) { return held.contains(identity(row)); });
  const ScopeKey key = key_of_file(recording, source_hash, recording.format);
  if (const auto scope = store.find_scope(key))
    rows = missing(store, *scope, rows);
  if (!rows.empty())
    store.all_or_none([&] {
      const ScopeId scope = store.declare(key, recording.device, recording.parameters);
      store.add(scope, rows,
                store.begin_run(scope, {.strategy = "import", .seed = 0, .conditions = {}}));
      if (!recording.peaks.empty())
        store.set_peaks(scope, recording.peaks);
      store.keep_model(scope, recording);
    });
  return {.added = rows.size(), .held = all - rows.size()};
}

void change_store(const std::filesystem::path& file, const std::function<void(Store&)>& change) {
  std::error_code error;
  const bool existed = std::filesystem::exists(file, error);
  try {
    Store store = Store::open(file, Store::Mode::read_write);
    store.all_or_none([&] { change(store); });
  } catch (...) {
    if (!existed)
      remove_store(file);
    throw;
  }
}

} // namespace gridsmith
