// SPDX-License-Identifier: Apache-2.0
// The fault matrix that needs no GPU: every way a compiler or worker process can fail, with real
// processes. In every row the tuning finishes, the best is right, the guilty configuration is
// named, nothing is lost.
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tests/shipped_recordings.hpp"
#include "gridsmith/tuner/gpu/gpu_evaluator.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <thread>

namespace pipeline_test {

using namespace gridsmith;
using namespace std::chrono_literals;

namespace {

Device fake_device() {
  Device device = device_of_capability(90);
  device.name = "Fake GPU";
  return device;
}

/// Tunes a kernel of eight X and some faults with the fakes.
struct Bench {
  explicit Bench(const std::string& extra = "", const std::string& values = "",
                 const std::string& name = "faulty", int count = 8) {
    install_fakes(folder.path());
    instance =
        instantiate(read_definition(test::write_kernel(folder.path(), name, count, extra, values)),
                    {{32}}, fake_device());
  }

  TuningResult tune(const std::string& strategy = "exhaustive",
                    std::chrono::milliseconds stage_limit = 10s, std::stop_token stop = {},
                    std::size_t compilers = 2) {
    Conditions conditions;
    conditions.timeout_s = std::chrono::duration<double>(stage_limit).count();
    const SearchSpace space = build_space(instance);
    GpuProcesses processes(
        instance, {.helpers = {.compilers = compilers,
                               .cache = false,
                               .installation = {.programs = folder.path(), .catalogue = ""}},
                   .conditions = conditions});
    processes.begin();
    GpuEvaluator evaluator(instance, {.default_configuration = compared_with}, processes);
    const auto search = make_strategy(strategy, {.space = space, .seed = 1});
    return gridsmith::tune({space, [&] { return OpenJob{evaluator, keeping}; }}, *search, tuning,
                           {}, stop);
  }

  /// In place of the 32 threads of each.
  void give_blocks(const std::string& threads) {
    instance.definition.block[0] = Expression::parse(threads);
  }

  void install_fakes(const std::filesystem::path& path) { test::install_fakes(path); }

  std::ptrdiff_t raced() const {
    return std::count_if(recorded.begin(), recorded.end(),
                         [](const Measurement& one) { return one.mode == Mode::race; });
  }

  test::Folder folder;
  KernelInstance instance;
  std::vector<Measurement> recorded;
  std::optional<Configuration> compared_with;
  TuningSettings tuning;
  RecordKeeping keeping{.find = [](const Configuration&) { return std::nullopt; },
                        .add =
                            [this](std::span<const Measurement> some) {
                              recorded.insert(recorded.end(), some.begin(), some.end());
                            }};
};

std::size_t with_status(const std::vector<Measurement>& measurements, Status status) {
  return static_cast<std::size_t>(
      std::count_if(measurements.begin(), measurements.end(),
                    [&](const Measurement& one) { return one.status == status; }));
}

std::string best(const TuningResult& result) {
  const auto ranked = rank(result.finals);
  return ranked.empty() ? "" : to_text(ranked.front().measurement.configuration);
}

/// Each fault is one value of a parameter beside a good one: 8 good, 8 faulty configurations.
void expect_survived(const Bench& bench, const TuningResult& result, const std::string& good,
                     Status status, const std::string& reason) {
  CHECK(result.measurements.size() == 16);
  CHECK(bench.raced() == 16);
  CHECK(with_status(result.measurements, Status::correct) == 8);
  CHECK(with_status(result.measurements, status) == 8);
  CHECK(best(result) == "X=7 " + good);
  for (const Measurement& one : result.measurements)
    if (!one.correct())
      CHECK_THAT(one.reason, contains_text(reason));
}

} // namespace

TEST_CASE("all is well: every configuration measured once, the fastest wins") {
  Bench bench;
  const TuningResult result = bench.tune();
  CHECK(result.measurements.size() == 8);
  CHECK(with_status(result.measurements, Status::correct) == 8);
  CHECK(best(result) == "X=7");
  CHECK(result.evaluator.uncounted_because == "counters are not permitted");
}

TEST_CASE("counters of a race come after it, for all in one go, and are kept with it") {
  Bench bench("RUN", R"(["fine", "wrong"])");
  test::script(bench.folder.path(), {{"counts", true}});
  std::vector<Measurement> counted;
  bench.keeping.add_counters = [&](const Measurement& one) { counted.push_back(one); };
  const TuningResult result = bench.tune();
  REQUIRE(counted.size() == 8);
  CHECK(bench.raced() == 16); // what counts is no measurement of its own
  for (const Measurement& one : bench.recorded)
    CHECK((one.mode == Mode::final || one.counters.empty()));
  for (const Measurement& one : result.measurements)
    CHECK(one.counters.empty() == !one.correct());
  for (const Measurement& one : counted)
    CHECK(one.counters.at("gpu__time_duration.sum") == Approx(1e6 * one.times_ms.front()));
  for (const Measurement& one : result.finals)
    CHECK_FALSE(one.counters.empty());
}

TEST_CASE("a compile error costs its configuration") {
  Bench bench("COMPILE", R"(["fine", "error"])");
  expect_survived(bench, bench.tune(), "COMPILE=fine", Status::compile, "fake.cu(3)");
}

TEST_CASE("a compiler that crashes costs its configuration") {
  Bench bench("COMPILE", R"(["fine", "crash"])");
  expect_survived(bench, bench.tune(), "COMPILE=fine", Status::compile, "signal 11");
}

TEST_CASE("a compiler whose answer cannot be understood costs its configuration") {
  Bench bench("COMPILE", R"(["fine", "garbage"])");
  expect_survived(bench, bench.tune(), "COMPILE=fine", Status::compile, "cannot be understood");
}

TEST_CASE("at the end nobody waits for a compilation longer than it is worth") {
  Bench bench("COMPILE", R"(["fine", "hang"])", "faulty", 1);
  const auto begun = std::chrono::steady_clock::now();
  const TuningResult result = bench.tune("greedy");
  CHECK(std::chrono::steady_clock::now() - begun < 30s); // the compilers' own limit is later
  CHECK(result.measurements.size() == 2);
  REQUIRE(with_status(result.measurements, Status::timeout) == 1);
  const auto& given_up = result.measurements[result.measurements[0].correct() ? 1 : 0];
  CHECK_THAT(given_up.reason, contains_text("compilation cancelled after"));
  CHECK(given_up.spent.compile_ms > 400);
  CHECK(bench.raced() == 2);
  CHECK_FALSE(satisfies(given_up, given_up.conditions)); // who asks again gets it compiled
  CHECK(result.unjudged == 0);
  CHECK(result.evaluator.compiler_restarts == 0); // nobody crashed
}

TEST_CASE("others are measured in place of compilations that were given up") {
  Bench bench("COMPILE", R"(["fine", "hang"])");
  bench.tuning.budget.evaluations = 8;
  bench.tuning.compile_timeout = {.adapts = false, .seconds = 1};
  for (const bool repeatable : {false, true}) {
    bench.tuning.repeatable = repeatable;
    const TuningResult result = bench.tune("greedy");
    CHECK(with_status(result.measurements, Status::correct) == 8); // all that can be
    CHECK(with_status(result.measurements, Status::timeout) == result.measurements.size() - 8);
    CHECK(result.evaluator.compiler_restarts == 0);
  }
}

TEST_CASE("what compiles unusually long is put off, and given up with the search") {
  Bench bench("COMPILE", R"(["fine", "a", "b", "c", "d", "e", "f", "hang"])", "faulty", 40);
  bench.tuning.budget.evaluations = 30;
  const auto begun = std::chrono::steady_clock::now();
  const TuningResult result = bench.tune("greedy", 10s, {}, 12);
  CHECK(std::chrono::steady_clock::now() - begun < 30s);
  CHECK(with_status(result.measurements, Status::correct) == 30);
  const std::size_t given_up = with_status(result.measurements, Status::timeout);
  CHECK(given_up == result.measurements.size() - 30);
  CHECK(bench.raced() == static_cast<std::ptrdiff_t>(result.measurements.size()));
  CHECK(result.evaluator.compiling == 0);
}

TEST_CASE("nothing is compiled once the search has ended") {
  Bench bench("COMPILE", R"(["fine", "hang"])");
  bench.tuning.budget.seconds = 0.4;
  const TuningResult result = bench.tune("greedy");
  CHECK(result.ended == Ended::out_of_time);
  CHECK(result.evaluator.compiling == 0);
  CHECK(result.evaluator.spent.compile_ms > 300); // what was ended had taken time, too
  CHECK(result.evaluator.compiler_restarts == 0);
}

TEST_CASE("what fails for want of something in the machine is said and not recorded") {
  Bench bench("COMPILE", R"(["fine", "killed"])");
  const TuningResult result = bench.tune();
  CHECK(result.measurements.size() == 8);
  CHECK(bench.raced() == 8);
  CHECK(result.unjudged == 8);
  CHECK_THAT(result.unjudged_because, contains_text("signal 9"));
  CHECK(best(result) == "X=7 COMPILE=fine");
}

TEST_CASE("a compiler that vanishes ends the tuning and is nobody's failure") {
  Bench bench("COMPILE", R"(["fine", "vanish"])");
  CHECK_THROWS_WITH(bench.tune(), contains_text("exit code 127"));
  CHECK(with_status(bench.recorded, Status::compile) == 0);
}

TEST_CASE("a worker that crashes costs the guilty configuration") {
  Bench bench("RUN", R"(["fine", "crash"])");
  expect_survived(bench, bench.tune(), "RUN=fine", Status::runtime, "signal 11");
}

TEST_CASE("a worker that loses its context names the guilty one") {
  Bench bench("RUN", R"(["fine", "lost"])");
  expect_survived(bench, bench.tune(), "RUN=fine", Status::runtime, "illegal memory access");
}

TEST_CASE("a launch that never ends is a time-out") {
  Bench bench("RUN", R"(["fine", "hang"])");
  expect_survived(bench, bench.tune("exhaustive", 300ms), "RUN=fine", Status::timeout, "no answer");
}

TEST_CASE("a wrong result is never best") {
  Bench bench("RUN", R"(["fine", "wrong"])");
  expect_survived(bench, bench.tune(), "RUN=fine", Status::correctness, "element 17");
}

TEST_CASE("without a reference the default configuration's output is compared with") {
  Bench bench("RUN", R"(["fine", "wrong"])");
  bench.compared_with = {{"X", std::int64_t{1}}, {"RUN", std::string("fine")}};
  const TuningResult result = bench.tune();
  expect_survived(bench, result, "RUN=fine", Status::correctness, "expected 1.25");
  CHECK_FALSE(result.evaluator.unverified_because);
  for (const Measurement& one : result.measurements)
    if (one.correct())
      CHECK(one.verification == Verification::default_configuration);
}

TEST_CASE("of a default configuration that does not write all it is known how much it writes") {
  Bench bench("RUN", R"(["fine", "sparse"])");
  for (const char* run : {"fine", "sparse"}) {
    bench.compared_with = {{"X", std::int64_t{1}}, {"RUN", std::string(run)}};
    const auto part = bench.tune().evaluator.only_written;
    CHECK((part ==
           (run == std::string("sparse") ? std::optional(WrittenPart{1024, 4096}) : std::nullopt)));
  }
}

TEST_CASE("a default configuration that cannot be compared with costs the verification only") {
  const std::vector<std::array<std::string, 3>> faults = {
      {"COMPILE", "error", "the default configuration does not compile: fake.cu(3)"},
      {"RUN", "wrong", "element 3 of 'out' is nan"},
      {"RUN", "lost", "an illegal memory access"},
      {"RUN", "crash", "keeps ending"}};
  for (const auto& [parameter, fault, why] : faults) {
    INFO(fault);
    Bench bench(parameter, "[\"fine\", \"" + fault + "\"]");
    bench.compared_with = {{"X", std::int64_t{1}}, {parameter, fault}};
    const TuningResult result = bench.tune();
    CHECK(result.measurements.size() == 16);
    CHECK(with_status(result.measurements, Status::correct) == 8);
    CHECK(best(result) == "X=7 " + parameter + "=fine");
    CHECK_THAT(result.evaluator.unverified_because.value_or(""), contains_text(why));
    for (const Measurement& one : result.measurements)
      CHECK(one.verification == Verification::none);
  }
}

TEST_CASE("what no configuration escapes ends the tuning after some") {
  const std::vector<std::array<std::string, 3>> faults = {
      {"COMPILE", "header", "cannot open source file \"x.h\""},
      {"RUN", "arguments", "the kernel takes 3 arguments, the definition gives 1"}};
  for (const auto& [parameter, fault, why] : faults) {
    INFO(fault);
    // 400 configurations that all fail so; then half of the first ones do not.
    Bench all(parameter, "[\"" + fault + "\", \"" + fault + "s\"]", "faulty", 200);
    CHECK_THROWS_AS(all.tune(), InputError);
    CHECK(all.recorded.size() >= 10);
    CHECK(all.recorded.size() < 400);
    Bench again(parameter, "[\"" + fault + "\", \"" + fault + "s\"]");
    CHECK_THROWS_WITH(again.tune(),
                      contains_text("all failed for the same reason: ") && contains_text(why));
    Bench half(parameter, "[\"fine\", \"" + fault + "\"]");
    CHECK(half.tune().measurements.size() == 16);
  }
  Bench others("COMPILE", R"(["error", "errors"])"); // may be of the values
  CHECK(others.tune().measurements.size() == 16);
}

TEST_CASE("the same machine code is measured once, and the others say whose measurement it is") {
  for (const char* strategy : {"exhaustive", "random", "default"}) {
    Bench bench("TWIN", R"(["one", "two", "three"])");
    const TuningResult result = bench.tune(strategy);
    CHECK(result.measurements.size() == 24);
    CHECK(count_shared(result.measurements) == 16);
    std::map<std::string, std::vector<double>>
        times; // the fake's differ where it is launched again
    for (const Measurement& one : result.measurements) {
      const auto [first, is_new] = times.emplace(launched_as(one), one.times_ms);
      CHECK(first->second == one.times_ms);
      CHECK((one.spent.gpu_ms == 0) == !one.same_code_as.empty());
      CHECK(observation_of(0, one).run_ms.has_value() == one.same_code_as.empty());
    }
    CHECK(times.size() == 8);
    for (const Measurement& one : result.finals)
      CHECK(
          std::count_if(result.finals.begin(), result.finals.end(), [&](const Measurement& other) {
            return one.configuration.front() == other.configuration.front();
          }) == 1);
  }
}

TEST_CASE("a twin that fails fails for all, and its process for none") {
  Bench bench("TWIN", R"(["one", "two"])");
  test::script(bench.folder.path(), {{"die_at", 4}});
  const TuningResult result = bench.tune();
  CHECK(with_status(result.measurements, Status::correct) == 16);
  CHECK(count_shared(result.measurements) == 8);
}

TEST_CASE("what cannot be launched is told without a worker, with the reason") {
  Bench bench("REGISTERS", R"(["32", "255"])");
  bench.give_blocks("1024");
  const TuningResult result = bench.tune();
  REQUIRE(result.measurements.size() == 16);
  for (const Measurement& one : result.measurements)
    if (!one.correct()) {
      CHECK(one.reason ==
            "too many threads or registers: 1024 threads per block with 255 registers "
            "each (261120 of 65536), this kernel can be launched with 256");
      CHECK(one.spent.time_ms == 0);
    }
  CHECK(with_status(result.measurements, Status::runtime) == 8);
}

TEST_CASE("a worker that dies at any message loses nothing and blames nobody") {
  for (int message = 1; message <= 12; ++message) {
    Bench bench;
    test::script(bench.folder.path(), {{"die_at", message}});
    const TuningResult result = bench.tune();
    INFO("died at message " << message);
    CHECK(with_status(result.measurements, Status::correct) == 8);
    CHECK(best(result) == "X=7");
  }
}

TEST_CASE("a stop is answered within a second, whatever runs") {
  Bench bench("RUN", R"(["fine", "hang"])");
  std::stop_source source;
  std::jthread impatient([&] {
    std::this_thread::sleep_for(300ms);
    source.request_stop();
  });
  const auto begun = std::chrono::steady_clock::now();
  const TuningResult result = bench.tune("exhaustive", 60s, source.get_token());
  CHECK(std::chrono::steady_clock::now() - begun < 2s);
  CHECK(result.ended == Ended::stopped);
  CHECK(result.finals.empty());
  CHECK(result.measurements.size() < 16);
  CHECK(result.measurements.size() == bench.recorded.size()); // nothing of what was abandoned
}

TEST_CASE("a worker that refuses the work ends the tuning with its reason") {
  Bench bench;
  test::script(bench.folder.path(), R"({"works": [{"refused": "the data need 300 GB"}]})"_json);
  CHECK_THROWS_WITH(bench.tune(), contains_text("300 GB"));
}

TEST_CASE("sequential strategies and random find the same best") {
  for (const char* strategy : {"random", "greedy", "default"}) {
    Bench bench;
    CHECK(best(bench.tune(strategy)) == "X=7");
  }
}

TEST_CASE("every shipped recording is of the definition that is shipped") {
  const std::filesystem::path root = GRIDSMITH_SOURCE_DIR;
  std::size_t recordings = 0;
  for (const auto& file : test::shipped_recordings()) {
    INFO(file.filename().string());
    const Recording recording = read_recording(file);
    const KernelDefinition definition =
        read_definition(find_definition(recording.kernel, root / "kernels" / "catalogue"));
    const SearchSpace space = build_space(
        instantiate(definition, problem_size_from_text(recording.problem), recording.device));
    CHECK(recording.set_aside.empty());
    CHECK(recording.measurements.size() <= space.size());
    CHECK(10 * recording.measurements.size() >= 9 * space.size()); // a value may be new since
    for (const Measurement& one : recording.measurements) {
      CHECK(space.find(one.configuration));
      CHECK_FALSE(one.pruned_early);
      // What begins and ends in host memory is more than a kernel, which is what is counted.
      CHECK((!one.correct() || !one.counters.empty() || definition.transfer));
    }
    ++recordings;
  }
  CHECK(recordings > 0);
}

} // namespace pipeline_test
