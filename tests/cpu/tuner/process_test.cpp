// SPDX-License-Identifier: Apache-2.0
// The whole program as people run it, with fake programs in place of the GPU's: killed at random
// moments, interrupted, two at once, a full disk, a store that cannot be written. Nothing recorded
// is lost, the same command continues, and the end is the one an undisturbed run has.
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <nlohmann/json.hpp>
#include <sys/mount.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

namespace process_test {

using namespace gridsmith;
using test::Program;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> tune(const fs::path& kernel, const fs::path& store,
                              const std::string& strategy) {
  return {"tune",         kernel.string(), "--store",     store.string(),
          "--strategy",   strategy,        "--seed",      "3",
          "--json",       "--no-cache",    "--compilers", "1",
          "--repeatable", "--evaluations", "1000"};
}

std::size_t records(const fs::path& store) {
  const Store opened = Store::open(store, Store::Mode::read_only);
  std::size_t count = 0;
  for (const Scope& scope : opened.scopes())
    count += scope.configurations;
  return count;
}

} // namespace

TEST_CASE("the tuner killed at random moments goes on and ends the same") {
  const Program program;
  const fs::path kernel = test::write_kernel(program.folder(), "killed", 120);
  REQUIRE(program.run(tune(kernel, program.folder() / "calm.db", "greedy"), "calm") == 0);
  const auto calm = nlohmann::json::parse(program.out("calm"));
  CHECK(calm["best"]["configuration"]["X"] == 7);

  std::mt19937 random(1);
  const fs::path store = program.folder() / "killed.db";
  std::size_t before = 0;
  int kills = 0;
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (before >= 120) { // finished in spite of the kills: start over
      fs::remove(store);
      before = 0;
    }
    const pid_t pid = program.start(tune(kernel, store, "greedy"), "killed");
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + random() % 90));
    ::kill(pid, SIGKILL);
    kills += Program::wait(pid) == 128 + SIGKILL;
    if (!fs::exists(store))
      continue;
    std::size_t now = 0;
    REQUIRE_NOTHROW(now = records(store));
    CHECK(now >= before);
    before = now;
  }
  CHECK(kills > 20);
  REQUIRE(program.run(tune(kernel, store, "greedy"), "last") == 0);
  const auto last = nlohmann::json::parse(program.out("last"));
  CHECK(last["best"]["configuration"] == calm["best"]["configuration"]);
  CHECK(last["evaluations"] == calm["evaluations"]);
  CHECK(records(store) == 120);
}

TEST_CASE("Ctrl-C answers with the best so far and the next run continues") {
  const Program program;
  const fs::path kernel = test::write_kernel(program.folder(), "interrupted", 600);
  const fs::path store = program.folder() / "store.db";
  const pid_t pid = program.start(tune(kernel, store, "exhaustive"));
  while (!fs::exists(store))
    std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(200ms);
  ::kill(pid, SIGINT);
  CHECK(Program::wait(pid) == 130);
  const auto answer = nlohmann::json::parse(program.out());
  CHECK(answer["interrupted"] == true);
  const std::size_t kept = records(store);
  CHECK(kept > 0);
  CHECK(kept < 600);
  REQUIRE(program.run(tune(kernel, store, "exhaustive")) == 0);
  CHECK(nlohmann::json::parse(program.out())["reused"] == kept);
}

TEST_CASE("a worker that dies when asked for the devices is asked again") {
  const Program program;
  const fs::path kernel = test::write_kernel(program.folder(), "k", 4);
  test::script(program.folder(), {{"die_at", 0}});
  CHECK(program.run(tune(kernel, program.folder() / "store.db", "exhaustive")) == 0);
  CHECK_FALSE(test::script(program.folder()).contains("die_at"));
}

TEST_CASE("two tuners on one store at once lose nothing") {
  const Program program;
  test::script(program.folder(), {{"uuid", ""}}); // or they take turns
  const fs::path kernel = test::write_kernel(program.folder(), "shared", 60);
  const fs::path store = program.folder() / "store.db";
  const pid_t first = program.start(tune(kernel, store, "exhaustive"), "first");
  const pid_t second = program.start(tune(kernel, store, "random"), "second");
  CHECK(Program::wait(first) == 0);
  CHECK(Program::wait(second) == 0);
  CHECK(records(store) == 60);
  CHECK(nlohmann::json::parse(program.out("second"))["best"]["configuration"]["X"] == 7);
}

TEST_CASE("a full disk is said once and the tuning ends with a right answer", "[.][needs:mount]") {
  const Program program;
  const fs::path disk = program.folder() / "disk";
  fs::create_directory(disk);
  REQUIRE(::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=160k") == 0);
  const fs::path kernel = test::write_kernel(program.folder(), "full", 400);
  const int code = program.run(tune(kernel, disk / "store.db", "exhaustive"));
  const std::size_t kept = records(disk / "store.db");
  ::umount(disk.c_str());
  CHECK(code == 1); // what was asked for could not be stored to its end
  CHECK(nlohmann::json::parse(program.out())["best"]["configuration"]["X"] == 7);
  CHECK_THAT(program.err(), contains_text("kept in memory only"));
  CHECK(kept > 0);
}

TEST_CASE("a compiler that vanishes during a run costs nobody his record") {
  const Program program;
  const fs::path kernel =
      test::write_kernel(program.folder(), "vanished", 8, "COMPILE", R"(["fine", "vanish"])");
  const fs::path store = program.folder() / "store.db",
                 helpers = program.folder() / "libexec" / "gridsmith";
  CHECK(program.run(tune(kernel, store, "exhaustive")) == 1);
  CHECK_THAT(program.err(), contains_text("exit code 127"));
  CHECK(program.out().empty());
  fs::copy_file(GRIDSMITH_BINARY_DIR "/tests/fake_compiler", helpers / "gridsmith-compiler",
                fs::copy_options::overwrite_existing);
  test::script(helpers, {{"healthy", true}});
  REQUIRE(program.run(tune(kernel, store, "exhaustive")) == 0);
  const Store opened = Store::open(store, Store::Mode::read_only);
  CHECK(opened.all(1).size() == 16);
  for (const Measurement& one : opened.history(1))
    CHECK(one.correct());
}

TEST_CASE("bad input ends with one line and the right exit code") {
  const Program program;
  const fs::path kernel = test::write_kernel(program.folder(), "good", 4);
  test::write(program.folder() / "broken.json", "{\"General\": ");
  test::write(program.folder() / "no.db",
              "this is not a database, whatever its name says, it is only text");

  struct Row {
    std::vector<std::string> arguments;
    int code;
    const char* said;
  };

  const std::vector<Row> rows = {
      {{"tun"}, 2, "did you mean 'tune'"},
      {{"tune", kernel.string(), "--sead", "1"}, 2, "did you mean '--seed'"},
      {{"tune", kernel.string(), "--no-store", "--strategy", "rndom"}, 2, "did you mean 'random'"},
      {{"tune", kernel.string(), "--no-store", "--counters", "shard"}, 2, "did you mean 'shared'"},
      {{"tune", (program.folder() / "absent.json").string()}, 2, "absent.json"},
      {{"tune", (program.folder() / "broken.json").string()}, 2, "broken.json"},
      {{"tune", kernel.string(), "--store", (program.folder() / "no.db").string()}, 2, "no.db"},
      {{"tune", kernel.string(), "--no-store", "--gpu", "3"}, 3, "device 3"},
      {{"tune", kernel.string(), "--size", "8x"}, 2, "8x"},
      {{"tune", kernel.string(), "--objective", "tme"}, 2, "did you mean 'time'"},
      {{"tune", kernel.string(), "--write", "cvs=a.csv"}, 2, "did you mean 'csv'"},
      {{"tune", kernel.string(), "--write", "csv"}, 2, "FORMAT=FILE"},
      {{"tune", kernel.string(), "--samples", "0"}, 2, "whole number from 1 to 1000000"},
      {{"tune", kernel.string(), "--seconds", "-1"}, 2, "--seconds"},
      {{"simulate", "nowhere.json"}, 2, "nowhere.json"},
      {{"occupancy", "--capability", "99"}, 2, "99"},
      {{"space", kernel.string(), "--capability", "9.0x"}, 2, "of the form 9.0"},
      {{"export", "heder", (program.folder() / "no.db").string()}, 2, "did you mean 'header'"}};
  for (const Row& row : rows) {
    INFO(row.said);
    CHECK(program.run(row.arguments) == row.code);
    CHECK_THAT(program.err(), contains_text(row.said));
    const std::string said = program.err();
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  }
}

TEST_CASE("a definition reads what is its own, and what the user names") {
  const Program program;
  for (const char* folder : {"own", "common"})
    fs::create_directory(program.folder() / folder);
  const std::string kernel = test::write_kernel(program.folder() / "own", "k", 4).string();
  test::write(program.folder() / "own" / "k.cu", "#include \"../common/c.h\"\n");
  test::write(program.folder() / "common" / "c.h", "#define C 1\n");
  const std::string common = (program.folder() / "common").string();
  const auto run = [&](std::vector<std::string> command, const std::vector<std::string>& rest) {
    command.insert(command.end(), rest.begin(), rest.end());
    return program.run(command);
  };
  const std::vector<std::string> commands[] = {{"tune", "--no-store"}, {"space"}};
  for (const auto& command : commands) {
    INFO(command.front());
    CHECK(run(command, {kernel}) == 2);
    CHECK_THAT(program.err(), contains_text("--include DIR adds"));
    CHECK(run(command, {"--include", common, kernel}) == 0);
    CHECK(run(command, {kernel, "--include", kernel}) == 2);
    CHECK_THAT(program.err(), contains_text("is no folder"));
  }
}

TEST_CASE("the doctor says what there is, and ends well where tuning can run") {
  const Program program;
  CHECK(program.run({"doctor"}) == 0);
  const std::string said = program.out();
  INFO(said);
  for (const char* line : {"NVRTC       13.0, /fake/libnvrtc.so\n", "headers     /fake/include\n",
                           "compiles in 12 ms\n", "compiler    fake wall\n",
                           "worker      fake wall\n", "devices     Fake", "can be written\n",
                           "tuning      on the GPU\n", "counters    readable for "})
    CHECK_THAT(said, contains_text(line));
  CHECK(program.run({"doctor", "--json"}) == 0);
  CHECK(nlohmann::json::parse(program.out()).at("compiler") == "fake wall");
  fs::remove(program.folder() / "libexec" / "gridsmith" / "gridsmith-compiler");
  CHECK(program.run({"doctor"}) == 1); // a GPU, and nothing to run on it
  CHECK_THAT(program.out(), contains_text("NVRTC       none: built without a CUDA toolkit\n"));
  fs::remove(program.folder() / "libexec" / "gridsmith" / "gridsmith-worker");
  CHECK(program.run({"doctor"}) == 1); // no recordings beside the fakes
  CHECK_THAT(program.err(), contains_text("neither a GPU nor a recording"));
}

TEST_CASE("the doctor says why counters cannot be read, and what to type") {
  const Program program;
  const fs::path system = program.folder() / "system"; // a restricted driver, and no rights
  fs::create_directories(system / "proc" / "driver" / "nvidia");
  fs::create_directories(system / "proc" / "self");
  test::write(system / "proc" / "driver" / "nvidia" / "params", "RmProfilingAdminOnly: 1\n");
  test::write(system / "proc" / "self" / "status", "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0\n");
  for (const char* variable : {"KUBERNETES_SERVICE_HOST", "SLURM_JOB_ID", "container"})
    ::unsetenv(variable);
  const auto counters = [&](const std::string& answer) {
    test::script(program.folder(), {{"counters", answer}});
    CHECK(program.run({"doctor", "--json", "--system", system.string()}) == 0);
    return nlohmann::json::parse(program.out()).at("counters").at(0);
  };
  const nlohmann::json refused = counters(R"({"code": 35, "message": "cannot start counting"})");
  CHECK(refused.at("state") == "not_permitted");
  CHECK(refused.at("cupti_error") == 35);
  CHECK(refused.at("devices") == std::vector<int>{0});
  CHECK(refused.at("remedies").at(0).at("lines").at(0) == "sudo gridsmith doctor");
  CHECK(program.run({"doctor", "--system", system.string()}) == 0);
  CHECK_THAT(program.out(), contains_text("\ncounters    not permitted to this process"));
  CHECK_THAT(program.out(), // as it is to be copied, however long
             contains_text("\n                echo 'options nvidia "
                           "NVreg_RestrictProfilingToAdminUsers=0' | sudo tee /etc/modprobe.d/"
                           "nvidia-profiling.conf\n"));
  const nlohmann::json readable = counters(R"({"code": 0, "message": ""})");
  CHECK(readable.at("state") == "readable");
  CHECK(readable.at("remedies").empty());
  CHECK(counters("no library").at("state") == "cupti_missing");
  CHECK(counters("broken").at("diagnosis") == "not known: the GPU worker ended with exit code 0");
  test::write(system / ".dockerenv", "");
  CHECK_THAT(counters(R"({"code": 35, "message": ""})").dump(), contains_text("docker run"));
  CHECK(program.run({"doctor", "--system", (system / "none").string()}) == 2);
}

TEST_CASE("the header of a tuned store compiles into a library") {
  const Program program;
  const fs::path kernel = test::write_kernel(program.folder(), "exported", 10);
  const fs::path store = program.folder() / "store.db";
  REQUIRE(program.run(tune(kernel, store, "exhaustive")) == 0);
  const fs::path header = program.folder() / "tuned.hpp";
  REQUIRE(program.run({"export", "header", store.string(), "-o", header.string()}) == 0);
  test::write(program.folder() / "user.cpp", "#include \"tuned.hpp\"\nint main() {}\n");
  CHECK(std::system(("g++ -std=c++17 -Wall -Wextra -Werror -o /dev/null " +
                     (program.folder() / "user.cpp").string())
                        .c_str()) == 0);
}

} // namespace process_test
