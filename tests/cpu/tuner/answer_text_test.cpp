// SPDX-License-Identifier: Apache-2.0
// The answer as people see it: in the width of their terminal, and nothing in it that is not true.
#include "gridsmith/metrics/analysis/verdict.hpp"
#include "gridsmith/results/measurement/derived.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/shipped_recordings.hpp"
#include "gridsmith/tuner/presentation/answer_tables.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"
#include "gridsmith/tuner/presentation/gpus_text.hpp"
#include "gridsmith/tuner/presentation/sketch.hpp"

#include <filesystem>
#include <sstream>

namespace answer_text_test {

using namespace gridsmith;

namespace {

Outcome replayed(const std::string& kernel, const std::string& problem) {
  SessionSettings settings{.kernel = kernel, .strategy = "exhaustive"};
  const std::filesystem::path catalogue = GRIDSMITH_SOURCE_DIR "/kernels/catalogue";
  settings.helpers.installation = {.programs = "", .catalogue = catalogue};
  settings.recording = catalogue / kernel / "recordings" / (problem + "__h200.json.gz");
  return std::move(Session(settings).run().front());
}

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    width = std::max(width, width_of(line));
  return width;
}

Ranked candidate(const std::vector<double>& times_ms, std::optional<double> bytes,
                 std::optional<int> registers) {
  Measurement measurement;
  measurement.status = Status::correct;
  measurement.times_ms = times_ms;
  if (bytes)
    measurement.counters = {{"dram__bytes_read.sum", *bytes}, {"dram__bytes_write.sum", 0.0}};
  if (registers)
    measurement.compile_facts = CompileFacts{.registers_per_thread = *registers};
  return {measurement, *summarise(times_ms), true};
}

} // namespace

TEST_CASE("the answer is no wider than the terminal") {
  for (const auto& [kernel, problem] :
       {std::pair("transpose", "8192x8192"), std::pair("matmul", "4096x4096x4096")}) {
    const Outcome outcome = replayed(kernel, problem);
    for (const std::size_t width : {60U, 80U, 120U, 200U}) {
      INFO(kernel << " at " << width);
      const Terminal terminal{.width = width};
      CHECK(widest(answer_text(outcome, terminal)) <= width);
      CHECK(widest(summary_text(outcome, terminal)) <= width);
      CHECK(widest(sketch_text(outcome, terminal)) <= width);
    }
  }
}

TEST_CASE("a histogram is denser where more times are, in blocks or in ASCII") {
  std::vector<double> times(40, 0.1);
  times.insert(times.end(), {0.11, 0.3, 0.95, 1.0});
  const std::string plain = histogram_text(times, {.width = 40});
  CHECK(plain == "100 µs @         .           . 1.00 ms");
  const std::string blocks = histogram_text(times, {.width = 40, .blocks = true});
  CHECK(blocks == "100 µs █         ▁           ▁ 1.00 ms");
  CHECK(histogram_text({0.1, 0.1, 0.2}, {}) == ""); // two times need no picture
  CHECK(histogram_text({}, {}) == "");
}

TEST_CASE("the nearest ceiling is a bar, full where it is reached") {
  Roofline roofline;
  CHECK(ceiling_text(roofline, {}) == "");
  roofline.ceilings = {
      {.name = "FP32", .unit = "GFLOP/s", .peak = 60000, .fraction = 0.1},
      {.name = "DRAM", .unit = "GB/s", .peak = 4218, .measured = true, .fraction = 0.5}};
  CHECK(ceiling_text(roofline, {.width = 44}) == "DRAM #####.... 50 % of 4.22 TB/s, measured");
  roofline.ceilings[1].fraction = 1.03; // a peak is measured too
  CHECK(ceiling_text(roofline, {.width = 44, .blocks = true}) ==
        "DRAM ████████ 103 % of 4.22 TB/s, measured");
}

TEST_CASE("one stretch of samples is not called an interval") {
  const std::string text = answer_text(replayed("transpose", "8192x8192"), {});
  CHECK_FALSE(text.find("interval") < text.size());
  CHECK_THAT(text, contains_text(" ms, median of 10 samples, middle half"));
}

TEST_CASE(
    "a time says which it is, and the default's is that of the ranking where it was measured again") {
  Outcome outcome = replayed("transpose", "8192x8192");
  Ranked& best = outcome.answer.ranking.front();
  best.measurement.reported_ms = 0.125;
  best.measurement.times_ms.clear();
  best.time = time_of(best.measurement).value();
  CHECK_THAT(answer_text(outcome, {}), contains_text("0.1250 ms, as the file states;"));
  outcome.subject.default_configuration = best.measurement.configuration;
  CHECK(default_of(outcome).value().time.median_ms == 0.125);
}

TEST_CASE("what was not counted here points to the doctor where he can help") {
  Outcome outcome = replayed("transpose", "8192x8192");
  Measurement& best = outcome.answer.ranking.front().measurement;
  best.counters.clear();
  const auto text = [&](const std::string& because) {
    best.uncounted_because = because;
    return answer_text(outcome, {.width = 200});
  };
  const auto points = [&](const std::string& because) {
    return text(because).find("'gridsmith doctor' says what to do") != std::string::npos;
  };
  CHECK_FALSE(points("not permitted (CUPTI error 35)")); // on the machine of the recording
  outcome.subject.recording = {};
  CHECK(points("not permitted (CUPTI error 35)"));
  CHECK_FALSE(points("mining (CUPTI error 42)"));
  CHECK_THAT(text("another reason"), contains_text("not counted: another reason\n"));
}

TEST_CASE("what shares a measurement is counted, and named where it is the best's") {
  Outcome outcome = replayed("transpose", "8192x8192");
  const Configuration best = outcome.answer.ranking.front().measurement.configuration;
  CHECK(answer_text(outcome, {.width = 2000}).find("same machine code") == std::string::npos);
  std::size_t sharing = 0;
  for (Measurement& one : outcome.result.measurements)
    if (one.configuration != best && sharing < 5) {
      one.same_code_as = to_text(best);
      ++sharing;
    }
  CHECK_THAT(answer_text(outcome, {.width = 2000}),
             contains_text("The same machine code as the best: ") &&
                 contains_text("; and 2 others\n"));
  CHECK_THAT(summary_text(outcome, {.width = 2000}),
             contains_text("5 of ") &&
                 contains_text(" were the same machine code as another: measured once."));
}

TEST_CASE("what was not verified is not said to be") {
  Outcome outcome = replayed("transpose", "8192x8192");
  outcome.subject.recording.reset();
  for (Measurement& one : outcome.result.measurements)
    one.verification = Verification::none;
  CHECK(verification_text(outcome) == "not verified (no reference or no output given)");
  for (Measurement& one : outcome.result.measurements)
    one.verification = Verification::kernel;
  CHECK(verification_text(outcome) == "verified against the reference kernel");
  auto definition = std::make_shared<KernelDefinition>();
  definition->arguments.resize(1);
  definition->arguments.front().name = "out";
  definition->arguments.front().verified = "i < n";
  outcome.definition = definition;
  CHECK(verification_text(outcome) ==
        "verified against the reference kernel, of 'out' where i < n");
  outcome.definition.reset();
  outcome.result.evaluator.elements_checked = 64;
  CHECK(verification_text(outcome) ==
        "verified against the reference kernel (64 elements of it checked by Reference.Element)");
  outcome.result.evaluator.elements_checked = 0;
  CHECK(verification_text(outcome) == "verified against the reference kernel (not checked: an "
                                      "element by Reference.Element takes too long)");
}

TEST_CASE("of an agreement it is said in how many elements, where that is not all") {
  Outcome outcome = replayed("transpose", "8192x8192");
  for (Measurement& one : outcome.result.measurements)
    one.verification = Verification::default_configuration;
  CHECK(verification_text(outcome) == "agrees with the default configuration (no reference given)");
  outcome.result.evaluator.only_written = WrittenPart{.written = 1024, .elements = 1'000'000};
  CHECK(verification_text(outcome) == "agrees with the default configuration in the 1024 of "
                                      "1000000 elements that it writes (no reference given)");
  for (Measurement& one : outcome.result.measurements)
    one.verification = Verification::kernel;
  CHECK(verification_text(outcome) == "verified against the reference kernel");
}

TEST_CASE("what decided between the tied is told with its numbers, or not at all") {
  const std::vector<double> times = {1.0, 1.1}, later = {1.05, 1.15};
  CHECK(tie_break({candidate(times, 2e6, 32)}).empty());
  CHECK(tie_break({candidate(times, 1e6, 32), candidate(later, 2e6, 32)}) ==
        std::vector<std::string>{"DRAM bytes: 1 MB in 1 of them, 2 MB in the other"});
  CHECK(tie_break({candidate(times, 1e6, 32), candidate(later, 1.005e6, 40)}) ==
        std::vector<std::string>{"DRAM bytes: 1 to 1.005 MB in all, the same within 1 %",
                                 "registers per thread: 32 in 1 of them, 40 in the other"});
  // Foreign recordings know neither.
  CHECK(tie_break({candidate(times, {}, {}), candidate(later, {}, {})}) ==
        std::vector<std::string>{"median: the shortest of the remaining 2"});
}

TEST_CASE("failures are counted by their reason") {
  Outcome outcome = replayed("transpose", "8192x8192");
  for (std::size_t i = 0; i < 3; ++i) {
    outcome.result.measurements[i].status = Status::compile;
    outcome.result.measurements[i].reason = "no such header\nand more";
  }
  const std::string text = summary_text(outcome, {});
  CHECK_THAT(text, contains_text("3 × compile: no such header\n"));
  CHECK_THAT(text, contains_text("Tried 167 of 167 configurations"));
}

TEST_CASE("the summary says what became of all, and what the best gains") {
  Outcome outcome = replayed("transpose", "8192x8192");
  const std::string text = summary_text(outcome, {.width = 1000});
  CHECK_THAT(text, contains_text(": 167 correct."));
  for (const std::string other : {"the default (", "the median of all tried (", "the slowest ("})
    CHECK_THAT(text, contains_text("than " + other));
  outcome.result.measurements[0].status = Status::compile;
  outcome.result.measurements[1].status = Status::correctness;
  CHECK_THAT(summary_text(outcome, {.width = 1000}),
             contains_text("165 correct, 1 failed to compile, 1 wrong"));
  for (Measurement& one : outcome.result.measurements)
    one.verification = Verification::none;
  CHECK_THAT(summary_text(outcome, {}), contains_text("165 correct by the recording"));
  outcome.subject.recording.reset();
  CHECK_THAT(summary_text(outcome, {}), contains_text("165 ran, not verified"));
}

TEST_CASE("another objective than time may choose a slower one, and says so") {
  Outcome outcome = replayed("transpose", "8192x8192");
  outcome.answer.found_by.objective = "dram_traffic";
  outcome.answer.ranking.front().time.median_ms = 1000;
  CHECK_THAT(summary_text(outcome, {.width = 1000}),
             contains_text("times slower than the default"));
  outcome.answer.ranking[1].tied = true;
  CHECK_THAT(answer_text(outcome, {.width = 1000}),
             contains_text("are tied in dram_traffic, the same within 1 %; chosen by\n"
                           "  median: the shortest of"));
}

TEST_CASE("the rate is that whose limit is nearer, one percentage says how near, times as they "
          "differ") {
  const std::string transpose = answer_text(replayed("transpose", "8192x8192"), {});
  CHECK_THAT(transpose, contains_text("rate"));
  CHECK_THAT(transpose, contains_text("DRAM runs at 95 % of the highest rate measured"));
  CHECK_THAT(transpose, !contains_text("of copy"));
  const std::string matmul = answer_text(replayed("matmul", "4096x4096x4096"), {});
  CHECK_THAT(matmul, contains_text("GFLOP/s"));
  CHECK_THAT(matmul, contains_text(
                         "Why: bound by compute: 76 % of the FP32 peak, 84 % of the issue slots."));
  // Tensor cores do more than the FP32 peak, so no share of it is stated.
  const std::string tensors = answer_text(replayed("matmul_tensor", "4096x4096x4096"), {});
  CHECK_THAT(tensors, contains_text("GFLOP/s"));
  CHECK_THAT(tensors, !contains_text("FP32 peak"));
  Outcome outcome = replayed("transpose", "8192x8192");
  outcome.answer.ranking.resize(2);
  outcome.answer.ranking[0].time.median_ms = 0.131203;
  outcome.answer.ranking[1].time.median_ms = 0.131204;
  CHECK_THAT(answer_text(outcome, {}), contains_text("0.131203"));
}

TEST_CASE("texts are cut and broken by what is seen of them") {
  CHECK(cut("±±±", 3) == "±±±");
  CHECK(cut("±±±±", 3) == "±±…");
  CHECK(wrapped("one two three", 7, 2) == "one two\n  three");
  CHECK(wrapped("  one two", 6, 4) == "  one\n    two");
  CHECK(wrapped("a-word-too-long for it", 6, 2) == "a-word-too-long\n  for\n  it");
}

namespace {

/// "Tried 225 of 225 configurations: 220 correct, 5 failed to compile." -> 225 and 225
std::pair<std::size_t, std::size_t> tried_and_stated(const std::string& summary) {
  const std::size_t tried = std::stoul(summary.substr(summary.find("Tried ") + 6));
  const auto begin = summary.find(": ") + 2;
  std::istringstream parts(summary.substr(begin, summary.find('.', begin) - begin));
  std::size_t stated = 0;
  for (std::string part; std::getline(parts, part, ',');)
    if (!part.ends_with("pruned early") && !part.ends_with("from the store"))
      stated += std::stoul(part);
  return {tried, stated};
}

/// Whether the row holds the counter, or the metric's counters, or its chip has no such thing.
bool holds(const LaunchFacts& facts, const std::string& name) {
  return LaunchModel(facts).counted(name);
}

/// One line that says why, and nothing in it that the row does not hold.
void check_reason(const Outcome& outcome, const std::string& text) {
  const Subject& subject = outcome.subject;
  const Measurement& best = outcome.answer.winner()->measurement;
  const LaunchFacts facts = launch_facts(best, subject.device, subject.peaks, subject.workload);
  const Verdict verdict = judge(facts);
  CHECK_THAT(text, contains_text("\nWhy: " + verdict.bound_text));
  for (const Finding& one : verdict.findings)
    for (const std::string& name : one.evidence) {
      INFO(name);
      CHECK(holds(facts, name));
    }
  if (verdict.bound != Bound::unknown)
    return;
  CHECK_FALSE(holds(facts, "stall_wait"));
  CHECK_THAT(text, contains_text("counts that on a GPU."));
}

Outcome failed_in_finals(Outcome outcome) {
  Answer& answer = outcome.answer;
  for (const Ranked& one : answer.ranking)
    for (Measurement& row : outcome.result.measurements)
      if (row.configuration == one.measurement.configuration) {
        row.status = Status::correctness;
        row.reason = "measured again: element 3 of 'out' is nan";
        row.times_ms.clear();
      }
  answer.found_by.unconfirmed = answer.found_by.measured_again = true;
  return outcome;
}

} // namespace

TEST_CASE("what is stated of each shipped recording sums to what was tried") {
  std::size_t seen = 0;
  for (const auto& file : test::shipped_recordings()) {
    INFO(file.string());
    SessionSettings settings{.kernel = "", .strategy = "exhaustive"};
    settings.recording = file;
    const Outcome outcome = std::move(Session(settings).run().front());
    const auto [tried, stated] = tried_and_stated(summary_text(outcome, {.width = 5000}));
    CHECK(tried == outcome.result.measurements.size());
    CHECK(stated == tried);
    CHECK(shortfall(outcome).empty());
    CHECK(outcome.answer.winner());
    const std::string text = answer_text(outcome, {.width = 5000});
    CHECK(text.find(" ? ") == std::string::npos);
    check_reason(outcome, text);
    ++seen;
  }
  CHECK(seen > (sanitized() ? 4 : 40));
}

TEST_CASE("where all that were measured again failed their reasons come first and nobody is best") {
  const Outcome outcome = failed_in_finals(replayed("transpose", "8192x8192"));
  const std::size_t count = outcome.answer.ranking.size();
  REQUIRE(count > 1);
  const std::string text = answer_text(outcome, {.width = 200});
  CHECK(text.starts_with("None of the " + std::to_string(count) +
                         " finalists gave a correct result when measured again:\n  " +
                         std::to_string(count) + " × correctness: measured again: element 3"));
  CHECK_THAT(text, contains_text("\nNot confirmed, as first measured on NVIDIA H200: "));
  CHECK_FALSE(text.find("\nbest") < text.size());
  const std::string summary = summary_text(outcome, {.width = 200});
  const auto [tried, stated] = tried_and_stated(summary);
  CHECK(stated == tried);
  CHECK_THAT(summary, contains_text(std::to_string(count) + " wrong"));
  CHECK_FALSE(summary.find("faster") < summary.size());
  CHECK_FALSE(summary.find("export header") < summary.size());
  CHECK_THAT(answer_sentences(outcome).front(), contains_text("Not confirmed: none of the "));
  CHECK_THAT(shortfall(outcome), contains_text("element 3 of 'out' is nan"));
}

TEST_CASE("right results beside an empty ranking have their reason") {
  Outcome outcome = replayed("transpose", "8192x8192");
  outcome.answer.ranking.clear();
  outcome.answer.found_by.objective = "dram_traffic";
  for (Measurement& one : outcome.result.measurements)
    one.uncounted_because = "not permitted";
  CHECK(
      answer_text(outcome, {.width = 200}) ==
      "No correct result has a value of the objective 'dram_traffic': not counted: not permitted.\n");
  for (Measurement& one : outcome.result.measurements)
    one.status = Status::correctness;
  CHECK(answer_text(outcome, {}) == "No configuration gave a correct result.\n");
  outcome.result.measurements.clear();
  CHECK(answer_text(outcome, {}) == "Nothing was measured.\n");
}

TEST_CASE("a rate that cannot be has its doubt beside it") {
  Outcome outcome = replayed("transpose", "8192x8192");
  Ranked& best = outcome.answer.ranking.front();
  best.measurement.times_ms = {0.006};
  best.time = *summarise(best.measurement.times_ms);
  best.measurement.compared_after = true;
  const std::string text = answer_text(outcome, {.width = 200});
  CHECK_THAT(text, contains_text("89478 ?") &&
                       contains_text("  ? 89478 GB/s by the work model, where copy was measured "
                                     "to reach") &&
                       contains_text("compared again after timing: is the work model correct?"));
  CHECK(answer_text(outcome, {.width = 200}).find("so it cannot win") == std::string::npos);
}

TEST_CASE("what another GPU would have chosen is said in the words of the objective") {
  const auto said = [](const std::string& objective) {
    FoundBy found_by;
    found_by.objective = objective;
    GpuPart first, second;
    first.name = "GPU 0";
    second.name = "GPU 1";
    first.evaluations = second.evaluations = 3;
    second.best = Configuration{{"X", Value(std::int64_t{2})}};
    second.loss = 0.25;
    found_by.gpus = {first, second};
    return gpus_sentences(found_by, {}).at(1);
  };
  CHECK(said("time") == "The winner is not the same on all: on GPU 1 X=2 is 20.0 % faster.");
  CHECK(said("dram_bytes") ==
        "The winner is not the same on all: on GPU 1 X=2 has 20.0 % less dram_bytes.");
  CHECK(said("ipc") == "The winner is not the same on all: on GPU 1 X=2 has 25.0 % more ipc.");
}

TEST_CASE("a configuration costs more than the best by the objective that ranked") {
  Ranked fast = candidate({1, 1, 1}, 2e6, 32), slow = candidate({2, 2, 2}, 1e6, 32);
  fast.measurement.configuration = {{"X", Value(std::int64_t{1})}};
  slow.measurement.configuration = {{"X", Value(std::int64_t{2})}};
  const std::vector<Measurement> both{fast.measurement, slow.measurement};
  const auto of = [&](const Objective& by, const Ranked& one) {
    return excess_cost(rank(both, by), one.measurement.configuration, by);
  };
  const Objective time = objective("time"), traffic = objective("dram_traffic");
  CHECK(of(time, fast) == 0.0);
  CHECK(of(time, slow) == Approx(1));
  CHECK(of(traffic, fast) == Approx(1));
  CHECK(of(traffic, slow) == 0.0);
  CHECK_FALSE(excess_cost(rank(both), {}, time));
}

} // namespace answer_text_test
