// SPDX-License-Identifier: Apache-2.0
// A regression check on a real GPU: what is unchanged is the same, what was planted is found and
// explained, what is wrong is said to be.
#include "gridsmith/results/check/baseline.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/gpu/check/planted.hpp"
#include "gridsmith/tuner/guard/baseline_save.hpp"
#include "gridsmith/tuner/guard/check.hpp"

#include <fmt/format.h>

#include <fstream>

namespace check_test {

using namespace gridsmith;

namespace {

const Installation built{.programs = GRIDSMITH_PROGRAMS_DIR,
                         .catalogue = GRIDSMITH_SOURCE_DIR "/kernels/catalogue"};

void save(const test::PlantedKernel& kernel, std::int64_t rounds, Regime regime = Regime::cold) {
  SaveSettings settings;
  settings.baseline = kernel.baseline();
  settings.kernels = {kernel.definition().string()};
  settings.session.only = {Configuration{{"ROUNDS", Value{rounds}}}};
  settings.binaries_beside = true;
  settings.session.conditions.regime = regime;
  settings.session.helpers.installation = built;
  Baseline baseline;
  put_entries(baseline, made_entries(wanted_entries(settings), settings, {}, {}));
  REQUIRE(baseline.entries.size() == 1);
  CHECK(baseline.entries.front().time);
  write_baseline(kernel.baseline(), baseline);
}

CheckCase checked(const test::PlantedKernel& kernel) {
  CheckSettings settings;
  settings.baseline = kernel.baseline();
  settings.identical_too = true;
  settings.session.helpers.installation = built;
  const CheckResult result = run_check(settings);
  REQUIRE(result.cases.size() == 1);
  const CheckCase& one = result.cases.front();
  fmt::print(
      "{:<12} {:.3f} ms, {:.4f} ({:.4f} to {:.4f}), {} pairs in {} processes, {:.1f} s; {}; {}\n",
      to_text(one.verdict), one.time ? one.time->new_ms : 0, one.time ? one.time->ratio : 0,
      one.time ? one.time->low : 0, one.time ? one.time->high : 0, one.time ? one.time->pairs : 0,
      one.time ? one.time->workers : 0, one.seconds, one.reason, fmt::join(one.changes, "; "));
  return one;
}

bool says(const CheckCase& one, const std::string& text) {
  for (const std::string& change : one.changes)
    if (change.find(text) != std::string::npos)
      return true;
  return false;
}

} // namespace

TEST_CASE("what is unchanged is the same, cold and warm, whatever limits it") {
  for (const std::int64_t rounds : {1, 64})
    for (const Regime regime : {Regime::cold, Regime::warm}) {
      const test::PlantedKernel kernel;
      save(kernel, rounds, regime);
      CHECK(checked(kernel).verdict == CheckVerdict::same);
    }
}

TEST_CASE("a tenth more work is slower, and taken away again faster") {
  for (const std::int64_t rounds : {1, 64}) {
    const test::PlantedKernel kernel;
    save(kernel, rounds);
    kernel.plant(100, 0);
    CHECK(checked(kernel).verdict == CheckVerdict::slower);
    save(kernel, rounds);
    kernel.plant(0, 0);
    CHECK(checked(kernel).verdict == CheckVerdict::faster);
  }
}

TEST_CASE("uncoalesced stores are slower, and the counters or the code say why") {
  const test::PlantedKernel kernel;
  save(kernel, 1);
  kernel.plant(0, 1);
  const CheckCase one = checked(kernel);
  CHECK(one.verdict == CheckVerdict::slower);
  CHECK((says(one, "store sectors per request") || one.changes.empty())); // counters not permitted
}

TEST_CASE("spilled registers and lost occupancy are told with what they cost") {
  const test::PlantedKernel kernel;
  save(kernel, 64);
  kernel.plant(0, 2);
  const CheckCase spilled = checked(kernel);
  CHECK(spilled.verdict == CheckVerdict::slower);
  CHECK(says(spilled, "spill"));
  kernel.plant(0, 0);
  save(kernel, 1); // arithmetic does not mind: only what waits for memory does
  kernel.plant(0, 3);
  const CheckCase sparse = checked(kernel);
  CHECK(sparse.verdict == CheckVerdict::slower);
  CHECK(says(sparse, "occupancy"));
}

TEST_CASE("a wrong result is wrong, without any reference than the old code") {
  const test::PlantedKernel kernel;
  save(kernel, 1);
  const std::filesystem::path source = kernel.definition().parent_path() / "planted.cu";
  std::ifstream in(source);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  text.replace(text.find("return all;"), 11, "return all + 1;");
  std::ofstream(source) << text;
  CHECK(checked(kernel).verdict == CheckVerdict::wrong);
}

} // namespace check_test
