// SPDX-License-Identifier: Apache-2.0
// What was measured, looked back at as people do: export, show and diff of stores and recordings, of
// tunings and of replays.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <sstream>

namespace looking_back_test {

using namespace gridsmith;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

const std::string recordings = GRIDSMITH_SOURCE_DIR "/kernels/catalogue/transpose/recordings/";
const std::string large = recordings + "8192x8192__h200.json.gz";
const std::string middle = recordings + "4096x4096__h200.json.gz";

/// A shell in a folder with gridsmith ($G) and fakes; $T tunes kernel.json there.
class Shell {
public:
  Shell() { test::install_with_fakes(folder()); }

  const fs::path& folder() const { return shell_.folder(); }

  int run(const std::string& script) const {
    return shell_.run({"-c", "cd '" + folder().string() +
                                 "'; G=bin/gridsmith; T='tune kernel.json --no-cache --compilers 1 "
                                 "--exhaustive'; " +
                                 script});
  }

  std::string out() const { return shell_.out(); }

  std::string err() const { return shell_.err(); }

  json out_json() const { return json::parse(out()); }

  std::string file(const std::string& name) const { return test::read_file(folder() / name); }

private:
  test::Program shell_{"/bin/sh"};
};

bool fits(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t characters = 0;
    for (const char c : line)
      characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (characters > width)
      return false;
  }
  return true;
}

/// `gridsmith export json` and `tune --json` held against the schema that is shipped.
int validated(const Shell& shell, const std::string& file) {
  test::write(shell.folder() / "validate.py",
              "import json, sys, jsonschema\n"
              "jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))\n");
  return shell.run(
      "python3 validate.py '" GRIDSMITH_SOURCE_DIR "/docs/schema/answer.schema.json' " + file);
}

} // namespace

TEST_CASE("a replay is kept, and a header made of it, on any machine") {
  const Shell shell;
  REQUIRE(shell.run("$G tune --recording " + large + " --exhaustive") == 0);
  CHECK_THAT(shell.out(), contains_text("recorded 2026-11-23"));
  REQUIRE(shell.run("$G export header gridsmith.db -o tuned.hpp") == 0);
  CHECK_THAT(shell.err(), contains_text("only measured problems are served"));
  const std::string definitions = GRIDSMITH_SOURCE_DIR "/kernels/catalogue/";
  CHECK(shell.run("$G export header --definition " + definitions + "matmul/matmul.json") == 2);
  CHECK_THAT(shell.err(), contains_text("of kernel 'matmul', of which nothing is exported"));
  REQUIRE(shell.run("$G export header --definition " + definitions +
                    "transpose/transpose.json -o tuned.hpp") == 0);
  const std::string header = shell.file("tuned.hpp");
  CHECK_THAT(header, contains_text("measured on 2026-11-23")); // not today
  CHECK_THAT(header, contains_text("struct nvidia_h200 {"));
  CHECK_THAT(header, contains_text("{8192, 8192},"));
  CHECK_THAT(header, contains_text("m % ELEMENTS"));
  REQUIRE(shell.run("$G show --json") == 0);
  const json held = shell.out_json().at(0);
  CHECK(held["replayed"] == true);
  CHECK(held["tried"] == 167);
  CHECK(held["measured"].get<std::string>().starts_with("2026-11-23"));
  // Again: nothing is added, and the answer is the same.
  REQUIRE(shell.run("cp gridsmith.db before.db; $G tune --recording " + large + " --exhaustive") ==
          0);
  REQUIRE(shell.run("$G export csv before.db -o a.csv; $G export csv -o b.csv; cmp a.csv b.csv") ==
          0);
  CHECK(shell.run("$G tune --recording " + large + " --no-store") == 0);
  CHECK_FALSE(fs::exists(shell.folder() / "x.db"));
}

TEST_CASE("what was tuned by several objectives is exported by each") {
  const Shell shell;
  const std::string replay = "$G tune --exhaustive --recording " + large;
  REQUIRE(shell.run(replay + " --store time.db && " + replay +
                    " --objective load_sectors_per_request") == 0);
  REQUIRE(shell.run("$G export header -o tuned.hpp") == 0);
  CHECK_THAT(shell.file("tuned.hpp"),
             contains_text("enum class Goal : unsigned char { load_sectors_per_request };"));
  CHECK(shell.run("$G retune tuned.hpp --replay --recording " + large) == 2);
  CHECK(shell.run("$G export macros time.db > a; $G export macros > b; cmp -s a b") == 1);
  for (const char* format : {"t4", "kernel-tuner", "wisdom"}) {
    REQUIRE(shell.run(std::string("$G export ") + format + " -o a." + format) == 0);
    CHECK_THAT(
        shell.err(),
        contains_text("transpose 8192x8192 on NVIDIA H200: tuned by load_sectors_per_request, "
                      "but format '" +
                      std::string(format) + "' knows times alone"));
    REQUIRE(shell.run(std::string("$G export ") + format + " time.db -o b." + format) == 0);
    CHECK(shell.err().find("times alone") == std::string::npos);
  }
  // In one store, of the same measurements.
  REQUIRE(shell.run(replay) == 0);
  REQUIRE(shell.run("$G show --json") == 0);
  REQUIRE(shell.out_json().size() == 2);
  CHECK(shell.out_json().at(0)["objective"] == "time"); // the newest
  CHECK(shell.out_json().at(1)["objective"] == "load_sectors_per_request");
  CHECK(shell.out_json().at(0)["best_ms"] < shell.out_json().at(1)["best_ms"]);
  REQUIRE(shell.run("$G show") == 0);
  CHECK_THAT(shell.out(), contains_text("best by"));
  REQUIRE(
      shell.run("$G export header -o both.hpp; $G export header time.db -o tuned.hpp; $G export "
                "header --previous both.hpp -o again.hpp; cmp both.hpp again.hpp; $G export header "
                "--previous gridsmith.db -o again.hpp; cmp both.hpp again.hpp") == 0);
  CHECK_THAT(shell.file("both.hpp"),
             contains_text("enum class Goal : unsigned char { time, load_sectors_per_request };"));
  CHECK(shell.file("tuned.hpp").find("Goal") == std::string::npos);
  CHECK(shell.run("$G export macros time.db > a; $G export macros > b; cmp a b") == 0);
}

TEST_CASE("a header keeps what another one or a store shipped") {
  const Shell shell;
  REQUIRE(shell.run("$G export header " + large + " -o a.hpp") == 0);
  REQUIRE(shell.run("$G export header " + large + " --previous a.hpp -o b.hpp; cmp a.hpp b.hpp") ==
          0);
  REQUIRE(shell.run("$G tune --recording " + large + " --exhaustive") == 0);
  REQUIRE(shell.run("$G export header -o a.hpp; $G export header --previous gridsmith.db -o b.hpp; "
                    "cmp a.hpp b.hpp") == 0);
  CHECK(shell.run("sed s/8192/8193/ a.hpp >c.hpp; $G export header --previous c.hpp") == 2);
  CHECK_THAT(shell.err(), contains_text("--previous c.hpp: the header was changed after it was "
                                        "written; export it again"));
  CHECK(shell.run("echo '// gridsmith header 1, sha256 0' >c.hpp; "
                  "$G export header --previous c.hpp") == 2);
  CHECK_THAT(shell.err(), contains_text("a header of another version"));
  CHECK(shell.run("$G export header --previous " + large) == 2);
  CHECK_THAT(shell.err(), contains_text("not a header of Gridsmith's nor a store"));
  CHECK(shell.run("$G export csv --previous a.hpp") == 2);
  CHECK_THAT(shell.err(), contains_text("--previous is for a header, not for csv"));
}

TEST_CASE("a replay goes on where nothing can be kept, and says so") {
  const Shell shell;
  REQUIRE(shell.run("touch gridsmith.db; mkdir gridsmith.db-wal") == 0);
  CHECK(shell.run("$G tune --recording " + large + " --exhaustive") == 1);
  CHECK_THAT(shell.err(), contains_text("this replay is not kept"));
  CHECK_THAT(shell.out(), contains_text("Best on NVIDIA H200"));
  // A store that was named is part of what was asked for.
  CHECK(shell.run("$G tune --recording " + large + " --store /no/such/folder/x.db") == 1);
  CHECK_THAT(shell.err(), contains_text("nothing is stored in /no/such/folder/x.db"));
  CHECK_THAT(shell.out(), contains_text("Best on NVIDIA H200"));
}

TEST_CASE("a kept replay is not taken for a tuning on the GPU") {
  const Shell shell;
  test::write_kernel(shell.folder(), "kernel", 5);
  REQUIRE(shell.run("$G $T --store a.db --json") == 0);
  REQUIRE(shell.run("$G $T --store b.db --record r.json; $G $T --recording r.json --store c.db") ==
          0);
  REQUIRE(shell.run("$G $T --store c.db --json 2>notes") == 0);
  CHECK(shell.out_json()["reused"] == 0);
  CHECK(shell.out_json()["recording"].is_null());
  CHECK(shell.file("notes").find("serve as a hint") == std::string::npos);
}

TEST_CASE("recordings of every format are exported as a store is") {
  const Shell shell;
  for (const std::string format : {"recording", "t4", "kernel-tuner"}) {
    INFO(format);
    REQUIRE(shell.run("$G export " + format + " " + large + " -o " + format + ".json") == 0);
    REQUIRE(shell.run("$G export header " + format + ".json") == 0);
    CHECK_THAT(shell.out(), contains_text("{VARIANT_value::blocked, 64, 16, 0, "));
  }
  REQUIRE(shell.run("$G export header " + large + " " + middle + " -o -") == 0);
  CHECK_THAT(shell.out(), contains_text("{4096, 4096},"));
}

TEST_CASE("what has nothing correct is skipped by the header and named") {
  const Shell shell;
  REQUIRE(shell.run("$G tune --recording " + large + " --exhaustive") == 0);
  test::write_kernel(shell.folder(), "kernel", 3, "COMPILE", R"(["error"])");
  CHECK(shell.run("$G $T --store gridsmith.db") == 1);
  REQUIRE(shell.run("$G export header") == 0);
  CHECK_THAT(shell.out(), contains_text("namespace tuned::transpose"));
  CHECK_THAT(shell.err(),
             contains_text("skipped: kernel 32 on Fake GPU: no configuration is correct (3 × "
                           "compile: fake.cu(3): error: identifier \"x\" is undefined)"));
  CHECK(shell.run("$G export header --kernel kernel") == 2);
  CHECK_THAT(shell.err(), contains_text("nothing to export: kernel 32 on Fake GPU"));
  REQUIRE(shell.run("$G export csv --kernel kernel") == 0); // failures are data
  CHECK_THAT(shell.out(), contains_text(",compile,"));
  REQUIRE(shell.run("$G show --failures --kernel kernel") == 0);
  CHECK_THAT(shell.out(), contains_text("  3 × compile: fake.cu(3): error: identifier"));
  CHECK_THAT(shell.out(), contains_text("    e.g. X=0 COMPILE=error"));
  REQUIRE(shell.run("$G show --failures --kernel kernel --json") == 0);
  CHECK(shell.out_json().at(0)["failures"].at(0)["count"] == 3);
}

TEST_CASE("of two tunings of one problem the newest is exported, or all") {
  const Shell shell;
  test::write_kernel(shell.folder(), "kernel", 3);
  REQUIRE(shell.run("$G $T --store a.db && $G $T --store a.db --regime warm") == 0);
  REQUIRE(shell.run("$G export t4 a.db") == 0); // though two scopes match
  CHECK_THAT(shell.out(), contains_text("warm L2 cache"));
  const auto lines = [&] {
    const std::string text = shell.out();
    return std::count(text.begin(), text.end(), '\n');
  };
  REQUIRE(shell.run("$G export csv a.db") == 0);
  CHECK(lines() == 4);
  REQUIRE(shell.run("$G export csv --all a.db") == 0);
  CHECK(lines() == 7);
  CHECK(shell.run("$G export t4 --all a.db") == 2);
  CHECK_THAT(shell.err(), contains_text("kernel 32 on Fake GPU"));
  CHECK(shell.run("$G export csv a.db --problem 64") == 2);
  CHECK_THAT(shell.err(), contains_text("a.db: no measurements of problem '64' (contains: kernel "
                                        "32 on Fake GPU, "));
  CHECK(shell.run("$G export csv nothing.db") == 2);
  CHECK_THAT(shell.err(), contains_text("nothing.db: there is no such store"));
}

TEST_CASE("show lists what is held, and answers as the tuning did") {
  const Shell shell;
  REQUIRE(shell.run("$G tune --recording " + large + " --exhaustive; $G tune --recording " +
                    middle + "") == 0);
  REQUIRE(shell.run("$G tune --recording " + large + " --exhaustive > tuned; $G show") == 0);
  CHECK(fits(shell.out(), 80));
  CHECK_THAT(shell.out(), contains_text("8192x8192"));
  CHECK_THAT(shell.out(), contains_text("4096x4096"));
  CHECK_THAT(shell.out(), contains_text("gridsmith.db: replayed; "));
  const std::string matmul =
      GRIDSMITH_SOURCE_DIR "/kernels/catalogue/matmul/recordings/4096x4096x4096__h200.json.gz";
  REQUIRE(shell.run("gunzip -c '" + matmul +
                    "' > m.json; sed -i 's/NVIDIA H200/NVIDIA H200 of a long name/' "
                    "m.json; $G show gridsmith.db m.json") == 0);
  CHECK(fits(shell.out(), 80));
  CHECK_THAT(shell.out(), contains_text("m.json: NVIDIA H200 of a long name; "));
  REQUIRE(shell.run("$G show gridsmith.db ./gridsmith.db --json") == 0);
  const json once = shell.out_json();
  REQUIRE(shell.run("$G show gridsmith.db --json") == 0);
  CHECK(once == shell.out_json());
  REQUIRE(shell.run("$G show --problem 8192x8192") == 0);
  CHECK(fits(shell.out(), 80));
  const std::string tuned = shell.file("tuned");
  const std::string answer =
      tuned.substr(tuned.find("Best on"), tuned.find("\nTried ") - tuned.find("Best on"));
  CHECK_THAT(answer, contains_text("sectors/request"));
  CHECK_THAT(shell.out(), contains_text(answer));
  CHECK_THAT(shell.out(), contains_text("Tried 167 of 167 configurations: 167 correct"));
  REQUIRE(shell.run("$G show --problem 8192x8192 --json") == 0);
  CHECK(shell.out_json()["schema"] == "gridsmith-answer-1");
  CHECK(shell.out_json()["best"]["configuration"]["TILE"] == 64);
  CHECK(shell.out_json()["strategy"] == "exhaustive");
}

TEST_CASE("diff says what changed, as far as samples tell") {
  const Shell shell;
  REQUIRE(shell.run("$G diff " + large + " " + large) == 0);
  CHECK(fits(shell.out(), 80));
  CHECK_THAT(shell.out(), contains_text("ratio 1.000; the very same samples"));
  CHECK_THAT(shell.out(), contains_text("the same configuration"));
  CHECK_THAT(shell.out(), contains_text("of 167 configurations that both hold: the same"));
  REQUIRE(shell.run("gunzip -c " + large + " > large.json") == 0);
  json changed = json::parse(shell.file("large.json"));
  changed["device"]["driver_version"] = "999";
  for (json& row : changed["rows"]) {
    for (json& time : row["times_ms"])
      time = 1.5 * time.get<double>();
  }
  changed["rows"].erase(3);
  changed["rows"][0] = {
      {"values", changed["rows"][0]["values"]}, {"status", "runtime"}, {"reason", "trap"}};
  test::write(shell.folder() / "slower.json", changed.dump());
  REQUIRE(shell.run("$G diff " + large + " slower.json") == 0);
  CHECK(fits(shell.out(), 80));
  CHECK_THAT(shell.out(), contains_text("not the same measurement twice: another"));
  CHECK_THAT(shell.out(), contains_text("tried only before: 1, only after: 0"));
  CHECK_THAT(shell.out(), contains_text("correct before, failing after: 1"));
  REQUIRE(shell.run("$G diff --json " + large + " slower.json") == 0);
  const json pair = shell.out_json().at(0);
  CHECK(pair["ratio"]["median"].get<double>() == Approx(1.5));
  CHECK(pair["told_apart"] == true);
  CHECK(pair["differs_in"] == "another driver");
  CHECK(shell.run("$G diff " + large + " " + middle) == 2);
  CHECK_THAT(shell.err(), contains_text("no kernel, problem and device is in both"));
}

TEST_CASE("profiles of other tools are shown, compared and exported") {
  const Shell shell;
  const std::string profiles = GRIDSMITH_SOURCE_DIR "/tests/data/profiles/";
  const std::string raw = profiles + "ncu_raw.csv";
  REQUIRE(shell.run("$G show " + raw) == 0);
  CHECK(fits(shell.out(), 80));
  CHECK_THAT(shell.out(), contains_text("rotate     NVIDIA H200"));
  CHECK_THAT(shell.out(), contains_text("fill_ones  NVIDIA H200"));
  CHECK_THAT(test::unwrapped(shell.out()), contains_text("skipped: 1 attribute of the device"));
  REQUIRE(shell.run("$G show " + raw + " --kernel rotate") == 0);
  CHECK_THAT(shell.out(), contains_text("TEMPLATE=32, float GRID=128x128x1 BLOCK=32x8x1"));
  REQUIRE(shell.run("$G show " + profiles + "nvprof_metrics.csv --json") == 0);
  CHECK(shell.out_json().at(0)["best_ms"].is_null());
  CHECK(shell.out_json().at(0)["set_aside"]["value that is no number"] == 1);
  // Several kernels: those there are, and what chooses.
  CHECK(shell.run("$G export recording " + raw) == 2);
  CHECK_THAT(shell.err(), contains_text("choose with --kernel"));
  CHECK_THAT(shell.err(), contains_text("fill_ones unknown problem on NVIDIA H200"));
  REQUIRE(shell.run("$G export recording " + raw + " --kernel rotate -o before.json") == 0);
  REQUIRE(shell.run("sed 's/\"50,000\"/\"75,000\"/; s/\"52,000\"/\"78,000\"/; "
                    "s/\"51,000\"/\"76,500\"/' " +
                    raw + " > after.csv; $G diff --json before.json after.csv") == 0);
  CHECK(shell.out_json().size() == 1);
  CHECK(shell.out_json().at(0)["ratio"]["highest"].get<double>() == Approx(1.5));
  CHECK(shell.out_json().at(0)["ratio"]["lowest"].get<double>() == Approx(1));
  CHECK(shell.run("$G export header " + profiles + "nvprof_metrics.csv") == 2);
  CHECK_THAT(shell.err(), contains_text("nothing has a time"));
  for (const std::string replaying : {"tune --recording ", "simulate "}) {
    CHECK(shell.run("$G " + replaying + raw) == 2);
    CHECK_THAT(shell.err(), contains_text("is a profile; 'gridsmith export recording"));
  }
  CHECK(shell.run("$G export header " + raw) == 2);
  CHECK_THAT(shell.err(), contains_text("a header needs the problem size"));
  REQUIRE(shell.run("echo hello > other.csv; $G show other.csv; test $? = 2") == 0);
  CHECK_THAT(shell.err(), contains_text("other.csv:1:1: expected a recording"));
  CHECK_THAT(shell.err(), contains_text("ncu --csv"));
}

TEST_CASE("a report of Nsight Compute is read through ncu") {
  const Shell shell;
  const std::string raw = GRIDSMITH_SOURCE_DIR "/tests/data/profiles/ncu_raw.csv";
  REQUIRE(shell.run("mkdir path; printf '#!/bin/sh\\necho \"==PROF== $*\"\\ncat " + raw +
                    "\\n' > path/ncu; chmod +x path/ncu; touch a.ncu-rep; "
                    "PATH=$PWD/path:$PATH $G show a.ncu-rep --kernel rotate --json") == 0);
  CHECK(shell.out_json()["kernel"] == "rotate");
  CHECK(shell.run("PATH=$PWD/path:$PATH $G show absent.ncu-rep") == 2);
  CHECK_THAT(shell.err(), contains_text("absent.ncu-rep: there is no such"));
}

TEST_CASE("inspect compiles one configuration and shows what came of it") {
  const Shell shell;
  test::write_kernel(shell.folder(), "kernel", 8, "COMPILE", R"(["fine", "error"])");
  REQUIRE(shell.run("$G inspect kernel.json") == 0);
  CHECK_THAT(shell.out(), contains_text("(first asked; no default is in the space)"));
  CHECK_THAT(shell.out(), contains_text("\nnvcc -DX=0 -DCOMPILE=fine "));
  CHECK_THAT(shell.out(), contains_text("registers per thread    32\n"));
  CHECK_THAT(shell.out(), contains_text("block                   32 x 1 x 1 = 32 threads\n"));
  REQUIRE(shell.run("$G inspect kernel.json X=3 --capability 8.6 --json") == 0);
  CHECK(shell.out_json()["compute_capability"] == 86);
  CHECK(shell.out_json()["configuration"]["X"] == 3);
  CHECK(shell.out_json()["configuration"]["COMPILE"] == "fine");
  CHECK_FALSE(shell.out_json().contains("code")); // what is no machine code is no error
  REQUIRE(shell.run("$G inspect kernel.json --ptx -") == 0);
  CHECK(shell.out() == "// fake PTX\n");
  CHECK(shell.run("PATH=/nowhere bin/gridsmith inspect kernel.json --sass a.sass") == 1);
  CHECK_THAT(shell.out(), contains_text("registers per thread"));
  CHECK_THAT(shell.err(), contains_text("no SASS: there is no nvdisasm or cuobjdump here"));
  CHECK(shell.run("$G inspect kernel.json X=9") == 2);
  CHECK_THAT(shell.err(), contains_text("--configuration: unknown value of X '9'"));
  test::script(shell.folder(), {{"capabilities", {75, 90}}});
  CHECK(shell.run("$G inspect kernel.json --capability 8.6") == 2);
  CHECK_THAT(shell.err(), contains_text("NVRTC fake 1 does not compile for compute capability 8.6, "
                                        "only for 7.5, 9.0"));
  CHECK(shell.run("$G inspect kernel.json COMPILE=error") == 1);
  CHECK_THAT(shell.out(), contains_text("1 error detected")); // the whole log
  CHECK_THAT(shell.err(), contains_text("does not compile: fake.cu(3): error"));
}

TEST_CASE("inspect takes the best of a store or a recording") {
  const Shell shell;
  test::write_kernel(shell.folder(), "kernel", 8);
  REQUIRE(shell.run("$G $T --store a.db --record r.json") == 0);
  for (const std::string source : {"a.db", "r.json"}) {
    INFO(source);
    CHECK(shell.run("$G inspect " + source) == 2); // whose definition is not in the catalogue
    CHECK_THAT(shell.err(), contains_text("--definition FILE names the kernel's"));
    REQUIRE(shell.run("$G inspect " + source + " --definition kernel.json") == 0);
    CHECK_THAT(shell.out(), contains_text("kernel 32: X=7\n"));
    CHECK_THAT(shell.out(), contains_text("(the best of " + source + ": kernel 32 on Fake GPU)"));
  }
  REQUIRE(shell.run("$G inspect kernel.json --store a.db") == 0);
  CHECK_THAT(shell.out(), contains_text("kernel 32: X=7\n"));
  REQUIRE(shell.run("cp a.db gridsmith.db; $G inspect kernel.json") == 0);
  CHECK_THAT(shell.out(), contains_text("kernel 32: X=7\n"));
  REQUIRE(shell.run("$G inspect kernel.json --configuration X=5") == 0);
  CHECK_THAT(shell.out(), contains_text("kernel 32: X=5\n"));
  CHECK(shell.run("$G inspect kernel.json X=4 --configuration X=5") == 2);
  test::write_kernel(shell.folder(), "kernel", 6); // without X=7
  REQUIRE(shell.run("$G inspect kernel.json") == 0);
  CHECK_THAT(test::unwrapped(shell.out()), contains_text("is not in the space; "));
  CHECK(shell.run("$G inspect a.db --definition kernel.json") == 2);
  CHECK_THAT(shell.err(), contains_text("a.db: its best configuration is not in the space of "));
  CHECK(shell.run("$G inspect nosuch") == 2);
}

TEST_CASE("the JSON of answers is what its schema says", "[.][needs:python3-jsonschema]") {
  const Shell shell;
  test::write_kernel(shell.folder(), "kernel", 4, "COMPILE", R"(["fine", "error"])");
  REQUIRE(shell.run("$G $T --store a.db --json > measured.json") == 0);
  REQUIRE(shell.run("$G tune --recording " + large +
                    " --exhaustive --store a.db --json > replayed.json") == 0);
  test::write_kernel(shell.folder(), "kernel", 2, "COMPILE", R"(["error"])");
  CHECK(shell.run("$G $T --store a.db --json > failed.json") == 1);
  REQUIRE(shell.run("$G export json --all a.db " + middle + " -o all.json") == 0);
  REQUIRE(shell.run("$G export kernel-tuner " + middle +
                    " -o cache.json && "
                    "$G export json cache.json -o foreign.json") == 0);
  for (const std::string file :
       {"measured.json", "replayed.json", "failed.json", "all.json", "foreign.json"}) {
    INFO(file);
    CHECK(validated(shell, file) == 0);
    INFO(shell.err());
  }
  test::write(shell.folder() / "wrong.json", R"({"schema": "gridsmith-answer-1"})");
  CHECK(validated(shell, "wrong.json") == 1);
}

TEST_CASE("files are imported once, all or none, and stores merged") {
  const Shell shell;
  test::write_kernel(shell.folder(), "kernel", 4);
  CHECK(shell.run("$G import " + large + " --store a.db && $G import " + large + " " + middle +
                  " --store a.db") == 0);
  CHECK_THAT(shell.out(), contains_text("8192x8192__h200.json.gz: 167 added, 0 already there"));
  CHECK_THAT(shell.out(), contains_text("8192x8192__h200.json.gz: 0 added, 167 already there"));
  CHECK_THAT(shell.out(), contains_text("4096x4096__h200.json.gz: 167 added, 0 already there"));
  CHECK(shell.run("$G import " + middle + " kernel.json --store b.db") == 2);
  CHECK_THAT(shell.err(), contains_text("kernel.json:"));
  CHECK_FALSE(fs::exists(shell.folder() / "b.db"));
  CHECK(shell.run("$G import a.db --store b.db") == 2);
  CHECK_THAT(shell.err(), contains_text("a.db: is a store; 'gridsmith merge' takes stores"));
  REQUIRE(shell.run("$G import " + middle + " --store b.db && $G merge a.db b.db --into c.db") ==
          0);
  CHECK_THAT(shell.out(), contains_text("a.db: 334 records added, 0 already there"));
  CHECK_THAT(shell.out(), contains_text("b.db: 0 records added, 167 already there"));
  REQUIRE(shell.run("$G import " + middle + " --store d.db --json") == 0);
  CHECK(shell.out_json().at(0)["taken"] == 167);
  CHECK(shell.out_json().at(0)["there_already"] == 0);
  REQUIRE(shell.run("$G merge a.db d.db --into e.db --json") == 0);
  CHECK(shell.out_json()["into"] == "e.db");
  CHECK(shell.out_json()["stores"].at(1)["there_already"] == 167);
  CHECK(shell.out_json()["conflicts"].empty());
  REQUIRE(shell.run("$G version --json") == 0);
  CHECK(shell.out_json()["gridsmith"].is_string());
  REQUIRE(shell.run("$G init fresh --json") == 0);
  CHECK(shell.out_json() ==
        json{{"kernel", "fresh"}, {"source", "fresh.cu"}, {"definition", "fresh.json"}});
  REQUIRE(shell.run("$G show c.db --json") == 0);
  CHECK(shell.out_json().size() == 2);
  CHECK(shell.out_json().at(0)["replayed"] == true);
  CHECK(shell.run("$G merge a.db --into ./a.db") == 2);
  CHECK_THAT(shell.err(), contains_text("a.db: is the store to merge into"));
  CHECK(shell.run("$G merge kernel.json --into c.db") == 2);
  CHECK_THAT(shell.err(), contains_text("kernel.json: is no store; 'gridsmith import' takes"));
}

TEST_CASE("a header says what its configurations lose, and keeps within what is asked") {
  const Shell shell;
  const std::string sizes = large + " " + middle + " " + recordings + "1000x3000__h200.json.gz";
  const auto lose = [&](const std::string& options, double most) {
    REQUIRE(shell.run("$G export header " + sizes + " " + options + " -o t.hpp") == 0);
    INFO(shell.err());
    const std::string of = "transpose on NVIDIA H200: ",
                      behind = " % behind the best of each in the mean, at most ";
    const std::size_t begin = shell.err().find(of), at = shell.err().find(behind);
    REQUIRE(at != std::string::npos);
    CHECK(std::stod(shell.err().substr(at + behind.size())) <= most);
    return std::stoi(shell.err().substr(begin + of.size()));
  };
  const int usual = lose("", 1);
  CHECK(lose("--within 10", 10) == 1);
  CHECK(lose("--within 0.01", 0.05) >= usual);
  CHECK(usual > 1);
  CHECK(lose("--ship 1", 100) == 1);
  CHECK(lose("--ship 2", 5) == 2);
  CHECK(lose("--ship 1000", 1e-6) > 2);
  CHECK(shell.run("$G export header " + sizes + " --ship 2 --within 1") == 2);
  CHECK(shell.run("$G export header " + sizes + " --ship 0") == 2);
  CHECK(shell.run("$G export csv " + large + " --ship 1") == 2);
  CHECK_THAT(shell.err(), contains_text("--ship is for a header, not for csv"));
  CHECK(shell.run("$G export csv " + large + " --within 1") == 2);
  CHECK_THAT(shell.err(), contains_text("--within is for a header, not for csv"));
  REQUIRE(shell.run("$G export header " + large +
                    " -o t.hpp && echo '#include \"t.hpp\"' >t.cpp") == 0);
  CHECK(shell.err().find("behind the best") == std::string::npos); // of one size
  CHECK(shell.run("c++ -std=c++14 -fsyntax-only t.cpp 2>t.txt; grep -m 1 error t.txt") == 0);
  CHECK_THAT(shell.out(), contains_text("this header is C++17: compile with -std=c++17 or later"));
}

TEST_CASE("an answer says that the board is not as fast as the store remembers") {
  const Shell shell;
  test::write_kernel(shell.folder(), "kernel", 9);
  const auto tune = [&](double slower, const std::string& options) {
    test::script(shell.folder(), {{"gpus", {{{"slower", slower}}}}});
    REQUIRE(shell.run("$G $T --store a.db " + options) == 0);
  };
  tune(1, "--quiet");
  tune(1, "--json >same.json");
  CHECK_FALSE(json::parse(shell.file("same.json")).contains("stored_drift"));
  tune(1.04, "");
  CHECK_THAT(
      test::unwrapped(shell.out()),
      contains_text(
          "Times in the store are 3.85 % shorter than today's (3 configurations were "
          "measured again): this GPU has become slower since; --no-store measures everything again."));
  tune(2, "--json >slower.json");
  CHECK_THAT(shell.err(), contains_text("everything was measured again"));
  const json slower = json::parse(shell.file("slower.json"));
  CHECK(slower["stored_drift"]["measured_anew"] == true);
  CHECK(slower["reused"] == 0);
  CHECK((validated(shell, "slower.json") == 0 ||
         shell.run("python3 -c 'import jsonschema'") != 0)); // which is not everywhere
}

TEST_CASE("what is the same for several tunings is said once") {
  const Shell shell;
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
      ++found;
    return found;
  };
  REQUIRE(shell.run("$G import " + large + " " + recordings +
                    "1000x3000__h200.json.gz --store a.db && $G show a.db") == 0);
  CHECK(count(shell.out(), "a.db: ") == 1);
  REQUIRE(shell.run("$G show a.db --failures") == 0);
  CHECK(shell.out() == "Nothing failed in 2 tunings.\n");
  REQUIRE(shell.run("$G show a.db --failures --problem 8192x8192") == 0);
  CHECK_THAT(test::unwrapped(shell.out()), contains_text("transpose 8192x8192 on NVIDIA H200") &&
                                               contains_text(": nothing failed"));
}

TEST_CASE("pages and lists fit the terminal") {
  const Shell shell;
  for (const char* kernel : {"matmul", "transpose", "attention_half", "stencil"}) {
    INFO(kernel);
    REQUIRE(shell.run(std::string("$G kernels ") + GRIDSMITH_SOURCE_DIR "/kernels/catalogue/" +
                      kernel) == 0);
    const std::string text = shell.out();
    CHECK(fits(text.substr(text.find('\n')), 80)); // below the file's name
  }
}

TEST_CASE("where merged stores name another best, whose counts is said") {
  const Shell shell;
  test::write_kernel(shell.folder(), "kernel", 9);
  REQUIRE(shell.run("$G tune kernel.json --no-cache --compilers 1 --evaluations 1 --store "
                    "one.db && sleep 1 && $G $T --store all.db && $G merge all.db one.db "
                    "--into both.db") == 0);
  CHECK_THAT(test::unwrapped(shell.out()),
             contains_text("kernel 32 on Fake GPU: X=7 of 20") &&
                 contains_text("counts as the newest, before X=0 of 20"));
  REQUIRE(shell.run("$G merge all.db --into both.db && $G export macros both.db") == 0);
  CHECK_THAT(shell.out(), contains_text("-DX=7"));
}

TEST_CASE("a campaign in the tasks of a batch system, merged, is the campaign") {
  const Shell shell;
  fs::create_directory(shell.folder() / "kernels");
  test::write_kernel(shell.folder() / "kernels", "one", 12);
  test::write_kernel(shell.folder() / "kernels", "two", 9);
  std::string many = shell.file("kernels/two.json"); // more sizes than one task has
  many.replace(
      many.rfind('}'), 1,
      R"(, "Gridsmith": {"ProblemSizes": [[32], [64], [96], [128], [160], [192], [224], [256], [288]]}})");
  test::write(shell.folder() / "kernels" / "two.json", many);
  const std::string campaign = "$G tune --all kernels --no-cache --compilers 1 --evaluations 400 ";
  REQUIRE(shell.run(campaign + "--store all.db --into all") == 0);
  REQUIRE(shell.run(campaign + "--store merged.db --into parts --slurm > job.sh; cat job.sh") == 0);
  CHECK_THAT(shell.out(), contains_text("#SBATCH --array=1-3") &&
                              contains_text("two.json --sizes 32,64,96,128") &&
                              contains_text("--sizes 160,192,224,256,288"));
  // What srun and the batch system do: each task by its number, one of them interrupted at first.
  REQUIRE(
      shell.run(
          "PATH=$PWD/bin:$PATH; export SLURM_ARRAY_TASK_ID; for SLURM_ARRAY_TASK_ID in 1 2 3; do "
          "timeout -s INT 0.1 sh job.sh; sh job.sh || exit 1; done; "
          "sed -n 's/^#   //p' job.sh > end.sh; sh -e end.sh") == 0);
  CHECK_THAT(test::unwrapped(shell.out()), contains_text("records added, 0 already there"));
  const auto best = [&](const std::string& store) {
    REQUIRE(shell.run("$G show " + store + " --json") == 0);
    std::map<std::string, double> all;
    for (const json& scope : shell.out_json())
      all[scope.at("kernel").get<std::string>() + " " + scope.at("problem").get<std::string>()] =
          scope.at("best_ms").get<double>();
    return all;
  };
  const auto direct = best("all.db");
  CHECK(direct.size() == 10);
  CHECK(best("merged.db") == direct);
}

TEST_CASE("an imported recording never serves in place of a measurement") {
  const Shell shell;
  test::write_kernel(shell.folder(), "kernel", 4);
  REQUIRE(shell.run("$G $T --store s.db --json > first.json && $G export t4 s.db -o t4.json && "
                    "$G import t4.json --store new.db > log && $G $T --store new.db --json") == 0);
  CHECK(shell.out_json()["reused"] == 0);
}

TEST_CASE("a header of other code than was measured is told") {
  const Shell shell;
  test::write_kernel(shell.folder(), "kernel", 4);
  const std::string stale = "$G export header s.db --definition kernel.json -o t.hpp --stale ";
  REQUIRE(shell.run("$G $T --store s.db && " + stale + "error") == 0);
  CHECK(shell.err().find("warning") == std::string::npos);
  REQUIRE(shell.run("echo '// another' >> kernel.cu; rm t.hpp; " + stale + "error") == 1);
  CHECK_THAT(
      shell.err(),
      contains_text("kernel.json, or code that it compiles, has changed since it was measured"));
  CHECK_FALSE(fs::exists(shell.folder() / "t.hpp"));
  CHECK(shell.run(stale + "warning") == 0);
  CHECK_THAT(shell.err(), contains_text("warning: kernel"));
  CHECK(fs::exists(shell.folder() / "t.hpp"));
  CHECK(shell.run("$G export header " + large + " --stale error -o t.hpp") == 0);
  CHECK_THAT(shell.err(), contains_text("unknown whether the code has changed"));
  CHECK(shell.run("$G export csv s.db --stale error") == 2);
}

} // namespace looking_back_test
