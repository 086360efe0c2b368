// SPDX-License-Identifier: Apache-2.0
// What the community's tools read of our files, held by what their readers ask for: T4 as
// autotuning_methodology's runner reads it, caches as Kernel Tuner's simulation mode does.
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace foreign_tools_test {

using namespace gridsmith;

namespace {

/// All statuses, one pruned early, one with a time that a file reported.
Recording every_status() {
  Recording recording = sample_recording();
  recording.parameters[0].values = {std::int64_t{16}, std::int64_t{32}, std::int64_t{64}};
  recording.parameters[2].values = {8.0, 16.0, 32.0};
  recording.measurements[0].reported_ms = 0.26;
  recording.measurements.push_back(sample_failure(16, Status::correctness, "element 3: 1, not 2"));
  recording.measurements.back().configuration[1].second = true;
  recording.measurements.erase(recording.measurements.begin() + 2); // the same configuration
  recording.measurements.push_back(sample_failure(64, Status::timeout, "no answer in 10 s"));
  Measurement pruned = sample_measurement(64, true, 0.5);
  pruned.pruned_early = true;
  recording.measurements.push_back(std::move(pruned));
  return recording;
}

nlohmann::json written(const char* format, const Recording& recording) {
  const Export one{recording, std::nullopt};
  return nlohmann::json::parse(export_text(export_format(format), {&one, 1}));
}

Recording read_back(const char* format, const Recording& recording) {
  const test::Folder folder;
  const Export one{recording, std::nullopt};
  write_export(export_format(format), {&one, 1}, folder / "file.json");
  return read_recording(folder / "file.json");
}

constexpr std::array kernel_tuner_errors = {"InvalidConfig", "CompilationFailedConfig",
                                            "RuntimeFailedConfig"};

bool is_error(const nlohmann::json& value) {
  return std::find(kernel_tuner_errors.begin(), kernel_tuner_errors.end(), value) !=
         kernel_tuner_errors.end();
}

} // namespace

TEST_CASE("T4 has every time and measurement that its consumer asks for") {
  const nlohmann::json all = written("t4", every_status());
  for (const nlohmann::json& result : all.at("results")) {
    INFO(result.dump());
    for (const char* time :
         {"compilation", "benchmark", "framework", "search_algorithm", "validation"})
      CHECK(result.at("times").at(time).get<double>() >= 0);
    CHECK(result["times"]["compilation"] == result["times"]["compilation_time"]);
    const auto& measurements = result.at("measurements");
    CHECK(std::count_if(measurements.begin(), measurements.end(),
                        [](const auto& one) { return one.at("name") == "time"; }) == 1);
    const auto& time = measurements.at(0).at("value");
    CHECK((result["invalidity"] == "correct" ? time.is_number() : is_error(time)));
    for (const auto& one : measurements)
      CHECK(one.at("unit").is_string());
  }
}

TEST_CASE("T4 says where and by what it was measured, and our reader takes the device from it") {
  Recording recording = every_status();
  recording.source_hash = "abc";
  const auto metadata = written("t4", recording)["metadata"];
  CHECK(metadata["date"] == recording.date);
  const auto& requirements = metadata.at("environment").at("requirements");
  for (const std::string start : {"gridsmith==", "cuda-toolkit==13.0", "nvidia-driver==580.159"})
    CHECK(std::any_of(requirements.begin(), requirements.end(), [&](const auto& one) {
      return one.template get<std::string>().starts_with(start);
    }));
  const Recording back = read_back("t4", recording);
  CHECK(back.device == recording.device);
  CHECK(back.date == recording.date);
  CHECK(back.source_hash == "abc");
  nlohmann::json hostile = written("t4", recording);
  hostile["metadata"]["environment"]["device_query"]["gridsmith"]["sm_count"] = -4;
  const test::Folder folder;
  test::write(folder / "t4.json", hostile.dump());
  CHECK(contains(message_of([&] { read_recording(folder / "t4.json"); }), "sm_count"));
}

TEST_CASE("a cache is what Kernel Tuner's simulation opens") {
  const Recording recording = every_status();
  const Export one{recording, std::nullopt};
  const std::string text = export_text(export_format("kernel-tuner"), {&one, 1});
  CHECK(text.ends_with("}\n}")); // else it takes the file for a cut-off one
  const auto cache = nlohmann::json::parse(text);
  CHECK(cache["device_name"] == "NVIDIA H200");
  CHECK(cache["kernel_name"] == "transpose");
  CHECK(cache["problem_size"] == nlohmann::json{8192, 8192});
  CHECK(cache["tune_params_keys"] == nlohmann::json{"tile", "padded", "scale", "mode"});
  CHECK(cache["tune_params"]["padded"] == nlohmann::json{false, true});
  CHECK(cache["objective"] == "time");
  CHECK(cache["cache"].size() == recording.measurements.size());
  const auto& best = cache["cache"].at("32,True,16.0,a,\"b\""); // as Python's str() joins them
  CHECK(best["tile"] == 32);
  CHECK(best["time"] == 0.125);
  for (const auto& [key, row] : cache["cache"].items()) {
    INFO(key);
    for (const char* time : {"compile_time", "verification_time", "benchmark_time"})
      CHECK(row.at(time).is_number()); // a simulation with a time limit asks for all
    CHECK((row.contains("__error__") ? is_error(row["__error__"]) && is_error(row["time"])
                                     : row["time"].is_number()));
  }
}

TEST_CASE("a cache is read back with statuses, reasons, times, counters and configurations") {
  const Recording recording = every_status();
  const Recording back = read_back("kernel-tuner", recording);
  CHECK(back.format == "kernel_tuner");
  CHECK(back.kernel == recording.kernel);
  CHECK(back.problem == recording.problem);
  CHECK(back.device.name == recording.device.name);
  CHECK(back.set_aside.empty());
  REQUIRE(back.parameters.size() == recording.parameters.size());
  for (std::size_t p = 0; p < back.parameters.size(); ++p)
    CHECK(back.parameters[p].values == recording.parameters[p].values);
  REQUIRE(back.measurements.size() == recording.measurements.size());
  std::set<Status> statuses;
  for (std::size_t i = 0; i < back.measurements.size(); ++i) {
    const Measurement &a = recording.measurements[i], &b = back.measurements[i];
    statuses.insert(b.status);
    CHECK(b.configuration == a.configuration);
    CHECK(b.status == a.status);
    CHECK(b.reason == a.reason);
    CHECK(b.times_ms == a.times_ms);
    CHECK(b.reported_ms == a.reported_ms);
    CHECK(b.pruned_early == a.pruned_early);
    CHECK(b.counters == a.counters);
    CHECK(b.spent.compile_ms == a.spent.compile_ms);
    CHECK(b.when == a.when);
  }
  CHECK(statuses.size() == 4);
}

TEST_CASE("counters have the units of their names") {
  CHECK(counter_unit("dram__bytes_read.sum") == "B");
  CHECK(counter_unit("dram__bytes.sum.per_second") == "B/s");
  CHECK(counter_unit("gpu__time_duration.sum") == "ns");
  CHECK(counter_unit("sm__cycles_active.avg") == "cycles");
  CHECK(counter_unit("sm__warps_active.avg.pct_of_peak_sustained_active") == "%");
  CHECK(counter_unit("l1tex__t_sector_hit_rate.pct") == "%");
  for (const char* plain : {"smsp__inst_executed_op_global_ld.sum", "smsp__warps_eligible.sum",
                            "smsp__thread_inst_executed_per_inst_executed.ratio",
                            "sm__inst_executed.avg.per_cycle_elapsed"})
    CHECK(counter_unit(plain).empty());
}

} // namespace foreign_tools_test
