// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_device.hpp"
#include "gridsmith/tuner/worker/steps/judged_launches.hpp"

#include <algorithm>

namespace judged_launches_test {

using namespace gridsmith;
using namespace gridsmith::test;

namespace {

struct Setup {
  Calls calls;
  FakeWorkspace workspace{calls};
  FakeObserver observer;
  JudgedLaunches launches{workspace, observer, Verification::kernel};

  std::ptrdiff_t count(const std::string& call) const {
    return std::count(calls.begin(), calls.end(), call);
  }
};

} // namespace

TEST_CASE(
    "a condition on differences decides beside tolerances; those of the first launch are kept") {
  Calls calls;
  FakeWorkspace workspace(calls);
  workspace.measures_differences = true;
  FakeObserver observer;
  JudgedLaunches launches(workspace, observer, Verification::kernel,
                          Acceptance("rms_error < 1e-3"));
  FakeBatch batch({{.off = 1e-5}, {.off = 0.25}, {.wrong = true, .off = 1e-5}}, calls);
  launches.run(batch.candidates(), Occasion::first);
  CHECK_FALSE(batch[0].failed);
  CHECK(batch[0].execution.counters == CounterValues{{"result__difference.rms", 1e-5}});
  CHECK(batch[1].execution.status == Status::correctness);
  CHECK(batch[1].execution.reason == "rms_error is 0.25; accepted: rms_error < 1e-3");
  CHECK(batch[2].execution.reason == "element 3 is 7");
}

TEST_CASE("where every result has to be the same to the bit, a right one that wavers fails") {
  Calls calls;
  FakeWorkspace workspace(calls);
  workspace.takes_digests = true;
  FakeObserver observer;
  JudgedLaunches launches(workspace, observer, Verification::kernel);
  FakeBatch batch({{}, {.wavers = true}}, calls);
  launches.run(batch.candidates(), Occasion::first);
  CHECK_FALSE(batch[1].failed); // one result is like itself
  workspace.use_seed(2);
  launches.run(batch.candidates(), Occasion::first);
  CHECK_FALSE(batch[1].failed); // of other data
  workspace.use_seed(1);
  launches.run(batch.candidates(), Occasion::again);
  CHECK_FALSE(batch[0].failed);
  REQUIRE(batch[1].failed);
  CHECK(batch[1].execution.status == Status::correctness);
  CHECK(batch[1].execution.reason ==
        "wrong when launched again: not the same to the bit as an earlier result on the same data");
  workspace.takes_digests = false;
  FakeBatch allowed({{.wavers = true}}, calls);
  launches.run(allowed.candidates(), Occasion::first);
  launches.run(allowed.candidates(), Occasion::again);
  CHECK_FALSE(allowed[0].failed);
}

TEST_CASE("each is judged before the next is prepared, and timed by events") {
  Setup on;
  FakeBatch batch({{.ms = 7}, {}}, on.calls);
  on.launches.run(batch.candidates(), Occasion::first);
  CHECK(on.calls == Calls{"begin 2", "prepare 0", "launch A", "judge 0", "prepare 1", "launch B",
                          "judge 1", "read"});
  CHECK(batch[0].first_ms == 7.0);
  CHECK(batch[0].execution.spent.gpu_ms == 7.0);
  CHECK(on.observer.stages == Calls{"A verify", "B verify"});
  CHECK(on.observer.open_stages == 0);
  CHECK(on.observer.open_sections == 0);
}

TEST_CASE("what the device refuses is not judged") {
  Setup on;
  FakeBatch batch({{.refused = {0}}, {}}, on.calls);
  on.launches.run(batch.candidates(), Occasion::first);
  CHECK(on.count("judge 0") == 0);
  CHECK(on.count("judge 1") == 1);
  CHECK(batch[0].execution.status == Status::runtime);
  CHECK(batch[0].execution.reason == "refused");
  CHECK_FALSE(batch[1].failed);
}

TEST_CASE("whoever was launched after damage is launched and judged again") {
  Setup on;
  FakeBatch batch({{}, {.damages = true}, {}, {.wrong = true}, {}}, on.calls);
  on.launches.run(batch.candidates(), Occasion::first);
  CHECK(on.count("repair") == 1);
  CHECK(on.count("begin 5") == 1);
  CHECK(on.count("begin 3") == 1);
  CHECK(on.count("launch A") == 1);
  CHECK(on.count("launch C") == 2);
  CHECK_FALSE(batch[0].failed);
  CHECK(batch[1].execution.reason == "wrote past the end");
  CHECK_FALSE(batch[2].failed);
  CHECK(batch[3].execution.reason == "element 3 is 7");
  CHECK(on.count("launch B") == 1); // damage is no result
  CHECK_FALSE(batch[4].failed);
}

TEST_CASE("a wrong result is looked at twice: another one the next time is said") {
  Setup on;
  FakeBatch batch({{.wrong = true}, {.wrong_until = 1}, {}}, on.calls);
  on.launches.run(batch.candidates(), Occasion::first);
  CHECK(on.count("launch A") == 2);
  CHECK(on.count("launch C") == 1);
  CHECK(batch[0].execution.reason == "element 3 is 7"); // always
  CHECK(batch[1].failed);
  CHECK(batch[1].execution.status == Status::correctness);
  CHECK(batch[1].execution.reason == std::string(differs_by_launch) + ": element 3 is 7");
}

TEST_CASE("after timing, who sees the damage of a launch that nobody judged is launched again") {
  Setup on;
  FakeBatch batch({{}, {}}, on.calls);
  on.workspace.damaged_before = true;
  on.launches.run(batch.candidates(), Occasion::again);
  CHECK(on.count("repair") == 1);
  CHECK(on.count("launch A") == 2);
  CHECK(batch[0].execution.compared_after);
  CHECK(batch[1].execution.compared_after);
}

TEST_CASE("a lost context names who was launched") {
  Setup on;
  FakeBatch batch({{}, {.loses = 0}, {}}, on.calls);
  try {
    on.launches.run(batch.candidates(), Occasion::first);
    FAIL("it goes on");
  } catch (const ContextIsLost& lost) {
    CHECK(lost.id == 2);
  }
  CHECK(on.observer.stages.back() == "B verify");
}

} // namespace judged_launches_test
