// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/store/store_schema.hpp"

#include "gridsmith/base/error.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace gridsmith {
namespace {

constexpr const char* create_scopes = R"(
CREATE TABLE scopes(
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL, source_hash TEXT NOT NULL, definition_hash TEXT NOT NULL,
  device_name TEXT NOT NULL, device_uuid TEXT NOT NULL, driver TEXT NOT NULL,
  toolkit TEXT NOT NULL, problem TEXT NOT NULL,
  conditions TEXT NOT NULL,  -- "cold", "warm 1200 MHz"
  counter_set TEXT NOT NULL,
  device TEXT NOT NULL,      -- all facts, JSON
  peaks TEXT NOT NULL DEFAULT '[]', -- what it was measured to reach, JSON
  parameters TEXT NOT NULL,  -- [{"name", "values"}], JSON
  recorded TEXT NOT NULL,    -- UTC
  UNIQUE(kernel, source_hash, definition_hash, device_name, device_uuid, driver, toolkit, problem,
         conditions, counter_set));
)";

constexpr const char* create_records = R"(
CREATE TABLE runs(
  id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL REFERENCES scopes(id),
  strategy TEXT NOT NULL, seed INTEGER NOT NULL,
  conditions TEXT NOT NULL,     -- all of them, JSON
  begun TEXT NOT NULL);         -- UTC
CREATE TABLE records(
  id INTEGER PRIMARY KEY,       -- in the order recorded
  scope INTEGER NOT NULL REFERENCES scopes(id),
  run INTEGER REFERENCES runs(id), -- null: of a store older than runs
  configuration TEXT NOT NULL,  -- "tile=32 rows=8"
  mode TEXT NOT NULL,           -- race, final, check, anchor
  status TEXT NOT NULL,
  cost_ms REAL,                 -- null unless correct
  worth INTEGER NOT NULL,       -- 0 failed, 1 pruned early, 2 correct, 3 with counters
  measurement TEXT NOT NULL,    -- everything but the counters, JSON
  counters TEXT,                -- {"name": value}, JSON; may come later than the rest
  recorded TEXT NOT NULL);      -- UTC
CREATE INDEX records_by_configuration ON records(scope, configuration);
)";

constexpr const char* create_answers = R"(
CREATE TABLE answers(
  id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL REFERENCES scopes(id),
  answer TEXT NOT NULL,    -- {"tied", "finalists", "found_by"}, JSON
  recorded TEXT NOT NULL); -- UTC
CREATE INDEX answers_by_scope ON answers(scope);
)";

constexpr const char* create_peaks = R"(
CREATE TABLE peaks(
  device_name TEXT NOT NULL, device_uuid TEXT NOT NULL, -- the board
  name TEXT NOT NULL,
  peak TEXT NOT NULL, -- JSON
  UNIQUE(device_name, device_uuid, name));
)";

constexpr const char* create_checks = R"(
CREATE TABLE checks(
  id INTEGER PRIMARY KEY, -- in the order kept
  kernel TEXT NOT NULL,
  found TEXT NOT NULL);   -- JSON
)";

constexpr const char* create_verdicts = R"(
CREATE TABLE verdicts(
  key TEXT PRIMARY KEY,
  evidence TEXT NOT NULL); -- JSON
)";

constexpr const char* create_models = R"(
CREATE TABLE models(
  scope INTEGER PRIMARY KEY REFERENCES scopes(id),
  model TEXT NOT NULL); -- {"work_model", "own_metrics", "drawn"}, JSON
)";

/// SQL: the text of a measurement with the names that its fields have since version 3. Quotes inside
/// of strings are escaped, so only names can match.
std::string renamed(const std::string& column) {
  std::string text = column;
  for (const auto& [old, now] : {std::pair("\"raced_out\":", "\"pruned_early\":"),
                                 std::pair("\"stated_ms\":", "\"reported_ms\":"),
                                 std::pair("\"warm\":true", "\"conditions\":{\"cache\":\"warm\"}")})
    text = "replace(" + text + ", '" + old + "', '" + now + "')";
  return text;
}

/// Version 1 knew one counter set and had no answers; both before 3 knew one record per
/// configuration and neither runs nor locked clocks.
void migrate(const Database& database, int from) {
  const bool first = from == 1;
  database.run("ALTER TABLE scopes RENAME TO old_scopes; ALTER TABLE records RENAME TO old_records;"
               "DROP INDEX IF EXISTS records_by_cost; DROP INDEX IF EXISTS answers_by_scope;");
  if (!first)
    database.run("ALTER TABLE answers RENAME TO old_answers");
  for (const char* create : {create_scopes, create_records, create_answers})
    database.run(create);
  database.run(
      std::string(
          "INSERT INTO scopes SELECT id, kernel, source_hash, definition_hash, device_name, "
          "device_uuid, driver, toolkit, problem, CASE warm WHEN 0 THEN 'cold' ELSE 'warm' "
          "END, ") +
      (first ? "'default', device, '[]', '[]'" : "counter_set, device, '[]', parameters") +
      ", recorded FROM old_scopes");
  database.run(std::string("INSERT INTO records SELECT id, scope, NULL, configuration, 'race', "
                           "status, CASE status WHEN 'correct' THEN ") +
               (first ? "median_ms" : "cost_ms") +
               " END, CASE WHEN status <> 'correct' THEN 0 "
               "WHEN json_extract(measurement, '$.raced_out') THEN 1 "
               "WHEN json_extract(measurement, '$.counters') IS NOT NULL THEN 3 ELSE 2 END, "
               "json_remove(" +
               renamed("measurement") +
               ", '$.counters'), json_extract(measurement, '$.counters'), recorded "
               "FROM old_records ORDER BY id");
  database.run("DROP TABLE old_records");
  if (!first)
    database.run("INSERT INTO answers SELECT id, scope, " + renamed("answer") +
                 ", recorded FROM old_answers; DROP TABLE old_answers");
  database.run("DROP TABLE old_scopes");
}

} // namespace

int store_version(const Database& database, int newest) {
  const auto found = static_cast<int>(database.integer("PRAGMA user_version"));
  const std::int64_t tables = database.integer("SELECT count(*) FROM sqlite_master");
  if (database.integer("PRAGMA application_id") != store_application_id) {
    if (found != 0 || tables != 0)
      throw InputError(database.name() +
                       ": is not a Gridsmith store (an SQLite database of another program)");
    return 0;
  }
  if (found > newest)
    throw InputError(database.name() + ": the store has version " + std::to_string(found) +
                     ", this program knows versions up to " + std::to_string(newest) +
                     "; it was left untouched");
  // A view can stand for a table and never end, a trigger writes what we did not.
  if (database.integer("SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')") != 0)
    throw InputError(database.name() + ": is not a store that Gridsmith made: it has views or "
                                       "triggers");
  return found;
}

void bring_up_to_date(const Database& database, int newest) {
  if (store_version(database, newest) == newest)
    return;
  database.run("PRAGMA foreign_keys = OFF"); // tables are renamed on the way
  Transaction transaction(database);
  // Asked again, now that nobody else can write.
  if (const int found = store_version(database, newest); found == 0) {
    database.run(create_scopes);
    database.run(create_records);
    database.run(create_answers);
    database.run(create_peaks);
    database.run(create_checks);
    database.run(create_verdicts);
    database.run(create_models);
    database.run("PRAGMA application_id = " + std::to_string(store_application_id));
  } else if (found < newest) {
    if (found < 3)
      migrate(database, found);
    if (found < 4)
      database.run(create_peaks); // which version 3 did not know
    if (found < 5)
      database.run(create_checks); // nor did version 4 these
    if (found < 6)
      database.run(create_verdicts); // nor 5 these
    database.run(create_models);     // nor 6 these
  }
  database.run("PRAGMA user_version = " + std::to_string(newest));
  transaction.commit();
}

void make_durable(const Database& database, Journal wanted) {
  const auto journal = [&](const char* sql) {
    Statement statement = database.prepare(sql);
    return statement.step() ? statement.text(0) : std::string();
  };
  // Changing the mode needs the file for itself, and SQLite does not always wait for that.
  bool log = false;
  for (int attempt = 0; wanted == Journal::log && attempt < 100; ++attempt) {
    try {
      log = journal("PRAGMA journal_mode = WAL") == "wal";
      break;
    } catch (const StoreError& error) {
      if (error.kind() == StoreError::Kind::full)
        throw;
      if (error.kind() != StoreError::Kind::busy)
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  if (!log)
    journal("PRAGMA journal_mode = DELETE");
  database.run(log ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = EXTRA");
  database.run("PRAGMA foreign_keys = ON");
}

} // namespace gridsmith
