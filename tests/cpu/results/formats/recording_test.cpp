// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"
#include "gridsmith/tests/sanitized.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace recording_test {

using namespace gridsmith;

namespace {

const std::filesystem::path shared = GRIDSMITH_SOURCE_DIR "/../shared/spaces/dev";

Recording read_text(const std::string& text, const std::string& name = "file.json") {
  const test::Folder folder;
  test::write(folder / name, text);
  return read_recording(folder / name);
}

std::string error_of(const std::string& text) {
  const test::Folder folder;
  test::write(folder / "f.json", text);
  try {
    read_recording(folder / "f.json");
  } catch (const InputError& error) {
    return std::string(error.what()).substr((folder / "").string().size());
  }
  return "no error";
}

const std::string cache_header =
    R"({"device_name": "GPU", "kernel_name": "k", "problem_size": [64, 32],
"tune_params_keys": ["x", "y"], "tune_params": {"x": [1, 2, 3], "y": [true, false]},
"cache": {
)";

std::string cache(const std::string& rows) {
  return cache_header + rows + "}}";
}

} // namespace

TEST_CASE("a Kernel Tuner cache with all that real ones hold") {
  const Recording recording = read_text(cache(R"(
"1,True": {"x": 1, "y": true, "time": 2.0, "times": [1.0, 1.0, 4.0], "compile_time": 7.5, "timestamp": "2023-12-22 09:54:05.5+00:00", "GFLOP/s": 12, "note": {"a": [null]}},
"2,True": {"x": 2, "y": true, "time": "CompilationFailedConfig"},
"3,True": {"x": 3, "y": true, "time": "RuntimeFailedConfig", "times": [5]},
"1,False": {"x": 1, "y": false, "time": "InvalidConfig"},
"2,False": {"x": 2, "y": false, "time": NaN, "times": [NaN]},
"3,False": {"x": 3, "y": false, "__error__": "CompilationFailedConfig", "time": null},
"1,True": {"x": 1, "y": true, "time": 9.0},
"9,True": {"x": 9, "y": true, "time": 9.0},
"2,x": {"x": 2, "time": 9.0})"));
  CHECK(recording.format == "kernel_tuner");
  CHECK(recording.kernel == "k");
  CHECK(recording.problem == "64x32");
  CHECK(recording.device.name == "GPU");
  CHECK(recording.date == "2023-12-22T09:54:05.5Z");
  REQUIRE(recording.measurements.size() == 5);
  const Measurement& first = recording.measurements[0];
  CHECK(first.correct());
  CHECK(first.times_ms == std::vector<double>{1, 1, 4});
  CHECK(first.reported_ms == 2.0); // the mean, which is what that tool searches by
  CHECK(cost_ms(first) == 1.0);
  CHECK(first.spent.compile_ms == 7.5);
  CHECK(recording.measurements[1].status == Status::compile);
  CHECK(recording.measurements[2].status == Status::runtime);
  CHECK(recording.measurements[2].times_ms.empty());
  CHECK(recording.measurements[3].status == Status::constraints);
  CHECK(recording.measurements[4].status == Status::compile);
  CHECK(recording.measurements[4].reason == "CompilationFailedConfig");
  CHECK(recording.set_aside == SetAside{{"duplicate", 1},
                                        {"parameter missing", 1},
                                        {"sample that is no time", 1},
                                        {"time is NaN", 1},
                                        {"value not listed", 1}});
  CHECK(describe(recording) ==
        "5 configurations (1 correct, 1 constraints, 2 compile, 1 runtime), skipped: 1 duplicate, "
        "1 parameter missing, 1 sample that is no time, 1 time is NaN, 1 value not listed");
}

TEST_CASE("failures as sentinel numbers, rows with their values in the key only, other orders") {
  const Recording recording = read_text(R"({"cache": {
    "16,0.5,abc": {"time": 1.5}, "32,0.5,abc": {"time": 1e20}, "16,2.0,abc": {"time": -1},
    "32,2.0,abc": {"time": Infinity}},
    "problem_size": "4096", "tune_params": {"s": ["abc"], "f": [0.5, 2.0], "b": [16, 32]},
    "tune_params_keys": ["b", "f", "s"]})");
  REQUIRE(recording.measurements.size() == 3);
  CHECK(to_text(recording.measurements[0].configuration) == "b=16 f=0.5 s=abc");
  CHECK(recording.measurements[0].times_ms == std::vector<double>{1.5});
  CHECK(recording.measurements[1].status == Status::runtime);
  CHECK(recording.measurements[2].status == Status::runtime);
  CHECK(recording.set_aside == SetAside{{"time is not a positive number", 1}});
  CHECK(recording.problem == "4096");
}

TEST_CASE("a cache cut off anywhere gives its whole rows") {
  const std::string whole = cache(R"("1,True": {"x": 1, "y": true, "time": 2.0},
"2,True": {"x": 2, "y": true, "time": 1.5e0, "times": [1.5, null], "name": "aA\n"},
"3,True": {"x": 3, "y": true, "time": NaN, "gridsmith_status": "timeout"}
)");
  const std::size_t first_row_ends = whole.find("2.0}") + 4;
  const std::size_t second_row_ends = whole.find("\\n\"}") + 4;
  for (std::size_t length = whole.find("\"cache\": {") + 10; length < whole.size() - 1; ++length) {
    const Recording recording = read_text(whole.substr(0, length));
    INFO(length);
    CHECK(recording.measurements.size() ==
          std::size_t{length >= first_row_ends} + std::size_t{length >= second_row_ends});
    CHECK(recording.set_aside.at("the file is cut off") == 1);
  }
  CHECK(read_text(whole).set_aside.count("the file is cut off") == 0);
}

TEST_CASE("what is no recording says where and what was expected") {
  CHECK(error_of("") == "f.json:1:1: expected a recording: one of Gridsmith's, a Kernel Tuner "
                        "cache, a T4 file, KTT's JSON results or Kernel Launcher's wisdom");
  CHECK(error_of(well_formed("\x93NUMPY\x01"))
            .starts_with("f.json: is a .npy file of elements; expected a recording"));
  CHECK(error_of("[1]").starts_with("f.json:1:1: expected a recording"));
  CHECK(error_of("{\"a\": 1}").starts_with("f.json:1:1: expected a recording"));
  CHECK(error_of("{\n \"a\": tru }") == "f.json:2:7: expected true or false");
  CHECK(error_of("{\n \"a\": 1 \"b\"}") == "f.json:2:9: expected ',' or '}'");
  CHECK(error_of("{\"results\": [1], }") == "f.json:1:18: expected a string");
  CHECK(error_of("{\"results\": 3}") == "f.json:1:13: expected an array");
  CHECK(error_of("{\"results\": [{}]}") ==
        "f.json:1:14: expected \"configuration\" with the values of a result");
  CHECK(error_of("{\"results\": [") == "f.json:1:14: expected a value, the file ends here");
  CHECK(error_of(cache("\"1\": {\"x\": 1,, }")) == "f.json:4:14: expected a string");
  CHECK(error_of(cache("\"1\": 5")) == "f.json:4:6: expected an object");
  CHECK(error_of("{\"tune_params\": {}}") ==
        "f.json:1:1: expected \"cache\", the rows of a Kernel Tuner cache file");
  CHECK(error_of(std::string(5000, '[')).starts_with("f.json:1:1: expected"));
  CHECK(contains(error_of("{\"a\": " + std::string(5000, '[')), "nested too deeply"));
  CHECK(message_of([&] { read_recording("/no/such/file"); }) ==
        "/no/such/file: cannot be read: No such file or directory");
  CHECK(message_of([&] { read_recording("/tmp"); }) == "/tmp: is a folder; expected a file");
}

TEST_CASE("gzip is unpacked, damaged gzip is refused") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "r.json.gz";
  write_packed(file, cache("\"1,True\": {\"x\": 1, \"y\": true, \"time\": 2}"));
  const std::string packed = test::read_file(file);
  REQUIRE(packed.substr(0, 2) == "\x1f\x8b");
  CHECK(read_recording(file).measurements.size() == 1);
  test::write(file, packed.substr(0, packed.size() / 2));
  CHECK(message_of([&] { read_recording(file); }) == file.string() + ": gzip data ends too early");
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x55);
  test::write(file, damaged);
  CHECK_THROWS_AS(read_recording(file), InputError);
}

TEST_CASE("T4 with the failures, units and fields of its writers") {
  const Recording recording = read_text(R"({"results": [
    {"configuration": {"a": 1}, "times": {"compilation": 2, "runtimes": [0.003, 0.001, 0.002]},
     "invalidity": "correct", "correctness": 1, "timestamp": "2023-12-22 09:54:05+00:00",
     "measurements": [{"name": "time", "value": 0.004, "unit": ""},
                      {"name": "GFLOP/s", "value": 5, "unit": ""},
                      {"name": "dram__bytes_read.sum", "value": 77, "unit": "byte"}],
     "objectives": ["time"]},
    {"configuration": {"a": 3}, "times": {"compilation_time": 3, "runtimes": []},
     "invalidity": "compile", "correctness": 0, "measurements": [{"name": "time", "value": "CompilationFailedConfig"}]},
    {"configuration": {"a": 2}, "times": {}, "invalidity": "correct", "correctness": 1}],
    "metadata": {"timeunit": "seconds"}, "schema_version": "1.0.0"})");
  CHECK(recording.format == "t4");
  REQUIRE(recording.measurements.size() == 2);
  CHECK(recording.measurements[0].times_ms == std::vector<double>{3, 1, 2});
  CHECK(recording.measurements[0].spent.compile_ms == 2000);
  CHECK(cost_ms(recording.measurements[0]) == Approx(2)); // of its samples
  CHECK(recording.measurements[0].reported_ms == Approx(4));
  CHECK(recording.measurements[0].counters == CounterValues{{"dram__bytes_read.sum", 77}});
  CHECK(recording.measurements[1].spent.compile_ms == 3000);
  CHECK(recording.measurements[1].reason == "CompilationFailedConfig");
  CHECK(recording.parameters[0].values == std::vector<Value>{std::int64_t{1}, std::int64_t{3}});
  CHECK(recording.set_aside == SetAside{{"no time", 1}});
  CHECK(error_of(R"({"results": [{"configuration": {"a": 1}, "invalidity": "corect"}]})")
            .starts_with("f.json:1:56: unknown status 'corect'; did you mean 'correct'?"));
}

TEST_CASE("T4 whose times are in the unit of its objective") {
  const auto ms_in = [](const std::string& unit, const std::string& metadata = "") {
    return cost_ms(read_text(R"({"results": [{"configuration": {"a": 1},
      "times": {"compilation_time": 5000, "runtimes": [96, 96]}, "objectives": ["TotalDuration"],
      "measurements": [{"name": "TotalDuration", "value": 96, "unit": ")" +
                             unit +
                             R"("}, {"name": "lts__t_sectors.sum", "value": 7, "unit": ""}]}])" +
                             metadata + "}")
                       .measurements.at(0));
  };
  CHECK(ms_in("Microseconds") == Approx(0.096));
  const std::string unit_of_samples = "the file states no unit of its samples";
  const auto remarked = [&](const std::string& metadata) {
    const std::string conditions =
        read_text(R"({"results": [{"configuration": {"a": 1}, "times": {"runtimes": [96]}}])" +
                  metadata + "}")
            .conditions;
    return conditions.find(unit_of_samples) != conditions.npos;
  };
  CHECK(remarked(""));
  CHECK_FALSE(remarked(R"(, "metadata": {"timeunit": "ms"})"));
  CHECK(ms_in("NANOSECONDS") == Approx(96e-6));
  CHECK(ms_in("us") == Approx(0.096));
  CHECK(ms_in("usec", R"(, "metadata": {"timeunit": ""})") == Approx(0.096));
  CHECK(ms_in("ms") == Approx(96));
  CHECK(ms_in("s") == Approx(96e3));
  CHECK(ms_in("us", R"(, "metadata": {"timeunit": "Microseconds"})") == Approx(0.096));
  CHECK(error_of(R"({"results": [], "metadata": {"timeunit": "fortnights"}})")
            .find("unknown unit of time 'fortnights' (valid: s, ms, us, ns") != std::string::npos);
}

TEST_CASE("T4 written is read back") {
  const Recording written = sample_recording();
  const Recording back = read_text(text_as("t4", written));
  CHECK(back.kernel == written.kernel);
  CHECK(back.problem == written.problem);
  CHECK(back.device.name == written.device.name);
  REQUIRE(back.measurements.size() == written.measurements.size());
  for (std::size_t i = 0; i < back.measurements.size(); ++i) {
    const Measurement &a = written.measurements[i], &b = back.measurements[i];
    CHECK(b.configuration == a.configuration);
    CHECK(b.status == a.status);
    CHECK(b.reason == a.reason);
    CHECK(b.times_ms == a.times_ms);
    CHECK(b.counters == a.counters);
    CHECK(b.spent.compile_ms == a.spent.compile_ms);
    CHECK(b.spent.verify_ms == a.spent.verify_ms);
    CHECK_FALSE(b.reported_ms); // it is the median
  }
}

TEST_CASE("KTT results with counters, compile data, units and failures") {
  const auto row = [](const std::string& status, int x, const std::string& computed) {
    return R"({"KernelName": "k", "Status": ")" + status +
           R"(", "TotalDuration": 1500.0, "Configuration": [{"Name": "X", "Value": )" +
           std::to_string(x) + R"(, "ValueType": "UnsignedInt"}], "ComputationResults": [)" +
           computed + "]}";
  };
  const std::string computed = R"({"Duration": 1500.0, "GlobalSize": {"X": 64, "Y": 8, "Z": 1},
    "LocalSize": {"X": 32, "Y": 4, "Z": 1}, "CompilationData": {"RegistersCount": 28,
    "LocalMemorySize": 2944, "PrivateMemorySize": 8, "ConstantMemorySize": 4, "MaxWorkGroupSize": 896},
    "ProfilingData": {"Counters": [{"Name": "dram__sectors_read.sum", "Type": "Double", "Value": 7.5},
                                   {"Name": "odd", "Type": "Double", "Value": null}]}})";
  const auto file = [&](const std::string& metadata) {
    return R"({"Metadata": {"Device": "RTX", "Timestamp": "2024-04-19 22:17:16 UTC")" + metadata +
           "}, \"Results\": [" + row("Ok", 2, computed) + "," + row("ComputationFailed", 1, "") +
           "," + row("ValidationFailed", 3, "") + "," + row("CompilationFailed", 4, "") + "," +
           row("DeviceLimitsExceeded", 5, "") + "," + row("Odd", 6, "") + "," +
           row("Ok", 2, computed) + "]}";
  };
  const Recording recording =
      read_text(file(R"(, "TimeUnit": "Microseconds", "GlobalSizeType": "OpenCL")"));
  CHECK(recording.format == "ktt");
  CHECK(recording.kernel == "k");
  CHECK(recording.date == "2024-04-19T22:17:16Z");
  REQUIRE(recording.measurements.size() == 5);
  const Measurement& first = recording.measurements[0];
  CHECK(first.times_ms == std::vector<double>{1.5});
  CHECK(first.geometry == Geometry{{2, 2, 1}, {32, 4, 1}, 0});
  CHECK(first.compile_facts == CompileFacts{28, 2944, 8, std::nullopt, std::nullopt, 4, 896, 0});
  CHECK(facts_of(first).at("local_bytes") == 8);
  CHECK_FALSE(facts_of(first).contains("spill_bytes")); // KTT does not state them
  CHECK(first.counters == CounterValues{{"dram__sectors_read.sum", 7.5}});
  const Status expected[] = {Status::correct, Status::runtime, Status::correctness, Status::compile,
                             Status::constraints};
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(recording.measurements[i].status == expected[i]);
  CHECK(recording.parameters[0].values.front() == Value(std::int64_t{1}));
  CHECK(recording.set_aside == SetAside{{"duplicate", 1}, {"status 'Odd'", 1}});
  CHECK(read_text(file(R"(, "TimeUnit": "Nanoseconds")")).measurements[0].times_ms[0] ==
        Approx(0.0015));
  CHECK(contains(error_of(file(R"(, "TimeUnit": "Weeks")")), "unknown time unit 'Weeks'"));
}

TEST_CASE("a date that is none is unknown") {
  const auto dated = [](const std::string& date) {
    return read_text(R"({"Metadata": {"Timestamp": ")" + date +
                     R"("}, "Results": [{"KernelName": "k",
      "Status": "Ok", "TotalDuration": 1, "Configuration": [{"Name": "X", "Value": 1}]}]})")
        .date;
  };
  CHECK(dated("2022-07-10 15:30:00") == "2022-07-10T15:30:00");
  for (const char* none : {"07/10/2022 15:30:00", "yesterday", "", "2022-7-10", "2022-07-100"})
    CHECK(dated(none).empty());
}

TEST_CASE("what KTT did not compile has no facts of its code") {
  const Measurement row = read_text(R"({"Results": [{"KernelName": "k", "Status": "Ok",
    "TotalDuration": 1, "Configuration": [{"Name": "X", "Value": 1}], "ComputationResults": [
    {"GlobalSize": {"X": 64, "Y": 1, "Z": 1}, "LocalSize": {"X": 32, "Y": 1, "Z": 1}},
    {"GlobalSize": {"X": 8, "Y": 1, "Z": 1}, "CompilationData": {"RegistersCount": 28}}]}]})")
                              .measurements.at(0);
  CHECK_FALSE(row.compile_facts); // those are the second kernel's
  CHECK(row.geometry == Geometry{{64, 1, 1}, {32, 1, 1}, 0});
}

TEST_CASE("our own recording keeps everything, one row a line") {
  Recording written = sample_recording();
  written.measurements[0].counters.erase("sm__warps_active.avg");
  const std::string text = text_as("recording", written);
  CHECK(std::count(text.begin(), text.end(), '\n') == 14);
  const Recording back = read_text(text);
  CHECK(text_as("recording", back) == text);
  CHECK(back.format == "gridsmith");
  CHECK(back.device == written.device);
  CHECK(back.conditions == written.conditions);
  CHECK(back.date == written.date);
  REQUIRE(back.measurements.size() == written.measurements.size());
  for (std::size_t i = 0; i < back.measurements.size(); ++i) {
    CHECK(json_of(back.measurements[i]) == json_of(written.measurements[i]));
    CHECK(back.measurements[i].configuration == written.measurements[i].configuration);
  }

  std::string newer = text;
  newer.replace(newer.find(": 1,"), 4, ": 2,");
  CHECK(error_of(newer) ==
        "f.json:1:25: recording version 2 is newer than this program reads (up to 1)");
  std::string short_row = text;
  short_row.replace(short_row.find("[16,false,"), 10, "[false,");
  CHECK(error_of(short_row) == "f.json:10:1: expected 4 values, one per parameter, found 3");
  std::string odd = text;
  odd.replace(odd.find("\"correct\""), 9, "\"corroct\"");
  CHECK(error_of(odd).starts_with("f.json:10:1: status: unknown status 'corroct'"));
  CHECK(contains(error_of("{\"gridsmith recording\": 1, \"rows\": []}"),
                 "expected \"parameters\" before \"rows\""));
}

TEST_CASE("counters that were added later say when, and no search is told of them") {
  Recording recording = sample_recording();
  Measurement& row = recording.measurements.front();
  row.conditions.counter_set = "default";
  row.counters = {{"dram__bytes_read.sum", 1e6},
                  {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 2}};
  row.counted = CountedLater{"2026-11-24T04:01:00Z", "580.159", "13.0"};
  const Recording again = read_text(text_as("recording", recording));
  const Measurement& read = again.measurements.front();
  REQUIRE(read.counted);
  CHECK(read.counted->date == row.counted->date);
  CHECK(read.counted->driver == "580.159");
  CHECK(read.counters == row.counters);
  CHECK_THAT(conditions_of(again, read),
             contains_text("; more counters read 2026-11-24, driver 580.159, toolkit 13.0"));
  CHECK(facts_of(read).count("dram__bytes_read.sum") == 1);
  CHECK(facts_of(read).count("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio") == 0);
  CHECK_FALSE(again.measurements.back().counted);
}

TEST_CASE("a recorded space answers for its rows") {
  const Recording recording = read_text(cache(R"(
"3,True": {"x": 3, "y": true, "time": 2.0}, "1,True": {"x": 1.0, "y": true, "time": 1.0, "times": [0.5]},
"2,False": {"x": 2, "y": false, "time": "RuntimeFailedConfig"})"));
  const RecordedSpace recorded(recording);
  REQUIRE(recorded.space().size() == 3);
  CHECK(recorded.optimum_ms() == 0.5); // of its sample, whatever the file states
  for (ConfigurationId id = 0; id < 3; ++id)
    CHECK(recorded.space().find(recorded.measurement(id).configuration) == id);
  const auto slow = recorded.space().find(Configuration{{"x", std::int64_t{3}}, {"y", true}});
  REQUIRE(slow);
  CHECK(recorded.observation(*slow).cost == 2.0);
  const auto failed = recorded.space().find(Configuration{{"x", std::int64_t{2}}, {"y", false}});
  REQUIRE(failed);
  CHECK_FALSE(recorded.observation(*failed).cost);

  Recording all_failed = recording;
  all_failed.measurements.erase(all_failed.measurements.begin(),
                                all_failed.measurements.begin() + 2);
  CHECK(message_of([&] { RecordedSpace(all_failed).optimum_ms(); }) ==
        "the recording of 'k' holds no correct configuration");
}

TEST_CASE("one tuning in three formats is one recording") {
  const std::filesystem::path data = GRIDSMITH_SOURCE_DIR "/tests/data";
  const Configuration best{{"block_size_x", std::int64_t{64}},
                           {"work_per_thread", std::int64_t{4}},
                           {"use_vector", std::int64_t{1}}};
  for (const std::string format : {"cache", "t4", "ktt"}) {
    INFO(format);
    const Recording recording = read_recording(data / ("scaled_copy." + format + ".json"));
    CHECK(recording.device.name == "Invented GPU");
    CHECK(recording.set_aside.empty());
    CHECK(recording.measurements.size() == 14);
    CHECK(std::count_if(recording.measurements.begin(), recording.measurements.end(),
                        [](const Measurement& row) { return row.correct(); }) == 11);
    const RecordedSpace recorded(recording);
    CHECK(recorded.optimum_ms() == Approx(0.125));
    const auto id = recorded.space().find(best);
    REQUIRE(id);
    CHECK(recorded.observation(*id).cost == Approx(0.125));
  }
}

TEST_CASE("the field's real recordings, as their sources count them", "[.][needs:shared]") {
  struct Expected {
    const char* file;
    std::size_t rows, correct;
    double optimum_ms;
  };

  // counts of the files' own documentation; optima: the least median, of files with samples
  const Expected files[] = {
      {"convolution_bat__RTX_2080_Ti.json.gz", 6768, 5256, 0.899216},
      {"convolution_bat__RTX_3060_laptop.json.gz", 6768, 5220, 1.805264},
      {"convolution_milo__A100.T4.json.gz", 4362, 4201, 0.549888},
      {"convolution_milo__A100.json.gz", 4362, 4201, 0.549888},
      {"convolution_milo__MI250X.json.gz", 4362, 4362, 0.655846},
      {"counters_convolution_bat__RTX_2080_Ti.ktt.json.gz", 6768, 5280, 0.70611},
      {"counters_coulomb3d__RTX_2080_Ti.ktt.json.gz", 210, 210, 0.7697},
      {"dedispersion_milo__W6600.json.gz", 11130, 11130, 134.4128},
      {"gemm_clblast__TITAN_RTX.json.gz", 17956, 17956, 11.548624}};
  for (const Expected& expected : files) {
    INFO(expected.file);
    const auto start = std::chrono::steady_clock::now();
    const Recording recording = read_recording(shared / expected.file);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    // 0.3 s at most on two old cores; the rest is for a busy machine.
    CHECK(taken.count() < (sanitized() ? 60 : 20));
    CHECK(recording.measurements.size() == expected.rows);
    CHECK(recording.set_aside.empty());
    const RecordedSpace recorded(recording);
    CHECK(recorded.space().size() == expected.rows);
    CHECK(recorded.optimum_ms() == Approx(expected.optimum_ms).epsilon(1e-4));
    std::size_t correct = 0;
    for (const Measurement& row : recording.measurements)
      correct += row.correct();
    CHECK(correct == expected.correct);
  }
}

} // namespace recording_test
