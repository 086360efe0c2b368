// SPDX-License-Identifier: Apache-2.0
// Gridsmith as a library: sessions on recordings and with fake programs in place of the GPU's.
#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/measurement/front.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/results/measurement/stored_drift.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tuner/backends/recordings.hpp"
#include "gridsmith/tuner/gpu/open_work.hpp"
#include "gridsmith/tuner/gpu/surroundings.hpp"
#include "gridsmith/tuner/presentation/answer_json.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"
#include "gridsmith/tuner/session/record_book.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <thread>

namespace session_test {

using namespace gridsmith;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

/// A folder with the fakes and a kernel of eight values.
struct House {
  explicit House(const std::string& name = "good", int count = 8, const std::string& extra = "",
                 const std::string& values = "") {
    test::install_fakes(folder.path());
    kernel = test::write_kernel(folder.path(), name, count, extra, values);
  }

  SessionSettings settings() const {
    SessionSettings settings{.kernel = kernel.string()};
    settings.strategy = "exhaustive";
    settings.store = folder.path() / "store.db";
    settings.helpers.compilers = 1;
    settings.helpers.cache = false;
    settings.helpers.installation.programs = folder.path();
    return settings;
  }

  test::Folder folder;
  std::filesystem::path kernel;
};

std::string best(const Outcome& outcome) {
  return outcome.answer.ranking.empty()
             ? ""
             : to_text(outcome.answer.ranking.front().measurement.configuration);
}

/// A replay of a shipped recording, which needs no processes.
SessionSettings replay() {
  SessionSettings settings{.kernel = "transpose"};
  const std::filesystem::path catalogue = GRIDSMITH_SOURCE_DIR "/kernels/catalogue";
  settings.helpers.installation = {.programs = "", .catalogue = catalogue};
  settings.recording = catalogue / "transpose" / "recordings" / "8192x8192__h200.json.gz";
  return settings;
}

} // namespace

TEST_CASE("a session answers as values and keeps what it measured") {
  const House house;
  const auto outcomes = Session(house.settings()).run();
  REQUIRE(outcomes.size() == 1);
  CHECK(best(outcomes[0]) == "X=7");
  CHECK(outcomes[0].subject.device.name == "Fake GPU");
  CHECK(outcomes[0].subject.configurations == 8);
  CHECK(outcomes[0].exported().recording.measurements.size() == 8);
  const Store store = Store::open(house.folder.path() / "store.db", Store::Mode::read_only);
  CHECK(store.all(1).size() == 8);
  CHECK(store.history(1).size() > 8); // the finalists were measured again
  CHECK(store.answer(1)->ranking.size() == outcomes[0].answer.ranking.size());
  CHECK(peak_of(store.scope(1).peaks, "copy") == 4000); // known only once the worker is open
}

TEST_CASE("records serve again only under conditions that satisfy what is asked") {
  const House house;
  const auto reused = [&](const std::function<void(SessionSettings&)>& change) {
    SessionSettings settings = house.settings();
    change(settings);
    return Session(settings).run().at(0).result.reused;
  };
  CHECK(reused([](SessionSettings&) {}) == 0);
  CHECK(reused([](SessionSettings&) {}) == 8);
  CHECK(reused([](SessionSettings& s) { s.conditions.regime = Regime::warm; }) == 0);
  CHECK(reused([](SessionSettings& s) { s.conditions.counter_set = "full"; }) == 0);
  CHECK(reused([](SessionSettings& s) { s.conditions.locked_clock_mhz = 1200; }) == 0);
  CHECK(reused([](SessionSettings& s) { s.conditions.locked_clock_mhz = 1200; }) == 8);
  CHECK(reused([](SessionSettings& s) { s.conditions.locked_clock_mhz = 1300; }) == 0);
  CHECK(reused([](SessionSettings&) {}) == 8); // none of those leaked into free runs
}

TEST_CASE("a record without a value of the objective is measured again") {
  const House house;
  const auto reused = [&](const std::string& objective) {
    SessionSettings settings = house.settings();
    settings.objective = objective;
    return Session(settings).run().at(0).result.reused;
  };
  CHECK(reused("time") == 0); // counters are not permitted
  test::script(
      house.folder.path(),
      R"({"counts": true, "launches": [{"counters": {"dram__bytes_read.sum": 1000, "dram__bytes_write.sum": 0}}]})"_json);
  CHECK(reused("time") == 8);
  CHECK(reused("dram_traffic") == 0);
  CHECK(reused("dram_traffic") == 8);
  CHECK(reused("time") == 8);
}

TEST_CASE("two objectives have a front, which the search of a replay finds a part of") {
  SessionSettings settings = replay();
  settings.objective = "time,achieved_occupancy";
  settings.strategy = "exhaustive";
  const Outcome whole = Session(settings).run().at(0);
  CHECK(whole.answer.found_by.objective == "time");
  CHECK(whole.answer.found_by.against == "achieved_occupancy");
  const auto front = front_of(whole.answer);
  REQUIRE(front.size() >= 2);
  const auto all = front_of(whole.result.measurements, objectives().front(),
                            objective("achieved_occupancy"), whole.answer.found_by.workload);
  CHECK(front.size() == all.size());
  const nlohmann::ordered_json json = answer_json(whole);
  CHECK(json["against"] == "achieved_occupancy");
  CHECK(json["front"].size() == front.size());
  CHECK(json["front"][0]["first"] == front[0].first);
  CHECK_THAT(answer_text(whole, {}), contains_text("The front of time and achieved_occupancy has"));

  settings.strategy = "default";
  settings.budget.evaluations = 40;
  const Outcome part = Session(settings).run().at(0);
  CHECK(part.answer.found_by.strategy == "front");
  CHECK_FALSE(front_of(part.answer).empty());
}

TEST_CASE("what a front is not is refused in one line") {
  SessionSettings settings = replay();
  const auto refused = [&](const std::string& objectives, const std::string& words) {
    settings.objective = objectives;
    CHECK_THROWS_WITH(Session(settings), contains_text(words));
  };
  refused("time,time", "the front of 'time' and itself; give two objectives");
  refused("time,energy", "unknown objective 'energy'");
  refused("time,energy_mj,power_w", "unknown objective 'energy_mj,power_w'");
}

TEST_CASE("energy without a sensor is no answer, and says why") {
  const House house;
  SessionSettings settings = house.settings();
  settings.objective = "energy_mj";
  const Outcome outcome = Session(settings).run().at(0);
  CHECK(outcome.answer.ranking.empty());
  CHECK_FALSE(outcome.result.finals.empty());
  CHECK_THAT(shortfall(outcome),
             contains_text("no correct result has a value of the objective 'energy_mj'"));
  settings = replay();
  settings.objective = "rms_error";
  CHECK_THAT(shortfall(Session(settings).run().at(0)),
             contains_text("no correct result has a value of the objective 'rms_error'"));
}

TEST_CASE("an error is no objective of a kernel without a reference") {
  const House house;
  SessionSettings settings = house.settings();
  settings.objective = "rms_error";
  CHECK_THROWS_WITH(Session(settings).run(),
                    contains_text("has no Reference that results are compared with"));
}

TEST_CASE("the finalists are measured at several clocks, and the store keeps each apart") {
  const House house;
  SessionSettings settings = house.settings();
  settings.clocks = {1200, 900};
  const Outcome outcome = Session(settings).run().at(0);
  REQUIRE(outcome.clocks.size() == 3);
  CHECK_FALSE(outcome.clocks[0].locked_clock_mhz);
  for (const std::size_t i : {1U, 2U}) {
    CHECK(outcome.clocks[i].locked_clock_mhz == settings.clocks[i - 1]);
    for (const Ranked& row : outcome.clocks[i].ranking)
      CHECK(row.measurement.conditions.locked_clock_mhz == settings.clocks[i - 1]);
  }
  CHECK(answer_json(outcome)["clocks"][2]["locked_clock_mhz"] == 900);
  CHECK_THAT(answer_text(outcome, {}), contains_text("1200 MHz"));
}

TEST_CASE("the finalists are raced under every regime, and the store keeps each apart") {
  const House house;
  SessionSettings settings = house.settings();
  settings.every_regime = true;
  const Outcome outcome = Session(settings).run().at(0);
  const std::size_t finalists = outcome.answer.ranking.size();
  REQUIRE(outcome.regimes.size() == Words<Regime>::list.size());
  CHECK(outcome.regimes.front().regime == Regime::cold);
  for (const FinalsUnder& one : outcome.regimes) {
    CHECK(one.ranking.size() == finalists);
    const auto excess = [&](const Configuration& configuration) {
      return excess_cost(one.ranking, configuration, objectives().front());
    };
    CHECK(excess(outcome.answer.ranking.front().measurement.configuration) == 0);
    CHECK_FALSE(excess({{"X", Value(std::int64_t{100})}}));
    for (const Ranked& row : one.ranking)
      CHECK(row.measurement.conditions.regime == one.regime);
  }
  const nlohmann::ordered_json json = answer_json(outcome);
  REQUIRE(json["regimes"].size() == outcome.regimes.size());
  CHECK(json["regimes"][1]["regime"] == "warm");
  CHECK(json["regimes"][1]["loss_of_best"] == 0);
  CHECK(json["regimes"][1]["configuration"]["X"] == 7);
  CHECK_THAT(answer_text(outcome, {}), contains_text("back-to-back"));
  const Store store = Store::open(house.folder.path() / "store.db", Store::Mode::read_only);
  CHECK(store.all(1).size() == 8);
  CHECK(store.scope(2).key.conditions == "warm");
  CHECK(store.all(2).size() == finalists);
  settings.across = Across::each;
  CHECK_THROWS_AS(Session(settings), InputError);
}

TEST_CASE("more samples, no early drops or a longer time-out are not answered by less") {
  const House house("patient", 2, "RUN", R"(["fine", "hang"])");
  const auto result = [&](const std::function<void(SessionSettings&)>& change) {
    SessionSettings settings = house.settings();
    settings.conditions.timeout_s = 1;
    settings.finals.most = 0;
    change(settings);
    return Session(settings).run().at(0).result;
  };
  CHECK(result([](SessionSettings&) {}).reused == 0);
  CHECK(result([](SessionSettings&) {}).reused == 4);
  // The two that hung were given more time; the others never needed it.
  CHECK(result([](SessionSettings& s) { s.conditions.timeout_s = 1.3; }).reused == 2);
  CHECK(result([](SessionSettings& s) { s.conditions.timeout_s = 0.7; }).reused == 4);
  // Seven equal samples are what any rule would have stopped at …
  CHECK(result([](SessionSettings& s) { s.conditions.sampling.prune = false; }).reused == 4);
  // … unless it asks for more of them.
  CHECK(result([](SessionSettings& s) { s.conditions.sampling.min_samples = 20; }).reused == 2);
}

TEST_CASE("reference and expected output are part of what a record is known by") {
  const test::Folder folder;
  KernelDefinition definition = read_definition(test::write_kernel(folder.path(), "k", 1));
  definition.reference.file = folder.path() / "expected";
  const auto hash = [&](const std::string& reference, const std::string& expected,
                        const std::string& toolkit) {
    test::write(folder.path() / "expected", expected); // of one float
    KernelInstance instance = instantiate(definition, {{1}}, device_of_capability(90));
    instance.reference_source = make_bundle({"r.cu", ""}, {{"r.h", reference}});
    return scope_key(instance, {}, toolkit).source_hash;
  };
  const std::string usual = hash("1", "0002", "13.0");
  CHECK(hash("1", "0002", "13.0") == usual);
  CHECK(hash("3", "0002", "13.0") != usual);
  CHECK(hash("1", "0003", "13.0") != usual);
  CHECK(hash("1", "0002", "13.1") != usual);
}

TEST_CASE("the elements of a file are part of what a record is known by") {
  const test::Folder folder;
  KernelDefinition definition = read_definition(test::write_kernel(folder.path(), "k", 1));
  const auto hash = [&] {
    return scope_key(instantiate(definition, {{1}}, device_of_capability(90)), {}, "13.0")
        .source_hash;
  };
  const std::string without = hash();
  InputRule& rule = definition.arguments.at(0).input.emplace();
  rule.fill = Fill::file;
  rule.file = folder.path() / "in";
  test::write(folder.path() / "in", "0002");
  const std::string one = hash();
  CHECK(one != without);
  CHECK(hash() == one);
  test::write(folder.path() / "in", "0003");
  CHECK(hash() != one);
}

TEST_CASE("a definition saved again after it was read keeps the key of what was read") {
  const test::Folder folder;
  const fs::path file = test::write_kernel(folder.path(), "k", 1);
  const std::string text = test::read_file(file);
  const KernelDefinition read = read_definition(file);
  test::write(file, text + "\n");
  const auto key = [](const KernelDefinition& definition) {
    return scope_key(instantiate(definition, {{1}}, device_of_capability(90)), {}, "13.0")
        .definition_hash;
  };
  CHECK(key(read) == sha256_hex(text)); // as stores of before have it
  CHECK(key(read_definition(file)) == sha256_hex(text + "\n"));
}

TEST_CASE(
    "a file of elements that changes while a kernel is tuned ends it, and nothing is recorded") {
  const test::Folder folder;
  KernelDefinition definition = read_definition(test::write_kernel(folder.path(), "k", 1));
  definition.reference.file = folder.path() / "expected";
  InputRule& rule = definition.arguments.at(0).input.emplace();
  rule.fill = Fill::file;
  rule.file = folder.path() / "in";
  for (const char* changed : {"in", "expected"}) {
    test::write(folder.path() / "in", "0002");
    test::write(folder.path() / "expected", "0002");
    const KernelInstance instance = instantiate(definition, {{1}}, device_of_capability(90));
    open_work(instance, {}, 1); // what the worker is given …
    CHECK_NOTHROW(scope_key(KernelInstance(instance), {}, "13.0"));
    test::write(folder.path() / changed, "0003");
    CHECK_THROWS_WITH(
        scope_key(KernelInstance(instance), {}, "13.0"), // … is not what it would be kept under
        contains_text((folder.path() / changed).string() +
                      ": has changed since it was first read"));
  }
}

TEST_CASE("a share of the SMs by MPS is part of what a record is known by") {
  const House house("share");
  SessionSettings settings = house.settings();
  settings.finals.most = 0;
  const auto reused = [&] { return Session(settings).run().at(0).result.reused; };
  CHECK(reused() == 0);
  ::setenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "50", 1);
  CHECK(reused() == 0);
  CHECK(reused() == 8);
  ::unsetenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
  CHECK(reused() == 8);
  CHECK(mps_percent({"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=12.5"}) == 12.5);
  CHECK_FALSE(mps_percent({"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=100"}));
}

TEST_CASE(
    "a board that has become slower or faster is noticed, and its old times do not stand beside new ones") {
  const House house("board");

  struct Heard {
    Outcome outcome;
    std::vector<std::string> notes;
  };

  const auto tune = [&](double slower) {
    test::script(house.folder.path(), {{"gpus", {{{"slower", slower}}}}});
    Heard heard;
    heard.outcome =
        Session(house.settings())
            .run({}, {.note = [&](const std::string& line) { heard.notes.push_back(line); }})
            .at(0);
    return heard;
  };
  const auto expect_all = [](const Heard& heard, double fastest_ms) {
    const auto& rows = heard.outcome.result.measurements;
    REQUIRE(rows.size() == 8);
    for (const Measurement& one : rows)
      CHECK(cost_ms(one).value() > 0.999 * fastest_ms);
    CHECK(heard.outcome.answer.winner()->time.median_ms == fastest_ms);
  };
  expect_all(tune(1), 0.5);
  const Heard same = tune(1);
  CHECK(same.outcome.result.reused == 8);
  CHECK_FALSE(same.outcome.answer.found_by.stored_drift);
  const Heard little = tune(1.03); // said; both stand in one table
  CHECK(little.outcome.result.reused == 8);
  REQUIRE(little.outcome.answer.found_by.stored_drift);
  CHECK_FALSE(little.outcome.answer.found_by.stored_drift->measured_anew);
  CHECK(std::abs(little.outcome.answer.found_by.stored_drift->ratio - 1.03) < 1e-6);
  CHECK(little.outcome.answer.found_by.stored_drift->configurations == 3);
  for (const double slower :
       {2.0, 1.0}) { // there and back: what is stored now is of the board of now
    const Heard much = tune(slower);
    CHECK(much.outcome.result.reused == 0);
    expect_all(much, 0.5 * slower);
    REQUIRE(much.outcome.answer.found_by.stored_drift);
    CHECK(much.outcome.answer.found_by.stored_drift->measured_anew);
    CHECK(std::any_of(much.notes.begin(), much.notes.end(), [](const std::string& line) {
      return line.find("everything was measured again") != line.npos;
    }));
    const Heard again = tune(slower);
    CHECK(again.outcome.result.reused == 8);
    CHECK_FALSE(again.outcome.answer.found_by.stored_drift);
  }
  const Store store = Store::open(*house.settings().store, Store::Mode::read_only);
  REQUIRE(store.scopes().size() == 3); // what was set aside is still there, and said to be
  CHECK_THAT(recorded_conditions(store.scopes().front()),
             contains_text("counters: default, before 20"));
}

TEST_CASE("stored times are said to be old on evidence alone") {
  const auto times = [](int x, double ms, double spread) {
    Measurement one;
    one.configuration = {{"X", std::int64_t{x}}};
    one.status = Status::correct;
    for (int i = 0; i < 7; ++i)
      one.times_ms.push_back(ms * (1 + spread * (i - 3)));
    return one;
  };
  const auto drift = [&](const std::vector<double>& ratios, double spread = 0.001) {
    std::vector<Measurement> stored, now;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      stored.push_back(times(static_cast<int>(i), 1, spread));
      now.push_back(times(static_cast<int>(i), ratios[i], spread));
    }
    return stored_drift(stored, {}, now);
  };
  REQUIRE(drift({1.04, 1.03, 1.05}));
  CHECK(std::abs(drift({1.04, 1.03, 1.05})->ratio - 1.04) < 1e-9);
  CHECK_FALSE(drift({1.04, 1.03, 1.05})->too_far());
  CHECK(drift({0.9, 0.8, 0.85})->too_far());
  CHECK_FALSE(drift({1.04, 1.03}));             // two
  CHECK_FALSE(drift({1.04, 1.03, 1.05}, 0.02)); // within their spreads
  CHECK_FALSE(drift({1.04, 0.96, 1.05}));       // to both sides
  CHECK_FALSE(drift({1.012, 1.013, 1.011}));    // as runs of one board differ
  // Other data of finals is no drift: then they took as long as now, and so beside them do others.
  const auto scaled = [&](double by, int count) {
    std::vector<Measurement> all;
    all.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      all.push_back(times(i, by, 0.001));
    return all;
  };
  CHECK_FALSE(stored_drift(scaled(1, 4), scaled(1.3, 4), scaled(1.3005, 4)));
  CHECK_FALSE(stored_drift(scaled(1, 4), scaled(1.3, 1), scaled(1.302, 4)));
  REQUIRE(stored_drift(scaled(1, 4), scaled(1.3, 1), scaled(2.6, 4)));
  CHECK(std::abs(stored_drift(scaled(1, 4), scaled(1.3, 1), scaled(2.6, 4))->ratio - 2) < 1e-9);
  CHECK_THAT(to_text(*drift({1.25, 1.25, 1.25})), contains_text("20 % shorter than today's"));
  CHECK_THAT(to_text(*drift({0.8, 0.8, 0.8})), contains_text("25 % longer than today's"));
}

TEST_CASE("a doubtful reference is said") {
  const House house;
  test::script(house.folder.path(),
               R"({"works": [{"reference_problem": "element 3 of 'out' is nan"}]})"_json);
  std::vector<std::string> notes;
  Session(house.settings()).run({}, {.note = [&](const std::string& line) {
                                  notes.push_back(line);
                                }});
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], contains_text("the reference is doubtful"));
  CHECK_THAT(notes[0], contains_text("element 3"));
}

TEST_CASE("without a reference results agree with the default configuration") {
  const House house;
  std::string text;
  std::getline(std::ifstream(house.kernel), text, '\0');
  const std::string values = "\"Values\": \"list(range(0, 8))\"";
  text.replace(text.find(values), values.size(), values + ", \"Default\": 3");
  test::write(house.kernel, text);
  const auto outcomes = Session(house.settings()).run();
  REQUIRE(outcomes.size() == 1);
  REQUIRE(outcomes[0].result.measurements.size() == 8);
  for (const Measurement& one : outcomes[0].result.measurements)
    CHECK(one.verification == Verification::default_configuration);
}

TEST_CASE("several problems are answered one by one") {
  const House house;
  SessionSettings settings = house.settings();
  settings.problems = {{{32}}, {{64}}};
  const auto outcomes = Session(settings).run();
  REQUIRE(outcomes.size() == 2);
  CHECK(outcomes[0].subject.problem == "32");
  CHECK(outcomes[1].subject.problem == "64");
  CHECK(best(outcomes[1]) == "X=7");
}

TEST_CASE("words are checked before anything is started") {
  SessionSettings settings = replay();
  settings.strategy = "rndom";
  CHECK_THROWS_WITH(Session(settings), contains_text("did you mean 'random'"));
  settings = replay();
  settings.objective = "tme";
  CHECK_THROWS_WITH(Session(settings), contains_text("did you mean 'time'"));
  const House house;
  settings = house.settings();
  settings.devices = {3};
  CHECK_THROWS_AS(Session(settings).run(), NoSuchDevice);
}

TEST_CASE("numbers that nothing can be done with are refused by the names of their fields") {
  const auto refusal = [](const std::function<void(SessionSettings&)>& change) -> std::string {
    SessionSettings settings = replay();
    change(settings);
    try {
      const Session session(std::move(settings));
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal([](SessionSettings&) {}) == "");
  CHECK(refusal([](SessionSettings& s) { s.conditions.timeout_s = nan; }) ==
        "timeout: 'nan' is not a number above 0, at most 100000");
  CHECK(refusal([](SessionSettings& s) { s.conditions.timeout_s = -1; }) ==
        "timeout: '-1' is not a number above 0, at most 100000");
  CHECK(refusal([](SessionSettings& s) { s.budget.seconds = nan; }) ==
        "seconds: 'nan' is not a number above 0, at most 100000000");
  CHECK(refusal([](SessionSettings& s) { s.budget.evaluations = 0; }) ==
        "evaluations: '0' is not a whole number from 1 on");
  CHECK(refusal([](SessionSettings& s) { s.conditions.sampling.max_samples = 0; }) ==
        "samples: '0' is not a whole number from 1 to 1000000");
  CHECK(refusal([](SessionSettings& s) { s.compile_timeout = {false, nan}; }) ==
        "compile_timeout: 'nan' is not a number above 0, at most inf");
  CHECK(refusal([](SessionSettings& s) { s.helpers.compilers = 1'000'000; }) ==
        "compilers: '1000000' is not a whole number from 1 to 1024");
  CHECK(refusal([](SessionSettings& s) { s.store = ""; }) == "store: '' is no name of a file");
  CHECK(refusal([](SessionSettings& s) { s.conditions.sampling.interval = 2; }) ==
        "interval: '2' is not a number above 0, at most 1");
  CHECK(refusal([](SessionSettings& s) { s.devices = {-1}; }) ==
        "devices: -1 is no number of a GPU; the first is 0");
  CHECK(refusal([](SessionSettings& s) { s.weights = {1}; }) ==
        "weights: are of the sizes in one search over all, with 'across'");
  const auto over_all = [&](std::vector<double> weights) {
    return refusal([&](SessionSettings& s) {
      s.across = Across::mean;
      s.problems = {{{8192, 8192}}};
      s.weights = std::move(weights);
    });
  };
  CHECK(over_all({0}) == "weights: 0 is not a number above 0");
  CHECK(over_all({1, 1}) == "weights: 2 for 1 size");
  const auto alone = [&](const std::function<void(SessionSettings&)>& also) {
    return refusal([&](SessionSettings& s) {
      s.only = {{{"TILE", std::int64_t{32}}}};
      also(s);
    });
  };
  CHECK(alone([](SessionSettings& s) { s.budget.evaluations = 3; }) ==
        "give 'only' or 'evaluations', not both");
  CHECK(alone([](SessionSettings& s) {
          s.own_strategy = [](const SearchProblem&) { return std::unique_ptr<Strategy>(); };
        }) == "give 'only' or a strategy of yours, not both");
}

TEST_CASE("without a device and a recording it is said why, and what there is") {
  const test::Folder own;
  KernelDefinition definition;
  definition.name = "mine"; // nothing of it is recorded
  std::filesystem::create_directory(own.path() / "mine");
  definition.file = own.path() / "mine/mine.json";
  CHECK_THROWS_AS(find_recording(own.path(), definition, "8", "no driver"), NoSuchDevice);
  CHECK_THROWS_WITH(find_recording(own.path(), definition, "8", "no driver"),
                    contains_text("no CUDA device here (no driver), and no recording of 'mine'"));
  const std::filesystem::path catalogue = GRIDSMITH_SOURCE_DIR "/kernels/catalogue";
  definition.name = "transpose";
  CHECK_THROWS_WITH(find_recording(catalogue, definition, "8192x8192", "no driver"),
                    contains_text("of the catalogue's kernels only"));
  definition.file = catalogue / "transpose/transpose.json";
  CHECK_THROWS_WITH(find_recording(catalogue, definition, "8x8", "no driver"),
                    contains_text("recorded sizes: 1000x3000, 4096x4096, 8192x8192"));
  CHECK(find_recording(catalogue, definition, "8192x8192", "no driver").filename() ==
        "8192x8192__h200.json.gz");
}

TEST_CASE("by the back end gpu nothing is replayed") {
  SessionSettings settings = replay();
  settings.back_end = "gpu";
  CHECK_THROWS_WITH(Session(settings),
                    contains_text("a recording is given, and back end 'gpu' replays none"));
  settings.recording.reset();
  CHECK_THROWS_AS(Session(settings).run(), NoSuchDevice);
  CHECK_THROWS_WITH(Session(settings).run(), contains_text("and nothing stands in"));
  settings.back_end = "gqu";
  CHECK_THROWS_WITH(Session(settings),
                    contains_text("unknown back end 'gqu'; did you mean 'gpu'?"));
}

TEST_CASE("foreign recordings are known by the function too, ours by the definition alone") {
  KernelDefinition definition;
  definition.name = "reduction_max";
  definition.kernel = "reduction<float, Max>";
  Recording recording;
  recording.kernel = "reduction";
  recording.format = "kernel_tuner";
  CHECK_NOTHROW(check_recording(recording, "r.json", definition, {}));
  recording.format = "gridsmith";
  CHECK_THROWS_WITH(check_recording(recording, "r.json", definition, {}),
                    contains_text("is of kernel 'reduction', not 'reduction_max'"));
  recording.kernel = "reduction_max";
  CHECK_NOTHROW(check_recording(recording, "r.json", definition, {}));
  recording.problem = "64y64";
  CHECK_THROWS_WITH(check_recording(recording, "r.json", definition, {}),
                    contains_text("r.json: its problem '64y64' is no size: expected 1 to 3"));
}

TEST_CASE("a recording is replayed only as what it is of") {
  SessionSettings settings = replay();
  settings.problems = {{{4096, 4096}}};
  CHECK_THROWS_WITH(Session(settings), contains_text("is of transpose 8192x8192, not 4096x4096"));
  settings = replay();
  settings.kernel = "matmul";
  CHECK_THROWS_WITH(Session(settings), contains_text("is of kernel 'transpose', not 'matmul'"));
  settings.kernel = "";
  CHECK(Session(settings).run().front().subject.kernel == "transpose");
  settings.problems = {{{8192, 8192}}};
  CHECK_THROWS_WITH(Session(settings), contains_text("a size needs a kernel"));
}

TEST_CASE(
    "a kernel in a language that nothing here runs is replayed from a recording that is given alone") {
  SessionSettings settings = replay();
  KernelDefinition definition =
      read_definition(settings.helpers.installation.catalogue / "transpose" / "transpose.json");
  definition.language = "OpenCL";
  settings.definition = std::make_shared<const KernelDefinition>(definition);
  CHECK(Session(settings).run().size() == 1);
  settings.recording.reset(); // the one that is shipped stands in for a device that would run it
  settings.problems = {{{8192, 8192}}};
  CHECK_THROWS_WITH(Session(settings).run(),
                    contains_text("the kernel is written in OpenCL, which Gridsmith does not run"));
}

TEST_CASE("a replay with an objective of its own") {
  SessionSettings settings = replay();
  settings.strategy = "exhaustive";
  const Outcome by_time = Session(settings).run().at(0);
  settings.objective = "dram_traffic";
  const Outcome by_bytes = Session(settings).run().at(0);
  const auto bytes = [](const Outcome& outcome) {
    return *objective("dram_traffic").value(outcome.answer.ranking.at(0).measurement, {});
  };
  CHECK(bytes(by_bytes) <= bytes(by_time));
  CHECK(by_time.subject.recording);
  CHECK(by_time.subject.peaks.size() == 1);
  settings.objective = "dram_bytes"; // the metric that it is
  CHECK(best(Session(settings).run().at(0)) == best(by_bytes));
  settings.conditions.counter_set = "none";
  CHECK_THROWS_WITH(Session(settings), contains_text("with --counters none there are none"));
}

TEST_CASE("a replay of less does not hide what an earlier one found") {
  const test::Folder folder;
  const auto tried = [&](const std::string& strategy, std::optional<std::uint64_t> evaluations) {
    SessionSettings settings = replay();
    settings.strategy = strategy;
    settings.budget.evaluations = evaluations;
    settings.store = folder / "store.db";
    Session(settings).run();
    return Store::open(folder / "store.db", Store::Mode::read_only).answer(1)->found_by.evaluations;
  };
  CHECK(tried("default", 5) == 5);
  CHECK(tried("default", 3) == 5);
  const auto all = tried("exhaustive", {});
  CHECK(all == 167);
  CHECK(tried("default", 5) == all);
  CHECK(tried("exhaustive", {}) == all);
}

TEST_CASE(
    "a session lives in a thread that ends, under SIGCHLD ignored, beside a host's children") {
  const House house("threaded", 40);
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  std::vector<Outcome> outcomes;
  std::jthread([&] { outcomes = Session(house.settings()).run(); }).join();
  std::signal(SIGCHLD, before);
  REQUIRE(outcomes.size() == 1);
  CHECK(best(outcomes[0]) == "X=7");
}

namespace {

/// What a session on all GPUs of a house gave, and said.
struct Together {
  explicit Together(const House& house, const std::vector<int>& devices = {}) {
    SessionSettings settings = house.settings();
    settings.devices = devices;
    outcomes = Session(settings).run(
        {}, {.note = [&](const std::string& line) { notes.push_back(line); }});
  }

  std::vector<std::string> notes;
  std::vector<Outcome> outcomes;
};

} // namespace

TEST_CASE("the GPUs of a machine measure for one search and one answer") {
  const House house("good", 60);
  test::script(
      house.folder.path(),
      R"({"gpus": [{}, {"slower": 1.08}, {"slower": 0.95}], "says_ms": 2000, "compile_ms": 20, "log": true})"_json);
  const Together all(house);
  REQUIRE(all.outcomes.size() == 1);
  const Outcome& outcome = all.outcomes[0];
  CHECK(best(outcome) == "X=7");
  CHECK(outcome.result.measurements.size() == 60);
  CHECK(outcome.subject.gpus == 3);
  const auto& gpus = outcome.answer.found_by.gpus;
  REQUIRE(gpus.size() == 3);
  std::uint64_t sum = 0;
  for (const GpuPart& gpu : gpus) {
    CHECK(gpu.evaluations > 5);
    CHECK(gpu.lost.empty());
    sum += gpu.evaluations;
  }
  CHECK(sum == 60);
  CHECK(gpus[1].name == "GPU 1");
  CHECK(*gpus[1].ratio == Approx(1 / 1.08));
  CHECK(gpus[1].loss == 0.0);
  CHECK(to_text(*gpus[2].best) == "X=7");
  for (const Measurement& one : outcome.result.measurements) // all as on the first
    CHECK(*cost_ms(one) <= 2);
  CHECK(*cost_ms(outcome.answer.ranking.front().measurement) == 0.5);
  CHECK(all.notes.empty());
  // One pool of compilers (House asks for one), a worker for each GPU.
  const test::Lines log = test::said(house.folder.path() / "log");
  CHECK(std::count(log.begin(), log.end(), "compiler") == 1);
  CHECK(std::count(log.begin(), log.end(), "worker") == 3);
  const Store store = Store::open(house.folder.path() / "store.db", Store::Mode::read_only);
  REQUIRE(store.scopes().size() == 1);
  const auto kept = store.history(1);
  std::size_t anchors = 0, others = 0;
  for (const Measurement& one : kept) {
    anchors += one.mode == Mode::anchor ? 1 : 0;
    others += one.mode == Mode::race && one.other_gpu ? 1 : 0;
  }
  CHECK(anchors >= 3);
  CHECK(others == gpus[1].evaluations + gpus[2].evaluations);
  CHECK(store.answer(1)->found_by.gpus.size() == 3);
  const Together again(house); // from the store
  CHECK(again.outcomes.at(0).result.reused == 60);
  CHECK(best(again.outcomes.at(0)) == "X=7");
}

TEST_CASE("a GPU that is lost is named, and the others measure what it was given") {
  const House house("good", 40);
  // So slow a compiler that the second GPU is there long before all is measured.
  test::script(house.folder.path(),
               R"({"gpus": [{}, {}], "says_ms": 2000, "compile_ms": 20})"_json);
  const auto lose = [&](int gpu) {
    test::Script rules = {{{"gpu", gpu}, {"after", 3}, {"does", "gone"}}};
    if (gpu == 0) // at the latest when it is to time the anchor
      rules.push_back({{"gpu", 0}, {"mode", "anchor"}, {"does", "gone"}});
    test::script(house.folder.path(), {{"launches", rules}});
    std::filesystem::remove(house.folder.path() / "store.db");
  };
  for (const int lost : {0, 1}) {
    INFO("GPU " << lost);
    lose(lost);
    const Together both(house);
    REQUIRE(both.outcomes.size() == 1);
    CHECK(both.outcomes[0].result.measurements.size() == 40);
    CHECK(best(both.outcomes[0]) == "X=7");
    const bool first = lost == 0; // before it has timed the anchor
    REQUIRE(both.notes.size() == (first ? 2 : 1));
    CHECK_THAT(both.notes[0], contains_text("GPU " + std::to_string(lost)));
    CHECK_THAT(both.notes[0],
               contains_text("is no longer used: all CUDA-capable devices are busy"));
    if (first)
      CHECK_THAT(both.notes[1], contains_text("all times from here on are those of GPU 1"));
    // What is in the store is of the GPU whose times they are.
    const Store store = Store::open(house.folder.path() / "store.db", Store::Mode::read_only);
    const Scope kept = store.scopes().back();
    CHECK(kept.configurations > 30); // what the first measured while it was alone is its own
    CHECK((kept.configurations == 40) != first);
    CHECK(kept.key.device_uuid.ends_with("-1") == first);
    CHECK(store.answer(kept.id));
    for (const Measurement& one : store.all(kept.id))
      CHECK((!one.other_gpu || one.other_gpu->uuid.ends_with("-1") != first));
  }
  test::script(house.folder.path(), {{"gpus", nullptr}});
  lose(0);
  CHECK_THROWS_WITH(Together(house), contains_text("busy or unavailable"));
}

TEST_CASE("different products are separate answers") {
  const House house;
  test::script(house.folder.path(),
               R"({"gpus": [{}, {"slower": 2, "name": "Other GPU"}, {}]})"_json);
  const Together all(house);
  REQUIRE(all.outcomes.size() == 2);
  CHECK(all.outcomes[0].subject.gpus == 2);
  CHECK(all.outcomes[1].subject.gpus == 1);
  CHECK(all.outcomes[1].subject.device.name == "Other GPU");
  CHECK(*cost_ms(all.outcomes[1].answer.ranking.front().measurement) == 1);
  const Together some(house, {2, 1});
  REQUIRE(some.outcomes.size() == 2);
  CHECK(some.outcomes[0].subject.device.ordinal == 2);
  CHECK_THROWS_WITH(Together(house, {0, 3}),
                    contains_text("no device 3; there are devices 0 to 2"));
  CHECK_THROWS_WITH(Together(house, {1, 1}), contains_text("device 1 is named twice"));
}

} // namespace session_test
