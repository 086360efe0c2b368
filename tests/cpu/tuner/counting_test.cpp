// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_device.hpp"
#include "gridsmith/tuner/worker/steps/counting.hpp"

#include <algorithm>

namespace counting_test {

using namespace gridsmith;
using namespace gridsmith::test;

namespace {

/// Two passes over every launch, as CUPTI's user replay; each launch's value is its number.
class FakeCounters : public CounterSource {
public:
  FakeCounters(Calls& calls, bool refuses, bool patches)
      : calls_(calls), refuses_(refuses), patches_(patches) {}

  std::size_t passes() const override { return 2; }

  bool patches_code() const override { return patches_; }

  std::vector<CounterValues> collect(std::size_t launches, const Action& prepare,
                                     const Action& body) override {
    std::vector<CounterValues> values(launches);
    calls_.push_back("start");
    for (std::size_t pass = 0; pass < passes(); ++pass)
      for (std::size_t number = 0; number < launches; ++number) {
        CHECK(prepare({pass, number}) == 1);
        if (body({pass, number}) == 1)
          values[number] = {{"sectors", 10.0 + static_cast<double>(number)},
                            {"gpu__time_duration.sum", 3e6}};
        if (refuses_)
          throw CuptiError(1, "another client took the counters");
      }
    return values;
  }

private:
  Calls& calls_;
  bool refuses_, patches_;
};

struct Setup {
  Calls calls;
  FakeWorkspace workspace{calls};
  FakeObserver observer;
  bool refuses = false, permitted = true, patches = false;
  Counting counting{observer, [this](const std::vector<std::string>& names) {
                      calls.push_back("open " + names.front());
                      if (!permitted)
                        throw CuptiError(35, "counters are not permitted");
                      return std::make_unique<FakeCounters>(calls, refuses, patches);
                    }};

  std::ptrdiff_t count(const std::string& call) const {
    return std::count(calls.begin(), calls.end(), call);
  }
};

const std::vector<std::string> some = {"sectors"}, others = {"bytes"};

} // namespace

TEST_CASE("every pass launches every kernel again, on the data as it was") {
  Setup on;
  FakeBatch batch({{}, {}}, on.calls);
  on.counting.run(on.workspace, batch.candidates(), some);
  CHECK(on.calls == Calls{"open sectors", "start", "restore", "launch A", "restore", "launch B",
                          "restore", "launch A", "restore", "launch B"});
  CHECK(batch[1].execution.counters.at("sectors") == 11);
  CHECK(batch[1].execution.spent.gpu_ms == 2 * 3.0);
  CHECK(on.observer.stages == Calls{"A count", "B count", "A count", "B count"});
  CHECK(on.observer.open_stages == 0);
}

TEST_CASE("what has failed is not launched, and nothing is counted that nobody wants") {
  Setup on;
  FakeBatch batch({{}, {}}, on.calls);
  batch[0].failed = true;
  on.counting.run(on.workspace, batch.candidates(), {});
  CHECK(on.calls.empty());
  on.counting.run(on.workspace, batch.candidates(), some);
  CHECK(on.count("launch A") == 0);
  CHECK(batch[0].execution.counters.empty());
  CHECK(batch[1].execution.counters.at("sectors") == 10);
}

TEST_CASE("what is refused now has failed, and has no counters") {
  Setup on;
  FakeBatch batch({{.refused = {0}}, {}}, on.calls);
  on.counting.run(on.workspace, batch.candidates(), some);
  CHECK(on.count("launch A") == 1);
  CHECK(on.count("launch B") == 2);
  CHECK(batch[0].execution.reason == "refused");
  CHECK(batch[0].execution.counters.empty());
  CHECK(batch[1].execution.counters.at("sectors") == 11);
}

TEST_CASE("opened ahead it stays open, until other counters are wanted") {
  Setup on;
  FakeBatch batch({{}}, on.calls);
  on.counting.open(some);
  on.counting.run(on.workspace, batch.candidates(), some);
  CHECK(on.count("open sectors") == 1);
  on.counting.run(on.workspace, batch.candidates(), others);
  CHECK(on.count("open bytes") == 1);
  on.counting.run(on.workspace, batch.candidates(), some);
  CHECK(on.count("open sectors") == 2);
}

TEST_CASE("more than fit one session are counted in several") {
  Setup on;
  FakeBatch batch(std::vector<Behaviour>(largest_batch + 3), on.calls);
  on.counting.run(on.workspace, batch.candidates(), some);
  CHECK(on.count("start") == 2);
  CHECK(batch[largest_batch + 2].execution.counters.at("sectors") == 12);
}

TEST_CASE("counting that breaks off says why, and is not tried again") {
  Setup on;
  on.refuses = true;
  FakeBatch batch({{}, {}}, on.calls);
  on.counting.run(on.workspace, batch.candidates(), some);
  CHECK(on.counting.uncounted_because() == "another client took the counters");
  CHECK_FALSE(batch[0].failed);
  CHECK(batch[0].execution.counters.empty());
  on.calls.clear();
  on.counting.run(on.workspace, batch.candidates(), some);
  CHECK(on.calls.empty());
}

TEST_CASE("what is not permitted is said once, and nothing is launched for it") {
  Setup on;
  on.permitted = false;
  FakeBatch batch({{}}, on.calls);
  on.counting.open(some);
  CHECK(on.counting.uncounted_because() == "counters are not permitted");
  on.counting.run(on.workspace, batch.candidates(), some);
  CHECK(on.calls == Calls{"open sectors"});
  CHECK_FALSE(batch[0].failed);
}

TEST_CASE(
    "counting that broke off is tried again for another work, what was never permitted is not") {
  Setup on;
  on.refuses = true;
  FakeBatch batch({{}}, on.calls);
  on.counting.run(on.workspace, batch.candidates(), some);
  on.refuses = false;
  on.counting.begin_work();
  FakeWorkspace other{on.calls};
  on.counting.run(other, batch.candidates(), some);
  CHECK(batch[0].execution.counters.at("sectors") == 10);
  Setup never;
  never.permitted = false;
  never.counting.open(some);
  never.counting.begin_work();
  never.counting.run(never.workspace, batch.candidates(), some);
  CHECK(never.count("open sectors") == 1);
}

TEST_CASE("kernels whose code was patched stay loaded until the counters are closed") {
  for (const bool patches : {false, true}) {
    Setup on;
    on.patches = patches;
    std::weak_ptr<Kernel> kernel;
    {
      FakeBatch batch({{}}, on.calls);
      kernel = batch[0].kernel;
      on.counting.run(on.workspace, batch.candidates(), some);
    }
    CHECK(kernel.expired() != patches);
    FakeBatch next({{}}, on.calls);
    on.counting.run(on.workspace, next.candidates(), others);
    CHECK(kernel.expired());
  }
}

} // namespace counting_test
