// SPDX-License-Identifier: Apache-2.0
// A search over many sizes as an embedding program runs it: on fakes of the GPU's programs, and on
// the recordings that are shipped.
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/measurement/time_summary.hpp"
#include "gridsmith/results/selection/select.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

namespace campaign_test {

using namespace gridsmith;

namespace {

constexpr std::size_t values = 40;

/// Forty values of X at three sizes.
struct House {
  House() {
    test::install_fakes(folder.path());
    test::script(folder.path(), {{"log", true}});
    kernel = test::write_kernel(folder.path(), "good", values);
  }

  SessionSettings settings() const {
    SessionSettings settings{.kernel = kernel.string()};
    settings.problems = {{{32}}, {{64}}, {{4096}}};
    settings.across = Across::each;
    settings.store = folder.path() / "store.db";
    settings.helpers.compilers = 1;
    settings.helpers.cache = false;
    settings.helpers.installation.programs = folder.path();
    return settings;
  }

  test::Folder folder;
  std::filesystem::path kernel;
};

SessionSettings shipped(Across across) {
  SessionSettings settings{.kernel = "matmul"};
  settings.helpers.installation = {.programs = "",
                                   .catalogue = GRIDSMITH_SOURCE_DIR "/kernels/catalogue"};
  settings.problems = {{{4096, 4096, 4096}}, {{1024, 1024, 1024}}, {{513, 257, 1025}}};
  settings.across = across;
  return settings;
}

std::uint64_t measured(const std::vector<Outcome>& outcomes) {
  std::uint64_t sum = 0;
  for (const Outcome& one : outcomes)
    sum += one.result.measurements.size();
  return sum;
}

bool ranked(const Outcome& outcome, const Configuration& configuration) {
  return std::any_of(
      outcome.answer.ranking.begin(), outcome.answer.ranking.end(),
      [&](const Ranked& one) { return one.measurement.configuration == configuration; });
}

void answers_stores_and_goes_on(const std::string& counters) {
  const House house;
  SessionSettings settings = house.settings();
  settings.conditions.counter_set = counters;
  const auto outcomes = Session(settings).run();
  REQUIRE(outcomes.size() == 3);
  const std::vector<std::string> sizes = {"32", "64", "4096"};
  for (std::size_t i = 0; i < 3; ++i) {
    const Outcome& one = outcomes[i];
    CHECK(one.subject.problem == sizes[i]);
    REQUIRE_FALSE(one.answer.ranking.empty());
    CHECK(one.answer.found_by.strategy == "campaign");
    CHECK(one.answer.found_by.measured_again);
    CHECK(one.result.measurements.size() < values);
    std::set<std::string> once;
    for (const Measurement& measurement : one.result.measurements) {
      CHECK(once.insert(to_text(measurement.configuration)).second);
      CHECK(one.answer.ranking.front().time.median_ms <= *cost_ms(measurement));
    }
    CHECK(one.result.reused == 0);
  }
  {
    const Store store = Store::open(house.folder.path() / "store.db", Store::Mode::read_only);
    CHECK(store.all(1).size() == outcomes[0].result.measurements.size());
    CHECK(store.answer(3)->ranking.size() == outcomes[2].answer.ranking.size());
  }
  const auto again = Session(settings).run();
  REQUIRE(again.size() == 3);
  CHECK(measured(again) == measured(outcomes));
  for (const Outcome& one : again)
    CHECK(one.result.reused == one.result.measurements.size());
}

} // namespace

TEST_CASE("a search over sizes answers each, stores each, and goes on from a store") {
  answers_stores_and_goes_on("default");
  answers_stores_and_goes_on("none");
}

TEST_CASE("one worker and one pool of compilers serve all visits of all sizes") {
  const House house;
  SessionSettings settings = house.settings();
  settings.helpers.compilers = 2;
  REQUIRE(Session(settings).run().size() == 3);
  auto log = test::said(house.folder.path() / "log");
  std::sort(log.begin(), log.end());
  CHECK(log == test::Lines{"compiler", "compiler", "open 1", "open 2", "open 3", "worker"});
}

TEST_CASE("a worker without room for two sizes opens each again when it is visited") {
  const House house;
  test::script(house.folder.path(), {{"room", 1}});
  const auto outcomes = Session(house.settings()).run();
  REQUIRE(outcomes.size() == 3);
  const auto log = test::said(house.folder.path() / "log");
  CHECK(std::count(log.begin(), log.end(), "worker") == 1);
  CHECK(std::count(log.begin(), log.end(), "open 1") > 1);
  CHECK(measured(outcomes) > 0);
}

TEST_CASE("a worker that dies in the second size is replaced, and the search goes on") {
  const House house;
  test::script(house.folder.path(),
               {{"die_at", 6}}); // device, a work and its race, the next work …
  const auto outcomes = Session(house.settings()).run();
  REQUIRE(outcomes.size() == 3);
  std::size_t restarts = 0;
  for (const Outcome& one : outcomes) {
    CHECK_FALSE(one.answer.ranking.empty());
    restarts += one.result.evaluator.worker_restarts;
  }
  CHECK(restarts == 1);
  const auto log = test::said(house.folder.path() / "log");
  CHECK(std::count(log.begin(), log.end(), "worker") == 2);
}

TEST_CASE("the budget of a search over sizes is that of all of them") {
  const House house;
  SessionSettings settings = house.settings();
  settings.budget.evaluations = 10;
  CHECK(measured(Session(settings).run()) == 10);
  settings.budget = {.evaluations = {}, .seconds = 1e-9};
  settings.store.reset();
  CHECK_THROWS_AS(Session(settings).run(), Error); // over before anything was measured
}

TEST_CASE("a stop answers with what was measured, and the next run continues") {
  const House house;
  std::stop_source source;
  std::uint64_t last = 0;
  Listener listener;
  listener.progress = [&](const Progress& progress) {
    CHECK(progress.done >= last);
    last = progress.done;
    if (progress.done >= 6)
      source.request_stop();
  };
  const auto part = Session(house.settings()).run(source.get_token(), listener);
  REQUIRE_FALSE(part.empty());
  CHECK(part.back().result.ended == Ended::stopped);
  const auto whole = Session(house.settings()).run();
  REQUIRE(whole.size() == 3);
  std::uint64_t reused = 0;
  for (const Outcome& one : whole)
    reused += one.result.reused;
  CHECK(reused >= measured(part));
}

TEST_CASE("what a header of all sizes would choose from is measured at every size") {
  for (const bool on_gpu : {false, true}) {
    const House house;
    const SessionSettings settings = on_gpu ? house.settings() : shipped(Across::each);
    const KernelDefinition definition = read_definition(
        find_definition(settings.kernel, settings.helpers.installation.catalogue), {});
    const auto outcomes = Session(settings).run();
    REQUIRE(outcomes.size() == 3);
    std::vector<Recording> recordings;
    for (const Outcome& one : outcomes) {
      recordings.push_back(one.exported().recording);
      recordings.back().measurements =
          rows_to_choose_from(one.result.measurements, one.result.finals);
      CHECK(one.answer.found_by.measured_again); // what follows the finals does not undo them
      CHECK_FALSE(one.result.finals.empty());
    }
    const SizeTable table = size_table(recordings, &definition);
    CHECK(gaps(table).empty());
    const Selection selection = select(table);
    std::size_t times = 0;
    for (const SelectedConfiguration& one : selection.configurations)
      times +=
          std::count_if(one.costs.begin(), one.costs.end(), [](double time) { return time > 0; });
    CHECK(times > selection.configurations.size());
    CHECK(selection.left_out.not_measured == 0);
  }
}

TEST_CASE("the default is among the finalists however slow it is") {
  for (const Outcome& one : Session(shipped(Across::each)).run()) {
    REQUIRE(one.subject.default_configuration);
    CHECK(ranked(one, *one.subject.default_configuration));
    CHECK_FALSE(one.for_all);
  }
}

TEST_CASE("one configuration for all sizes is the same at each, with its loss") {
  for (const Across across : {Across::mean, Across::worst}) {
    const auto outcomes = Session(shipped(across)).run();
    REQUIRE(outcomes.size() == 3);
    for (const Outcome& one : outcomes) {
      REQUIRE(one.for_all);
      CHECK(one.for_all->loss >= 0);
      CHECK(one.for_all->configuration == outcomes.front().for_all->configuration);
    }
  }
}

TEST_CASE("what a search over sizes cannot take is said in one line") {
  SessionSettings settings = shipped(Across::each);
  settings.weights = {1, 2, 3, 4};
  CHECK_THROWS_AS(Session(settings), InputError);
  settings.weights.clear();
  settings.recording = "some.json";
  CHECK_THROWS_AS(Session(settings), InputError);
  settings.recording.reset();
  settings.strategy = "greedy";
  CHECK_THROWS_WITH(Session(settings), contains_text("--strategy greedy cannot be used"));
  settings.strategy = "default";
  settings.problems = {{{4096, 4096}}};
  CHECK_THROWS_AS(Session(settings).run(), InputError);
}

TEST_CASE("every configuration of every size is measured where all are asked for") {
  const House house;
  SessionSettings settings = house.settings();
  settings.strategy = "exhaustive";
  for (const Outcome& one : Session(settings).run()) {
    CHECK(one.result.measurements.size() == one.subject.configurations);
    CHECK(one.answer.found_by.strategy == "exhaustive");
    CHECK_FALSE(one.result.finals.empty());
  }
}

TEST_CASE("a search over twelve sizes keeps sixteen compilers busy and counts once, at its end") {
  const House house;
  test::script(house.folder.path(), {{"compile_ms", 150}, {"counts", true}});
  SessionSettings settings = house.settings();
  settings.problems.clear();
  for (std::int64_t extent = 32; extent <= 32 * 12; extent += 32)
    settings.problems.push_back({{extent}});
  settings.helpers.compilers = 16;
  double compiling_s = 0;
  Span::Time begin = Span::Time::max(), end{};
  Listener listener;
  listener.span = [&](const Span& span) {
    if (!span.row.starts_with("compiler "))
      return;
    compiling_s += std::chrono::duration<double>(span.end - span.begin).count();
    begin = std::min(begin, span.begin);
    end = std::max(end, span.end);
  };
  const auto outcomes = Session(settings).run({}, listener);
  REQUIRE(outcomes.size() == 12);
  const double busy = compiling_s / std::chrono::duration<double>(end - begin).count();
  INFO(measured(outcomes) << " configurations, " << compiling_s << " s of compiling");
  CHECK(busy > 16 * 0.4); // as one visit after the other asked for them: below 2

  test::Lines opened, counted;
  for (const std::string& line : test::said(house.folder.path() / "log"))
    if (line.starts_with("open"))
      opened.push_back(line);
    else if (line.starts_with("count"))
      counted.push_back(line);
  CHECK(opened.size() == 12);
  REQUIRE(counted.size() == 24);
  for (std::size_t i = 0; i < counted.size(); ++i) // the sets of counters take turns once
    CHECK(counted[i].starts_with(i < 12 ? "count final" : "count race"));
  for (const Outcome& one : outcomes) {
    CHECK_FALSE(one.answer.ranking.front().measurement.counters.empty());
    for (const Measurement& measurement : one.result.measurements)
      CHECK_FALSE(measurement.counters.empty());
  }
  const Store store = Store::open(house.folder.path() / "store.db", Store::Mode::read_only);
  for (const Measurement& kept : store.all(1))
    CHECK_FALSE(kept.counters.empty());
}

TEST_CASE("a search over sizes says what a single tuning says: the reference is doubtful") {
  const House house;
  SessionSettings settings = house.settings();
  settings.kernel = test::write_kernel(house.folder.path(), "k", 4).string();
  test::script(house.folder.path(),
               R"({"works": [{"reference_problem": "element 3 of 'out' is nan"}]})"_json);
  std::vector<std::string> notes;
  Listener listener;
  listener.note = [&](const std::string& line) { notes.push_back(line); };
  const auto outcomes = Session(settings).run({}, listener);
  REQUIRE(outcomes.size() == 3);
  std::size_t compilations = 0;
  for (const Outcome& one : outcomes) {
    CHECK(one.result.evaluator.reference_problem);
    CHECK(one.result.evaluator.uncounted_because);
    compilations += one.result.evaluator.compilations;
  }
  CHECK(compilations > 0); // told by whoever waited
  CHECK(std::count_if(notes.begin(), notes.end(), [](const std::string& line) {
          return line.find("the reference is doubtful") != std::string::npos;
        }) == 3);
}

TEST_CASE("a search over sizes says that the board is not as fast as the store remembers") {
  const House house;
  std::vector<std::string> notes;
  Listener listener;
  listener.note = [&](const std::string& line) { notes.push_back(line); };
  const auto tune = [&](double slower) {
    notes.clear();
    test::script(house.folder.path(), {{"gpus", {{{"slower", slower}}}}});
    return Session(house.settings()).run({}, listener);
  };
  const auto said = [&] {
    return std::count_if(notes.begin(), notes.end(), [](const std::string& line) {
      return line.find("this GPU has become slower since") != std::string::npos;
    });
  };
  tune(1);
  tune(1);
  CHECK(said() == 0);
  for (const Outcome& one : tune(2)) {
    REQUIRE(one.answer.found_by.stored_drift);
    CHECK(std::abs(one.answer.found_by.stored_drift->ratio - 2) < 1e-6);
  }
  CHECK(said() == 3);
  for (const Outcome& one : tune(2)) // which stored times serve no more
    CHECK(one.answer.ranking.front().time.median_ms <= *cost_ms(one.result.measurements.front()));
  CHECK(said() == 0);
}

} // namespace campaign_test
