// SPDX-License-Identifier: Apache-2.0
// The gate without a GPU, by the real compiler: the same code is the same for every architecture, six
// planted changes are found and named, and the catalogue is what it was when its baseline was saved.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/guard/static_check.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>

namespace static_check_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

const std::vector<int> architectures{80, 90, 120};

HelperSettings real_compiler() {
  return {.installation = {.programs = GRIDSMITH_PROGRAMS_DIR,
                           .catalogue = GRIDSMITH_SOURCE_DIR "/kernels/catalogue"}};
}

/// A kernel, what is changed in it, and what has to be said of that.
struct Planted {
  std::string name, source, good, bad;
  std::vector<std::string> words;
};

const std::vector<Planted>& planted() {
  static const std::vector<Planted> all{
      {"unrolled",
       "extern \"C\" __global__ void unrolled(float* o, const float* a, int n) {\n"
       "  float sum = 0;\n"
       "#pragma unroll 8\n"
       "  for (int i = threadIdx.x; i < n; i += 256)\n"
       "    sum += a[i] * a[i];\n"
       "  o[threadIdx.x] = sum;\n}\n",
       "unroll 8",
       "unroll 1",
       {"hottest loop 8 → 1 multiply-adds a turn", "loads in flight"}},
      {"wide",
       "#define TYPE float4\n"
       "extern \"C\" __global__ void wide(float* o, const float* a, int n) {\n"
       "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
       "  TYPE* to = reinterpret_cast<TYPE*>(o);\n"
       "  const TYPE* from = reinterpret_cast<const TYPE*>(a);\n"
       "  if (i < n) to[i] = from[i];\n}\n",
       "#define TYPE float4",
       "#define TYPE float",
       {"LDG.128 → LDG.32", "STG.128 → STG.32"}},
      {"spilling",
       "extern \"C\" __global__ void __launch_bounds__(256, BLOCKS)\n"
       "spilling(float* o, const float* a, int n) {\n"
       "  float sum[64];\n"
       "#pragma unroll\n"
       "  for (int j = 0; j < 64; ++j) sum[j] = a[j * 256 + threadIdx.x];\n"
       "  for (int i = 0; i < n; ++i)\n"
       "#pragma unroll\n"
       "    for (int j = 0; j < 64; ++j) sum[j] = sum[j] * sum[(j + 1) % 64] + a[i];\n"
       "#pragma unroll\n"
       "  for (int j = 0; j < 64; ++j) o[j * 256 + threadIdx.x] = sum[j];\n}\n",
       "BLOCKS)\n",
       "6)\n",
       {"bytes of spill stores", "bytes of spill loads", "bytes of local memory"}},
      {"sharing",
       "#define ROWS 32\n"
       "extern \"C\" __global__ void sharing(float* o, const float* a, int n) {\n"
       "  __shared__ float tile[ROWS][257];\n"
       "  for (int r = 0; r < ROWS; ++r) tile[r][threadIdx.x] = a[r * n + threadIdx.x];\n"
       "  __syncthreads();\n"
       "  float sum = 0;\n"
       "  for (int r = 0; r < ROWS; ++r) sum += tile[r][255 - threadIdx.x];\n"
       "  o[threadIdx.x] = sum;\n}\n",
       "#define ROWS 32",
       "#define ROWS 40",
       {"32896 → 41120 bytes of static shared memory", "occupancy"}},
      {"growing",
       "#define COUNT 4\n"
       "extern \"C\" __global__ void growing(float* o, const float* a, int n) {\n"
       "  float held[COUNT];\n"
       "#pragma unroll\n"
       "  for (int j = 0; j < COUNT; ++j) held[j] = a[j * n + threadIdx.x];\n"
       "  for (int i = 0; i < n; ++i)\n"
       "#pragma unroll\n"
       "    for (int j = 0; j < COUNT; ++j) held[j] = held[j] * held[j] + a[i];\n"
       "#pragma unroll\n"
       "  for (int j = 0; j < COUNT; ++j) o[j * n + threadIdx.x] = held[j];\n}\n",
       "#define COUNT 4",
       "#define COUNT 48",
       {" registers", "occupancy 100 → "}},
      {"doubled",
       "extern \"C\" __global__ void doubled(float* o, const float* a, int n) {\n"
       "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
       "  if (i < n) o[i] = a[i] * 1.1f;\n}\n",
       "1.1f",
       "1.1",
       {"instructions of double arithmetic", "that convert from or to 64 bits", "DMUL 0 → 1"}}};
  return all;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The planted kernels in a folder, with their definitions.
class Project {
public:
  Project() {
    for (const Planted& one : planted()) {
      write_source(one, one.source);
      test::write(folder() / (one.name + ".json"), replaced(replaced(R"json({
  "ConfigurationSpace": {"TuningParameters": [{"Name": "BLOCKS", "Type": "int", "Values": "[1]"}]},
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "NAME", "KernelFile": "NAME.cu",
    "ProblemSize": [65536], "LocalSize": {"X": "256"}, "GridDivX": ["256"],
    "Arguments": [
      {"Name": "o", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly",
       "FillType": "Constant", "FillValue": 0, "Size": "ProblemSize[0]", "Output": 1},
      {"Name": "a", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "FillType": "Random", "FillValue": 1, "Size": "ProblemSize[0]"},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "AccessType": "ReadOnly",
       "FillType": "Constant", "FillValue": 256}]}
})json",
                                                                     "NAME", one.name),
                                                            "NAME", one.name));
    }
  }

  const fs::path& folder() const { return folder_.path(); }

  void write_source(const Planted& one, const std::string& text) const {
    test::write(folder() / (one.name + ".cu"), text);
  }

  void plant() const {
    for (const Planted& one : planted())
      write_source(one, replaced(one.source, one.good, one.bad));
  }

  /// As it would be kept in a file; of all projects, whose sources are the same at first.
  const Baseline& baseline() const {
    static const Baseline made = make_baseline();
    return made;
  }

  CheckSettings settings() const {
    return {.session = {.kernel = "", .helpers = real_compiler()},
            .baseline = folder() / usual_baseline};
  }

private:
  Baseline make_baseline() const {
    std::vector<StaticSubject> subjects;
    for (const Planted& one : planted())
      for (const int architecture : architectures) {
        const KernelDefinition definition = read_definition(folder() / (one.name + ".json"));
        subjects.push_back({instantiate(definition, definition.default_problem(),
                                        device_of_capability(architecture)),
                            {{"BLOCKS", Value(std::int64_t{1})}}});
      }
    Baseline baseline;
    for (StaticAnswer& answer : compile_statically(subjects, real_compiler())) {
      INFO(answer.reason);
      REQUIRE(answer.entry);
      answer.entry->definition = answer.entry->kernel + ".json";
      baseline.entries.push_back(std::move(*answer.entry));
    }
    return baseline_of_text(to_text(baseline), "baseline");
  }

  test::Folder folder_;
};

std::string changes_of(const CheckCase& one) {
  std::string text;
  for (const std::string& change : one.changes)
    text += (text.empty() ? "" : "; ") + change;
  return text;
}

} // namespace

TEST_CASE("the same code is green; each planted change is red and named, for each architecture") {
  const Project project;
  const Baseline& baseline = project.baseline();

  const CheckResult same = static_check(baseline, project.settings());
  CHECK(same.cases.size() == planted().size() * architectures.size());
  CHECK(same.gate() == Gate::green);
  CHECK_THAT(same.how, contains_text("for sm_80, sm_90, sm_120; machine code read from its "
                                     "instruction words"));
  for (const CheckCase& one : same.cases) {
    INFO(title_of(one) << " " << one.where << ": " << changes_of(one));
    CHECK(one.verdict == CheckVerdict::same);
  }

  project.plant();
  const CheckResult changed = static_check(baseline, project.settings());
  CHECK(changed.gate() == Gate::red);
  REQUIRE(changed.cases.size() == same.cases.size());
  for (const CheckCase& one : changed.cases) {
    const auto plant = std::find_if(planted().begin(), planted().end(),
                                    [&](const Planted& other) { return other.name == one.kernel; });
    const std::string said = changes_of(one);
    INFO(title_of(one) << " " << one.where << ": " << said);
    CHECK(one.verdict == CheckVerdict::changed);
    for (const std::string& words : plant->words)
      CHECK_THAT(said, contains_text(words));
    CHECK(one.reason == "another source");
    CHECK(one.file == (project.folder() / (one.kernel + ".cu")).string());
    CHECK(one.line > 0);
  }
}

TEST_CASE("what is no change, what is only another code, and what does not compile") {
  const Project project;
  const Baseline& baseline = project.baseline();
  CheckSettings settings = project.settings();
  settings.kernels = {"doubled", "wide", "unrolled"};
  project.write_source(planted()[5], "// told apart\n" + planted()[5].source);
  project.write_source(planted()[0], replaced(planted()[0].source, "sum = 0", "sum = 1"));
  project.write_source(planted()[1], replaced(planted()[1].source, "n) to", "m) to"));
  CheckResult result = static_check(baseline, settings, {90});
  std::map<std::string, CheckCase> cases;
  for (const CheckCase& one : result.cases)
    cases[one.kernel] = one;
  REQUIRE(cases.size() == 3);
  CHECK(cases["doubled"].verdict == CheckVerdict::same);
  CHECK(cases["unrolled"].verdict == CheckVerdict::different);
  CHECK(cases["wide"].verdict == CheckVerdict::wrong);
  CHECK_THAT(cases["wide"].reason, contains_text("does not compile: "));
  CHECK_THAT(cases["wide"].reason, contains_text("\"m\" is undefined"));

  settings.kernels = {"unrolled"};
  CHECK(static_check(baseline, settings, {90}).gate() == Gate::green);
  settings.failures.strict = true;
  CHECK(static_check(baseline, settings, {90}).gate() == Gate::red);
}

TEST_CASE("what cannot be judged is never green") {
  const Project project;
  const Baseline& baseline = project.baseline();
  CheckSettings settings = project.settings();
  settings.kernels = {"wide"};
  const CheckResult missing = static_check(baseline, settings, {90, 86});
  REQUIRE(missing.cases.size() == 2);
  CHECK(missing.cases[1].verdict == CheckVerdict::missing);
  CHECK(missing.cases[1].reason == "the baseline has no entry for sm_86");
  CHECK(missing.gate() == Gate::incomplete);

  const fs::path definition = project.folder() / "wide.json";
  std::ifstream in(definition);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  test::write(definition, replaced(text, "\"[1]\"", "\"[2]\""));
  CHECK_THAT(static_check(baseline, settings, {90}).cases.at(0).reason,
             contains_text("its definition does not allow BLOCKS=1 any more"));
  fs::remove(definition);
  const CheckResult gone = static_check(baseline, settings, {90});
  CHECK(gone.cases.at(0).verdict == CheckVerdict::missing);
  CHECK_THAT(gone.cases.at(0).reason, contains_text("wide.json"));
  CHECK(gone.gate() == Gate::incomplete);

  settings.kernels = {"spiling"};
  CHECK_THROWS_WITH(static_check(baseline, settings, {90}),
                    contains_text("unknown kernel of the baseline 'spiling'; did you mean "
                                  "'spilling'?"));

  settings.kernels = {"wide"};
  settings.session.problems = {problem_size_from_text("8")};
  CHECK_THROWS_WITH(static_check(baseline, settings, {90}),
                    "unknown size of the baseline '8' (valid: 65536)");
  settings.session.problems.clear();

  std::stop_source stopped;
  stopped.request_stop();
  settings.kernels = {"spilling"};
  const CheckResult none = static_check(baseline, settings, {90}, stopped.get_token());
  CHECK(none.cases.at(0).reason == "stopped before it was compiled");
  CHECK(none.gate() == Gate::incomplete);
}

/// The default of every kernel of the catalogue, as this NVRTC compiles it.
std::vector<StaticSubject> catalogue_subjects() {
  std::vector<StaticSubject> subjects;
  for (const fs::path& file : catalogue(real_compiler().installation.catalogue))
    for (const int architecture : architectures) {
      const KernelDefinition definition = read_definition(file);
      KernelInstance instance =
          instantiate(definition, definition.default_problem(), device_of_capability(architecture));
      Configuration configuration = usual_configuration(instance, std::nullopt).configuration;
      subjects.push_back({std::move(instance), std::move(configuration)});
    }
  return subjects;
}

/// Of one toolkit: with another one the code is another one. GRIDSMITH_WRITE_GOLDEN=1 accepts a
/// change.
TEST_CASE("the catalogue's kernels are compiled to what their baseline has") {
  const fs::path file = GRIDSMITH_SOURCE_DIR "/tests/golden/catalogue_baseline.json";
  const std::vector<StaticSubject> subjects = catalogue_subjects();
  if (std::getenv("GRIDSMITH_WRITE_GOLDEN")) {
    Baseline written;
    for (StaticAnswer& one : compile_statically(subjects, real_compiler())) {
      REQUIRE(one.entry);
      written.entries.push_back(std::move(*one.entry));
    }
    write_baseline(file, written);
  }
  const Baseline baseline = read_baseline(file);
  CHECK(baseline.entries.size() <= subjects.size()); // a new kernel is two files and nothing else
  const auto begun = std::chrono::steady_clock::now();
  const CheckResult result =
      static_check(baseline, {.session = {.kernel = "", .helpers = real_compiler()}});
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
  std::cout << result.how << ": " << result.cases.size() << " cases in " << spent.count() << " s\n";
  const bool another_toolkit =
      std::any_of(result.cases.begin(), result.cases.end(), [](const CheckCase& one) {
        return one.reason.find("NVRTC") != std::string::npos;
      });
  for (const CheckCase& one : result.cases) {
    INFO(title_of(one) << " " << one.where << ": " << one.reason << ": " << changes_of(one));
    if (another_toolkit)
      CHECK(one.verdict != CheckVerdict::wrong);
    else
      CHECK(one.verdict == CheckVerdict::same);
  }
}

} // namespace static_check_test
