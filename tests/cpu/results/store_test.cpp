#include "gridsmith/results/store/store.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/results/store/store_schema.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace gridsmith;

namespace {

ScopeKey sample_key(const std::string& problem = "8192x8192") {
  return {"transpose", "s1",   "d1",    "NVIDIA H200", "GPU-1",
          "580.159",   "13.0", problem, false,         "default"};
}

/// A store as version 1 wrote it.
void write_version_1(const std::filesystem::path& file) {
  const Database database = Database::open(file, Database::Mode::read_write);
  database.run(R"(
CREATE TABLE scopes(id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, source_hash TEXT NOT NULL,
  definition_hash TEXT NOT NULL, device_name TEXT NOT NULL, device_uuid TEXT NOT NULL,
  driver TEXT NOT NULL, toolkit TEXT NOT NULL, problem TEXT NOT NULL, warm INTEGER NOT NULL,
  device TEXT NOT NULL, recorded TEXT NOT NULL,
  UNIQUE(kernel, source_hash, definition_hash, device_name, device_uuid, driver, toolkit, problem, warm));
CREATE TABLE records(id INTEGER PRIMARY KEY, scope INTEGER NOT NULL REFERENCES scopes(id),
  configuration TEXT NOT NULL, status TEXT NOT NULL, median_ms REAL, measurement TEXT NOT NULL,
  recorded TEXT NOT NULL, UNIQUE(scope, configuration));
PRAGMA journal_mode = WAL;
PRAGMA application_id = 1196641620;
PRAGMA user_version = 1;
INSERT INTO scopes VALUES(7, 'transpose', 's1', 'd1', 'NVIDIA H200', 'GPU-1', '580.159', '13.0',
  '8192x8192', 0, '{"name": "NVIDIA H200"}', '2025-01-01T00:00:00Z');
)");
  std::int64_t id = 10;
  for (Measurement row : {sample_measurement(16, false, 0.25), sample_measurement(32, true, 0.125),
                          sample_failure(32, Status::runtime, "trap")}) {
    if (id == 11)
      row.counters.clear();
    Statement insert =
        database.prepare("INSERT INTO records VALUES(?1, 7, ?2, ?3, ?4, ?5, 'then')");
    insert.bind(1, id++).bind(2, to_text(row.configuration)).bind(3, to_text(row.status));
    insert.bind(5, nlohmann::json(row).dump());
    if (const auto median = median_ms(row))
      insert.bind(4, *median);
    insert.step();
  }
}

} // namespace

TEST_CASE("what is added is found, listed and ranked") {
  const TemporaryFolder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const Recording sample = sample_recording();
  const ScopeId scope = store.declare(sample_key(), sample.device, sample.parameters);
  CHECK(store.declare(sample_key(), sample.device) == scope);
  CHECK(store.find_scope(sample_key()) == scope);
  CHECK_FALSE(store.find_scope(sample_key("1x1")));
  store.add(scope, sample.measurements);

  const Measurement& some = sample.measurements[1];
  CHECK(nlohmann::json(store.find(scope, some.configuration).value()) == nlohmann::json(some));
  CHECK_FALSE(store.find(scope, {{"tile", std::int64_t{99}}}));
  CHECK_FALSE(store.find(scope + 1, some.configuration));
  REQUIRE(store.all(scope).size() == 4);
  CHECK(store.all(scope)[3].reason == sample.measurements[3].reason);
  const auto best = store.best(scope, 10);
  REQUIRE(best.size() == 3);
  CHECK(median_ms(best[0]) == 0.125);
  CHECK(best[2].raced_out); // though its few samples are the fastest

  const Scope held = store.scope(scope);
  CHECK(held.key == sample_key());
  CHECK(held.device == sample.device);
  CHECK(held.records == 4);
  CHECK(held.correct == 3);
  CHECK(held.parameters.size() == 4);
  CHECK(store.scopes().size() == 1);
  CHECK_THROWS_AS(store.scope(77), InputError);

  const Recording back = recording_of(store, scope);
  CHECK(back.measurements.size() == 4);
  CHECK(back.parameters[2].values == sample.parameters[2].values);
  CHECK(back.conditions == sample.conditions);
}

TEST_CASE("every part of the key separates scopes") {
  const TemporaryFolder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  std::vector<ScopeKey> keys(11, sample_key());
  keys[1].kernel = "x", keys[2].source_hash = "x", keys[3].definition_hash = "x";
  keys[4].device_name = "x", keys[5].device_uuid = "x", keys[6].driver = "x", keys[7].toolkit = "x";
  keys[8].problem = "x", keys[9].warm = true, keys[10].counter_set = "x";
  for (const ScopeKey& key : keys)
    store.declare(key, sample_device());
  const auto scopes = store.scopes();
  REQUIRE(scopes.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    CHECK(scopes[i].key == keys[i]);
}

TEST_CASE("of two records for one configuration the one worth more stays") {
  const TemporaryFolder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const ScopeId scope = store.declare(sample_key(), sample_device());
  Measurement failed = sample_failure(16, Status::timeout, "watchdog");
  Measurement raced = sample_measurement(16, false, 3);
  raced.raced_out = true;
  Measurement uncounted = sample_measurement(16, false, 2);
  uncounted.counters.clear();
  const Measurement counted = sample_measurement(16, false, 1);
  for (const Measurement& row : {failed, raced, failed, uncounted, raced, counted, uncounted})
    store.add(scope, row);
  REQUIRE(store.all(scope).size() == 1);
  CHECK(median_ms(store.all(scope)[0]) == 1);
  Measurement later = counted;
  later.times_ms = {5};
  store.add(scope, later);
  CHECK(median_ms(store.all(scope)[0]) == 1); // the older among equals
}

TEST_CASE("answers are kept, the last one counts") {
  const TemporaryFolder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const ScopeId scope = store.declare(sample_key(), sample_device());
  CHECK_FALSE(store.answer(scope));
  store.add_answer(scope, {"", {sample_measurement(16, false, 2)}, 1});
  store.add_answer(scope,
                   {"", {sample_measurement(32, true, 1), sample_measurement(16, false, 2)}, 2});
  const Answer answer = store.answer(scope).value();
  CHECK(answer.finalists.size() == 2);
  CHECK(answer.tied == 2);
  CHECK(answer.when.size() == 20);
  const Export exported = export_of(store, scope);
  CHECK(exported.answer->tied == 2);
}

TEST_CASE("the nearest scope of the same kernel") {
  const TemporaryFolder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const Device h200 = sample_device();
  const ScopeKey wanted = sample_key("1000x1000");
  const auto declare = [&](const std::string& device, int capability, const std::string& problem,
                           const std::string& definition, bool fill = true) {
    ScopeKey key = sample_key(problem);
    key.device_name = device;
    key.definition_hash = definition;
    const ScopeId id = store.declare(key, sample_device(device, capability));
    if (fill)
      store.add(id, sample_measurement(16, false, 1));
    return id;
  };
  store.add(store.declare(wanted, h200), sample_measurement(16, false, 1)); // itself never counts
  CHECK_FALSE(store.nearest(wanted, h200));
  declare("NVIDIA H200", 90, "1001x1000", "d1", false); // nothing recorded
  CHECK_FALSE(store.nearest(wanted, h200));
  const ScopeId other_definition = declare("NVIDIA H200", 90, "1000x1000", "d2");
  CHECK(store.nearest(wanted, h200)->id == other_definition);
  const ScopeId old_device = declare("GTX", 61, "1000x1000", "d1");
  CHECK(store.nearest(wanted, h200)->id == old_device);
  const ScopeId near_device = declare("A100", 80, "1000x1000", "d1");
  CHECK(store.nearest(wanted, h200)->id == near_device);
  const ScopeId far_problem = declare("NVIDIA H200", 90, "8000x8000", "d1");
  CHECK(store.nearest(wanted, h200)->id == far_problem);
  const ScopeId near_problem = declare("NVIDIA H200", 90, "900x900", "d1");
  CHECK(store.nearest(wanted, h200)->id == near_problem);
}

TEST_CASE("a store of version 1 is migrated, whole") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "s.db";
  write_version_1(file);
  const std::string before = read_file(file);

  { // reading only: seen as of today, not touched
    const Store store = Store::open(file, Store::Mode::read_only);
    CHECK(store.scopes().size() == 1);
    CHECK(store.all(7).size() == 3);
  }
  CHECK(read_file(file) == before);

  for (int time = 0; time < 2; ++time) { // the second time there is nothing left to do
    Store store = Store::open(file, Store::Mode::read_write);
    REQUIRE(store.find_scope(sample_key()) == 7);
    const Scope scope = store.scope(7);
    CHECK(scope.key.counter_set == "default");
    CHECK(scope.when == "2025-01-01T00:00:00Z");
    CHECK(scope.correct == 2);
    CHECK(scope.best_ms == 0.125);
    const auto all = store.all(7);
    REQUIRE(all.size() == 3);
    CHECK(nlohmann::json(all[0]) == nlohmann::json(sample_measurement(16, false, 0.25)));
    CHECK(median_ms(store.best(7)[0]) == 0.125);
    // the worth of the old records is known: a counted one replaces the uncounted, not the counted
    store.add(7, sample_measurement(32, true, 0.5));
    store.add(7, sample_measurement(16, false, 0.5));
    CHECK(median_ms(*store.find(7, all[1].configuration)) == (time == 0 ? 0.5 : 0.5));
    CHECK(median_ms(*store.find(7, all[0].configuration)) == 0.25);
    store.add_answer(7, {"", {all[0]}, 1});
    Measurement back = sample_measurement(32, true, 0.125);
    back.counters.clear();
    if (time == 0) { // restore what the second round expects
      const Database database = Database::open(file, Database::Mode::read_write);
      Statement restore = database.prepare(
          "UPDATE records SET cost_ms = 0.125, worth = 2, measurement = ?1 WHERE id = 11");
      restore.bind(1, nlohmann::json(back).dump()).step();
    }
  }
  const Database look = Database::open(file, Database::Mode::read_only);
  CHECK(look.integer("PRAGMA user_version") == 2);
  CHECK(look.integer(
            "SELECT count(*) FROM sqlite_master WHERE name IN ('scopes_1', 'records_1')") == 0);
}

TEST_CASE("a newer store is refused and left untouched") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "s.db";
  Store::open(file, Store::Mode::read_write);
  Database::open(file, Database::Mode::read_write).run("PRAGMA user_version = 3");
  const std::string before = read_file(file);
  for (const auto mode : {Store::Mode::read_write, Store::Mode::read_only})
    CHECK(message_of([&] { Store::open(file, mode); }) ==
          file.string() + ": the store has version 3, this program knows versions up to 2; it was "
                          "left untouched");
  CHECK(read_file(file) == before);
}

TEST_CASE("what is no store is refused and left untouched") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "s.db";
  const auto open = [&](Store::Mode mode = Store::Mode::read_write) {
    return message_of([&] { Store::open(file, mode); });
  };
  CHECK(open(Store::Mode::read_only) == file.string() + ": there is no such store");
  CHECK_FALSE(std::filesystem::exists(file));

  write_file(file, "{\"results\": [] } and then enough text to be longer than a header ............"
                   "...................................................................");
  const std::string text = read_file(file);
  CHECK(open() == file.string() + ": is not a Gridsmith store (no SQLite database)");
  CHECK(read_file(file) == text);
  std::filesystem::remove(file);

  Database::open(file, Database::Mode::read_write).run("CREATE TABLE bookmarks(a)");
  CHECK(contains(open(), "an SQLite database of another program"));
  std::filesystem::remove(file);

  std::filesystem::create_directory(file);
  CHECK(contains(open(), "is not a file; a store is one"));
  CHECK(contains(message_of([&] { Store::open(folder / "no/such/s.db", Store::Mode::read_write); }),
                 "cannot be opened as a store"));

  write_file(folder / "empty.db", ""); // as mktemp leaves it: a new store
  CHECK(Store::open(folder / "empty.db", Store::Mode::read_write).scopes().empty());
}

TEST_CASE("a damaged store names the file, whatever is damaged") {
  const TemporaryFolder folder;
  const std::filesystem::path whole = folder / "whole.db";
  {
    Store store = Store::open(whole, Store::Mode::read_write);
    const ScopeId scope = store.declare(sample_key(), sample_device());
    for (int i = 0; i < 200; ++i)
      store.add(scope, sample_measurement(i, false, 1 + i));
  }
  const std::string good = read_file(whole);
  const std::filesystem::path file = folder / "s.db";
  for (std::size_t at = 0; at < good.size(); at += good.size() / 23) {
    std::string bad = good;
    for (std::size_t i = at; i < std::min(at + 3000, bad.size()); ++i)
      bad[i] = static_cast<char>(bad[i] * 7 + 13);
    for (const std::string suffix : {"", "-wal", "-shm"})
      std::filesystem::remove(file.string() + suffix);
    write_file(file, bad);
    const std::string message = message_of([&] {
      Store store = Store::open(file, Store::Mode::read_write);
      for (const Scope& scope : store.scopes())
        store.all(scope.id);
    });
    INFO(at << ": " << message);
    CHECK((message == "nothing" || message.starts_with(file.string() + ": ")));
  }
}
