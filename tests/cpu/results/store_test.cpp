// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/judge/evidence.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/results/store/store_schema.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace store_test {

using namespace gridsmith;

namespace {

ScopeKey sample_key(const std::string& problem = "8192x8192") {
  return {"transpose", "s1",   "d1",    "NVIDIA H200", "GPU-1",
          "580.159",   "13.0", problem, "cold",        "default"};
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
    insert.bind(5, json_of(row).dump());
    if (const auto median = cost_ms(row))
      insert.bind(4, *median);
    insert.step();
  }
}

} // namespace

TEST_CASE("what is added is found, listed and ranked") {
  const test::Folder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const Recording sample = sample_recording();
  const ScopeId scope = store.declare(sample_key(), sample.device, sample.parameters);
  CHECK(store.declare(sample_key(), sample.device) == scope);
  CHECK(store.find_scope(sample_key()) == scope);
  CHECK_FALSE(store.find_scope(sample_key("1x1")));
  store.add(scope, sample.measurements);

  const Measurement& some = sample.measurements[1];
  CHECK(json_of(store.find(scope, some.configuration).value()) == json_of(some));
  CHECK_FALSE(store.find(scope, {{"tile", std::int64_t{99}}}));
  CHECK_FALSE(store.find(scope + 1, some.configuration));
  REQUIRE(store.all(scope).size() == 4);
  CHECK(store.all(scope)[3].reason == sample.measurements[3].reason);
  const auto best = rank_as_measured(store.all(scope), {.within = 10});
  REQUIRE(best.size() == 2); // without the one pruned early, though its few samples are the fastest
  CHECK(best[0].time.median_ms == 0.125);

  const Scope held = store.scope(scope);
  CHECK(held.key == sample_key());
  CHECK(held.device == sample.device);
  CHECK(held.configurations == 4);
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
  const test::Folder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  std::vector<ScopeKey> keys(11, sample_key());
  keys[1].kernel = "x", keys[2].source_hash = "x", keys[3].definition_hash = "x";
  keys[4].device_name = "x", keys[5].device_uuid = "x", keys[6].driver = "x", keys[7].toolkit = "x";
  keys[8].problem = "x", keys[9].conditions = "warm", keys[10].counter_set = "x";
  for (const ScopeKey& key : keys)
    store.declare(key, sample_device());
  const auto scopes = store.scopes();
  REQUIRE(scopes.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    CHECK(scopes[i].key == keys[i]);
}

TEST_CASE("of two records for one configuration the one worth more stays") {
  const test::Folder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const ScopeId scope = store.declare(sample_key(), sample_device());
  Measurement failed = sample_failure(16, Status::timeout, "watchdog");
  Measurement raced = sample_measurement(16, false, 3);
  raced.pruned_early = true;
  Measurement uncounted = sample_measurement(16, false, 2);
  uncounted.counters.clear();
  const Measurement counted = sample_measurement(16, false, 1);
  for (const Measurement& row : {failed, raced, failed, uncounted, raced, counted, uncounted})
    store.add(scope, row);
  REQUIRE(store.all(scope).size() == 1);
  CHECK(cost_ms(store.all(scope)[0]) == 1);
  Measurement later = counted;
  later.times_ms = {5};
  store.add(scope, later);
  CHECK(cost_ms(store.all(scope)[0]) == 1); // the older among equals
}

TEST_CASE("answers are kept, the last one counts") {
  const test::Folder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const ScopeId scope = store.declare(sample_key(), sample_device());
  CHECK_FALSE(store.answer(scope));
  store.add_answer(scope, {"", rank({sample_measurement(16, false, 2)})});
  const auto two = rank({sample_measurement(32, true, 1), sample_measurement(16, false, 1.1)});
  store.add_answer(scope, {"", two});
  const Answer answer = store.answer(scope).value();
  REQUIRE(answer.ranking.size() == 2);
  CHECK(answer.ties() == 1);
  CHECK(answer.when.size() == 20);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(answer.ranking[i].tied == two[i].tied);
    CHECK(json_of(answer.ranking[i].measurement) == json_of(two[i].measurement));
  }
  CHECK(export_of(store, scope).answer->ties() == 1);
}

TEST_CASE("a record serves again only under conditions that satisfy what is asked") {
  const test::Folder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const ScopeId scope = store.declare(sample_key(), sample_device());
  Measurement row = sample_measurement(16, false, 1);
  const auto held = [&](const Conditions& asked) {
    return store.find(scope, row.configuration, asked).has_value();
  };
  Conditions usual, full, patient, sharp, many;
  full.sampling.prune = false;
  patient.timeout_s = 60;
  sharp.sampling.interval = 1e-6;

  row.status = Status::timeout;
  store.add(scope, row);
  CHECK(held(usual));
  CHECK_FALSE(held(patient)); // more time was granted

  row.status = Status::correct;
  row.pruned_early = true;
  store.add(scope, row);
  CHECK(held(usual));
  CHECK(held(patient)); // what ran to its end needs no more time
  CHECK_FALSE(held(full));
  CHECK_FALSE(held(sharp)); // dropped early, and more samples were granted
  many.sampling.max_samples = 500;
  CHECK_FALSE(held(many));

  row.pruned_early = false;
  row.times_ms = {1, 1.001, 0.999, 1.0005, 1, 1.0002, 1};
  store.add(scope, row);
  CHECK(held(usual));
  CHECK(held(full));
  CHECK_FALSE(held(sharp)); // seven samples would not have been enough
  row.conditions = sharp;
  store.add(scope, row); // measured so, and stopped for another reason
  CHECK(held(sharp));
  CHECK(store.all(scope).size() == 1);
  CHECK(store.history(scope).size() == 4);
}

TEST_CASE("a configuration has many records, of runs and modes; a raced one stands for it") {
  const test::Folder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const ScopeId scope = store.declare(sample_key(), sample_device());
  const RunId run = store.begin_run(scope, {"random", 7, {}});
  CHECK(store.begin_run(scope, {"default", 8, {}}) != run);
  Measurement final = sample_measurement(16, false, 0.5);
  final.mode = Mode::final;
  store.add(scope, final, run);
  CHECK_FALSE(store.find(scope, final.configuration)); // the race is still to be run
  CHECK(cost_ms(store.all(scope).at(0)) == 0.5);
  const std::vector<Measurement> both = {sample_measurement(16, false, 2), final};
  CHECK(store.add(scope, both, run).size() == 2);
  REQUIRE(store.all(scope).size() == 1);
  CHECK(cost_ms(store.all(scope)[0]) == 2);
  CHECK(store.history(scope).size() == 3);
  CHECK(store.scope(scope).configurations == 1);
}

TEST_CASE("counters may follow the times of a committed record") {
  const test::Folder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const ScopeId scope = store.declare(sample_key(), sample_device());
  Measurement row = sample_measurement(16, false, 1);
  const CounterValues counters = std::exchange(row.counters, {});
  const RecordId id = store.add(scope, row);
  CHECK(store.all(scope).at(0).counters.empty());
  store.add_counters(id, counters);
  CHECK(store.all(scope).at(0).counters == counters);
  store.add(scope, row); // uncounted: worth less than the first is now
  CHECK(store.find(scope, row.configuration)->counters == counters);
}

TEST_CASE("what the device was measured to reach is kept and exported") {
  const test::Folder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const ScopeId scope = store.declare(sample_key(), sample_device());
  store.set_peaks(scope, {{"copy", 4145.5, "GB/s", "2026-11-21T08:00:00Z", "L2 flushed", "GPU-1"}});
  CHECK(peak_of(store.scope(scope).peaks, "copy") == 4145.5);
  CHECK(recording_of(store, scope).peaks.at(0).device_uuid == "GPU-1");
}

TEST_CASE("peaks of a board are kept whatever was tuned, the last of each name") {
  const test::Folder folder;
  const auto peak = [](const char* name, double value, const char* date) {
    return Peak{name, value, "GB/s", date, "SM clock 1980 MHz", "GPU-1"};
  };
  Device device = sample_device();
  {
    Store store = Store::open(folder / "s.db", Store::Mode::read_write);
    CHECK(store.kept_peaks(device).empty());
    store.keep_peaks(device, {peak("copy", 4000, "then"), peak("l2_read", 7000, "then")});
    store.keep_peaks(device, {peak("copy", 4100, "now")});
  }
  const Store store = Store::open(folder / "s.db", Store::Mode::read_only);
  const Peaks kept = store.kept_peaks(device);
  REQUIRE(kept.size() == 2);
  CHECK(peak_of(kept, "copy") == 4100);
  CHECK(peak_of(kept, "l2_read") == 7000);
  CHECK(kept.back().conditions == "SM clock 1980 MHz");
  device.uuid = "GPU-2";
  CHECK(store.kept_peaks(device).empty());
}

TEST_CASE("a store of version 3 gets a place for peaks and keeps all it has") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  {
    Store store = Store::open(file, Store::Mode::read_write);
    store.add(store.declare(sample_key(), sample_device()), sample_measurement(16, false, 1));
  }
  Database::open(file, Database::Mode::read_write)
      .run(
          "DROP TABLE peaks; DROP TABLE checks; DROP TABLE verdicts; DROP TABLE models; PRAGMA user_version = 3;");
  CHECK(Store::open(file, Store::Mode::read_only).kept_peaks(sample_device()).empty());
  Store store = Store::open(file, Store::Mode::read_write);
  CHECK(store.all(1).size() == 1);
  store.keep_peaks(sample_device(), {{"copy", 1, "GB/s", "", "", ""}});
  CHECK(store.kept_peaks(sample_device()).size() == 1);
  const Database look = Database::open(file, Database::Mode::read_only);
  CHECK(look.integer("PRAGMA user_version") == Store::version);
}

TEST_CASE("a kept peak that nothing could have measured is a damaged store") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  Store::open(file, Store::Mode::read_write)
      .keep_peaks(sample_device(), {{"copy", 1, "GB/s", "", "", ""}});
  for (const char* held : {"{\"name\":\"copy\",\"value\":-1e308}", "no JSON"}) {
    INFO(held);
    Database::open(file, Database::Mode::read_write)
        .run(std::string("UPDATE peaks SET peak = '") + held + "'");
    const Store store = Store::open(file, Store::Mode::read_only);
    CHECK_THAT(message_of([&] { store.kept_peaks(sample_device()); }),
               contains_text("the store is damaged"));
  }
}

TEST_CASE("the nearest scope of the same kernel") {
  const test::Folder folder;
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
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  write_version_1(file);
  const std::string before = test::read_file(file);

  { // reading only: seen as of today, not touched
    const Store store = Store::open(file, Store::Mode::read_only);
    CHECK(store.scopes().size() == 1);
    CHECK(store.all(7).size() == 3);
  }
  CHECK(test::read_file(file) == before);

  for (int time = 0; time < 2; ++time) { // the second time there is nothing left to do
    Store store = Store::open(file, Store::Mode::read_write);
    REQUIRE(store.find_scope(sample_key()) == 7);
    const Scope scope = store.scope(7);
    CHECK(scope.key.counter_set == "default");
    CHECK(scope.when == "2025-01-01T00:00:00Z");
    CHECK(scope.correct == 2);
    const auto all = store.all(7);
    REQUIRE(all.size() == 3);
    CHECK(json_of(all[0]) == json_of(sample_measurement(16, false, 0.25)));
    CHECK(rank_as_measured(all)[0].time.median_ms == (time == 0 ? 0.125 : 0.25));
    CHECK(all[0].counters == sample_measurement(16, false, 0.25).counters);
    // the worth of the old records is known: a counted one replaces the uncounted, not the counted
    if (time == 0) {
      store.add(7, sample_measurement(32, true, 0.5));
      store.add(7, sample_measurement(16, false, 0.5));
    }
    CHECK(cost_ms(*store.find(7, all[1].configuration)) == 0.5);
    CHECK(cost_ms(*store.find(7, all[0].configuration)) == 0.25);
    store.add_answer(7, {"", rank({all[0]})});
  }
  const Database look = Database::open(file, Database::Mode::read_only);
  CHECK(look.integer("PRAGMA user_version") == Store::version);
  CHECK(look.integer("SELECT count(*) FROM sqlite_master WHERE name LIKE 'old%'") == 0);
  CHECK(look.integer("SELECT count(*) FROM pragma_foreign_key_check") == 0);
}

TEST_CASE("a store of version 2 is migrated: renamed fields, answers, cache states") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  Database::open(file, Database::Mode::read_write).run(R"(
CREATE TABLE scopes(id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, source_hash TEXT NOT NULL,
  definition_hash TEXT NOT NULL, device_name TEXT NOT NULL, device_uuid TEXT NOT NULL,
  driver TEXT NOT NULL, toolkit TEXT NOT NULL, problem TEXT NOT NULL, warm INTEGER NOT NULL,
  counter_set TEXT NOT NULL, device TEXT NOT NULL, parameters TEXT NOT NULL, recorded TEXT NOT NULL,
  UNIQUE(kernel, source_hash, definition_hash, device_name, device_uuid, driver, toolkit, problem,
         warm, counter_set));
CREATE TABLE records(id INTEGER PRIMARY KEY, scope INTEGER NOT NULL REFERENCES scopes(id),
  configuration TEXT NOT NULL, status TEXT NOT NULL, cost_ms REAL, worth INTEGER NOT NULL,
  measurement TEXT NOT NULL, recorded TEXT NOT NULL, UNIQUE(scope, configuration));
CREATE INDEX records_by_cost ON records(scope, cost_ms) WHERE status = 'correct';
CREATE TABLE answers(id INTEGER PRIMARY KEY, scope INTEGER NOT NULL REFERENCES scopes(id),
  answer TEXT NOT NULL, recorded TEXT NOT NULL);
CREATE INDEX answers_by_scope ON answers(scope);
PRAGMA application_id = 1196641620;
PRAGMA user_version = 2;
INSERT INTO scopes VALUES(1, 'k', 's', 'd', 'GPU', 'u', '1', '13.0', '64', 1, 'full', '{"name":"GPU"}',
  '[{"name":"x","values":[1,2]}]', 'then');
INSERT INTO records VALUES(5, 1, 'x=1', 'correct', 2.5, 1, '{"configuration":[["x",1]],
  "raced_out":true,"stated_ms":2.5,"status":"correct","times_ms":[2.0],"warm":true,
  "reason":"said \"raced_out\": no"}', 'then');
INSERT INTO records VALUES(6, 1, 'x=2', 'correct', 1.5, 3,
  '{"configuration":[["x",2]],"counters":{"a.sum":4},"status":"correct","times_ms":[1.5],"warm":true}', 'then');
INSERT INTO answers VALUES(1, 1, '{"tied":1,"finalists":[{"configuration":[["x",2]],
  "counters":{"a.sum":4},"status":"correct","times_ms":[1.5],"warm":true}]}', 'then');
)");
  const Store store = Store::open(file, Store::Mode::read_write);
  CHECK(store.scope(1).key.conditions == "warm");
  CHECK(store.scope(1).key.counter_set == "full");
  CHECK(store.scope(1).parameters.size() == 1);
  const auto all = store.all(1);
  REQUIRE(all.size() == 2);
  CHECK(all[0].pruned_early);
  CHECK(all[0].reported_ms == 2.5);
  CHECK(all[0].reason == "said \"raced_out\": no");
  CHECK(all[0].conditions.regime == Regime::warm);
  CHECK(all[1].counters == CounterValues{{"a.sum", 4}});
  const Answer answer = store.answer(1).value();
  CHECK(answer.ranking.at(0).measurement.conditions.regime == Regime::warm);
  CHECK(answer.ranking.at(0).measurement.counters.size() == 1);
}

TEST_CASE("a newer store is refused and left untouched") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  Store::open(file, Store::Mode::read_write);
  Database::open(file, Database::Mode::read_write).run("PRAGMA user_version = 8");
  const std::string before = test::read_file(file);
  for (const auto mode : {Store::Mode::read_write, Store::Mode::read_only})
    CHECK(message_of([&] { Store::open(file, mode); }) ==
          file.string() + ": the store has version 8, this program knows versions up to 7; it was "
                          "left untouched");
  CHECK(test::read_file(file) == before);
}

TEST_CASE("what is no store is refused and left untouched") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  const auto open = [&](Store::Mode mode = Store::Mode::read_write) {
    return message_of([&] { Store::open(file, mode); });
  };
  CHECK(open(Store::Mode::read_only) == file.string() + ": there is no such store");
  CHECK_FALSE(std::filesystem::exists(file));

  test::write(file,
              "{\"results\": [] } and then enough text to be longer than a header ............"
              "...................................................................");
  const std::string text = test::read_file(file);
  CHECK(open() == file.string() + ": is not a Gridsmith store (no SQLite database)");
  CHECK(test::read_file(file) == text);
  std::filesystem::remove(file);

  Database::open(file, Database::Mode::read_write).run("CREATE TABLE bookmarks(a)");
  CHECK(contains(open(), "an SQLite database of another program"));
  std::filesystem::remove(file);

  std::filesystem::create_directory(file);
  CHECK(contains(open(), "is not a file; a store is one"));
  CHECK(contains(message_of([&] { Store::open(folder / "no/such/s.db", Store::Mode::read_write); }),
                 "there is no folder"));

  test::write(folder / "empty.db", ""); // as mktemp leaves it: a new store
  CHECK(Store::open(folder / "empty.db", Store::Mode::read_write).scopes().empty());
}

TEST_CASE("a damaged store names the file, whatever is damaged") {
  const test::Folder folder;
  const std::filesystem::path whole = folder / "whole.db";
  {
    Store store = Store::open(whole, Store::Mode::read_write);
    const ScopeId scope = store.declare(sample_key(), sample_device());
    for (int i = 0; i < 200; ++i)
      store.add(scope, sample_measurement(i, false, 1 + i));
  }
  const std::string good = test::read_file(whole);
  const std::filesystem::path file = folder / "s.db";
  for (std::size_t at = 0; at < good.size(); at += good.size() / 23) {
    std::string bad = good;
    for (std::size_t i = at; i < std::min(at + 3000, bad.size()); ++i)
      bad[i] = static_cast<char>(bad[i] * 7 + 13);
    for (const std::string suffix : {"", "-wal", "-shm"})
      std::filesystem::remove(file.string() + suffix);
    test::write(file, bad);
    const std::string message = message_of([&] {
      Store store = Store::open(file, Store::Mode::read_write);
      for (const Scope& scope : store.scopes())
        store.all(scope.id);
    });
    INFO(at << ": " << message);
    CHECK((message == "nothing" || message.starts_with(file.string() + ": ")));
  }
}

TEST_CASE("what checks found is kept in order, taken over once, and not believed when damaged") {
  const test::Folder folder;
  PastCheck check{.date = "2026-11-22T21:00:00Z",
                  .kernel = "transpose",
                  .problem = "8192x8192",
                  .configuration = "TILE=32",
                  .device = "NVIDIA H200",
                  .device_uuid = "GPU-1",
                  .old_code = "a",
                  .new_code = "b",
                  .verdict = CheckVerdict::slower,
                  .ratio = 1.05};
  PastCheck later = check;
  later.date = "2026-11-23T21:00:00Z";
  {
    Store one = Store::open(folder / "one.db", Store::Mode::read_write);
    one.keep_checks(std::vector{check});
    one.keep_checks(std::vector{later});
    CHECK(one.past_checks() == std::vector{check, later});
    Store other = Store::open(folder / "other.db", Store::Mode::read_write);
    other.keep_checks(std::vector{later});
    other.take(one);
    other.take(one);
    CHECK(other.past_checks() == std::vector{check, later});
  }
  Database::open(folder / "one.db", Database::Mode::read_write)
      .run("UPDATE checks SET found = replace(found, '1.05', '-1')");
  CHECK_THAT(
      message_of([&] { Store::open(folder / "one.db", Store::Mode::read_only).past_checks(); }),
      contains_text("the store is damaged: a check with a ratio that is none"));
}

TEST_CASE("a verdict on a candidate is kept, taken over, and not believed when damaged") {
  const test::Folder folder;
  Evidence evidence;
  evidence.key = "k";
  evidence.seed = 7;
  evidence.verdict.candidate = "c.cu";
  Store one = Store::open(folder / "one.db", Store::Mode::read_write);
  one.keep_evidence(evidence);
  CHECK(one.evidence("k")->verdict.candidate == "c.cu");
  CHECK_FALSE(one.evidence("other"));
  Store other = Store::open(folder / "other.db", Store::Mode::read_write);
  other.take(one);
  CHECK(other.evidence("k")->seed == 7);
  Database::open(folder / "one.db", Database::Mode::read_write)
      .run("UPDATE verdicts SET evidence = replace(evidence, '{', '[')");
  const auto damaged = contains_text("one.db: the store is damaged");
  CHECK_THAT(message_of([&] { one.evidence("k"); }), damaged);
  CHECK_THAT(
      message_of([&] { Store::open(folder / "third.db", Store::Mode::read_write).take(one); }),
      damaged);
  one.keep_evidence(evidence); // judged again
  CHECK(one.evidence("k")->seed == 7);
}

} // namespace store_test
