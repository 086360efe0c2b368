// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_device.hpp"
#include "gridsmith/tuner/worker/steps/timer.hpp"

#include <map>

namespace timer_test {

using namespace gridsmith;
using namespace gridsmith::test;

namespace {

struct Setup {
  Calls calls;
  FakeStopwatch stopwatch;
  FakeObserver observer;
  BestTime best;
  Sampling rules{.interval = 0.01, .min_samples = 5, .max_samples = 50, .max_ms = 500};

  Timer timer() { return {stopwatch, observer, best, rules}; }
};

using Order = std::vector<std::string>;

} // namespace

TEST_CASE("a race is sampled until its median is known, and becomes the best once it is offered") {
  Setup on;
  FakeBatch batch({{.ms = 2}}, on.calls);
  on.timer().race(batch[0]);
  CHECK_FALSE(on.best.ms()); // it may still be refused
  on.timer().offer(batch[0]);
  const Execution& execution = batch[0].execution;
  CHECK(execution.status == Status::correct);
  CHECK(execution.times_ms == std::vector<double>(5, 2.0));
  CHECK(execution.taken_at_ms == std::vector<double>{0, 1, 2, 3, 4});
  CHECK(execution.clocks_mhz == std::vector<double>(5, 1500.0));
  CHECK(execution.sm_clock_mhz == 1500.0);
  CHECK(execution.spent.gpu_ms == 5); // the fake takes 1 ms a sample
  CHECK_FALSE(execution.pruned_early);
  CHECK(on.stopwatch.groups == std::vector<std::size_t>{1, 1, 3});
  CHECK(on.best.ms() == 2.0);
  CHECK(on.observer.stages == Order{"A time"});
  CHECK(on.observer.open_stages == 0);
  CHECK(on.observer.open_sections == 0);
}

TEST_CASE("what cannot win is pruned, and does not become the best") {
  Setup on;
  on.best.offer(1.0);
  FakeBatch batch({{.ms = 2}}, on.calls);
  on.timer().race(batch[0]);
  CHECK(batch[0].execution.pruned_early);
  CHECK(batch[0].execution.status == Status::correct);
  CHECK(batch[0].execution.times_ms.size() == 1);
  CHECK(on.best.ms() == 1.0);
}

TEST_CASE("a better best heard between two samples prunes") {
  Setup on;
  FakeBatch batch({{.ms = 2}}, on.calls);
  on.stopwatch.after_take = [&] {
    if (on.stopwatch.groups.size() == 2)
      on.best.offer(1.0);
  };
  on.timer().race(batch[0]);
  CHECK(batch[0].execution.pruned_early);
  CHECK(batch[0].execution.times_ms.size() == 2);
}

TEST_CASE("rules without pruning and samples by themselves take no notice of the best") {
  Setup on;
  on.best.offer(1.0);
  FakeBatch batch({{.ms = 2}, {.ms = 0.5}}, on.calls);
  batch[0].first_ms = 2.0;
  on.timer().settle(batch[0]);
  CHECK(batch[0].execution.times_ms.size() == 5);
  on.timer().settle(batch[1]);
  CHECK(on.best.ms() == 1.0);
  on.rules.prune = false;
  FakeBatch another({{.ms = 2}}, on.calls);
  on.timer().race(another[0]);
  CHECK(another[0].execution.times_ms.size() == 5);
}

TEST_CASE("the first launch decides only cold, long enough and far too late") {
  const auto samples = [](double first_ms, Regime regime, double best_ms) {
    Setup on;
    on.best.offer(best_ms);
    on.stopwatch.its_regime = regime;
    FakeBatch batch({{.ms = first_ms}}, on.calls);
    batch[0].first_ms = first_ms;
    on.timer().race(batch[0]);
    CHECK(batch[0].execution.times_ms.front() == first_ms);
    return on.stopwatch.order.size();
  };
  CHECK(samples(2, Regime::cold, 1) == 0);
  CHECK(samples(2, Regime::warm, 1) > 0);
  CHECK(samples(2, Regime::graph, 1) > 0);
  CHECK(samples(0.4, Regime::cold, 0.1) > 0);
  CHECK(samples(1.1, Regime::cold, 1) > 0);
}

TEST_CASE("short kernels are launched several times per sample, but where caches are flushed") {
  struct Case {
    Regime regime;
    int launches;
  };

  for (const Case& one : {Case{Regime::cold, 1}, Case{Regime::warm, 5}, Case{Regime::rotate, 100},
                          Case{Regime::back_to_back, 100}, Case{Regime::graph, 100}}) {
    Setup on;
    on.stopwatch.its_regime = one.regime;
    FakeBatch batch({{.ms = 0.010}}, on.calls);
    on.timer().race(batch[0]);
    CHECK(on.stopwatch.launches.front() == 1);
    CHECK(on.stopwatch.launches.back() == one.launches);
    CHECK(batch[0].execution.times_ms.size() == 5); // the single launch is not among them
    CHECK(batch[0].execution.taken_at_ms.front() == (one.launches > 1 ? 1 : 0));
  }
}

TEST_CASE("clocks of some samples only are not clocks of all") {
  Setup on;
  on.stopwatch.clock = [&]() -> std::optional<double> {
    if (on.stopwatch.groups.empty())
      return std::nullopt;
    return 1200.0;
  };
  FakeBatch batch({{}}, on.calls);
  on.timer().race(batch[0]);
  CHECK(batch[0].execution.clocks_mhz.empty());
  CHECK(batch[0].execution.sm_clock_mhz == 1200.0);
}

TEST_CASE("a refused launch fails its configuration, which keeps no times") {
  Setup on;
  FakeBatch batch({{.refused = {1}}}, on.calls);
  on.timer().race(batch[0]);
  CHECK(batch[0].failed);
  CHECK(batch[0].execution.status == Status::runtime);
  CHECK(batch[0].execution.times_ms.empty());
  CHECK(batch[0].execution.taken_at_ms.empty());
  CHECK_FALSE(on.best.ms());
}

TEST_CASE("rounds go A B C A B C, or A B C C B A") {
  for (const BatchOrder order : {BatchOrder::rotating, BatchOrder::mirrored}) {
    Setup on;
    FakeBatch batch({{}, {}, {}}, on.calls);
    on.timer().interleave(batch.candidates(), order, 3);
    CHECK(on.stopwatch.order == (order == BatchOrder::rotating
                                     ? Order{"A", "B", "C", "A", "B", "C", "A", "B", "C"}
                                     : Order{"A", "B", "C", "C", "B", "A", "A", "B", "C"}));
    CHECK(on.stopwatch.groups == std::vector<std::size_t>{1, 1, 1, 3, 3});
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(batch[i].execution.times_ms.size() == 3);
      CHECK(batch[i].execution.status == Status::correct);
    }
    CHECK(on.observer.open_stages == 0);
    CHECK(on.observer.open_sections == 0);
  }
}

TEST_CASE("every round is in somebody's name, another each time") {
  for (const BatchOrder order : {BatchOrder::rotating, BatchOrder::mirrored}) {
    Setup on;
    FakeBatch batch({{}, {}}, on.calls);
    on.timer().interleave(batch.candidates(), order, 4);
    CHECK(on.observer.stages == Order{"A time", "B time", "B time", "A time", "B time"});
  }
}

TEST_CASE("one that cannot be launched again leaves the round") {
  Setup on;
  FakeBatch batch({{}, {.refused = {0}}, {}}, on.calls);
  on.timer().interleave(batch.candidates(), BatchOrder::rotating, 3);
  CHECK(batch[1].failed);
  CHECK(batch[1].execution.times_ms.empty());
  CHECK(batch[0].execution.times_ms.size() == 3);
  CHECK(batch[2].execution.times_ms.size() == 3);
}

TEST_CASE("in a later round too, and nobody else for it") {
  Setup on;
  FakeBatch batch({{}, {}, {.refused = {2, 3}}}, on.calls);
  on.timer().interleave(batch.candidates(), BatchOrder::rotating, 5);
  CHECK(batch[2].failed);
  for (const std::size_t good : {0u, 1u}) {
    CHECK_FALSE(batch[good].failed);
    CHECK(batch[good].execution.times_ms.size() == 5);
    CHECK(batch[good].execution.status == Status::correct);
  }
}

TEST_CASE("a context lost in a round is the fault of whom it was announced for") {
  Setup on;
  FakeBatch batch({{}, {.loses = 1}}, on.calls);
  try {
    on.timer().interleave(batch.candidates(), BatchOrder::rotating, 5);
    FAIL("it goes on");
  } catch (const ContextIsLost& lost) {
    CHECK(lost.id == 2);
    CHECK(on.observer.stages.back() == "B time");
  }
}

} // namespace timer_test
