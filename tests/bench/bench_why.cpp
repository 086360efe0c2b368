// SPDX-License-Identifier: Apache-2.0
// The verdicts on planted bottlenecks as `explain` gives them, with machine code: what was planted, what is said, and the
// gain beside that of the removal. Needs NVRTC and no GPU: the counters are recorded. Figures, no assertions.
// benchmarks why DEVICE SET...   e.g. bench_why NVIDIA_H200 seventh series
// With WHY_DETAILS set, all that was found of each.
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tests/planted_sets.hpp"
#include "gridsmith/tuner/inspection/recorded_code.hpp"

#include <cstdlib>

namespace bench_why {

using namespace gridsmith;

namespace {

test::Codes code_of(const std::filesystem::path& definition, const Recording& recording,
                    const Measurement& measurement) {
  HelperSettings helpers;
  auto now = inspect_recorded(read_definition(definition, {}), recording.problem, recording.device,
                              measurement, helpers);
  return now ? test::Codes{std::move(now->machine_code), std::move(now->fast_math)} : test::Codes{};
}

std::string first_of(const Verdict& verdict) {
  return verdict.clean() ? "none" : std::string(to_text(verdict.findings.front().cause));
}

void print_details(const test::JudgedCase& one) {
  fmt::print("{} ({}): {}\n", one.kernel, one.cause, one.verdict.bound_text);
  for (const Verdict* verdict : {&one.verdict, one.twin ? &*one.twin : nullptr})
    for (const Finding& finding : verdict ? verdict->findings : std::vector<Finding>{})
      fmt::print("  {}{} {:.2f}: {}\n",
                 verdict == &one.verdict ? "" : "twin: ", to_text(finding.cause),
                 finding.gain ? finding.gain->likely : 0, finding.what);
}

} // namespace

int run(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "bench_why DEVICE SET...\n");
    return 2;
  }
  test::Tally all;
  Table table({{"kernel", "", true},
               {"planted", "", true},
               {"first cause said", "", true},
               {"gain estimated", ""},
               {"interval", "", true},
               {"measured", ""},
               {"", "", true},
               {"twin", "", true}});
  for (int i = 2; i < argc; ++i)
    for (const test::JudgedCase& one : test::judged(argv[i], argv[1], code_of)) {
      all.add(one);
      const auto told = one.estimate();
      table.add({one.kernel + " " + to_text(one.slow.configuration), one.cause,
                 first_of(one.verdict), told ? fmt::format("{:.2f}", told->likely) : "",
                 told ? fmt::format("{:.2f}–{:.2f}", told->low, told->high) : "",
                 one.gain ? fmt::format("{:.2f}", *one.gain) : "",
                 !told           ? (one.named(1) ? "second" : "")
                 : one.covered() ? ""
                                 : "outside",
                 one.twin ? first_of(*one.twin) : ""});
      if (std::getenv("WHY_DETAILS"))
        print_details(one);
    }
  fmt::print("{}\n{}\n", table.text(), all.text());
  return 0;
}

const Bench entry("why", run);

} // namespace bench_why
