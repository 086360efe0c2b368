// SPDX-License-Identifier: Apache-2.0
// Who is guilty, what runs again, and when to give up: without any process.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/processes/supervisor.hpp"

namespace supervisor_test {

using namespace gridsmith;
using namespace std::chrono_literals;

namespace {

EvaluateBatch batch_of(const std::vector<std::uint64_t>& ids, Mode mode = Mode::race) {
  EvaluateBatch batch;
  batch.mode = mode;
  for (const std::uint64_t id : ids)
    batch.jobs.push_back({id, "job " + std::to_string(id), {}});
  return batch;
}

std::vector<std::uint64_t> ids_of(const std::vector<EvaluateBatch>& batches) {
  std::vector<std::uint64_t> ids;
  for (const EvaluateBatch& batch : batches)
    for (const LaunchJob& job : batch.jobs)
      ids.push_back(job.id);
  return ids;
}

std::vector<std::uint64_t> ids_of(const std::vector<Executed>& results) {
  std::vector<std::uint64_t> ids;
  for (const Executed& result : results)
    ids.push_back(result.id);
  return ids;
}

using Ids = std::vector<std::uint64_t>;

/// A worker that is open, at a time that only the test moves.
struct Rig {
  explicit Rig(WorkerLimits limits = {}) : supervisor(limits, now) { supervisor.opened(now); }

  Ids send() { return ids_of(supervisor.batches_to_send(now)); }

  Ids results() { return ids_of(supervisor.take()); }

  void finish(std::uint64_t id) { supervisor.executed(Executed{id, {}}, now); }

  void begin(std::uint64_t id) { supervisor.stage_begun({id, "verify"}, now); }

  bool die(Status status = Status::runtime) {
    const bool again = supervisor.ended(status, "was killed", now);
    supervisor.opened(now);
    return again;
  }

  Supervisor::Time now{1h};
  Supervisor supervisor;
};

} // namespace

TEST_CASE("nothing is sent before the worker is open") {
  Supervisor supervisor({}, Supervisor::Time{});
  supervisor.evaluate(batch_of({1, 2}));
  CHECK(supervisor.batches_to_send(Supervisor::Time{}).empty());
  CHECK(supervisor.waiting() == 2);
  supervisor.opened(Supervisor::Time{});
  CHECK(ids_of(supervisor.batches_to_send(Supervisor::Time{})) == Ids{1, 2});
  CHECK(supervisor.waiting() == 0);
  CHECK(supervisor.in_flight() == 2);
}

TEST_CASE("while nobody listened nobody was silent") {
  Rig rig;
  rig.supervisor.evaluate(batch_of({1}));
  rig.send();
  rig.now += 15s; // of which this process was stopped for 12
  rig.supervisor.paused(12s, rig.now);
  CHECK(rig.supervisor.deadline() == rig.now + 7s);
  CHECK(rig.supervisor.silent_for(rig.now) == 3s);
  rig.supervisor.paused(100s, rig.now); // never later than now
  CHECK(rig.supervisor.deadline() == rig.now + 10s);
}

TEST_CASE("results are reported once, in the order they came") {
  Rig rig;
  rig.supervisor.evaluate(batch_of({1, 2, 3}));
  rig.send();
  rig.finish(2);
  rig.finish(1);
  rig.finish(2);  // said twice
  rig.finish(17); // never asked
  CHECK(rig.results() == Ids{2, 1});
  CHECK(rig.results().empty());
  CHECK(rig.supervisor.in_flight() == 1);
}

TEST_CASE("a limit on what is in flight splits races, never interleaved batches") {
  Rig rig({.most_in_flight = 4});
  rig.supervisor.evaluate(batch_of({1, 2, 3, 4, 5, 6}));
  rig.supervisor.evaluate(batch_of({7, 8, 9, 10, 11}, Mode::final));
  rig.supervisor.evaluate(batch_of({12}));
  CHECK(rig.send() == Ids{1, 2, 3, 4});
  CHECK(rig.send().empty());
  rig.finish(1);
  rig.finish(2);
  CHECK(rig.send() == Ids{5, 6});
  for (const std::uint64_t id : {3, 4, 5})
    rig.finish(id);
  CHECK(rig.send().empty()); // the finals wait for the last
  rig.finish(6);
  CHECK(rig.send() == Ids{7, 8, 9, 10, 11}); // more than the limit, but alone
  CHECK(rig.send().empty());
}

TEST_CASE("after a time-out the one worked on is guilty at once, the others run again") {
  Rig rig;
  rig.supervisor.evaluate(batch_of({1, 2, 3}));
  rig.supervisor.evaluate(batch_of({4}));
  rig.send();
  rig.finish(1);
  rig.begin(2);
  CHECK(rig.die(Status::timeout));
  const auto results = rig.supervisor.take();
  REQUIRE(ids_of(results) == Ids{1, 2});
  CHECK(results[1].execution.status == Status::timeout);
  CHECK(results[1].execution.reason == "was killed (verify)");
  CHECK(rig.send() == Ids{3, 4});
}

TEST_CASE("one death is forgiven, the second is guilt") {
  Rig rig;
  rig.supervisor.evaluate(batch_of({1, 2}));
  rig.send();
  rig.begin(1);
  CHECK(rig.die());
  CHECK(rig.results().empty());
  CHECK(rig.send() == Ids{1, 2}); // the old order
  rig.begin(1);
  CHECK(rig.die());
  const auto results = rig.supervisor.take();
  REQUIRE(ids_of(results) == Ids{1});
  CHECK(results[0].execution.status == Status::runtime);
  CHECK(rig.send() == Ids{2});
  CHECK(rig.supervisor.restarts() == 2);
}

TEST_CASE("who has its result is not to blame for a later death") {
  Rig rig;
  rig.supervisor.evaluate(batch_of({1, 2}));
  rig.send();
  rig.begin(1);
  rig.finish(1);
  CHECK(rig.die(Status::timeout));
  CHECK(rig.results() == Ids{1});
  CHECK(rig.send() == Ids{2});
}

TEST_CASE("a lost context has its guilty one named by the worker") {
  Rig rig;
  rig.supervisor.evaluate(batch_of({1, 2}));
  rig.send();
  rig.begin(2);
  rig.supervisor.context_lost({1, Status::runtime, "an illegal memory access"}, rig.now);
  CHECK(rig.die());
  const auto results = rig.supervisor.take();
  REQUIRE(ids_of(results) == Ids{1});
  CHECK(results[0].execution.reason == "an illegal memory access");
  CHECK(rig.send() == Ids{2});
}

TEST_CASE("a guilty finalist is left out and the rest repeated together") {
  Rig rig;
  EvaluateBatch finals = batch_of({1, 2, 3}, Mode::final);
  finals.rounds = 9;
  rig.supervisor.evaluate(finals);
  rig.send();
  rig.begin(2);
  CHECK(rig.die(Status::timeout));
  CHECK(rig.results() == Ids{2});
  const auto again = rig.supervisor.batches_to_send(rig.now);
  REQUIRE(again.size() == 1);
  CHECK(ids_of(again) == Ids{1, 3});
  CHECK(again[0].mode == Mode::final);
  CHECK(again[0].rounds == 9);
}

TEST_CASE("a verdict counts once a new worker is open: the fault was not the device's") {
  Rig rig;
  rig.supervisor.evaluate(batch_of({1, 2}));
  rig.send();
  rig.begin(1);
  rig.supervisor.context_lost({1, Status::runtime, "unspecified launch failure"}, rig.now);
  CHECK(rig.supervisor.ended(Status::runtime, "ended with exit code 4", rig.now));
  CHECK(rig.results().empty()); // the device may be gone
  rig.supervisor.opened(rig.now);
  CHECK(rig.results() == Ids{1});
  CHECK(rig.send() == Ids{2});
}

TEST_CASE("nobody is guilty of a worker killed from outside, and its restarts have a limit") {
  Rig rig;
  rig.supervisor.evaluate(batch_of({1}));
  const auto kill = [&] {
    rig.send();
    rig.begin(1);
    const bool again = rig.supervisor.ended(Status::runtime, "was killed", rig.now, true);
    rig.supervisor.opened(rig.now);
    return again;
  };
  CHECK(kill());
  CHECK(rig.supervisor.pause() == 0ms);
  CHECK(kill());
  CHECK(rig.supervisor.pause() > 100ms);
  CHECK(kill());
  CHECK_FALSE(kill());
  CHECK(rig.results().empty());
}

TEST_CASE("a worker that falls silent while it opens is given up at once") {
  Supervisor supervisor({.open_limit = 60s}, Supervisor::Time{});
  CHECK(supervisor.deadline() == Supervisor::Time{} + 60s);
  CHECK_FALSE(supervisor.ended(Status::timeout, "no answer", Supervisor::Time{} + 60s));
}

TEST_CASE("a worker that has said all that was awaited may be silent, whatever still compiles") {
  Supervisor supervisor({.open_limit = 60s}, Supervisor::Time{});
  supervisor.at_rest(Supervisor::Time{1s});
  CHECK(supervisor.deadline() == Supervisor::Time::max());
  supervisor.evaluate(batch_of({1}));
  CHECK(supervisor.batches_to_send(Supervisor::Time{2s}).empty());
  supervisor.opening(Supervisor::Time{500s});
  CHECK(supervisor.deadline() == Supervisor::Time{560s});
  supervisor.opened(Supervisor::Time{501s});
  CHECK(ids_of(supervisor.batches_to_send(Supervisor::Time{501s})) == Ids{1});
}

TEST_CASE("a worker that was replaced owes nothing, and nobody is guilty") {
  Rig rig;
  rig.supervisor.evaluate(batch_of({1, 2}));
  rig.send();
  rig.begin(1);
  rig.supervisor.withdraw(1);
  rig.supervisor.withdraw(2);
  rig.supervisor.replaced(rig.now);
  CHECK(rig.supervisor.in_flight() == 0);
  CHECK(rig.supervisor.deadline() == rig.now + 60s);
  rig.supervisor.opened(rig.now);
  rig.finish(1); // a late word
  CHECK(rig.results().empty());
  CHECK(rig.supervisor.restarts() == 0);
}

TEST_CASE("restarts without one result in between have a limit") {
  Rig rig;
  rig.supervisor.evaluate(batch_of({1}));
  for (int i = 0; i < 3; ++i)
    CHECK(rig.die()); // nobody is worked on: nobody is guilty
  CHECK_FALSE(rig.die());

  Rig other;
  other.supervisor.evaluate(batch_of({1, 2, 3, 4, 5, 6}));
  for (const std::uint64_t id : {1, 2, 3, 4, 5, 6}) {
    CHECK(other.die());
    CHECK(other.die());
    other.send();
    other.finish(id); // hope
  }
  CHECK(other.results().size() == 6);
}

TEST_CASE("silence is measured from the last word, and from the first work") {
  Rig rig({.open_limit = 60s, .stage_limit = 10s});
  CHECK(rig.supervisor.deadline() == Supervisor::Time::max());
  rig.now += 1h;
  rig.supervisor.evaluate(batch_of({1}));
  rig.send();
  CHECK(rig.supervisor.deadline() == rig.now + 10s);
  rig.now += 4s;
  rig.begin(1);
  CHECK(rig.supervisor.deadline() == rig.now + 10s);
  CHECK(rig.supervisor.silent_for(rig.now + 2s) == 2s);
  rig.finish(1);
  CHECK(rig.supervisor.deadline() == Supervisor::Time::max());
  rig.supervisor.evaluate(batch_of({2, 3}, Mode::final));
  rig.send();
  CHECK(rig.supervisor.deadline() == rig.now + 30s); // rounds over all say nothing in between
  CHECK(rig.supervisor.ended(Status::runtime, "died", rig.now));
  CHECK(rig.supervisor.deadline() == rig.now + 60s); // opening again
}

TEST_CASE("what is opened may have a limit of its own") {
  Rig rig({.open_limit = 60s, .stage_limit = 10s});
  rig.supervisor.opening(rig.now, 20s);
  CHECK(rig.supervisor.deadline() == rig.now + 20s);
  rig.now += 5s;
  rig.supervisor.heard(rig.now);
  CHECK(rig.supervisor.deadline() == rig.now + 20s);
  CHECK_FALSE(rig.supervisor.ended(Status::timeout, "was silent", rig.now)); // given up
  rig.supervisor.opened(rig.now);
  rig.supervisor.opening(rig.now);
  CHECK(rig.supervisor.deadline() == rig.now + 60s);
}

TEST_CASE("races that wait are told the best so far, finals are not") {
  Rig rig({.most_in_flight = 1});
  rig.supervisor.evaluate(batch_of({1, 2}));
  CHECK_FALSE(rig.supervisor.batches_to_send(rig.now)[0].best_ms);
  rig.supervisor.best_so_far(0.5);
  rig.finish(1);
  CHECK(rig.supervisor.batches_to_send(rig.now)[0].best_ms == 0.5);
  rig.finish(2);
  rig.supervisor.evaluate(batch_of({3}, Mode::final));
  CHECK_FALSE(rig.supervisor.batches_to_send(rig.now)[0].best_ms);
}

TEST_CASE("what is withdrawn is dropped, or runs unheard and is not repeated") {
  Rig rig({.most_in_flight = 2});
  rig.supervisor.evaluate(batch_of({1, 2, 3, 4}));
  rig.send();
  rig.supervisor.withdraw(3);
  rig.supervisor.withdraw(2);
  rig.supervisor.withdraw(99);
  CHECK(rig.supervisor.waiting() == 1);
  rig.finish(2);
  CHECK(rig.results().empty());
  rig.supervisor.withdraw(1);
  CHECK(rig.die());
  CHECK(rig.send() == Ids{4});
}

TEST_CASE("idle is ready without work") {
  Rig rig;
  rig.now += 5s;
  rig.supervisor.evaluate(batch_of({1}));
  rig.send();
  CHECK(rig.supervisor.idle_ms() == 5000);
  rig.now += 7s;
  rig.finish(1);
  rig.now += 2s;
  rig.supervisor.ended(Status::runtime, "died", rig.now);
  CHECK(rig.supervisor.idle_ms() == 7000);
}

} // namespace supervisor_test
