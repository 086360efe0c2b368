#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_device.hpp"
#include "gridsmith/tuner/worker/steps/counted_pass.hpp"

#include <algorithm>

using namespace gridsmith;
using namespace gridsmith::test;

namespace {

/// Two passes over every range, as CUPTI's user replay; refuses from the given session on.
class FakeCounters : public CounterSource {
public:
  FakeCounters(Calls& calls, std::optional<int> refuses_at = {}, bool with_time = true)
      : calls_(calls), refuses_at_(refuses_at), with_time_(with_time) {}

  std::size_t passes() const override { return 2; }

  std::vector<CounterValues> collect(std::size_t ranges, const Action& prepare,
                                     const Action& body) override {
    const bool refuses = refuses_at_ && session_ >= *refuses_at_;
    ++session_;
    for (std::size_t pass = 0; pass < passes(); ++pass)
      for (std::size_t range = 0; range < ranges; ++range) {
        prepare({pass, range});
        calls_.push_back("push");
        body({pass, range});
        calls_.push_back("pop");
        if (refuses)
          throw CuptiError(1, "another client took the counters");
      }
    std::vector<CounterValues> values(ranges);
    for (std::size_t range = 0; range < ranges; ++range) {
      values[range]["sectors"] = 10.0 + static_cast<double>(range);
      if (with_time_)
        values[range]["gpu__time_duration.sum"] = 3e6;
    }
    return values;
  }

private:
  Calls& calls_;
  std::optional<int> refuses_at_;
  bool with_time_;
  int session_ = 0;
};

struct Setup {
  Calls calls;
  FakeWorkspace workspace{calls};
  FakeObserver observer;

  CountedPass counted(std::optional<int> refuses_at = {}) {
    return {workspace, observer, Verification::kernel,
            std::make_unique<FakeCounters>(calls, refuses_at)};
  }

  CountedPass uncounted() {
    return {workspace, observer, Verification::kernel, nullptr, "counters are not permitted"};
  }

  std::ptrdiff_t count(const std::string& call) const {
    return std::count(calls.begin(), calls.end(), call);
  }
};

} // namespace

TEST_CASE("the first pass is verified, later passes only do the same work again") {
  Setup on;
  FakeBatch batch({{}, {}}, on.calls);
  on.counted().run(batch.candidates(), true);
  CHECK(on.calls == Calls{"begin 2",  "prepare 0", "push",     "launch A", "pop", //
                          "judge 0",  "prepare 1", "push",     "launch B", "pop", //
                          "judge 1",  "replay 0",  "push",     "launch A", "pop", //
                          "replay 1", "push",      "launch B", "pop",      "read"});
  CHECK(batch[1].execution.counters.at("sectors") == 11);
  CHECK(batch[1].first_ms == 3.0); // the counter's, since events would be counted too
  CHECK(batch[1].execution.spent.gpu_ms == 1 + 2 * 3.0);
  CHECK(batch[1].counted);
  CHECK(on.observer.stages == Calls{"A count", "B count", "A count", "B count"});
  CHECK(on.observer.open_stages == 0);
  CHECK(on.observer.open_sections == 0);
}

TEST_CASE("without counters there is one pass, timed by events") {
  Setup on;
  FakeBatch batch({{.ms = 7}}, on.calls);
  auto pass = on.uncounted();
  pass.run(batch.candidates(), true);
  CHECK(on.calls == Calls{"begin 1", "prepare 0", "launch A", "judge 0", "read"});
  CHECK(batch[0].first_ms == 7.0);
  CHECK_FALSE(batch[0].counted);
  CHECK(batch[0].execution.counters.empty());
  CHECK(pass.uncounted_because() == "counters are not permitted");
}

TEST_CASE("counters that are there are not read when nobody asks") {
  Setup on;
  FakeBatch batch({{}}, on.calls);
  auto pass = on.counted();
  pass.run(batch.candidates(), false);
  CHECK(on.count("push") == 0);
  CHECK_FALSE(batch[0].counted);
  CHECK(on.observer.stages == Calls{"A verify"});
  CHECK_FALSE(pass.uncounted_because());
}

TEST_CASE("what failed in the first pass is not launched in later ones and has no counters") {
  Setup on;
  FakeBatch batch({{.refused = {0}}, {}}, on.calls);
  on.counted().run(batch.candidates(), true);
  CHECK(on.count("launch A") == 1);
  CHECK(on.count("launch B") == 2);
  CHECK(on.count("judge 0") == 0);
  CHECK(batch[0].execution.status == Status::runtime);
  CHECK(batch[0].execution.reason == "refused");
  CHECK(batch[0].execution.counters.empty());
  CHECK_FALSE(batch[1].execution.counters.empty());
}

TEST_CASE("a wrong answer's counters are kept: they may say why it is fast") {
  Setup on;
  FakeBatch batch({{.wrong = true}}, on.calls);
  on.counted().run(batch.candidates(), true);
  CHECK(batch[0].execution.status == Status::correctness);
  CHECK_FALSE(batch[0].execution.counters.empty());
}

TEST_CASE("whoever was launched after damage is launched and judged again") {
  for (const bool counted : {true, false}) {
    Setup on;
    FakeBatch batch({{}, {.damages = true}, {}, {.wrong = true}, {}}, on.calls);
    auto pass = counted ? on.counted() : on.uncounted();
    pass.run(batch.candidates(), true);
    CHECK(on.count("repair") == 1);
    CHECK(on.count("begin 5") == 1);
    CHECK(on.count("begin 3") == 1);
    CHECK(on.count("launch A") == (counted ? 2 : 1));
    CHECK(on.count("launch C") == (counted ? 4 : 2));
    CHECK_FALSE(batch[0].failed);
    CHECK(batch[1].execution.reason == "wrote past the end");
    CHECK_FALSE(batch[2].failed);
    CHECK(batch[3].execution.reason == "element 3 is 7");
    CHECK_FALSE(batch[4].failed);
  }
}

TEST_CASE("counting that breaks off goes on by time alone and says why") {
  Setup on;
  FakeBatch batch({{.ms = 5}, {}}, on.calls);
  auto pass = on.counted(0);
  pass.run(batch.candidates(), true);
  CHECK(pass.uncounted_because() == "another client took the counters");
  CHECK_FALSE(batch[0].failed);
  CHECK(batch[0].execution.counters.empty());
  CHECK_FALSE(batch[0].counted);
  CHECK(batch[0].first_ms == 5.0);
  CHECK(batch[1].first_ms == 1.0);
  CHECK(on.count("begin 2") == 2);
  FakeBatch later({{}}, on.calls);
  on.calls.clear();
  pass.run(later.candidates(), true);
  CHECK(on.count("push") == 0);
}

TEST_CASE("counters of a launch on damaged data do not outlive it") {
  Setup on;
  FakeBatch batch({{.damages = true}, {}}, on.calls);
  on.counted(1).run(batch.candidates(), true); // the second session breaks off
  CHECK_FALSE(batch[1].failed);
  CHECK(batch[1].execution.counters.empty());
}

TEST_CASE("a lost context names who was launched") {
  Setup on;
  FakeBatch batch({{}, {.loses = 0}, {}}, on.calls);
  auto pass = on.uncounted();
  try {
    pass.run(batch.candidates(), true);
    FAIL("it goes on");
  } catch (const ContextIsLost& lost) {
    CHECK(lost.id == 2);
  }
  CHECK(on.observer.stages.back() == "B verify");
}
