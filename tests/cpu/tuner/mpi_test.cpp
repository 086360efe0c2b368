// SPDX-License-Identifier: Apache-2.0
// gridsmith-mpi as people start it, with fake helper programs: all ranks on this machine, each with one of
// its GPUs. Whatever is killed, nothing that was recorded is lost, and the answer is right or the reason
// said.
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <nlohmann/json.hpp>
#include <sys/mount.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <random>
#include <thread>

namespace mpi_test {

using namespace gridsmith;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

bool is_open_mpi() {
  return std::string(GRIDSMITH_MPI_VERSION).find("Open MPI") != std::string::npos;
}

/// Options of Open MPI; others need none. Jobs that share a folder now and then take it from each other, so each has
/// its own.
std::vector<std::string> launch_options(const fs::path& parent) {
  if (!is_open_mpi())
    return {};
  static int jobs = 0;
  const fs::path folder = parent / ("mpi" + std::to_string(++jobs));
  fs::create_directory(folder);
  std::vector<std::string> options{"--oversubscribe", "--mca", "orte_tmpdir_base", folder.string()};
  if (::geteuid() == 0)
    options.emplace_back("--allow-run-as-root");
  return options;
}

bool outlives_a_rank() {
  return is_open_mpi(); // if it is asked to
}

/// An installed tree with fakes and four GPUs, and a kernel of 400 configurations that take their time.
class Cluster {
public:
  explicit Cluster(int count = 400, const std::string& extra = "", const std::string& values = "")
      : kernel_(test::write_kernel(mpirun_.folder(), "good", count, extra, values)) {
    test::install_with_fakes(mpirun_.folder());
    fs::create_directory(store().parent_path());
    program_ = mpirun_.folder() / "bin" / "gridsmith-mpi";
    fs::copy_file(fs::path(GRIDSMITH_PROGRAM).parent_path() / "gridsmith-mpi", program_);
    script(
        R"({"gpus": [{}, {"slower": 1.05}, {"slower": 0.97}, {"slower": 1.02}], "says_ms": 2000})"_json);
  }

  fs::path helper(const std::string& name) const {
    return mpirun_.folder() / "libexec" / "gridsmith" / name;
  }

  fs::path store() const { return mpirun_.folder() / "stores" / "store.db"; }

  void script(const test::Script& patch) const { test::script(mpirun_.folder(), patch); }

  /// Whether a compiler was started by this rank; needs the fakes' log.
  bool compiled_by(int number) const {
    const auto lines = test::said(helper("log"));
    return std::find(lines.begin(), lines.end(), "compiler of rank " + std::to_string(number)) !=
           lines.end();
  }

  std::vector<std::string> words(const std::vector<std::string>& mine,
                                 const std::vector<std::string>& mpi) const {
    std::vector<std::string> all = launch_options(mpirun_.folder());
    all.insert(all.end(), mpi.begin(), mpi.end());
    all.insert(all.end(), {"-n", "4", program_.string(), "tune", kernel_.string(), "--strategy",
                           "exhaustive", "--no-cache", "--compilers", "8", "--store",
                           store().string(), "--json", "--agent-timeout", "2"});
    all.insert(all.end(), mine.begin(), mine.end());
    return all;
  }

  int run(const std::vector<std::string>& mine = {}, const std::vector<std::string>& mpi = {},
          const std::string& tag = "out") const {
    return mpirun_.run(words(mine, mpi), tag);
  }

  /// Does something to a job that runs, once so much is recorded.
  int disturb(const std::function<void()>& what, const std::vector<std::string>& mpi = {},
              const std::vector<std::string>& mine = {}) const {
    job = mpirun_.start(words(mine, mpi));
    for (const auto end = std::chrono::steady_clock::now() + 20s;
         recorded() < 20 && std::chrono::steady_clock::now() < end;)
      std::this_thread::sleep_for(10ms);
    INFO(said());
    REQUIRE(recorded() >= 20);
    what();
    return test::Program::wait(job);
  }

  /// The real helper programs of all ranks, without the relays.
  std::vector<pid_t> helpers() const {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc"))
      if (test::read_file(entry.path() / "cmdline").starts_with(helper("gridsmith-").string()))
        found.push_back(std::stoi(entry.path().filename().string()));
    return found;
  }

  /// The compilers of a rank's node.
  std::vector<pid_t> compilers_of(int number) const {
    std::vector<pid_t> found;
    const pid_t agent = rank(number);
    for (const pid_t one : helpers()) {
      const std::string process = "/proc/" + std::to_string(one);
      std::ifstream status(process + "/stat"); // "pid (name) state parent …"
      std::string id, name, state;
      pid_t parent = 0;
      if (status >> id >> name >> state >> parent && parent == agent &&
          test::read_file(process + "/cmdline").starts_with(helper("gridsmith-compiler").string()))
        found.push_back(one);
    }
    return found;
  }

  /// Sends a signal to the process of a rank.
  void signal(int number, int which) const {
    const pid_t process = rank(number);
    REQUIRE(process > 0);
    ::kill(process, which);
  }

  /// The process of a rank; what is started under other names is none.
  pid_t rank(int number) const {
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string words = test::read_file(entry.path() / "cmdline");
      const std::string variables = test::read_file(entry.path() / "environ");
      const std::string wanted = "OMPI_COMM_WORLD_RANK=" + std::to_string(number);
      if (words.starts_with(program_.string() + '\0') &&
          ('\0' + variables).find('\0' + wanted + '\0') != std::string::npos)
        return std::stoi(entry.path().filename().string());
    }
    return 0;
  }

  /// Configurations; the anchor alone is timed without being asked for too.
  std::size_t recorded() const {
    try {
      const Store held = Store::open(store(), Store::Mode::read_only);
      std::size_t sum = 0;
      for (const Scope& scope : held.scopes())
        for (const Measurement& one : held.all(scope.id))
          sum += one.mode == Mode::race ? 1 : 0;
      return sum;
    } catch (const Error&) { // not there yet, or being made
      return 0;
    }
  }

  nlohmann::json answer(const std::string& tag = "out") const {
    return nlohmann::json::parse(mpirun_.out(tag));
  }

  std::string said(const std::string& tag = "out") const { return mpirun_.err(tag); }

  test::Program& mpirun() { return mpirun_; }

  mutable pid_t job = 0;

private:
  test::Program mpirun_{fs::path(GRIDSMITH_MPIEXEC)};
  fs::path program_, kernel_;
};

const std::vector<std::string> go_on{"--mca", "orte_abort_on_non_zero_status", "0",
                                     "--enable-recovery"};

void expect_all(const Cluster& cluster, std::size_t count) {
  const auto answer = cluster.answer();
  CHECK(answer.at("evaluations") == count);
  CHECK(answer.at("best").at("configuration").at("X") == 7);
  CHECK(cluster.recorded() == count);
}

} // namespace

TEST_CASE("the ranks of a job measure for one search") {
  const Cluster cluster(60);
  INFO(cluster.said());
  REQUIRE(cluster.run() == 0);
  expect_all(cluster, 60);
  const auto answer = cluster.answer();
  REQUIRE(answer.at("gpus").size() == 4);
  std::size_t sum = 0;
  for (const auto& gpu : answer.at("gpus")) {
    CHECK(gpu.at("evaluations") > 0);
    sum += gpu.at("evaluations").get<std::size_t>();
  }
  CHECK(sum == 60);
  CHECK(cluster.run() == 0); // all of it is known
  CHECK(cluster.answer().at("reused") == 60);
}

TEST_CASE("what crashes costs its configuration, and no rank") {
  for (const char* fault : {"RUN", "COMPILE"}) {
    const Cluster cluster(12, fault, R"(["fine", "crash"])");
    REQUIRE(cluster.run() == 0);
    const auto answer = cluster.answer();
    CHECK(answer.at("evaluations") == 24);
    CHECK(answer.at("status").at("correct") == 12);
    CHECK(answer.at("best").at("configuration").at("X") == 7);
  }
}

TEST_CASE("a GPU that is lost, or hangs, is left out of the job") {
  for (const int lost : {0, 2}) { // the first is the one that times are of
    const Cluster cluster(60);
    cluster.script({{"launches", {{{"gpu", lost}, {"after", 3}, {"does", "gone"}}}}});
    REQUIRE(cluster.run() == 0);
    expect_all(cluster, 60);
    CHECK_THAT(cluster.said(), contains_text("GPU " + std::to_string(lost)) &&
                                   contains_text("busy or unavailable"));
  }
  const Cluster cluster(600); // so that all have begun
  cluster.script({{"real_time", true}});
  REQUIRE(
      cluster.disturb([&] { cluster.script(R"({"launches": [{"gpu": 1, "does": "hang"}]})"_json); },
                      {}, {"--timeout", "0.3"}) == 0);
  expect_all(cluster, 600);
  CHECK(cluster.answer().at("status").at("correct") == 600);
  CHECK_THAT(cluster.said(),
             contains_text("GPU 1") && contains_text("fails there: no answer from the GPU for "));
}

TEST_CASE("all compilers of a node that are killed, and a node that pauses, cost nothing") {
  const Cluster cluster;
  cluster.script({{"real_time", true}});
  std::size_t killed = 0;
  CHECK(cluster.disturb([&] {
    for (const pid_t one : cluster.compilers_of(1))
      killed += ::kill(one, SIGKILL) == 0 ? 1 : 0;
    const pid_t agent = cluster.rank(2);
    REQUIRE(agent > 0);
    ::kill(agent, SIGSTOP); // for less than --agent-timeout
    std::this_thread::sleep_for(700ms);
    ::kill(agent, SIGCONT);
  }) == 0);
  INFO(cluster.said());
  CHECK(killed >= 2);
  expect_all(cluster, 400);
  CHECK(cluster.answer().at("status").at("correct") == 400);
  CHECK(cluster.said().find(" used: it ") == std::string::npos);
}

TEST_CASE("ranks without a GPU compile where they are told to, and are left out else") {
  const Cluster cluster(60);
  cluster.script(R"({"gpus": [{}, {"slower": 1.05}], "log": true})"_json); // of ranks 0 and 1
  REQUIRE(cluster.run() == 0);
  expect_all(cluster, 60);
  CHECK_THAT(test::unwrapped(cluster.said()),
             contains_text("(rank 3) is not used: it has no GPU (other ranks on this machine have "
                           "its GPUs); --compile-ranks lets it compile"));
  CHECK_FALSE(cluster.compiled_by(3));
  fs::remove(cluster.store());
  REQUIRE(cluster.run({"--compile-ranks"}) == 0);
  expect_all(cluster, 60);
  CHECK(cluster.said().find(" used: it ") == std::string::npos);
  CHECK(cluster.answer().at("gpus").size() == 2);
  CHECK(cluster.compiled_by(3));
}

TEST_CASE(
    "a full disk on rank 0 is said once and the job ends with a right answer, which is not kept",
    "[.][needs:mount]") {
  const Cluster cluster;
  const fs::path disk = cluster.store().parent_path();
  REQUIRE(::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=240k") == 0);
  const int code = cluster.run();
  const std::size_t kept = cluster.recorded();
  ::umount(disk.c_str());
  CHECK(code == 1);
  CHECK(cluster.answer().at("evaluations") == 400);
  CHECK(cluster.answer().at("best").at("configuration").at("X") == 7);
  CHECK_THAT(cluster.said(), contains_text("kept in memory only"));
  CHECK(kept > 0);
}

TEST_CASE(
    "an agent that is killed, or falls silent, is dropped and its configurations asked again") {
  if (!outlives_a_rank())
    return;
  for (const int signal : {SIGKILL, SIGSTOP}) {
    INFO("signal " << signal);
    const Cluster cluster;
    cluster.script({{"real_time", true}});
    pid_t agent = 0;
    const int code = cluster.disturb(
        [&] {
          agent = cluster.rank(2);
          REQUIRE(agent > 0);
          ::kill(agent, signal);
          if (signal == SIGSTOP) // it comes back when the others have gone on without it
            std::thread([agent] {
              std::this_thread::sleep_for(4s);
              ::kill(agent, SIGCONT);
            }).detach();
        },
        go_on);
    INFO(cluster.said());
    CHECK((code == 0 || signal == SIGKILL)); // mpirun's own, of a rank that was killed
    expect_all(cluster, 400);
    CHECK_THAT(cluster.said(), contains_text("(rank 2) is not used: it fell silent for 2 s"));
    CHECK_THAT(cluster.said(), contains_text("repeated on the others"));
  }
}

TEST_CASE("25 workers and compilers killed at random cost at most what is killed twice") {
  const Cluster cluster(1000);
  cluster.script({{"real_time", true}});
  std::mt19937_64 random(25);
  int kills = 0;
  const int code = cluster.disturb([&] {
    for (const auto end = std::chrono::steady_clock::now() + 20s;
         kills < 25 && std::chrono::steady_clock::now() < end;) {
      const std::vector<pid_t> all = cluster.helpers();
      if (!all.empty() && ::kill(all[random() % all.size()], SIGKILL) == 0)
        ++kills;
      std::this_thread::sleep_for(std::chrono::milliseconds(10 + random() % 40));
    }
  });
  INFO(cluster.said());
  CHECK(code == 0);
  CHECK(kills == 25);
  CHECK(cluster.recorded() >= 1000 - 25 / 2); // on a busy machine the same one may be hit again
  cluster.script({{"real_time", false}});
  REQUIRE(cluster.run() == 0); // it measures those too
  expect_all(cluster, 1000);
  CHECK(cluster.answer().at("status").at("correct") == 1000);
}

TEST_CASE("a job that ends with a rank has lost nothing, and the same command continues") {
  if (!outlives_a_rank())
    return;
  for (const int rank : {0, 1}) {
    INFO("rank " << rank);
    const Cluster cluster;
    cluster.script({{"real_time", true}});
    std::size_t before = 0;
    CHECK(cluster.disturb([&] {
      before = cluster.recorded();
      cluster.signal(rank, SIGKILL);
    }) != 0);
    CHECK(before >= 20);
    cluster.script({{"real_time", false}});
    INFO(cluster.said());
    REQUIRE(cluster.run() == 0);
    expect_all(cluster, 400);
    CHECK(cluster.answer().at("reused") >= before);
  }
}

TEST_CASE("ranks that outlive rank 0 end by themselves") {
  if (!outlives_a_rank())
    return;
  const Cluster cluster;
  cluster.script({{"real_time", true}});
  cluster.disturb([&] { cluster.signal(0, SIGKILL); }, go_on, {"--agent-timeout", "0.3"});
  CHECK_THAT(test::unwrapped(cluster.said()), contains_text("rank 0 has been silent for 3 s"));
  CHECK(cluster.recorded() >= 20);
}

TEST_CASE("a signal before the time is up: finished, stored, and said how to continue") {
  if (!outlives_a_rank())
    return;
  const Cluster cluster;
  cluster.script({{"real_time", true}});
  CHECK(cluster.disturb([&] { cluster.signal(0, SIGUSR1); }) == 130);
  CHECK_THAT(test::unwrapped(cluster.said()), contains_text("the same command continues"));
  CHECK(cluster.answer().at("interrupted") == true);
  const std::size_t before = cluster.recorded();
  cluster.script({{"real_time", false}});
  REQUIRE(cluster.run() == 0);
  CHECK(cluster.answer().at("reused") >= before);
}

TEST_CASE("two jobs on one store both answer") {
  Cluster cluster(60);
  const pid_t first = cluster.mpirun().start(cluster.words({}, {}), "first");
  const int second = cluster.run({}, {}, "second");
  INFO(cluster.said("second"));
  CHECK(second == 0);
  CHECK(test::Program::wait(first) == 0);
  for (const char* job : {"first", "second"})
    CHECK(cluster.answer(job).at("best").at("configuration").at("X") == 7);
}

TEST_CASE("what is no command of a job is said once") {
  const Cluster cluster(8);
  CHECK(cluster.run({"--devices", "0,9"}) == 3);
  CHECK_THAT(cluster.said(), contains_text("no device 9; there are devices 0 to 3"));
  CHECK(cluster.run({"--agent-timeout", "soon"}) == 2);
  CHECK_THAT(cluster.said(), contains_text("--agent-timeout: 'soon' is no number of seconds"));
}

} // namespace mpi_test
