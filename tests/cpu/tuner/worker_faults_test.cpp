// SPDX-License-Identifier: Apache-2.0
// The link to a worker with real processes that crash, hang, lose their context or are killed: the
// guilty one gets its result, all others theirs, and nothing is left behind.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <poll.h>

#include <chrono>
#include <map>

namespace worker_faults_test {

using namespace gridsmith;
using namespace std::chrono_literals;

namespace {

/// The fake worker does what the "cubin", a list of options, says.
LaunchJob job_of(std::uint64_t id, const std::string& options) {
  LaunchJob job{id, "job", {}};
  job.launchable.cubin = std::make_shared<const Bytes>(options.begin(), options.end());
  return job;
}

struct Rig {
  Rig() {
    settings.program = folder.path() / "gridsmith-worker";
    settings.limits.stage_limit = 500ms;
    std::filesystem::copy_file(GRIDSMITH_BINARY_DIR "/tests/fake_worker", settings.program);
    open.label = "kernel";
    test::script(folder.path(), {{"log", true}});
  }

  test::Folder folder;
  WorkerSettings settings;
  OpenWork open;
};

void advance(WorkerLink& link) {
  std::vector<pollfd> descriptors;
  link.add_descriptors(descriptors);
  ::poll(descriptors.data(), descriptors.size(), 20);
  link.advance();
}

std::map<std::uint64_t, Execution> run(WorkerLink& link, std::size_t count) {
  std::map<std::uint64_t, Execution> all;
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (all.size() < count && std::chrono::steady_clock::now() < end) {
    advance(link);
    for (Executed& one : link.take())
      all[one.id] = std::move(one.execution);
  }
  return all;
}

EvaluateBatch batch_with(const std::string& fault, Mode mode = Mode::race) {
  EvaluateBatch batch;
  batch.mode = mode;
  batch.jobs = {job_of(1, "-DX=1\n"), job_of(2, fault), job_of(3, "-DX=7\n")};
  return batch;
}

} // namespace

TEST_CASE("each fault is the guilty one's, in races and in finals") {
  struct Row {
    const char *fault, *reason;
    Status status;
  };

  for (const Row& row : {Row{"-DRUN=crash", "signal 11", Status::runtime},
                         Row{"-DRUN=lost", "illegal memory access", Status::runtime},
                         Row{"-DRUN=hang", "no answer from the GPU", Status::timeout}})
    for (const Mode mode : {Mode::race, Mode::final}) {
      INFO(row.fault);
      const Rig rig;
      WorkerLink link(rig.settings);
      link.use({});
      link.open(rig.open);
      link.evaluate(batch_with(row.fault, mode));
      auto all = run(link, 3);
      REQUIRE(all.size() == 3);
      CHECK(all[1].status == Status::correct);
      CHECK(all[2].status == row.status);
      CHECK_THAT(all[2].reason, contains_text(row.reason));
      CHECK(all[3].status == Status::correct);
      REQUIRE(link.opened());
      CHECK(link.opened()->device.name == "Fake GPU");
      CHECK(link.restarts() > 0);
    }
}

TEST_CASE("a worker that is killed from outside loses nothing and blames nobody") {
  for (int message = 1; message <= 3; ++message) {
    const Rig rig;
    test::script(rig.folder.path(), {{"die_at", message}});
    WorkerLink link(rig.settings);
    link.use({});
    link.open(rig.open);
    link.evaluate(batch_with("-DX=2\n"));
    auto all = run(link, 3);
    CHECK(all.size() == 3);
    for (const auto& [id, execution] : all)
      CHECK(execution.status == Status::correct);
    CHECK(link.restarts() == 1);
  }
}

TEST_CASE("a worker that refuses the work says why") {
  const Rig rig;
  test::script(rig.folder.path(), R"({"works": [{"refused": "the data need 300 GB"}]})"_json);
  WorkerLink link(rig.settings);
  link.use({});
  link.open(rig.open);
  CHECK_THROWS_WITH(run(link, 1), contains_text("300 GB"));
}

namespace {

/// A work of this number is opened, and two of its configurations are raced.
void work_on(WorkerLink& link, std::uint64_t number, std::uint64_t first_id) {
  OpenWork open;
  open.work = number;
  open.label = "work " + std::to_string(number);
  link.open(open);
  EvaluateBatch batch;
  batch.jobs = {job_of(first_id, "-DX=1\n"), job_of(first_id + 1, "-DX=7\n")};
  link.evaluate(batch);
  const auto all = run(link, 2);
  REQUIRE(all.size() == 2);
  CHECK(all.at(first_id).status == Status::correct);
  REQUIRE(link.opened());
  CHECK(link.opened()->work == number);
}

} // namespace

TEST_CASE("works stay open in one process, until one has to make room") {
  const Rig rig;
  test::script(rig.folder.path(), {{"room", 2}});
  WorkerLink link(rig.settings);
  link.use({});
  std::uint64_t id = 1;
  for (const std::uint64_t number : {1, 2, 1, 2, 3, 2, 1}) {
    work_on(link, number, id);
    id += 2;
  }
  CHECK(link.restarts() == 0);
  CHECK(test::said(rig.folder.path() / "log") ==
        test::Lines{"worker", "open 1", "open 2", "close 1", "open 3", "close 3", "open 1"});
}

TEST_CASE(
    "a worker that dies in its second work opens that one again, and the first when it is needed") {
  const Rig rig;
  WorkerLink link(rig.settings);
  link.use({});
  work_on(link, 1, 1);
  test::script(rig.folder.path(), {{"die_at", 5}}); // device, work, race, work, race
  work_on(link, 2, 3);
  work_on(link, 1, 5);
  CHECK(link.restarts() == 1);
  const auto log = test::said(rig.folder.path() / "log");
  CHECK(std::count(log.begin(), log.end(), "worker") == 2);
  CHECK(std::count(log.begin(), log.end(), "open 1") == 2);
}

TEST_CASE("what hangs after it was withdrawn holds no other work up") {
  const Rig rig;
  WorkerLink link(rig.settings);
  link.use({});
  link.open(rig.open);
  link.evaluate({.jobs = {job_of(1, "-DRUN=hang")}});
  while (link.in_flight() == 0)
    advance(link);
  link.withdraw(1);
  work_on(link, 1, 2);
  CHECK(link.restarts() == 0); // nobody is to blame
}

} // namespace worker_faults_test
