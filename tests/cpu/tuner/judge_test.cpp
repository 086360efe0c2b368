// SPDX-License-Identifier: Apache-2.0
// Candidates as people have them judged, on fakes of the GPU's programs: the time of a launch is a function of its
// parameters, and what goes wrong is said by the fakes' script.
#include "gridsmith/results/judge/candidate_verdict.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <nlohmann/json.hpp>

namespace judge_test {

using namespace gridsmith;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr const char* kernel =
    "extern \"C\" __global__ void k(float* __restrict__ out, const float* in, float scale) {\n"
    "  out[threadIdx.x] = X * in[threadIdx.x] * scale;\n}\n";

/// A folder with gridsmith, a definition k.json with its kernel k.cu, and candidates.
class Bench {
public:
  Bench() {
    test::install_with_fakes(shell_.folder());
    test::write(file("k.cu"), kernel);
    test::write(file("k.json"), R"json({
  "ConfigurationSpace": {"TuningParameters": [
    {"Name": "X", "Type": "int", "Values": "list(range(0, 9))", "Default": 1}]},
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "ProblemSize": [1024],
    "LocalSize": {"X": "32"}, "GridDivX": ["32"],
    "Arguments": [
      {"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "n", "Output": 1},
      {"Name": "in", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "n",
       "FillType": "Random", "FillValue": 1},
      {"Name": "scale", "Type": "float", "MemoryType": "Scalar", "FillValue": 1}]},
  "Gridsmith": {"Extents": ["n"], "ProblemSizes": [[4096]], "Reference": {"Kernel": "k", "Values": {"X": 3}}}})json");
    candidate("new.cu", 7); // half a millisecond
  }

  fs::path file(const std::string& name) const { return shell_.folder() / name; }

  /// The same kernel with another value of X.
  void candidate(const std::string& name, int x) const {
    test::write(file(name), "// gridsmith: X=" + std::to_string(x) + "\n" + kernel);
  }

  /// To the definition: a vector that the kernel reads and writes, and that is no output.
  void give_scratch() const {
    Json definition = Json::parse(test::read_file(file("k.json")));
    Json& arguments = definition["KernelSpecification"]["Arguments"];
    arguments.push_back(Json{{"Name", "scratch"},
                             {"Type", "float"},
                             {"MemoryType", "Vector"},
                             {"AccessType", "ReadWrite"},
                             {"Size", "n"},
                             {"FillType", "Constant"},
                             {"FillValue", 0}});
    test::write(file("k.json"), definition.dump());
    for (const char* source : {"k.cu", "new.cu"}) {
      std::string text = test::read_file(file(source));
      text.replace(text.find(", float scale"), 13, ", float scale, float* scratch");
      test::write(file(source), text);
    }
  }

  void script(const test::Script& patch) const { test::script(shell_.folder(), patch); }

  /// @param before in front of the command: variables
  int run(const std::string& words, const std::string& before = "") const {
    return shell_.run(
        {"-c", "cd '" + shell_.folder().string() + "'; export XDG_CACHE_HOME=$PWD/cache; " +
                   before + "bin/gridsmith judge " +
                   (words.find("--definition") == words.npos ? "--definition k.json " : "") +
                   words});
  }

  Json judged(const std::string& words, int code, const std::string& before = "") const {
    CHECK(run(words + " --json", before) == code);
    CHECK(out().size() <= longest_candidate_verdict);
    return Json::parse(out());
  }

  /// Of the gate that failed, or is in doubt.
  std::string code(const std::string& words, int exit_code) const {
    const Json whole = judged(words, exit_code);
    for (const Json& gate : whole.at("gates"))
      if (gate.at("state") != "passed" && gate.at("state") != "not_run")
        return gate.at("code");
    return "";
  }

  std::string out() const { return shell_.out(); }

  std::string err() const { return shell_.err(); }

private:
  test::Program shell_{"/bin/sh"};
};

} // namespace

TEST_CASE("what is faster and right is accepted, what is not is refused with a code") {
  const Bench bench;
  const Json accepted = bench.judged("new.cu", 0);
  CHECK(accepted.at("ruling") == "accepted");
  CHECK(accepted.at("speedup").at(0) > 3);
  CHECK(accepted.at("sizes").size() == 2);
  CHECK(accepted.at("verified") == 13); // nine other data, two further sizes, two tiny ones
  REQUIRE(bench.run("new.cu") == 0);
  CHECK_THAT(bench.out(), contains_text("accepted: k by new.cu on Fake GPU"));

  bench.candidate("same.cu", 1);
  CHECK(bench.code("same.cu", 1) == "same");
  CHECK(bench.code("k.cu --against new.cu", 1) == "slower");
  CHECK(bench.judged("k.cu --seed 3", 0).at("gates").back().at("code") == "not_compared");
}

TEST_CASE("what a candidate is before it is compiled") {
  const Bench bench;
  const auto refused = [&](const std::string& text) {
    test::write(bench.file("c.cu"), text);
    return bench.code("c.cu", 1);
  };
  CHECK(refused("int main() {}") == "no_kernel");
  CHECK(refused("__global__ void k(double* out, const float* in, float scale) {}") ==
        "other_signature");
  CHECK_THAT(bench.out(), contains_text("expected k(float"));
  CHECK(refused("__global__ void k(float* out, float scale) {}") == "other_signature");
  CHECK(refused(std::string("// gridsmith: X=99\n") + kernel) == "not_allowed");
  CHECK(refused(std::string("// gridsmith: Y=1\n") + kernel) == "not_allowed");
  CHECK(refused(std::string(kernel) + "//" + std::string(2'000'000, 'x')) == "too_large");
  CHECK(refused(std::string(kernel) + "#include \"/etc/hostname\"\n") == "not_allowed");
  // The same types in other words.
  test::write(
      bench.file("c.cu"),
      "// gridsmith: X=7\nextern \"C\" __global__ void k(float *o, float const*__restrict__ i, "
      "const float s) { *o = *i * s * X; }");
  CHECK(bench.code("c.cu", 0).empty());
  CHECK(refused("__global__ void k(unsigned* out, const float* in, float scale) {}") ==
        "other_signature");
  // The definition names its kernel by a parameter.
  Json definition = Json::parse(test::read_file(bench.file("k.json")));
  definition["ConfigurationSpace"]["TuningParameters"].push_back(
      {{"Name", "KERNEL"}, {"Type", "string"}, {"Values", "['k']"}, {"Default", "k"}});
  definition["KernelSpecification"]["KernelName"] = "KERNEL";
  test::write(bench.file("by_parameter.json"), definition.dump());
  CHECK(bench.run("new.cu --definition by_parameter.json --quiet") == 0);
  // What is wrong with the user's own files or words is no verdict on the candidate.
  CHECK(bench.run("new.cu --size 5x5") == 2);
  test::write(bench.file("old.cu"), std::string("// gridsmith: Y=1\n") + kernel);
  CHECK(bench.run("new.cu --against old.cu") == 2);
  CHECK_THAT(bench.err(), contains_text("names no parameter of the definition"));
  CHECK(bench.run("nowhere.cu") == 2);
  CHECK_THAT(bench.err(), contains_text("nowhere.cu: there is no such file"));
}

TEST_CASE("what goes wrong when it runs") {
  const Bench bench;
  const auto does = [&](const char* word, test::Script where = test::Script::object()) {
    where["with"] = "-DX=7";
    where["does"] = word;
    bench.script({{"launches", {where}}});
    return bench.code("new.cu --timeout 1", 1);
  };
  CHECK(does("wrong") == "wrong");
  CHECK(does("wrong", {{"blocks", 128}}) == "wrong");
  CHECK(does("crash") == "fails");
  CHECK(does("lost") == "fails");
  CHECK(does("hang") == "hangs");
  // At the sizes that were named all is well: 32 and 128 blocks.
  bench.script({{"launches", Json::parse(R"([{"with": "-DX=7", "blocks": 32, "does": ""},
    {"with": "-DX=7", "blocks": 128, "does": ""}, {"with": "-DX=7", "does": "wrong"}])")}});
  CHECK(bench.code("new.cu --seed 5", 1) == "wrong_at_other_sizes");
  bench.script({{"launches", Json::parse(R"([{"with": "-DX=7", "blocks": 1, "does": "wrong"}])")}});
  CHECK(bench.code("new.cu", 4) == "wrong_at_tiny_sizes");
  // Right, but for data of which a few elements changed.
  bench.script({{"launches", {{{"with", "-DX=7"}, {"data", "changed"}, {"does", "wrong"}}}}});
  CHECK(bench.code("new.cu", 1) == "wrong_on_other_data");
  CHECK_THAT(bench.out(), contains_text("a few elements changed"));
  // What the incumbent cannot do either says nothing.
  bench.script(
      {{"launches", Json::parse(R"([{"blocks": 32, "does": ""}, {"blocks": 128, "does": ""},
    {"does": "wrong"}])")}});
  CHECK(bench.judged("new.cu --seed 5", 0).at("verified") == 9);
}

TEST_CASE("what needs more alignment than the definition says needs a person") {
  const Bench bench;
  Json definition = Json::parse(test::read_file(bench.file("k.json")));
  definition["Gridsmith"]["Needs"] = {{"in", {{"Alignment", "16 if X == 8 else 4"}}}};
  test::write(bench.file("k.json"), definition.dump());
  const test::Script moved = {
      {"launches",
       {{{"with", "-DX=7"}, {"side", "now"}, {"vectors", "moved"}, {"does", "crash"}}}}};
  bench.script(moved);
  CHECK(bench.code("new.cu", 4) == "needs_alignment");
  CHECK_THAT(bench.out(), contains_text("vectors that begin 1 element later"));
  bench.candidate("eight.cu", 8); // which says that it does
  CHECK(bench.judged("eight.cu", 0).at("verified") == 13);
}

TEST_CASE("what is faster where it is timed and far slower elsewhere needs a person") {
  const Bench bench;
  bench.script({{"launches", Json::parse(R"([{"with": "-DX=7", "data": "changed", "ms": 40}])")}});
  CHECK(bench.code("new.cu", 4) == "slower_on_other_data");
  CHECK_THAT(bench.out(), contains_text("a few elements changed"));
  bench.script({{"launches", Json::parse(R"([{"with": "-DX=7", "blocks": 32, "does": ""},
    {"with": "-DX=7", "blocks": 128, "does": ""}, {"with": "-DX=7", "ms": 40}])")}});
  CHECK(bench.code("new.cu --seed 5", 4) == "slower_at_other_sizes");
  bench.script({{"launches", Json::parse(R"([{"data": "changed", "ms": 40}])")}}); // of both
  CHECK(bench.judged("new.cu", 0).at("ruling") == "accepted");
}

TEST_CASE("scratch memory is left as the launch before left it, once, where a kernel has some") {
  const Bench bench;
  const test::Script kept = {
      {"launches", {{{"with", "-DX=7"}, {"scratch", "kept"}, {"does", "wrong"}}}}};
  bench.script(kept);
  CHECK(bench.judged("new.cu", 0).at("verified") == 13); // it has none
  bench.give_scratch();
  CHECK(bench.code("new.cu", 1) == "wrong_on_other_data");
  CHECK_THAT(bench.out(), contains_text("scratch memory of the launch before"));
  bench.script({{"launches", nullptr}});
  CHECK(bench.judged("new.cu", 0).at("verified") == 14);
}

TEST_CASE("evidence gives the same verdict again, until it is asked for anew") {
  const Bench bench;
  const std::string first = bench.judged("new.cu --evidence e.json --seed 4", 0).dump();
  bench.script({{"launches", {{{"with", "-DX=7"}, {"does", "wrong"}}}}});
  CHECK(bench.judged("new.cu --evidence e.json", 0).dump() == first);
  CHECK(bench.code("new.cu --evidence e.json --recheck", 1) == "wrong");
  CHECK(bench.code("new.cu --evidence e.json", 1) == "wrong"); // of the last one
  bench.script({{"launches", nullptr}});
  bench.candidate("new.cu", 1); // another candidate
  CHECK(bench.code("new.cu --evidence e.json", 1) == "same");
  // A store does the same.
  const std::string stored = bench.judged("new.cu --store s.db --seed 4", 1).dump();
  bench.script({{"launches", {{{"with", "-DX=1"}, {"does", "wrong"}}}}});
  CHECK(bench.judged("new.cu --store s.db", 1).dump() == stored);
  bench.script({{"launches", nullptr}});
  test::write(bench.file("e.json"), "{");
  CHECK(bench.run("new.cu --evidence e.json") == 2);
  CHECK_THAT(bench.err(), contains_text("e.json: is no evidence"));
}

TEST_CASE("tools that watch a launch: what they find, and what they cannot say") {
  const Bench bench;
  // Writes its log, and runs the worker.
  const auto tool = [&](const std::string& found) {
    const fs::path file = bench.file("tools") / "compute-sanitizer";
    fs::create_directories(file.parent_path());
    test::write(file,
                "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do [ \"$1\" = --tool ] && tool=$2; "
                "[ \"$1\" = --log-file ] && log=$2; shift 2; done\n"
                "log=$(echo \"$log\" | sed \"s/%p/$$/\")\n" +
                    found + "exec \"$@\"\n");
    fs::permissions(file, fs::perms::owner_all);
  };
  const auto clean = [&](int code) {
    const Json whole = bench.judged("new.cu", code, "PATH=$PWD/tools:$PATH ");
    for (const Json& gate : whole.at("gates"))
      if (gate.at("gate") == "clean")
        return gate;
    return Json();
  };
  tool("echo '========= ERROR SUMMARY: 0 errors' > \"$log\"\n");
  CHECK(clean(0).at("code") == "clean");
  tool(
      "echo '========= ERROR SUMMARY: 0 errors' > \"$log\"\n[ $tool = racecheck ] && echo '========= Error: Race "
      "reported at k+0x80' > \"$log\"\n");
  CHECK(clean(4).at("code") == "shared_memory_race");
  tool(
      "echo '========= Invalid __global__ write of size 4 bytes\n=========     at k+0x10' > \"$log\"\n");
  CHECK(clean(1).at("code") == "memory_error");
  tool("");
  CHECK(clean(0).at("code") == "sanitizer_failed");
  CHECK(bench.judged("new.cu --no-sanitizer", 0).at("gates").at(2).at("code") == "not_asked");
}

TEST_CASE("the verdict as a page") {
  const Bench bench;
  REQUIRE(bench.run("new.cu --quiet --report v.html") == 0);
  const std::string page = test::read_file(bench.file("v.html"));
  CHECK_THAT(page, contains_text("<b class=\"accepted\">accepted</b>"));
  CHECK_THAT(page, contains_text("<td>4096</td>"));
  CHECK(bench.run("new.cu --quiet --report v.html") == 0); // again
  CHECK(bench.run("new.cu --quiet --report new.cu") == 2);
}

} // namespace judge_test
