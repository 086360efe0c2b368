// SPDX-License-Identifier: Apache-2.0
// 'gridsmith run' on a real GPU: alone, and under the profilers that are installed, whose files are
// then read and compared. A profiler that is not permitted to count is said, and is no failure.
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"
#include "gridsmith/tuner/processes/find_program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <optional>

namespace run_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t launches = 4;

/// A shell in a folder of its own.
class Shell {
public:
  int type(const std::string& line) const {
    return shell_.run({"-c", "cd '" + shell_.folder().string() + "' && " + line});
  }

  const fs::path& folder() const { return shell_.folder(); }

  std::string out() const { return shell_.out(); }

  std::string said() const { return shell_.out() + shell_.err(); }

private:
  test::Program shell_{"/bin/sh"};
};

const std::string program = GRIDSMITH_PROGRAM;
const std::string run_copy = program + " run copy --size 16777216 --launches 4";

/// The tool's own folder goes before PATH.
bool installed(const char* tool) {
  return find_program({tool}, {"/usr/local/cuda/bin"}).has_value();
}

/// Types what --print-command prints. Nothing: the profiler may not, or does not, write.
std::optional<std::string> profiled(const Shell& shell, const char* tool, const char* file) {
  if (!installed(tool)) {
    std::cout << tool << ": not installed\n";
    return std::nullopt;
  }
  REQUIRE(shell.type(run_copy + " --print-command " + tool) == 0);
  const std::string command = shell.out();
  std::cout << command;
  const int code = shell.type("PATH=/usr/local/cuda/bin:$PATH " + command);
  if (code != 0 || !fs::exists(shell.folder() / file)) {
    std::cout << tool << " ended with " << code << ": " << shell.said() << '\n';
    return std::nullopt;
  }
  return (shell.folder() / file).string();
}

/// Only the launches that were meant, and all of them.
void expect_launches(const std::string& file) {
  const Profile profile = read_profile(fs::path(file));
  CHECK(profile.launches.size() == launches);
  for (const ProfiledLaunch& one : profile.launches) {
    CHECK(one.base == "copy");
    REQUIRE(one.time_ms);
    CHECK(*one.time_ms > 0.005); // 128 MiB moved
    CHECK(*one.time_ms < 10);
  }
}

} // namespace

TEST_CASE("launches alone: nothing is said to watch") {
  const Shell shell;
  const int code = shell.type(run_copy + " --json");
  INFO(shell.said());
  REQUIRE(code == 0);
  const auto json = nlohmann::json::parse(shell.out());
  CHECK(json.at("launches") == launches);
  CHECK(json.at("profiler") == "");
}

TEST_CASE("under ncu: its file has the launches, and a file is the same as itself") {
  const Shell shell;
  const auto file = profiled(shell, "ncu", "copy.ncu.csv");
  if (!file)
    return;
  if (test::read_file(*file).find("ERR_NVGPUCTRPERM") != std::string::npos) {
    std::cout << "ncu may not count here\n";
    return;
  }
  expect_launches(*file);
  const int code = shell.type(program + " check --ncu copy.ncu.csv --ncu copy.ncu.csv");
  INFO(shell.said());
  CHECK(code == 0);
}

TEST_CASE("under nsys: likewise") {
  const Shell shell;
  const auto file = profiled(shell, "nsys", "copy.nsys.sqlite");
  if (!file)
    return;
  expect_launches(*file);
  const int code = shell.type(program + " check --nsys copy.nsys.sqlite --nsys copy.nsys.sqlite");
  INFO(shell.said());
  CHECK(code == 0);
}

} // namespace run_test
