// The whole program as people run it, with fake programs in place of the GPU's: killed at random
// moments, interrupted, two at once, a full disk, a store that cannot be written. Nothing recorded
// is lost, the same command goes on, and the end is the one an undisturbed run has.
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/mount.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

using namespace gridsmith;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

std::string read_file(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// gridsmith in a folder of its own, stdout and stderr into files.
class Program {
public:
  Program() : program_(test::install_with_fakes(folder_.path())) {}

  const fs::path& folder() const { return folder_.path(); }

  pid_t start(std::vector<std::string> arguments, const std::string& tag = "out") const {
    const pid_t pid = ::fork();
    if (pid != 0)
      return pid;
    const auto redirect = [&](const char* ending, int descriptor) {
      const int file =
          ::open((folder() / (tag + ending)).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      ::dup2(file, descriptor);
    };
    redirect(".stdout", STDOUT_FILENO);
    redirect(".stderr", STDERR_FILENO);
    std::vector<char*> words;
    arguments.insert(arguments.begin(), program_.string());
    for (std::string& argument : arguments)
      words.push_back(argument.data());
    words.push_back(nullptr);
    ::execv(words.front(), words.data());
    ::_exit(127);
  }

  /// Exit code, or 128 + signal.
  static int wait(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  int run(const std::vector<std::string>& arguments, const std::string& tag = "out") const {
    return wait(start(arguments, tag));
  }

  std::string out(const std::string& tag = "out") const {
    return read_file(folder() / (tag + ".stdout"));
  }

  std::string err(const std::string& tag = "out") const {
    return read_file(folder() / (tag + ".stderr"));
  }

private:
  test::Folder folder_;
  fs::path program_;
};

std::vector<std::string> tune(const fs::path& kernel, const fs::path& store,
                              const std::string& strategy) {
  return {"tune", kernel.string(), "--store",    store.string(), "--strategy", strategy, "--seed",
          "3",    "--json",        "--no-cache", "--compilers",  "1"};
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
  CHECK(calm["best"] == "X=7");

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
  CHECK(last["best"] == calm["best"]);
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
  CHECK(Program::wait(pid) == 0);
  const auto answer = nlohmann::json::parse(program.out());
  CHECK(answer["interrupted"] == true);
  const std::size_t kept = records(store);
  CHECK(kept > 0);
  CHECK(kept < 600);
  REQUIRE(program.run(tune(kernel, store, "exhaustive")) == 0);
  CHECK(nlohmann::json::parse(program.out())["reused"] == kept);
}

TEST_CASE("two tuners on one store at once lose nothing") {
  const Program program;
  const fs::path kernel = test::write_kernel(program.folder(), "shared", 60);
  const fs::path store = program.folder() / "store.db";
  const pid_t first = program.start(tune(kernel, store, "exhaustive"), "first");
  const pid_t second = program.start(tune(kernel, store, "random"), "second");
  CHECK(Program::wait(first) == 0);
  CHECK(Program::wait(second) == 0);
  CHECK(records(store) == 60);
  CHECK(nlohmann::json::parse(program.out("second"))["best"] == "X=7");
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
  CHECK(code == 0);
  CHECK(nlohmann::json::parse(program.out())["best"] == "X=7");
  CHECK_THAT(program.err(), contains_text("kept in memory only"));
  CHECK(kept > 0);
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
      {{"tune", kernel.string(), "--no-store", "--device", "3"}, 3, "device 3"},
      {{"tune", kernel.string(), "--size", "8x"}, 2, "8x"},
      {{"tune", kernel.string(), "--objective", "tme"}, 2, "did you mean 'time'"},
      {{"tune", kernel.string(), "--write", "cvs=a.csv"}, 2, "did you mean 'csv'"},
      {{"tune", kernel.string(), "--write", "csv"}, 2, "FORMAT=FILE"},
      {{"tune", kernel.string(), "--samples", "0"}, 2, "whole number from 1 on"},
      {{"tune", kernel.string(), "--seconds", "-1"}, 2, "--seconds"},
      {{"space", kernel.string(), "--why-not", "X=9"}, 2, "value of X"},
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
