// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/formats/header.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

namespace holdings_test {

using namespace gridsmith;

namespace {

ScopeKey scope_key(const std::string& problem, const std::string& source) {
  return {"transpose", source, "d1",    "NVIDIA H200", "GPU-1",
          "580.159",   "13.0", problem, "cold",        "default"};
}

/// Two scopes of one problem, measured on two days, and one where everything failed.
void fill_store(const std::filesystem::path& file) {
  Store store = Store::open(file, Store::Mode::read_write);
  const ScopeId newer = store.declare(scope_key("8x8", "s2"), sample_device());
  Measurement row = sample_measurement(16, false, 0.5);
  row.when = "2026-11-22T08:00:00Z";
  store.add(newer, row);
  store.add(store.declare(scope_key("8x8", "s1"), sample_device()),
            sample_measurement(32, true, 0.25));
  store.add(store.declare(scope_key("9x9", "s1"), sample_device()),
            sample_failure(32, Status::compile, "error: no such file"));
  store.declare(scope_key("10x10", "s1"), sample_device()); // nothing measured
}

} // namespace

TEST_CASE("stores and recordings of every format are listed alike") {
  const test::Folder folder;
  fill_store(folder / "s.db");
  const auto held = holdings_of(folder / "s.db");
  REQUIRE(held.size() == 3);
  CHECK(title_of(held[0]) == "transpose 8x8 on NVIDIA H200");
  CHECK(held[0].date == "2026-11-22T08:00:00Z"); // of the measurement, not of the scope
  CHECK(held[0].best_ms == 0.5);
  CHECK(held[2].correct == 0);
  CHECK_FALSE(held[2].best_ms);
  CHECK(held[1].load().recording.measurements.size() == 1);

  const Export sample{sample_recording(), std::nullopt};
  for (const char* format : {"recording", "t4", "kernel-tuner"}) {
    INFO(format);
    write_export(export_format(format), {&sample, 1}, folder / "r.json.gz");
    const auto one = holdings_of(folder / "r.json.gz");
    REQUIRE(one.size() == 1);
    CHECK(one[0].kernel == "transpose");
    CHECK(one[0].date == "2026-11-21T08:00:01Z");
    CHECK(one[0].configurations >= 3); // of one configuration measured twice the first counts
    CHECK(one[0].best_ms == 0.125);
    CHECK(one[0].load().recording.device.name == "NVIDIA H200");
  }
  CHECK(contains(message_of([&] { holdings_of(folder / "no.db"); }),
                 "no.db: there is no such store or recording"));
  test::write(folder / "text", "hello");
  CHECK(contains(message_of([&] { holdings_of(folder / "text"); }), "text:1:1: expected"));
  for (const FormatEntry& format : export_formats()) {
    const Export one{.recording = sample_recording()};
    test::write(folder / "out", export_text(format, {&one, 1}));
    if (format.read)
      CHECK_NOTHROW(holdings_of(folder / "out"));
    else
      CHECK(contains(message_of([&] { holdings_of(folder / "out"); }),
                     "out: is an export in the format '" + format.name + "', which"));
  }
}

TEST_CASE("profiles and recordings in UTF-16 are held as those in UTF-8 are") {
  const test::Folder folder;
  fill_store(folder / "s.db");
  const Export exported = holdings_of(folder / "s.db").at(0).load();
  write_export(export_format("recording"), {&exported, 1}, folder / "r.json");
  for (const std::filesystem::path& file :
       {std::filesystem::path(GRIDSMITH_SOURCE_DIR "/tests/data/profiles/ncu_raw.csv"),
        folder / "r.json"}) {
    std::string wide = "\xFF\xFE";
    for (const char c : test::read_file(file))
      wide.append({c, '\0'});
    test::write(folder / "wide", wide);
    const auto held = holdings_of(folder / "wide"), plain = holdings_of(file);
    REQUIRE(held.size() == plain.size());
    CHECK(held[0].kernel == plain[0].kernel);
    CHECK(held[0].best_ms == plain[0].best_ms);
  }
}

TEST_CASE("kernels of a profile are held like recordings") {
  const std::filesystem::path profiles = GRIDSMITH_SOURCE_DIR "/tests/data/profiles";
  const auto held = holdings_of(profiles / "ncu_raw.csv");
  REQUIRE(held.size() == 2);
  CHECK(held[0].kernel == "rotate");
  CHECK(held[0].device == "NVIDIA H200");
  CHECK(held[0].configurations == 2);
  CHECK(held[0].best_ms == Approx(0.051));
  CHECK(held[0].load().recording.format == "ncu");
  CHECK(chosen(held, {.kernel = "fill_ones"}).size() == 1);
  const auto untimed = holdings_of(profiles / "nvprof_metrics.csv");
  REQUIRE(untimed.size() == 3);
  CHECK(untimed[0].correct == 1);
  CHECK_FALSE(untimed[0].best_ms); // counted only

  // Written as a recording it is read again, row for row.
  const test::Folder folder;
  for (const std::vector<Holding>& all : {held, untimed})
    for (const Holding& one : all) {
      const Export exported = one.load();
      write_export(export_format("recording"), {&exported, 1}, folder / "r.json");
      const auto back = holdings_of(folder / "r.json").at(0).load().recording;
      REQUIRE(back.measurements.size() == exported.recording.measurements.size());
      CHECK(back.measurements[0].times_ms == exported.recording.measurements[0].times_ms);
      CHECK(back.measurements[0].counters == exported.recording.measurements[0].counters);
      for (const FormatEntry& format : export_formats())
        if (format.holds != Holds::several_best) // a profile knows no problem, which a header needs
          CHECK_FALSE(export_text(format, {&exported, 1}).empty());
    }
}

TEST_CASE("of several tunings the newest counts, by when it was measured") {
  const test::Folder folder;
  fill_store(folder / "s.db");
  const auto held = holdings_of(folder / "s.db");
  const auto latest = newest(held);
  REQUIRE(latest.size() == 2);
  CHECK(latest[0].best_ms == 0.5); // declared first, measured last
  CHECK(latest[1].problem == "9x9");
  CHECK(chosen(held, {.problem = "8x8"}).size() == 2);
  const std::string message =
      message_of([&] { chosen(held, {.kernel = "transpos", .problem = "8x8"}); });
  CHECK(message ==
        "no measurements of kernel 'transpos' and problem '8x8' (contains: transpose 8x8 on "
        "NVIDIA H200, 2026-11-22, 1 configuration; transpose 8x8 on NVIDIA H200, "
        "2026-11-21, 1 configuration; transpose 9x9 on NVIDIA H200, 2026-11-21, 1 "
        "configuration)");
}

TEST_CASE("what was only replayed does not stand before what was measured") {
  Holding measured, replayed;
  measured.date = "2026-01-01";
  replayed.date = "2026-02-01";
  replayed.replayed = true;
  CHECK(newest({measured, replayed}).at(0).date == measured.date);
  CHECK(newest({replayed, measured}).at(0).date == measured.date);
  CHECK(newest({replayed}).at(0).replayed);
}

TEST_CASE("of one date a tuning stands before a file of its best alone") {
  Holding tuning, wisdom;
  tuning.date = wisdom.date = "2026-01-01";
  tuning.configurations = 51;
  wisdom.configurations = 1;
  CHECK(newest({tuning, wisdom}).at(0).configurations == 51);
  CHECK(newest({wisdom, tuning}).at(0).configurations == 51);
  wisdom.date = "2026-01-02";
  CHECK(newest({tuning, wisdom}).at(0).configurations == 1);
}

TEST_CASE("a long list is cut, and says how to see the rest") {
  std::vector<Holding> many(20);
  CHECK(contains(list_of(many), "unknown kernel unknown problem on unknown device, unknown date"));
  CHECK(list_of(many).ends_with("; and 12 more, which 'gridsmith show' lists"));
}

TEST_CASE("how an answer was found is kept with it") {
  const test::Folder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const ScopeId scope = store.declare(scope_key("8x8", "s1"), sample_device());
  store.add(scope, sample_measurement(16, false, 0.5));
  Answer answer{.when = "", .ranking = rank({sample_measurement(16, false, 0.5)})};
  answer.found_by = {.version = "1.2.3",
                     .strategy = "random",
                     .seed = 18446744073709551615u,
                     .objective = "time",
                     .configurations = 40,
                     .workload = {512, 1024},
                     .own_metrics = {{{"read", "dram__bytes_read.sum"}}, {}},
                     .default_configuration = sample_measurement(16, false, 1).configuration,
                     .conditions = "warm cache",
                     .recording = "a.json",
                     .seconds = 1.5,
                     .interrupted = true,
                     .measured_again = true};
  store.add_answer(scope, answer);
  const FoundBy back = store.answer(scope).value().found_by;
  CHECK(back.version == "1.2.3");
  CHECK(back.seed == answer.found_by.seed);
  CHECK(back.configurations == 40);
  CHECK(back.workload.model_flops == 1024);
  CHECK(back.default_configuration == answer.found_by.default_configuration);
  CHECK(back.recording == "a.json");
  CHECK(back.interrupted);
  CHECK(back.measured_again);
  CHECK(export_of(store, scope).recording.workload.model_bytes == 512);
  CHECK(export_of(store, scope).recording.own_metrics.counters.at(0).name == "read");
  CHECK(export_of(store, scope).recording.source_hash == "s1");
}

TEST_CASE("a store has of each objective the newest answer, with its own best") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  Measurement fast = sample_measurement(16, false, 0.5), lean = sample_measurement(32, true, 1);
  fast.times_ms = {0.5, 0.5, 0.5}; // no tie
  lean.times_ms = {1, 1, 1};
  fast.counters = {{"dram__bytes_read.sum", 1000}, {"dram__bytes_write.sum", 1000}};
  lean.counters = {{"dram__bytes_read.sum", 400}, {"dram__bytes_write.sum", 500}};
  {
    Store store = Store::open(file, Store::Mode::read_write);
    const ScopeId scope = store.declare(scope_key("8x8", "s1"), sample_device());
    CHECK(store.answers(scope).empty());
    store.add(scope, std::vector{fast, lean});
    for (const char* by : {"dram_traffic", "", "dram_traffic"}) { // "": an old one, of time
      Answer answer{.when = "", .ranking = rank({fast, lean}, objective(*by ? by : "time"))};
      answer.found_by.objective = by;
      answer.found_by.seed = store.answers(scope).size();
      store.add_answer(scope, answer);
    }
    const std::vector<Answer> answers = store.answers(scope);
    REQUIRE(answers.size() == 2);
    CHECK(answers[0].found_by.objective == "dram_traffic");
    CHECK(answers[0].found_by.seed == 2); // the newer one
    CHECK(store.answer(scope)->found_by.seed == 2);
    CHECK(answers[1].found_by.objective.empty());
  }
  const auto held = holdings_of(file);
  REQUIRE(held.size() == 1); // of its measurements
  CHECK(held[0].objective == "dram_traffic");
  CHECK(held[0].best_ms == 1.0);
  CHECK(best_of(held[0].load()).configuration == lean.configuration);
  const auto all = with_older_answers(held);
  REQUIRE(all.size() == 2);
  CHECK(all[1].objective == "time");
  CHECK(all[1].best_ms == 0.5);
  CHECK(best_of(all[1].load()).configuration == fast.configuration);
  CHECK(best_of(by_time(held[0].load())).configuration == fast.configuration);
  CHECK(newest(all).size() == 1);
  CHECK(newest_by_objective(all).size() == 2);
}

TEST_CASE("a header holds what it ships by time") {
  const test::Folder folder;
  Export one{.recording = sample_recording()};
  for (Measurement& row : one.recording.measurements)
    row.counters["dram__bytes_write.sum"] = 1;
  one.answer = Answer{"", rank(one.recording.measurements)};
  Export other = one;
  other.answer->ranking = rank(one.recording.measurements, objective("dram_traffic"));
  other.answer->found_by.objective = "dram_traffic";
  test::write(folder / "tuned.hpp", header_text(std::vector{one, other}, {}));
  CHECK(holdings_of(folder / "tuned.hpp").size() == 1);
  test::write(folder / "tuned.hpp", header_text(std::vector{other}, {}));
  CHECK(contains(message_of([&] { holdings_of(folder / "tuned.hpp"); }),
                 "tuned.hpp: the header ships nothing by time"));
}

TEST_CASE("a byte order mark before a file is left out, whatever the file is") {
  const test::Folder folder;
  const Export one{.recording = sample_recording()};
  for (const char* format : {"recording", "kernel-tuner", "t4", "wisdom", "header"}) {
    INFO(format);
    test::write(folder / "marked", "\xEF\xBB\xBF" + export_text(export_format(format), {&one, 1}));
    CHECK(holdings_of(folder / "marked").size() == 1);
  }
}

TEST_CASE("a packed database is refused as what it is") {
  const test::Folder folder;
  fill_store(folder / "s.db");
  write_packed(folder / "s.db.gz", test::read_file(folder / "s.db"));
  CHECK(contains(message_of([&] { holdings_of(folder / "s.db.gz"); }),
                 "s.db.gz: is a packed database, which cannot be opened; unpack it first"));
}

TEST_CASE("a kept replay is no hint for a tuning on a GPU, nor found by it") {
  const test::Folder folder;
  Store store = Store::open(folder / "s.db", Store::Mode::read_write);
  const ScopeKey replayed = scope_key("8x8", std::string(replayed_prefix) + "abc");
  store.add(store.declare(replayed, sample_device()), sample_measurement(16, false, 0.5));
  CHECK(store.scope(1).replayed());
  CHECK_FALSE(store.nearest(scope_key("9x9", "s1"), sample_device()));
  CHECK_FALSE(store.find_scope(scope_key("8x8", "s1")));
  CHECK(holdings_of(folder / "s.db").at(0).replayed);
}

} // namespace holdings_test
