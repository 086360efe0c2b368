#include "gridsmith/results/store/store_schema.hpp"

#include "gridsmith/base/error.hpp"

#include <chrono>
#include <string>
#include <thread>

namespace gridsmith {
namespace {

constexpr const char* create_scopes = R"(
CREATE TABLE scopes(
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL, source_hash TEXT NOT NULL, definition_hash TEXT NOT NULL,
  device_name TEXT NOT NULL, device_uuid TEXT NOT NULL, driver TEXT NOT NULL,
  toolkit TEXT NOT NULL, problem TEXT NOT NULL, warm INTEGER NOT NULL, counter_set TEXT NOT NULL,
  device TEXT NOT NULL,      -- all facts, JSON
  parameters TEXT NOT NULL,  -- [{"name", "values"}], JSON
  recorded TEXT NOT NULL,    -- UTC
  UNIQUE(kernel, source_hash, definition_hash, device_name, device_uuid, driver, toolkit, problem,
         warm, counter_set));
)";

constexpr const char* create_records = R"(
CREATE TABLE records(
  id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL REFERENCES scopes(id),
  configuration TEXT NOT NULL,  -- "tile=32 rows=8"
  status TEXT NOT NULL,
  cost_ms REAL,                 -- null unless correct
  worth INTEGER NOT NULL,       -- 0 failed, 1 raced out, 2 correct, 3 with counters
  measurement TEXT NOT NULL,    -- everything, JSON
  recorded TEXT NOT NULL,       -- UTC
  UNIQUE(scope, configuration));
CREATE INDEX records_by_cost ON records(scope, cost_ms) WHERE status = 'correct';
)";

constexpr const char* create_answers = R"(
CREATE TABLE answers(
  id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL REFERENCES scopes(id),
  answer TEXT NOT NULL,    -- {"tied", "finalists"}, JSON
  recorded TEXT NOT NULL); -- UTC
CREATE INDEX answers_by_scope ON answers(scope);
)";

/// Version 1 knew one counter set, had no answers, and called the columns of a record otherwise.
void migrate_1_to_2(const Database& database) {
  database.run("ALTER TABLE scopes RENAME TO scopes_1; ALTER TABLE records RENAME TO records_1;");
  database.run(create_scopes);
  database.run(create_records);
  database.run(create_answers);
  database.run(R"(
INSERT INTO scopes SELECT id, kernel, source_hash, definition_hash, device_name, device_uuid,
  driver, toolkit, problem, warm, 'default', device, '[]', recorded FROM scopes_1;
INSERT INTO records SELECT id, scope, configuration, status,
  CASE status WHEN 'correct' THEN median_ms END,
  CASE status WHEN 'correct' THEN
    CASE WHEN json_extract(measurement, '$.raced_out') THEN 1
         WHEN json_extract(measurement, '$.counters') IS NOT NULL THEN 3 ELSE 2 END
  ELSE 0 END,
  measurement, recorded FROM records_1;
DROP TABLE records_1;
DROP TABLE scopes_1;
)");
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
  return found;
}

void bring_up_to_date(const Database& database, int newest) {
  if (store_version(database, newest) == newest)
    return;
  database.run("PRAGMA foreign_keys = OFF"); // tables are renamed on the way
  Transaction transaction(database);
  switch (store_version(database, newest)) { // again, now that nobody else can write
  case 0:
    database.run(create_scopes);
    database.run(create_records);
    database.run(create_answers);
    database.run("PRAGMA application_id = " + std::to_string(store_application_id));
    break;
  case 1:
    migrate_1_to_2(database);
    break;
  default:
    break;
  }
  database.run("PRAGMA user_version = " + std::to_string(newest));
  transaction.commit();
}

void make_durable(const Database& database) {
  const auto journal = [&](const char* sql) {
    Statement statement = database.prepare(sql);
    return statement.step() ? statement.text(0) : std::string();
  };
  // Changing the mode needs the file for itself, and SQLite does not always wait for that.
  bool log = false;
  for (int attempt = 0; attempt < 100; ++attempt) {
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
