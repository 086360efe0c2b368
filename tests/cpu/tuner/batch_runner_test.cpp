// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_device.hpp"
#include "gridsmith/tuner/worker/steps/batch_runner.hpp"

#include <algorithm>
#include <map>

namespace batch_runner_test {

using namespace gridsmith;
using namespace gridsmith::test;

namespace {

using Order = std::vector<std::string>;

/// The whole worker over fakes. A job's kernel name says which behaviour it has.
struct Setup {
  Calls calls;
  std::map<std::string, Behaviour> behaviours;
  std::map<std::string, std::string> launch_errors;
  FakeWorkspace workspace{calls};
  FakeStopwatch stopwatch;
  FakeObserver observer;
  BestTime best;
  JudgedLaunches launches{workspace, observer, Verification::kernel};
  Counting counting{observer, [](const auto&) -> std::unique_ptr<CounterSource> {
                      throw CuptiError(35, "not permitted");
                    }};
  Timer timer{stopwatch, observer, best, Sampling{}};
  BatchRunner runner{[this](const Launchable& launchable) { return load(launchable.kernel); },
                     workspace,
                     launches,
                     counting,
                     timer,
                     best,
                     observer,
                     {.race = {"sectors"}, .others = {}},
                     1};

  LoadedCandidate load(const std::string& name) {
    if (name == "broken")
      throw FakeError(false);
    LoadedCandidate loaded;
    loaded.kernel = std::make_unique<FakeKernel>(name, behaviours[name], calls);
    loaded.facts.registers_per_thread = 40;
    if (const auto error = launch_errors.find(name); error != launch_errors.end())
      loaded.launch_error = error->second;
    return loaded;
  }

  static EvaluateBatch batch(const Order& names, Mode mode = Mode::race,
                             BatchOrder order = BatchOrder::one_by_one) {
    EvaluateBatch result{.mode = mode, .jobs = {}, .best_ms = {}, .order = order, .rounds = 3};
    for (const std::string& name : names)
      result.jobs.push_back({.id = result.jobs.size() + 1,
                             .label = name,
                             .launchable = {.cubin = {}, .kernel = name, .geometry = {}}});
    return result;
  }

  /// Places of calls that begin so, in the order of all.
  std::ptrdiff_t first(const std::string& call) const {
    const auto found = std::find(calls.begin(), calls.end(), call);
    REQUIRE(found != calls.end());
    return found - calls.begin();
  }
};

} // namespace

TEST_CASE("the fastest is timed first: it is what the others have to beat") {
  Setup on;
  on.behaviours = {{"A", {.ms = 3}}, {"B", {.ms = 1}}, {"C", {.ms = 2}}};
  on.runner.run(Setup::batch({"A", "B", "C"}));
  CHECK(on.observer.finished == Order{"B", "C", "A"});
  CHECK(on.observer.executions["B"].times_ms.size() == 5);
  CHECK_FALSE(on.observer.executions["B"].pruned_early);
  CHECK(on.observer.executions["A"].pruned_early);
  CHECK(on.best.ms() == 1.0);
  CHECK(on.observer.executions["B"].uncounted_because == "not permitted");
  CHECK(on.observer.executions["B"].compile_facts->registers_per_thread == 40);
  CHECK(on.observer.open_stages == 0);
}

TEST_CASE("a race runs against the best that came with it") {
  Setup on;
  on.behaviours = {{"A", {.ms = 2}}};
  EvaluateBatch batch = Setup::batch({"A"});
  batch.best_ms = 1.0;
  on.runner.run(batch);
  CHECK(on.observer.executions["A"].pruned_early);
}

TEST_CASE("what cannot be loaded or launched is answered before the others are measured") {
  Setup on;
  on.behaviours = {{"good", {}}, {"wrong", {.wrong = true}}};
  on.launch_errors = {{"huge", "too many threads"}};
  on.runner.run(Setup::batch({"good", "broken", "huge", "wrong"}));
  CHECK(on.observer.finished == Order{"broken", "huge", "wrong", "good"});
  CHECK(on.observer.executions["broken"].reason == "refused");
  CHECK(on.observer.executions["huge"].reason == "too many threads");
  CHECK(on.observer.executions["huge"].status == Status::runtime);
  CHECK(on.observer.executions["wrong"].status == Status::correctness);
  CHECK(on.observer.executions["good"].correct());
  CHECK(on.observer.stages == Order{"good load", "broken load", "huge load", "wrong load",
                                    "good verify", "wrong verify", "wrong verify", "good time",
                                    "good verify", "good verify"}); // it leads: with other data too
  CHECK(std::count(on.calls.begin(), on.calls.end(), "launch huge") == 0);
}

TEST_CASE("where the second seed is the first the data stays as it is") {
  Setup on;
  on.behaviours = {{"A", {}}};
  EvaluateBatch batch = Setup::batch({"A"}, Mode::anchor, BatchOrder::rotating);
  batch.second_seed = 1;
  on.runner.run(batch);
  CHECK(on.observer.executions["A"].times_ms.size() == 3);
  CHECK(std::count_if(on.calls.begin(), on.calls.end(),
                      [](const std::string& call) { return call.starts_with("seed"); }) == 0);
}

TEST_CASE("where few elements differ it is launched right behind another launch too") {
  Setup on;
  on.behaviours = {{"A", {}}, {"lazy", {.skips = true}}};
  EvaluateBatch batch = Setup::batch({"A", "lazy"}, Mode::check, BatchOrder::mirrored);
  on.runner.run(batch);
  CHECK(on.observer.executions["lazy"].correct());
  on.calls.clear();
  batch.change = 1;
  on.runner.run(batch);
  CHECK(on.observer.executions["A"].correct());
  CHECK(on.observer.executions["lazy"].reason ==
        "wrong right behind another launch: element 3 is 7");
  CHECK(on.first("seed 2") < on.first("leave 0"));
  CHECK(on.first("leave 1") < on.first("prepare 0")); // before anything of this data is known
}

TEST_CASE("finals are verified with the second seed, and the first seed's data is back after") {
  Setup on;
  on.behaviours = {{"A", {}}, {"cheat", {.knows_seed = 1}}, {"C", {}}};
  on.runner.run(Setup::batch({"A", "cheat", "C"}, Mode::final, BatchOrder::rotating));
  CHECK(on.observer.executions["cheat"].status == Status::correctness);
  CHECK(on.observer.executions["A"].times_ms.size() == 3);
  CHECK(on.observer.executions["A"].verification == Verification::kernel);
  CHECK_FALSE(on.observer.executions["A"].uncounted_because); // nobody wanted counters
  CHECK(on.first("seed 2") < on.first("launch A"));
  CHECK(on.first("read") < on.first("seed 1"));
  CHECK(on.stopwatch.order == Order{"A", "C", "A", "C", "A", "C"});
  // A race finds it out before the others are raced against it.
  on.behaviours["cheat"].ms = 0.25;
  on.runner.run(Setup::batch({"cheat", "A"}));
  CHECK(on.observer.executions["cheat"].status == Status::correctness);
  CHECK(on.best.ms() == 1.0);
  on.behaviours["cheat"].ms = 0.97; // it is not so far ahead that it prunes what is right
  on.runner.run(Setup::batch({"cheat"}));
  CHECK(on.observer.executions["cheat"].correct());
}

TEST_CASE("any mode but a race goes by its order, in the order asked and without pruning") {
  Setup on;
  on.behaviours = {{"A", {.ms = 9}}, {"B", {.ms = 1}}};
  on.runner.run(Setup::batch({"A", "B"}, Mode::anchor, BatchOrder::one_by_one));
  CHECK(on.observer.finished == Order{"A", "B"});
  CHECK_FALSE(on.observer.executions["A"].pruned_early);
  CHECK(on.observer.executions["A"].times_ms.size() == 5);
  on.stopwatch.order.clear();
  on.runner.run(Setup::batch({"A", "B"}, Mode::check, BatchOrder::mirrored));
  CHECK(on.stopwatch.order == Order{"A", "B", "B", "A", "A", "B"});
}

TEST_CASE("batches beyond the largest are verified in several") {
  Setup on;
  const Order names(largest_batch + 6, "A");
  on.runner.run(Setup::batch(names));
  CHECK(on.observer.finished.size() == names.size());
  CHECK(on.first("begin 64") < on.first("begin 6"));
}

TEST_CASE("a race may leave its counters for a batch that counts and does nothing else") {
  Setup on;
  EvaluateBatch batch = Setup::batch({"A", "B"});
  batch.count = false;
  on.runner.run(batch);
  CHECK(on.observer.executions["A"].times_ms.size() == 5);
  CHECK_FALSE(on.observer.executions["A"].uncounted_because); // nobody asked yet
  on.observer.finished.clear();
  on.stopwatch.order.clear();
  on.calls.clear();
  batch.time = false;
  on.runner.run(batch);
  CHECK(on.observer.finished == Order{"A", "B"});
  CHECK(on.observer.executions["A"].correct());
  CHECK(on.observer.executions["A"].uncounted_because == "not permitted");
  CHECK(on.observer.executions["A"].times_ms.empty());
  CHECK(on.stopwatch.order.empty());
  CHECK(on.calls.empty()); // verified before
}

TEST_CASE(
    "who is right only once wins neither race nor finals, and others are not raced against it") {
  Setup on;
  on.behaviours = {{"once", {.ms = 0.01, .right_until = 1}}, {"good", {.ms = 1}}};
  on.runner.run(Setup::batch({"once", "good"}));
  CHECK(on.observer.executions["once"].status == Status::correctness);
  CHECK(on.observer.executions["once"].times_ms.empty());
  CHECK_THAT(on.observer.executions["once"].reason, contains_text("wrong when launched again"));
  CHECK(on.observer.executions["good"].times_ms.size() == 5);
  CHECK(on.observer.executions["good"].compared_after);
  CHECK(on.best.ms() == 1.0);
  // In the finals a memo of the first launch is of the second seed's data.
  on.behaviours = {{"memo", {.knows_seed = 2}}, {"good", {.ms = 1}}};
  on.runner.run(Setup::batch({"memo", "good"}, Mode::final, BatchOrder::rotating));
  CHECK(on.observer.executions["memo"].status == Status::correctness);
  CHECK(on.observer.executions["good"].correct());
  CHECK(on.observer.executions["good"].compared_after);
}

TEST_CASE(
    "finals are judged twice in a row after timing, a race once, what was pruned not at all") {
  Setup on;
  const auto overwritten = [&] {
    return std::count(on.calls.begin(), on.calls.end(), "overwrite 0");
  };
  on.runner.run(Setup::batch({"A"}, Mode::final, BatchOrder::rotating));
  CHECK(overwritten() == 2);
  on.calls.clear();
  on.best.offer(1.0); // a race that is led is judged with other data too
  on.runner.run(Setup::batch({"A"}));
  CHECK(overwritten() == 1);
  on.calls.clear();
  on.behaviours = {{"slow", {.ms = 9}}};
  on.runner.run(Setup::batch({"slow"}));
  CHECK(on.observer.executions["slow"].pruned_early);
  CHECK_FALSE(on.observer.executions["slow"].compared_after);
  CHECK(overwritten() == 0);
}

TEST_CASE("who does less where its last result lies in its output is refused, cold alone") {
  Setup on;
  on.behaviours = {{"sparing", {.ms = 0.1, .overwritten_ms = 1}}};
  on.runner.run(Setup::batch({"sparing"}));
  CHECK(on.observer.executions["sparing"].status == Status::correctness);
  CHECK(on.observer.executions["sparing"].reason ==
        "does less work if its last result is still in its output: 0.1 ms as timed, 1 ms with the "
        "output overwritten before the launch");
  on.behaviours = {{"sparing", {.ms = 0.1, .overwritten_ms = 0.14}}};
  on.runner.run(Setup::batch({"sparing"}));
  CHECK(on.observer.executions["sparing"].correct());
  on.stopwatch.its_regime = Regime::warm; // its judged launch finds cold caches
  on.behaviours = {{"sparing", {.ms = 0.1, .overwritten_ms = 1}}};
  on.runner.run(Setup::batch({"sparing"}));
  CHECK(on.observer.executions["sparing"].correct());
}

TEST_CASE("nobody is said to spare work on a machine that became slow") {
  Setup on;
  on.behaviours = {{"good", {.ms = 0.1, .overwritten_ms = 1}}};
  on.stopwatch.late_ms = [&] {
    return std::count(on.calls.begin(), on.calls.end(), "overwrite 0") > 0 ? 0.9 : 0.0;
  };
  on.runner.run(Setup::batch({"good"}));
  CHECK(on.observer.executions["good"].correct());
  CHECK(on.observer.executions["good"].times_ms.front() == 0.1);
}

TEST_CASE("a race goes on where nothing can be expected of the second seed's data") {
  Setup on;
  on.workspace.nothing_expected_of = 2;
  on.runner.run(Setup::batch({"A", "B"}));
  CHECK(on.observer.executions["A"].correct());
  CHECK(on.observer.executions["B"].correct());
  CHECK(on.best.ms() == 1.0);
  CHECK(on.first("seed 1") >= 0); // the data is the race's again
}

TEST_CASE("a batch without jobs does nothing") {
  Setup on;
  on.runner.run(Setup::batch({}, Mode::final, BatchOrder::rotating));
  CHECK(on.calls.empty());
  CHECK(on.observer.finished.empty());
}

TEST_CASE("for a profiler: warm-ups before its section, nothing but launches in it") {
  Setup on;
  on.behaviours = {{"A", {}}, {"refused", {.refused = {0}}}};
  EvaluateBatch batch = Setup::batch({"A", "refused", "broken"}, Mode::check);
  batch.for_profiler = ProfilerLaunches{.warm_ups = 2, .launches = 3};
  on.runner.run(batch);
  CHECK(on.calls == Order{"restore", "restore", "launch A", "launch A", "launch A", "restore",
                          "restore", "launch refused"});
  CHECK(on.observer.finished == Order{"broken", "A", "refused"});
  CHECK(on.observer.executions["A"].correct());
  CHECK(on.observer.executions["A"].verification == Verification::none);
  CHECK(on.observer.executions["A"].times_ms.empty());
  CHECK(on.observer.executions["refused"].status == Status::runtime);
  CHECK(on.observer.stages == Order{"A load", "refused load", "broken load", "A warm up",
                                    "A launch", "refused warm up", "refused launch"});
  CHECK(on.observer.open_stages == 0);
  CHECK(on.stopwatch.order.empty());
}

} // namespace batch_runner_test
