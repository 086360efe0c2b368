// SPDX-License-Identifier: Apache-2.0
// Files and stores, taken into a store: as what they are, each once, all or nothing.
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/results/store/import.hpp"
#include "gridsmith/results/store/store_schema.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <sys/wait.h>

#include <csignal>
#include <thread>

namespace import_test {

using namespace gridsmith;

namespace {

ScopeKey key_of(const std::string& problem = "8192x8192") {
  return {"transpose", "s1",   "d1",    "NVIDIA H200", "GPU-1",
          "580.159",   "13.0", problem, "cold",        "default"};
}

Store writable(const std::filesystem::path& file) {
  return Store::open(file, Store::Mode::read_write);
}

Store readable(const std::filesystem::path& file) {
  return Store::open(file, Store::Mode::read_only);
}

/// A tuning of two configurations, its answer and its board's peaks.
void fill(const std::filesystem::path& file, const std::string& problem = "8192x8192",
          double ms = 0.25) {
  Store store = writable(file);
  const Recording sample = sample_recording();
  const ScopeId scope = store.declare(key_of(problem), sample.device, sample.parameters);
  const RunId run = store.begin_run(scope, {.strategy = "random", .seed = 7, .conditions = {}});
  store.add(scope, sample_measurement(16, false, ms), run);
  store.add(scope, sample_measurement(32, true, ms), run);
  store.add_answer(scope, Answer{"", rank({sample_measurement(16, false, ms)})});
}

Peak copy_peak(double value, const std::string& date) {
  return {"copy", value, "GB/s", date, "L2 flushed", "GPU-1"};
}

const std::string wisdom =
    R"({"version": "1.0", "objective": "time", "tunable_parameters": ["bx", "by"], "key": "add"})"
    "\n# a comment\n\n"
    R"({"config": [32, 1], "problem_size": [1000], "time": 0.5, "environment": {"device_name": "A", "compute_capability": 80, "date": "2024-01-02T03:04:05"}})"
    "\n"
    R"({"config": [64, true], "problem_size": [1000], "time": 0.25, "environment": {"device_name": "A", "compute_capability": 80, "date": "2024-01-02T03:04:06"}})"
    "\n"
    R"({"config": [64, 2], "problem_size": [20, 3], "time": 1.5, "environment": {"device_name": "B"}})"
    "\n";

} // namespace

TEST_CASE("a wisdom file is a recording per device and problem") {
  const auto all = read_recordings(wisdom, "w");
  REQUIRE(all.size() == 2);
  CHECK(all[0].kernel == "add");
  CHECK(all[0].format == "wisdom");
  CHECK(all[0].problem == "1000");
  CHECK(all[0].device.name == "A");
  CHECK(all[0].device.compute_capability == 80);
  CHECK(all[0].date == "2024-01-02T03:04:05");
  REQUIRE(all[0].measurements.size() == 2);
  CHECK(to_text(all[0].measurements[1].configuration) == "bx=64 by=1");
  CHECK(cost_ms(all[0].measurements[1]) == 0.25);
  CHECK(all[1].problem == "20x3");
  CHECK(contains(message_of([] { read_recording(wisdom, "w"); }), "of 2 devices and problems"));
}

TEST_CASE("what is no wisdom says where and what was expected") {
  const auto said = [](const std::string& old, const std::string& now) {
    std::string text = wisdom;
    REQUIRE(contains(text, old));
    text.replace(text.find(old), old.size(), now);
    return message_of([&] { read_recordings(text, "w"); });
  };
  CHECK(said("\"1.0\"", "\"2.0\"") == "w:1:1: expected a wisdom file of version 1.0, found '2.0'");
  CHECK(contains(said("\"objective\": \"time\"", "\"objective\": \"power\""), "found 'power'"));
  CHECK(said("[32, 1]", "[32]") == "w:4:1: expected \"config\" with 2 values, found 1");
  CHECK(contains(said("0.5,", "-0.5,"), "nothing")); // set aside, as in any recording
  CHECK(contains(said("80", "-80"), "w:4:"));
  CHECK(contains(said("[20, 3]", "[20, 3"), "w:6:"));
  CHECK(message_of([] { read_recordings(wisdom.substr(0, wisdom.find('\n')), "w"); }) ==
        "w:1:1: expected measurements, the wisdom file holds none");
}

TEST_CASE("our wisdom is read as it was measured") {
  Export one;
  one.recording = sample_recording();
  const auto back = read_recordings(export_text(export_format("wisdom"), {&one, 1}), "w").at(0);
  CHECK(back.device.name == "NVIDIA H200");
  CHECK(back.conditions == one.recording.conditions);
  CHECK(cost_ms(back.measurements.at(0)) == 0.125);
  CHECK(back.measurements[0].configuration == best_of(one).configuration);
}

TEST_CASE("an import is of its own device and date, and serves no tuning") {
  const test::Folder folder;
  Store store = writable(folder / "s.db");
  Recording recording = sample_recording();
  recording.date = "2020-01-01T00:00:00Z";
  for (Measurement& row : recording.measurements)
    row.when.clear();
  CHECK(import_recording(store, recording, "recording 1") == Taken{4, 0});
  CHECK(import_recording(store, recording, "recording 1") == Taken{0, 4});
  CHECK(import_recording(store, recording, "recording 2") == Taken{0, 4}); // packed otherwise
  recording.measurements.push_back(sample_measurement(64, true, 1));
  CHECK(import_recording(store, recording, "recording 3") == Taken{1, 4});
  const auto scopes = store.scopes();
  REQUIRE(scopes.size() == 2);
  CHECK(scopes[0].replayed());
  CHECK(scopes[0].newest == "2020-01-01T00:00:00Z");
  CHECK(recording_of(store, scopes[0].id).date == "2020-01-01T00:00:00Z");
  CHECK_FALSE(store.nearest(key_of(), recording.device)); // no prior either
  Recording undated = recording;
  undated.problem = "1";
  undated.date.clear();
  for (Measurement& row : undated.measurements)
    row.when.clear();
  import_recording(store, undated, "recording 4");
  CHECK(recording_of(store, store.scopes()[2].id).date.empty()); // not today's
  CHECK(store.scopes()[2].newest.empty());
}

TEST_CASE("an import and a merge keep what a recording says of its kernel") {
  const test::Folder folder;
  Store store = writable(folder / "s.db");
  Recording recording = sample_recording();
  recording.workload = {512, 1024};
  recording.own_metrics = {{{"read", "dram__bytes_read.sum"}}, {}};
  import_recording(store, recording, "recording 1");
  Store into = writable(folder / "into.db");
  into.take(store);
  into.take(store);
  for (const Store* one : {&store, &into}) {
    const Recording back = recording_of(*one, one->scopes().at(0).id);
    CHECK(back.workload.model_bytes == 512);
    CHECK(back.workload.model_flops == 1024);
    CHECK(back.own_metrics.counters.at(0).name == "read");
  }
  recording.kernel = "other";
  recording.workload = {};
  recording.own_metrics = {};
  import_recording(store, recording, "recording 2");
  CHECK_FALSE(store.model(store.scopes().at(1).id));
}

TEST_CASE("a store of version 6 gets a place for what files say of kernels") {
  const test::Folder folder;
  fill(folder / "s.db");
  Database::open(folder / "s.db", Database::Mode::read_write)
      .run("DROP TABLE models; PRAGMA user_version = 6;");
  CHECK(readable(folder / "s.db").scopes().size() == 1);
  Recording recording = sample_recording();
  recording.kernel = "other";
  recording.workload = {512, 1024};
  Store store = writable(folder / "s.db");
  import_recording(store, recording, "recording 1");
  CHECK(recording_of(store, store.scopes().at(1).id).workload.model_bytes == 512);
}

TEST_CASE("counters alone are correct measurements without a time, in every format") {
  const test::Folder folder;
  Recording recording = sample_recording();
  recording.measurements.resize(1);
  recording.measurements[0].times_ms.clear();
  Store store = writable(folder / "s.db");
  import_recording(store, recording, "recording 1");
  const Scope scope = store.scopes().at(0);
  CHECK(scope.configurations == 1);
  CHECK(scope.correct == 1);
  const std::string t4 = text_as("t4", recording_of(store, scope.id));
  CHECK(contains(t4, "\"invalidity\":\"correct\""));
  CHECK_FALSE(contains(t4, "FailedConfig"));
}

TEST_CASE("what a store has measured itself is not imported once more") {
  const test::Folder folder;
  fill(folder / "s.db");
  Store store = writable(folder / "s.db");
  const Recording own = recording_of(store, store.scopes().at(0).id);
  CHECK(import_recording(store, own, "recording 1") == Taken{0, 2});
  CHECK(store.scopes().size() == 1);
}

TEST_CASE("a change is made whole or not at all, and leaves no store behind") {
  const test::Folder folder;
  const auto fail = [](Store& store) {
    import_recording(store, sample_recording(), "recording 1");
    throw InputError("then this");
  };
  CHECK(message_of([&] { change_store(folder / "s.db", fail); }) == "then this");
  CHECK_FALSE(std::filesystem::exists(folder / "s.db"));
  fill(folder / "s.db");
  CHECK(message_of([&] { change_store(folder / "s.db", fail); }) == "then this");
  CHECK(readable(folder / "s.db").scopes().size() == 1);
}

TEST_CASE("merged stores hold everything once") {
  const test::Folder folder;
  fill(folder / "a.db");
  std::filesystem::copy_file(folder / "a.db", folder / "b.db");
  fill(folder / "b.db", "512x512");
  {
    Store b = writable(folder / "b.db");
    b.add(b.scopes().at(0).id, sample_measurement(64, true, 0.5));
    b.keep_peaks(sample_device(), {copy_peak(2, "2026-02-01")});
    b.set_peaks(b.scopes()[0].id, {copy_peak(2, "2026-02-01")});
  }
  {
    Store a = writable(folder / "a.db");
    a.keep_peaks(sample_device(), {copy_peak(1, "2026-01-01")});
    a.set_peaks(a.scopes()[0].id, {copy_peak(1, "2026-01-01")});
  }
  for (const auto& [first, second] : {std::pair("a.db", "b.db"), std::pair("b.db", "a.db")}) {
    const auto into = folder / (std::string("into-") + first);
    Store store = writable(into);
    store.take(readable(folder / first));
    const Taken taken = store.take(readable(folder / second));
    CHECK(taken == (first == std::string("a.db") ? Taken{3, 2} : Taken{0, 2}));
    CHECK(store.take(readable(folder / second)).added == 0);
    REQUIRE(store.scopes().size() == 2);
    const ScopeId large = *store.find_scope(key_of());
    CHECK(store.history(large).size() == 3);
    CHECK(store.history(*store.find_scope(key_of("512x512"))).size() == 2);
    CHECK(store.answer(large)->ranking.size() == 1);
    CHECK(store.scope(large).key == key_of());
    CHECK(store.scope(large).peaks.at(0).value == 2); // the newer, from either side
    CHECK(store.kept_peaks(sample_device()).at(0).value == 2);
    const Database look = Database::open(into, Database::Mode::read_only);
    CHECK(look.integer("SELECT count(*) FROM runs") == 2);
    CHECK(look.integer("SELECT count(*) FROM answers") == 2);
    CHECK(look.integer("SELECT count(*) FROM records WHERE run IS NULL") == 1);
  }
}

TEST_CASE("counters that came later to one of two equal records come along") {
  const test::Folder folder;
  Measurement bare = sample_measurement(16, false, 0.25);
  const CounterValues counters = bare.counters;
  bare.counters.clear();
  {
    Store a = writable(folder / "a.db");
    a.add(a.declare(key_of(), sample_device()), bare);
  }
  std::filesystem::copy_file(folder / "a.db", folder / "b.db");
  {
    Store b = writable(folder / "b.db");
    b.add_counters(1, counters);
  }
  Store a = writable(folder / "a.db");
  CHECK(a.take(readable(folder / "b.db")) == Taken{0, 1});
  REQUIRE(a.all(1).size() == 1);
  CHECK(a.all(1)[0].counters == counters);
}

TEST_CASE("the newest answer counts after a merge, whichever came first") {
  const test::Folder folder;
  fill(folder / "a.db");
  std::filesystem::copy_file(folder / "a.db", folder / "b.db");
  const auto answered = [&](const char* file, const char* when, double ms) {
    Store store = writable(folder / file);
    store.add_answer(1, Answer{"", rank({sample_measurement(32, true, ms)})});
    Database::open(folder / file, Database::Mode::read_write)
        .run(std::string("UPDATE answers SET recorded = '") + when +
             "' WHERE id = (SELECT max(id) FROM answers)");
  };
  answered("a.db", "2999-01-01T00:00:00Z", 0.1);
  answered("b.db", "2998-01-01T00:00:00Z", 0.2);
  Store a = writable(folder / "a.db");
  a.take(readable(folder / "b.db"));
  CHECK(a.answer(1)->when == "2999-01-01T00:00:00Z");
}

TEST_CASE("stores that do not fit are refused with one line, and nothing of them is taken") {
  const test::Folder folder;
  fill(folder / "a.db");
  {
    Store b = writable(folder / "b.db");
    b.declare(key_of("1x1"), sample_device());
    b.declare(key_of(), sample_device(), {{"other", {true}}});
  }
  Store a = writable(folder / "a.db");
  CHECK(message_of([&] { a.take(readable(folder / "b.db")); }) ==
        (folder / "b.db").string() +
            ": 'transpose', problem '8192x8192' on 'NVIDIA H200' has other parameters than in " +
            (folder / "a.db").string());
  CHECK(a.scopes().size() == 1);
  fill(folder / "damaged.db", "1x1");
  Database::open(folder / "damaged.db", Database::Mode::read_write)
      .run("UPDATE records SET measurement = '{' WHERE id = 2");
  CHECK(contains(message_of([&] { a.take(readable(folder / "damaged.db")); }),
                 "damaged.db: the store is damaged"));
  CHECK(a.scopes().size() == 1);
}

TEST_CASE("a merge that is killed leaves the store as it was") {
  const test::Folder folder;
  {
    Store b = writable(folder / "b.db");
    const ScopeId scope = b.declare(key_of("1x1"), sample_device());
    std::vector<Measurement> rows;
    for (std::int64_t tile = 1; tile <= 2000; ++tile)
      rows.push_back(sample_measurement(tile, false, 0.25));
    b.add(scope, rows);
  }
  int whole = 0;
  for (int round = 0; round < 12; ++round) {
    const auto into = folder / ("into" + std::to_string(round));
    fill(into);
    const pid_t child = ::fork();
    if (child == 0) {
      change_store(into, [&](Store& store) { store.take(readable(folder / "b.db")); });
      ::_exit(0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(15 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    Store store = writable(into);
    const std::size_t scopes = store.scopes().size();
    CHECK(store.history(*store.find_scope(key_of())).size() == 2);
    REQUIRE((scopes == 1 || scopes == 2));
    if (scopes == 2)
      CHECK(store.history(*store.find_scope(key_of("1x1"))).size() == 2000);
    whole += scopes == 2;
    change_store(into, [&](Store& again) { again.take(readable(folder / "b.db")); });
    CHECK(readable(into).scopes().size() == 2);
  }
  CHECK(whole < 12); // some were in time
}

TEST_CASE("a header of ours becomes records of its device, and gives the same header again") {
  const test::Folder folder;
  const Export exported{.recording = sample_recording()};
  const std::string header = export_text(export_format("header"), {&exported, 1});
  test::write(folder / "tuned.hpp", header);
  const std::vector<Holding> held = holdings_of(folder / "tuned.hpp");
  REQUIRE(held.size() == 1);
  CHECK(held[0].kernel == exported.recording.kernel);
  CHECK(held[0].problem == exported.recording.problem);
  CHECK(held[0].device == exported.recording.device.name);
  const Recording recording = held[0].load().recording;
  {
    Store store = writable(folder / "s.db");
    CHECK(import_recording(store, recording, replayed_hash(folder / "tuned.hpp")).added ==
          recording.measurements.size());
    CHECK(import_recording(store, recording, replayed_hash(folder / "tuned.hpp")).added == 0);
  }
  const auto back = holdings_of(folder / "s.db");
  REQUIRE(back.size() == 1);
  CHECK(back[0].replayed);
  const Export taken = back[0].load();
  const Measurement& best = best_of(taken);
  CHECK(best.configuration == best_of(exported).configuration);
  CHECK(best.geometry.grid[0] == best_of(exported).geometry.grid[0]);

  const auto message = [&](const std::string& text) {
    test::write(folder / "tuned.hpp", text);
    return message_of([&] { holdings_of(folder / "tuned.hpp"); });
  };
  CHECK(contains(message(header + "// mine\n"),
                 "tuned.hpp: the header was changed after it was written"));
  std::string other = header;
  other.replace(other.find("header 2"), 8, "header 9");
  CHECK(contains(message(other), "tuned.hpp: a header of another version of Gridsmith"));
}

} // namespace import_test
