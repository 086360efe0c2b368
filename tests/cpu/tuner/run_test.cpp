// SPDX-License-Identifier: Apache-2.0
// 'gridsmith run' with the programs that stand in for a GPU, and what 'gridsmith check' says of
// profilers' files.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

namespace run_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

class House {
public:
  House() : kernel_(test::write_kernel(program_.folder(), "k", 3)) {
    ::setenv("XDG_CACHE_HOME", program_.folder().c_str(), 1);
  }

  int run(std::vector<std::string> words) const {
    words.insert(words.begin(), {"run", kernel_.string(), "--store", store()});
    return program_.run(words);
  }

  void take_device() const { fs::remove(program_.folder() / "libexec/gridsmith/gridsmith-worker"); }

  const test::Program& program() const { return program_; }

  std::string store() const { return (program_.folder() / "store.db").string(); }

  std::string file(const std::string& name, const std::string& text) const {
    test::write(program_.folder() / name, text);
    return (program_.folder() / name).string();
  }

private:
  test::Program program_;
  fs::path kernel_;
};

/// As ncu writes launches of 100 us.
std::string ncu(const std::vector<std::string>& kernels, const std::string& time = "100.0") {
  std::string text =
      "==PROF== Connected to process 1\n"
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\","
      "\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
      "\"gpu__time_duration.sum\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"us\"\n";
  for (const std::string& kernel : kernels)
    text +=
        fmt::format("\"0\",\"1\",\"app\",\"host\",\"{}\",\"1\",\"7\",\"(32, 1, 1)\",\"(1, 1, 1)\","
                    "\"0\",\"9.0\",\"{}\"\n",
                    kernel, time);
  return text;
}

} // namespace

TEST_CASE(
    "run launches the named configuration, the store's best, or the default, and says which") {
  const House house;
  REQUIRE(house.run({"X=1", "--launches", "3", "--json"}) == 0);
  const auto json = nlohmann::json::parse(house.program().out());
  CHECK(json.at("kernel") == "k");
  CHECK(json.at("problem") == "32");
  CHECK(json.at("device") == "Fake GPU");
  CHECK(json.at("configuration") == nlohmann::json{{"X", 1}});
  CHECK(json.at("because") == "named");
  CHECK(json.at("launches") == 3);
  CHECK(json.at("warm_ups") == 2);
  CHECK(json.at("profiler") == "");

  CHECK(house.run({"--best"}) == 2);
  CHECK_THAT(house.program().err(),
             contains_text("contains no best configuration of k 32 on Fake GPU"));
  REQUIRE(house.run({}) == 0);
  CHECK_THAT(house.program().out(), contains_text("k 32 on Fake GPU: X="));
  CHECK_THAT(house.program().out(), contains_text("5 launches after 2 warm-ups, not verified; no "
                                                  "profiler watched"));
  REQUIRE(house.program().run({"tune", (house.program().folder() / "k.json").string(), "--store",
                               house.store(), "--quiet"}) == 0);
  REQUIRE(house.run({"--best"}) == 0);
  CHECK_THAT(house.program().out(), contains_text("the best of "));

  const std::string header = (house.program().folder() / "tuned.hpp").string();
  REQUIRE(house.program().run({"export", "header", house.store(), "-o", header}) == 0);
  REQUIRE(house.run({"--header", header}) == 0);
  CHECK_THAT(house.program().out(), contains_text("(shipped by " + header + ")"));
  CHECK(house.run({"--header", header, "--size", "64"}) == 2);
  CHECK_THAT(house.program().err(), contains_text("64 was not measured for it (it has 32)"));
}

TEST_CASE("a profiler that watches is let through the wall, and said") {
  const House house;
  ::setenv("NSYS_PROFILING_SESSION_ID", "1", 1);
  const int code = house.run({"X=1"});
  ::unsetenv("NSYS_PROFILING_SESSION_ID");
  CHECK(code == 0);
  CHECK_THAT(house.program().err(), contains_text("compiler and worker are not confined"));
  CHECK_THAT(house.program().out(), contains_text("Nsight Systems watches this process"));
}

TEST_CASE("without a device, or with what cannot be, run ends in one line") {
  const House house;
  const auto line = [&](const std::vector<std::string>& words, int code) {
    CHECK(house.run(words) == code);
    const std::string said = house.program().err();
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);
    return said;
  };
  CHECK_THAT(line({"X=7"}, 2), contains_text("unknown value of X '7' (valid: 0, 1, 2)"));
  CHECK_THAT(line({"--size", "3x3"}, 2), contains_text("3x3"));
  CHECK_THAT(line({"--gpu", "3"}, 3), contains_text("no device 3"));
  CHECK_THAT(line({"--print-command", "gdb"}, 2),
             contains_text("unknown profiler 'gdb' (valid: ncu, nsys, nvprof)"));
  CHECK_THAT(line({"--header", house.file("h.hpp", "int i;\n")}, 2), contains_text("h.hpp"));
  house.take_device();
  CHECK_THAT(line({}, 3), contains_text("no CUDA device here ("));
}

TEST_CASE("the profiler's command is one that a shell reads, and needs no device") {
  const House house;
  house.take_device();
  const std::string again = fmt::format(
      "{} run {} --configuration X=1 --store {} --launches 3 --warm-ups 2 --unconfined\n",
      (house.program().folder() / "bin/gridsmith").string(),
      (house.program().folder() / "k.json").string(), house.store());
  const auto printed = [&](const char* tool) {
    CHECK(house.run({"--configuration", "X=1", "--launches", "3", "--print-command", tool}) == 0);
    CHECK(house.program().out().ends_with(again));
    return house.program().out();
  };
  const std::string by_ncu = printed("ncu");
  CHECK(by_ncu.starts_with("ncu --target-processes all --profile-from-start off "
                           "--cache-control none --metrics gpu__time_duration.sum,"));
  CHECK_THAT(by_ncu, contains_text(" --csv --page raw --print-units base --print-fp --log-file "
                                   "k.ncu.csv "));
  CHECK(printed("nsys").starts_with("nsys profile --trace=cuda,nvtx "));
  CHECK_THAT(printed("nsys"), contains_text("--capture-range=cudaProfilerApi"));
  CHECK(
      printed("nvprof").starts_with("nvprof --profile-child-processes --profile-from-start off "));
  CHECK(house.run({"--configuration", "X = 1", "--print-command", "ncu"}) == 0);
  CHECK_THAT(house.program().out(), contains_text("--configuration 'X = 1' "));
}

TEST_CASE("check compares what profilers wrote, and says in one line what cannot be") {
  const House house;
  const std::string before = house.file("old.csv", ncu({"k()", "k()"}));
  const auto check = [&](std::vector<std::string> words, int code) {
    words.insert(words.begin(), "check");
    INFO(fmt::format("{}", fmt::join(words, " ")));
    CHECK(house.program().run(words) == code);
    return code == 2 ? house.program().err() : house.program().out();
  };
  CHECK_THAT(check({"--ncu", before, "--ncu", before}, 0), contains_text("k"));
  CHECK_THAT(check({"--baseline", before, "--ncu", before}, 0), contains_text("k"));
  check({"--ncu", before, "--ncu", house.file("slow.csv", ncu({"k()", "k()"}, "150.0"))}, 1);
  // As a German locale writes it.
  check({"--ncu", before, "--ncu", house.file("comma.csv", ncu({"k()", "k()"}, "150,0"))}, 1);
  CHECK_THAT(check({"--ncu", before, "--ncu", house.file("half.csv", ncu({"k()"}))}, 4),
             contains_text("2 launches before, 1 launch now"));
  const auto line = [&](const std::vector<std::string>& words) {
    const std::string said = check(words, 2);
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);
    return said;
  };
  CHECK_THAT(line({"--ncu", before, "--ncu", house.file("other.csv", ncu({"other()"}))}),
             contains_text("no kernel is in both: "));
  CHECK_THAT(line({"--ncu", before, "--ncu", house.file("empty.csv", "")}),
             contains_text("empty.csv"));
  CHECK_THAT(line({"--nsys", before, "--nsys", before}),
             contains_text("was written by ncu, not by nsys"));
  CHECK_THAT(line({"--ncu", before, "--nsys", before}),
             contains_text("times of two tools are not compared"));
  CHECK_THAT(line({"nope", "--ncu", before, "--ncu", before}),
             contains_text("unknown kernel of the profiles 'nope' (valid: k)"));
  check({"k", "--ncu", before, "--ncu", before}, 0);
  CHECK_THAT(line({"--ncu", before, "--ncu", before, "--size", "8"}),
             contains_text("--size: a file of ncu does not say sizes"));
  for (const char* useless : {"--gpu", "--seed", "--lock-clock", "--timeout"}) {
    CHECK_THAT(line({"--ncu", before, "--ncu", before, useless, "1"}),
               contains_text(std::string(useless) + ": has no use in a check by --ncu"));
    CHECK_THAT(line({"--static", useless, "1"}),
               contains_text(std::string(useless) + ": has no use in a check by --static"));
  }
  CHECK_THAT(line({"--static", "--store", "a.db"}), contains_text("--store: has no use"));
  CHECK_THAT(line({"--static", "--baseline", before}),
             contains_text("--static needs what 'gridsmith baseline save' writes"));
  CHECK_THAT(line({"--arch", "90"}), contains_text("--static"));
  CHECK_THAT(line({"--static", "--arch", "90x"}), contains_text("--arch: '90x'"));
  CHECK_THAT(line({"--static", "--baseline", (house.program().folder() / "none.json").string()}),
             contains_text("none.json"));
}

} // namespace run_test
