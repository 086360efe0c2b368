// SPDX-License-Identifier: Apache-2.0
// All kernels on a new device, and what is shipped checked again: on fakes of the GPU's programs, and
// on recordings that stand in for other devices.
#include "gridsmith/results/formats/header.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tuner/shipping/known_best.hpp"
#include "gridsmith/tuner/shipping/retune.hpp"
#include "gridsmith/tuner/shipping/tune_all.hpp"

#include <algorithm>
#include <functional>

namespace shipping_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

const fs::path shipped_catalogue = GRIDSMITH_SOURCE_DIR "/kernels/catalogue";
const std::vector<std::string> sizes = {"1000x3000", "4096x4096", "8192x8192"};

Recording recording_at(const std::string& size) {
  return read_recording(shipped_catalogue / "transpose/recordings" / (size + "__h200.json.gz"));
}

using Change = std::function<void(Recording&)>;

/// A catalogue of the transpose alone, with recordings of a device that is not there.
void write_catalogue(const fs::path& folder, const Change& change) {
  fs::create_directories(folder / "transpose/recordings");
  for (const char* file : {"transpose.cu", "transpose.json"})
    fs::copy_file(shipped_catalogue / "transpose" / file, folder / "transpose" / file);
  for (const std::string& size : sizes) {
    Recording recording = recording_at(size);
    change(recording);
    write_recording(recording, folder / "transpose/recordings" / (size + "__other.json.gz"));
  }
}

/// Every time of these times so much.
void slow_down(Recording& recording, double factor,
               const std::function<bool(const Measurement&)>& of) {
  for (Measurement& one : recording.measurements)
    if (of(one))
      for (double& ms : one.times_ms)
        ms *= factor;
}

bool has(const Configuration& one, const std::string& name, const Value& value) {
  const Value* found = find_value(one, name);
  return found && *found == value;
}

/// Another device, on which vectors cost twice.
void make_new_device(Recording& recording) {
  recording.device.name = "NVIDIA X1";
  recording.device.compute_capability = 100;
  recording.device.sm_count = 148;
  slow_down(recording, 2, [](const Measurement& one) {
    return has(one.configuration, "VARIANT", std::string("blocked"));
  });
}

SessionSettings session_in(const fs::path& catalogue) {
  SessionSettings session;
  session.helpers.installation = {.programs = "", .catalogue = catalogue};
  return session;
}

std::vector<Export> h200_exports() {
  std::vector<Export> exports;
  exports.reserve(std::size(sizes));
  for (const std::string& size : sizes)
    exports.push_back({.recording = recording_at(size)});
  return exports;
}

/// Two kernels of forty values each, for the fakes.
struct House {
  House() {
    test::install_fakes(folder.path());
    for (const char* name : {"one", "two"}) {
      fs::create_directories(folder.path() / "kernels" / name);
      test::write_kernel(folder.path() / "kernels" / name, name, 40);
    }
  }

  AllSettings settings() const {
    AllSettings settings;
    settings.session.store = folder.path() / "store.db";
    settings.session.helpers.compilers = 1;
    settings.session.helpers.cache = false;
    settings.session.helpers.installation.programs = folder.path();
    settings.where = {folder.path() / "kernels"};
    return settings;
  }

  test::Folder folder;
};

std::uint64_t evaluations(const AllTuned& tuned) {
  std::uint64_t sum = 0;
  for (const KernelTuned& kernel : tuned.kernels)
    sum += kernel.evaluations;
  return sum;
}

} // namespace

TEST_CASE("a new device begins with the best of the nearest, and tells what that loses") {
  const test::Folder folder;
  write_catalogue(folder.path() / "kernels", make_new_device);
  AllSettings settings{.session = session_in(folder.path() / "kernels")};
  for (const std::string& size : sizes)
    settings.from.push_back(shipped_catalogue / "transpose/recordings" / (size + "__h200.json.gz"));
  const AllTuned tuned = tune_all(settings);
  REQUIRE(tuned.kernels.size() == 1);
  const KernelTuned& kernel = tuned.kernels.front();
  CHECK(kernel.failed.empty());
  CHECK(kernel.left_out.empty());
  REQUIRE(kernel.problems.size() == sizes.size());
  bool moved = false;
  for (const ProblemTuned& one : kernel.problems) {
    REQUIRE(one.transferred);
    CHECK(one.transferred_from == "NVIDIA H200 " + one.outcome.subject.problem);
    REQUIRE(one.transferred_loss);
    REQUIRE(one.default_loss);
    moved |= one.moved;
    if (has(*one.transferred, "VARIANT", std::string("blocked")))
      CHECK(*one.transferred_loss > 0.3); // it costs twice there
    CHECK(one.outcome.result.measurements.size() < 167);
  }
  CHECK(moved);
  CHECK(tuned.known_device == "NVIDIA H200");
  CHECK(std::find(tuned.news.begin(), tuned.news.end(), "SMs: 132 -> 148") != tuned.news.end());
  const std::string header = header_text(tuned.exported(), {});
  CHECK_THAT(header, contains_text("struct nvidia_x1"));
}

TEST_CASE("a header tells a new device as much as the recordings that it was made of") {
  const test::Folder folder;
  test::write(folder.path() / "tuned.hpp", header_text(h200_exports(), {}));
  const fs::path header = folder.path() / "tuned.hpp";
  const std::vector<KnownBest> known = known_best({&header, 1});
  REQUIRE(known.size() == sizes.size());
  CHECK(known.front().kernel == "transpose");
  CHECK(known.front().device.name == "NVIDIA H200");
  CHECK(known.front().device.sm_count == 132);
  Device device = known.front().device;
  CHECK(transfers(known, "transpose", device, {{4096, 4096}}).empty()); // its own
  device.name = "NVIDIA X1";
  const auto begun = transfers(known, "transpose", device, {{4000, 4000}});
  REQUIRE_FALSE(begun.empty());
  CHECK(begun.front().problem.extents == std::vector<std::int64_t>{4096, 4096});
}

TEST_CASE("all kernels share one budget, and the same call goes on from the store") {
  const House house;
  AllSettings settings = house.settings();
  settings.session.budget.evaluations = 8;
  const AllTuned part = tune_all(settings);
  REQUIRE(part.kernels.size() == 2);
  CHECK(evaluations(part) == 8);
  for (const KernelTuned& kernel : part.kernels)
    CHECK(kernel.problems.size() == 1); // each has begun
  settings.session.budget.evaluations.reset();
  const AllTuned whole = tune_all(settings);
  std::uint64_t reused = 0;
  for (const KernelTuned& kernel : whole.kernels) {
    CHECK(kernel.failed.empty());
    reused += kernel.reused;
  }
  CHECK(reused >= 8);
  CHECK(evaluations(whole) > 8);
}

TEST_CASE("one worker and one pool of compilers serve all kernels") {
  const House house;
  test::script(house.folder.path(), {{"log", true}});
  AllSettings settings = house.settings();
  settings.session.budget.evaluations = 8;
  tune_all(settings);
  const auto log = test::said(house.folder.path() / "log");
  CHECK(std::count(log.begin(), log.end(), "worker") == 1);
  CHECK(std::count(log.begin(), log.end(), "compiler") == 1);
}

TEST_CASE("what one kernel has open survives the others") {
  const House house;
  test::script(house.folder.path(), {{"log", true}, {"counts", true}});
  AllSettings settings = house.settings();
  settings.session.budget.evaluations = 40;
  const AllTuned tuned = tune_all(settings);
  std::size_t opened = 0, sessions = 0;
  for (const std::string& line : test::said(house.folder.path() / "log")) {
    opened += line.starts_with("open") ? 1 : 0;
    sessions += line.starts_with("count") ? 1 : 0;
  }
  CHECK(opened == 2);   // each once, though they take turns
  CHECK(sessions == 4); // of the best and of all others, of each
  for (const KernelTuned& kernel : tuned.kernels)
    for (const Measurement& one : kernel.problems.front().outcome.result.measurements)
      CHECK_FALSE(one.counters.empty());
}

TEST_CASE("one kernel that cannot be tuned does not stop the others, and says why") {
  const House house;
  const fs::path kernels = house.folder.path() / "kernels";
  test::write(kernels / "broken.json",
              R"({"ConfigurationSpace": {"TuningParameters": [)"
              R"({"Name": "X", "Values": "[1, "}]}, "KernelSpecification": {}})");
  AllSettings settings = house.settings();
  settings.session.store.reset();
  settings.session.budget.evaluations = 4;
  const AllTuned tuned = tune_all(settings);
  REQUIRE(tuned.kernels.size() == 3);
  CHECK_THAT(tuned.kernels.front().failed, contains_text("broken.json"));
  CHECK(tuned.kernels.back().problems.size() == 1);

  fs::create_directories(kernels / "copy");
  test::write_kernel(kernels / "copy", "one", 3);
  CHECK_THROWS_WITH(tune_all(settings), contains_text("two kernels are called 'one'"));
  settings.where = {house.folder.path() / "nothing"};
  CHECK_THROWS_AS(tune_all(settings), InputError);
  fs::create_directories(settings.where.front());
  CHECK_THROWS_WITH(tune_all(settings), contains_text("there is no kernel definition"));
}

TEST_CASE("what did not move holds, what moved is tuned again") {
  const test::Folder folder;
  RetuneSettings settings;
  settings.shipped = shipments_of(h200_exports());
  REQUIRE(settings.shipped.size() == 1);

  settings.session = session_in(shipped_catalogue);
  CHECK_THROWS_AS(retune(settings), NoSuchDevice); // a replay has to be asked for
  settings.replay = true;
  const Retuned same = retune(settings);
  REQUIRE(same.problems.size() == sizes.size());
  for (const Rechecked& one : same.problems) {
    INFO(one.problem << ": " << one.moved);
    CHECK(one.moved.empty());
    CHECK(one.now_ms);
  }
  CHECK(same.exports.size() == sizes.size());
  CHECK(same.replayed);
  // What a tuning answered stays the store's answer.
  settings.session.store = folder.path() / "s.db";
  retune(settings);
  for (const Holding& one : holdings_of(*settings.session.store))
    CHECK_FALSE(one.load().answer);

  // Another driver, with which what is shipped for one size takes half as long again there.
  const Configuration slow = settings.shipped.front().choices[1].configuration;
  const std::string where = to_text(settings.shipped.front().choices[1].problem);
  write_catalogue(folder.path() / "kernels", [&](Recording& recording) {
    recording.device.driver_version = "999.1";
    if (recording.problem == where)
      slow_down(recording, 1.5, [&](const Measurement& one) { return one.configuration == slow; });
  });
  settings.session = session_in(folder.path() / "kernels");
  const Retuned now = retune(settings);
  CHECK(now.device.driver_version == "999.1");
  for (const Rechecked& one : now.problems) {
    CHECK(one.moved.empty() == (one.problem != where));
    if (one.problem == where) {
      CHECK_THAT(one.moved, contains_text("times as long as recorded"));
      REQUIRE(one.best);
      CHECK_FALSE(*one.best == slow);
      CHECK(*one.best_ms < *one.now_ms);
    }
  }
  const std::string header = header_text(now.exports, settings.shipped);
  CHECK_THAT(header, contains_text("driver 999.1"));
}

TEST_CASE("the seconds of a check of what is shipped are those of all of it") {
  RetuneSettings settings{.session = session_in(shipped_catalogue),
                          .shipped = shipments_of(h200_exports()),
                          .replay = true};
  settings.session.budget.seconds = 1e-9;
  CHECK_THROWS_WITH(retune(settings), contains_text("the time ran out"));
  settings.session.budget.seconds = 600;
  CHECK(retune(settings).problems.size() == sizes.size());
}

TEST_CASE("nothing shipped for this device is said with what is") {
  const test::Folder folder;
  write_catalogue(folder.path() / "kernels", make_new_device);
  RetuneSettings settings{.session = session_in(folder.path() / "kernels"),
                          .shipped = shipments_of(h200_exports()),
                          .replay = true};
  CHECK_THROWS_WITH(retune(settings),
                    contains_text("nothing is shipped for NVIDIA X1 (shipped: NVIDIA H200)"));
  settings.shipped.clear();
  CHECK_THROWS_WITH(retune(settings),
                    "nothing is shipped: no configuration is correct and has a time");
}

} // namespace shipping_test
