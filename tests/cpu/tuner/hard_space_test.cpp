// SPDX-License-Identifier: Apache-2.0
// A search space that takes for ever to build: the real program tells of it, answers the first
// Ctrl-C and keeps to --seconds.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace hard_space_test {

using namespace gridsmith;
using namespace std::chrono_literals;
using test::Program;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

namespace {

/// Five parameters of a thousand values whose product leaves one rest: nothing can be cut early.
fs::path write_hard(const fs::path& folder, const std::string& name) {
  const fs::path file = test::write_kernel(folder, name, 4);
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::string parameters, product, names;
  for (const std::string one : {"A", "B", "C", "D", "E"}) {
    const std::string quoted = "\"" + one + "\"";
    parameters += ", {\"Name\": " + quoted;
    parameters += ", \"Type\": \"int\", \"Values\": \"list(range(1, 1001))\"}";
    product += (product.empty() ? "" : " * ") + one;
    names += (names.empty() ? "" : ", ") + quoted;
  }
  text.insert(text.find("], \"Conditions\""), parameters);
  text.replace(text.find("\"Conditions\": []"), 16,
               "\"Conditions\": [{\"Parameters\": [" + names + "], \"Expression\": \"" + product +
                   " % 7919 == 1234\"}]");
  test::write(file, text);
  return file;
}

} // namespace

TEST_CASE("the first Ctrl-C ends the building of a hard space") {
  const Program program;
  const std::string kernel = write_hard(program.folder(), "hard").string();
  const std::string store = (program.folder() / "store.db").string();
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"space", kernel}, {"tune", kernel, "--store", store}}) {
    INFO(words.front());
    const pid_t pid = program.start(words);
    std::this_thread::sleep_for(1500ms);
    const auto signalled = Clock::now();
    ::kill(pid, SIGINT);
    CHECK(Program::wait(pid) == 130);
    CHECK(Clock::now() - signalled < 2s);
    const std::string said = program.err();
    CHECK_THAT(said, contains_text("interrupted"));
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  }
}

TEST_CASE("the building of a hard space keeps to --seconds") {
  const Program program;
  const std::string kernel = write_hard(program.folder(), "hard").string();
  const auto start = Clock::now();
  CHECK(program.run({"tune", kernel, "--no-store", "--seconds", "1"}) == 1);
  CHECK(Clock::now() - start < 5s);
  CHECK_THAT(program.err(), contains_text("1 s were over before the search space was built"));
}

} // namespace hard_space_test
