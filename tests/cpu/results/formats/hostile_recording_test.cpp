// SPDX-License-Identifier: Apache-2.0
// Recordings and stores of others: numbers that nothing can have measured are refused with place and
// field in every format, and no text of theirs breaks an export or leaves its place in one.
#include "gridsmith/base/file.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/measurement/validity.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

namespace hostile_recording_test {

using namespace gridsmith;

namespace {

/// Formats that cannot escape a character refuse it.
std::string text_or_refusal(const std::string& format, const Recording& recording) {
  try {
    return text_as(format, recording);
  } catch (const InputError& error) {
    return error.what();
  }
}

/// What reading it says, without the folder; "nothing" when it is accepted.
std::string said_of(const std::string& text) {
  const test::Folder folder;
  test::write(folder / "f.json", text);
  const std::string said = message_of([&] { read_recording(folder / "f.json"); });
  const std::string path = (folder / "").string();
  return said.starts_with(path) ? said.substr(path.size()) : said;
}

/// Our recording with one text in it replaced.
std::string ours_with(const std::string& old, const std::string& now) {
  std::string text = text_as("recording", sample_recording());
  REQUIRE(contains(text, old));
  return text.replace(text.find(old), old.size(), now);
}

const std::string devil =
    "a\x1b[31m\xC2\x9B\xE2\x80\xAE\n#include \"/etc/passwd\"\nint pwned=1;//\\";

Recording hostile() {
  Recording recording = sample_recording();
  recording.kernel = devil;
  recording.problem = "32" + devil;
  recording.conditions = devil;
  recording.date = devil;
  recording.device.name = devil;
  recording.device.driver_version = devil;
  recording.device.toolkit_version = devil;
  recording.parameters[3] = {devil, {devil}};
  for (Measurement& row : recording.measurements)
    row.configuration[3] = {devil, devil};
  recording.measurements[3].reason = devil;
  recording.measurements[0].when = devil;
  return recording;
}

} // namespace

TEST_CASE("our recordings hold nothing that no device measured") {
  struct Row {
    const char *old, *now, *said;
  };

  const Row rows[] = {
      {"[0.25,", "[0,", "f.json:10:1: times_ms: expected a time above 0, found 0"},
      {"[0.25,", "[-5,", "f.json:10:1: times_ms: expected a number from 0 on, found -5"},
      {"[0.25,", "[1e999,", "f.json:10:1: expected a measurement"},
      {"[256,512,1]", "[-1,512,1]", "geometry.grid.x: expected 1 to 2147483647, found -1"},
      {"[256,512,1]", "[256,65536,1]", "geometry.grid.y: expected 1 to 65535, found 65536"},
      {"[16,8,1]", "[1e300,8,1]", "f.json:10:1: geometry: block: expected a whole number"},
      {"[16,8,1]", "[16,8,65]", "geometry.block.z: expected 1 to 64, found 65"},
      {"[16,8,1]", "[64,32,1]", "geometry.block: expected 1 to 1024, found 2048"},
      {"\"sm_count\":132", "\"sm_count\":1e300",
       "f.json:6:11: expected the facts of a device: sm_count: expected a whole number"},
      {"\"sm_count\":132", "\"sm_count\":-1", "sm_count: expected 0 to 2147483647, found -1"},
      {"\"compute_capability\":90", "\"compute_capability\":90000", "expected 0 to 999"},
      {"4814.5", "-1", "peak_dram_gb_per_s: expected 0 to"},
      {"recording\": 1", "recording\": Infinity", "f.json:1:25: expected a whole number from 0"},
      {"recording\": 1", "recording\": 1.5", "f.json:1:25: expected a whole number from 0"},
      {"[16,32]", "[18446744073709551615,32]", "f.json:7:"},
      {"[16,false", "[18446744073709551615,false",
       "f.json:10:1: 18446744073709551615 is more than 64 bits hold"},
      {"\"registers_per_thread\":32", "\"registers_per_thread\":-1", "registers_per_thread"},
      {"\"compile_ms\":141.25", "\"compile_ms\":-1", "compile_ms: expected a number from 0 on"},
      {"\"sm_clock_mhz\":1980", "\"sm_clock_mhz\":-1980", "sm_clock_mhz"}};
  for (const Row& row : rows) {
    INFO(row.now);
    CHECK_THAT(said_of(ours_with(row.old, row.now)), contains_text(row.said));
  }
  CHECK(said_of(text_as("recording", sample_recording())) == "nothing");
}

TEST_CASE("the formats of others are held to the same") {
  const auto ktt = [](const std::string& computed) {
    return R"({"Metadata": {"Device": "RTX"}, "Results": [
{"Status": "Ok", "TotalDuration": 15, "Configuration": [{"Name": "X", "Value": 1}],
 "ComputationResults": [{)" +
           computed + "}]}]}";
  };
  CHECK(said_of(ktt(R"("GlobalSize": {"X": 64})")) == "nothing");
  CHECK_THAT(said_of(ktt(R"("GlobalSize": {"X": 1e300})")),
             contains_text("f.json:3:46: expected a whole number"));
  CHECK_THAT(said_of(ktt(R"("GlobalSize": {"X": 0})")),
             contains_text("f.json:2:1: geometry.grid.x: expected 1 to 2147483647, found 0"));
  CHECK_THAT(said_of(ktt(R"("LocalSize": {"X": 1.5})")), contains_text("expected a whole number"));
  CHECK_THAT(said_of(ktt(R"("LocalSize": {"X": 2048})")), contains_text("geometry.block.x"));
  CHECK_THAT(said_of(ktt(R"("CompilationData": {"RegistersCount": NaN})")),
             contains_text("expected a whole number"));
  CHECK_THAT(said_of(ktt(R"("CompilationData": {"LocalMemorySize": -1})")),
             contains_text("static_shared_bytes: expected a number from 0 on, found -1"));

  const auto cache = [](const std::string& row) {
    return R"({"tune_params_keys": ["x"], "tune_params": {"x": [1, 2]}, "cache": {
"1": {"x": 1, "time": 1.5},
"2": {"x": 2, "time": 2.5, )" +
           row + "}}}";
  };
  CHECK_THAT(said_of(cache(R"("compile_time": Infinity)")),
             contains_text("f.json:3:6: compile_ms: expected a number from 0 on, found inf"));
  CHECK_THAT(said_of(cache(R"("verification_time": -3)")), contains_text("verify_ms"));
  CHECK_THAT(said_of(R"({"tune_params_keys": ["x"], "cache": {
"1": {"x": NaN, "time": 1.5}}})"),
             contains_text("f.json:2:12: expected a finite value"));
  CHECK_THAT(said_of(R"({"tune_params_keys": ["x"], "tune_params": {"x": [1, 1e999]}, "cache": {
"1": {"x": 1, "time": 1.5}}})"),
             contains_text("f.json:1:54: expected a finite value"));
  CHECK_THAT(said_of(R"({"tune_params_keys": ["x"], "cache": {
"1": {"x": 9223372036854775808, "time": 1.5}}})"),
             contains_text("f.json:2:12: an integer beyond 64 bits"));

  CHECK_THAT(said_of(R"({"results": [
{"configuration": {"a": 1}, "times": {"compilation": -2, "runtimes": [1]}}]})"),
             contains_text("f.json:2:1: compile_ms: expected a number from 0 on, found -2"));
}

TEST_CASE("what failed may have had a geometry that no device launches") {
  Measurement row = sample_failure(16, Status::constraints, "too many threads");
  row.geometry = {{1, 1, 1}, {2048, 2, 1}, 0};
  CHECK(objection_to(row).empty());
  row.geometry.block[0] = -1;
  CHECK(contains(objection_to(row), "geometry.block.x"));
  Measurement ran = sample_measurement(16, false, 0.25);
  CHECK(objection_to(ran).empty());
  ran.counters["odd"] = std::numeric_limits<double>::quiet_NaN();
  CHECK(objection_to(ran) == "odd: expected a finite value, found nan");
}

TEST_CASE("text that is no UTF-8 comes through every format") {
  std::string latin = ours_with("too many", "gr\xF6\xDF"
                                            "er");
  latin.replace(latin.find("NVIDIA"), 6,
                "N\xDC"
                "IDIA");
  latin.replace(latin.find("\"kernel\": \"t"), 12, "\"kernel\": \"\\ud800");
  const test::Folder folder;
  test::write(folder / "latin.json", latin);
  const Recording read = read_recording(folder / "latin.json");
  CHECK(contains(read.measurements[3].reason, "gr\xEF\xBF\xBD\xEF\xBF\xBD"));
  Recording raw = sample_recording(); // as a store of others may hold it
  raw.device.name = "N\xDC"
                    "IDIA H200";
  raw.measurements[3].reason = raw.kernel = "\xF6";
  for (const Recording& recording : {read, raw})
    for (const FormatEntry& format : export_formats()) {
      INFO(format.name);
      std::string text;
      REQUIRE_NOTHROW(text = text_as(format.name, recording));
      CHECK(contains(text, "IDIA H200") == (format.name != "macros")); // which has no comments
      CHECK_FALSE(contains(text, "\xF6"));
    }
}

TEST_CASE("no text of a recording leaves its place in an export") {
  Recording sized = hostile(); // a header and wisdom are of a problem's extents
  sized.problem = "32";
  for (const FormatEntry& format : export_formats()) {
    INFO(format.name);
    const bool with_extents = format.name == "header" || format.name == "wisdom";
    const std::string text = text_or_refusal(format.name, with_extents ? sized : hostile());
    for (const char* raw : {"\x1b", "\xC2\x9B", "\xE2\x80\xAE", "\n#include \"/etc"})
      CHECK_FALSE(contains(text, raw));
  }
  const test::Folder folder;
  test::write(folder / "tuned.hpp", text_as("header", sized));
  test::write(folder / "use.cpp", "int pwned = 2;\n#include \"tuned.hpp\"\nint main() {}\n");
  CHECK(std::system(("c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only '" +
                     (folder / "use.cpp").string() + "'")
                        .c_str()) == 0);
  test::write(folder / "back.json", text_as("recording", hostile()));
  const Recording back = read_recording(folder / "back.json");
  CHECK(back.device.name == devil);
  CHECK(back.measurements[3].reason == devil);
}

TEST_CASE("a recording nested without end is refused") {
  const std::string deep(5000, '[');
  for (const std::string& text :
       {"{\"gridsmith recording\": 1, \"device\": {\"x\": " + deep, "{\"cache\": {\"1\": " + deep,
        "{\"results\": [{\"x\": " + deep, "{\"Results\": [{\"x\": " + deep})
    CHECK_THAT(said_of(text), contains_text("nested too deeply"));
}

} // namespace hostile_recording_test
