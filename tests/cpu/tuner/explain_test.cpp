// SPDX-License-Identifier: Apache-2.0
// 'gridsmith explain' on a real device's recording of a kernel whose faults are known, and on files
// that say less.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace explain_test {

using namespace gridsmith;
using test::Program;

namespace {

const std::string source = GRIDSMITH_SOURCE_DIR;
const std::string recorded = source + "/tests/planted/first/NVIDIA_H200/rotate_image.json.gz";

} // namespace

/// GRIDSMITH_WRITE_GOLDEN=1 accepts a change.
TEST_CASE(
    "the lessons of transposing and multiplying matrices, in the words of a real device's counts") {
  struct Case {
    const char *recording, *configuration, *name;
  };

  constexpr const char* transpose = "transpose/recordings/8192x8192__h200.json.gz";
  constexpr const char* matmul = "matmul/recordings/1024x1024x1024__h200.json.gz";
  const Case cases[] = {
      {transpose, "VARIANT=naive,TILE=32,ROWS=8", "transpose_naive"},
      {transpose, "VARIANT=tiled,TILE=32,ROWS=8,PADDING=0,ELEMENTS=1", "transpose_unpadded"},
      {transpose, "VARIANT=tiled,TILE=32,ROWS=8,PADDING=1,ELEMENTS=1", "transpose_padded"},
      {matmul, "VARIANT=naive,BM=16,BN=16", "matmul_naive"},
      {matmul, "VARIANT=tiled,BM=16,BN=16", "matmul_tiled"},
      {matmul, "VARIANT=blocked", "matmul_blocked"}};
  const Program program;
  for (const Case& one : cases) {
    REQUIRE(program.run({"explain", source + "/kernels/catalogue/" + one.recording,
                         "--configuration", one.configuration}) == 0);
    const std::string golden = fmt::format("{}/tests/golden/explain/{}.txt", source, one.name);
    if (std::getenv("GRIDSMITH_WRITE_GOLDEN"))
      std::ofstream(golden) << program.out();
    CHECK(program.out() == test::read_file(golden));
  }
}

TEST_CASE("the cause, its numbers, what would help and by how much") {
  const Program program;
  REQUIRE(program.run({"explain", recorded, "--configuration", "TILE_PITCH=0"}) == 0);
  const std::string said = test::unwrapped(program.out());
  CHECK_THAT(said, contains_text("TILE_PITCH=0 0.4942 ms, median of "));
  CHECK_THAT(said, contains_text("1. uncoalesced access: global store: 32.2 sectors per request, "
                                 "ideal 4.0: 88 % of the sectors are wasted"));
  CHECK_THAT(said, contains_text("4.5 to 11 times as fast without it"));
  CHECK_THAT(said, contains_text("DRAM throughput "));
  CHECK_THAT(said, contains_text("memory efficiency "));
}

TEST_CASE(
    "conditions that a file does not state are unknown, and a date that it lacks is left out") {
  const Program program;
  const std::string cache = (program.folder() / "cache.json").string();
  test::write(cache, R"({"device_name": "GPU", "kernel_name": "k", "problem_size": [64],
"tune_params_keys": ["x"], "tune_params": {"x": [1, 2]},
"cache": {"1": {"x": 1, "time": 2.5}, "2": {"x": 2, "time": 0.5}}})");
  REQUIRE(program.run({"explain", cache}) == 0);
  CHECK_THAT(program.out(), contains_text("  0.5000 ms, as the file states; conditions unknown\n"));
}

TEST_CASE("two configurations: the verdict on the other, and what differs") {
  const Program program;
  REQUIRE(program.run({"explain", recorded, "--configuration", "TILE_PITCH=33", "--against",
                       "TILE_PITCH=32"}) == 0);
  const std::string said = test::unwrapped(program.out());
  CHECK_THAT(said, contains_text("No cause stands out"));
  CHECK_THAT(said, contains_text("Against TILE_PITCH=32: 0.1676 ms, 2.31 times the time"));
  CHECK_THAT(said, contains_text("bank_conflicts: shared memory takes 16.7 times the passes"));
}

TEST_CASE("configurations that are named are measured in place of a search") {
  const Program program;
  const std::vector<std::string> tune = {
      "tune",
      "--recording",
      source + "/kernels/catalogue/transpose/recordings/8192x8192__h200.json.gz",
      source + "/kernels/catalogue/transpose/transpose.json",
      "--no-store",
      "--quiet",
      "--json"};
  const auto with = [&](const std::vector<std::string>& configurations) {
    std::vector<std::string> words = tune;
    for (const std::string& one : configurations)
      words.insert(words.end(), {"--configuration", one});
    return words;
  };
  REQUIRE(program.run(with({"TILE=64", "ROWS=4"})) == 0);
  const auto answer = nlohmann::json::parse(program.out());
  CHECK(answer["evaluations"] == 2);
  const auto& best = answer["best"]["configuration"];
  CHECK(best["TILE"] == 64);
  CHECK(best["ROWS"] == 8); // what is not named is as in the default
  CHECK(answer["why"]["bound"] == "bandwidth");
  CHECK_THAT(answer["why"]["text"].get<std::string>(), contains_text("bound by bandwidth: DRAM "));
  CHECK(program.run(with({"TILE=31"})) == 2);
  CHECK_THAT(program.err(), contains_text("unknown value of TILE '31'"));
  CHECK(program.run(with({"TIL=32"})) == 2);
  CHECK_THAT(program.err(), contains_text("unknown parameter 'TIL'; did you mean 'TILE'?"));
  CHECK(program.run(with({"TILE=64,TILE=32"})) == 2);
  CHECK_THAT(program.err(), contains_text("'TILE' appears twice"));
}

TEST_CASE("for scripts: the same as JSON") {
  const Program program;
  REQUIRE(program.run({"explain", recorded, "--configuration", "TILE_PITCH=32", "--json"}) == 0);
  const auto json = nlohmann::json::parse(program.out());
  const auto& finding = json["explanation"]["findings"][0];
  CHECK(finding["cause"] == "bank_conflicts");
  CHECK(finding["gain"].get<double>() > 2);
  CHECK(finding["gain_interval"][0] < finding["gain"]);
  CHECK(finding["gain"] < finding["gain_interval"][1]);
  CHECK(finding["small"] == false);
  CHECK(json["explanation"]["bound"] == "bandwidth");
  CHECK(json["device"] == "NVIDIA H200");
}

TEST_CASE("a configuration that is not there, and a file that holds nothing of the kind") {
  const Program program;
  CHECK(program.run({"explain", recorded, "--configuration", "TILE_PITCH=7"}) == 2);
  const std::string both = (program.folder() / "both.db").string();
  const std::string catalogue = source + "/kernels/catalogue/transpose/recordings/";
  REQUIRE(program.run({"tune", "--recording", catalogue + "8192x8192__h200.json.gz", "--quiet",
                       "--store", both}) == 0);
  REQUIRE(program.run({"tune", "--recording", catalogue + "4096x4096__h200.json.gz", "--quiet",
                       "--store", both}) == 0);
  CHECK(program.run({"explain", both, "--configuration", "TILE=32"}) == 2);
  CHECK_THAT(test::unwrapped(program.err()),
             contains_text("--configuration needs a single kernel"));
  CHECK(program.run({"explain", both}) == 0);
  CHECK_THAT(program.out(), contains_text("headroom"));
  CHECK(program.run({"explain", "no_such_kernel"}) == 2);
  CHECK_THAT(program.err(), contains_text("no_such_kernel"));
  // With or without a GPU: nothing is announced of what does not come.
  CHECK(program.run({"explain", source + "/kernels/catalogue/transpose/transpose.json", "--against",
                     "VARIANT=best"}) == 2);
  CHECK_THAT(program.err(), contains_text("--against: unknown value of VARIANT 'best'"));
  CHECK(std::ranges::count(program.err(), '\n') == 1);
}

} // namespace explain_test
