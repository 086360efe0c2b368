// SPDX-License-Identifier: Apache-2.0
// Two runs under a profiler against each other: which launches answer which, and what is said where
// none does.
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/check/profile_check.hpp"
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/tests/catch.hpp"

#include <fmt/format.h>

#include <utility>

namespace profile_check_test {

using namespace gridsmith;

namespace {

struct Launch {
  std::string kernel = "scale(float *, int)";
  double us = 100;
  int blocks = 64;
  std::string device = "H200";
};

/// As `ncu --csv --page raw` writes them.
std::vector<Recording> recorded(const std::vector<Launch>& launches) {
  std::string text =
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\","
      "\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
      "\"device__attribute_display_name\",\"gpu__time_duration.sum\","
      "\"smsp__inst_executed.sum\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"us\",\"inst\"\n";
  int id = 0;
  for (const Launch& one : launches)
    text +=
        fmt::format("\"{}\",\"1\",\"app\",\"host\",\"{}\",\"1\",\"7\",\"(256, 1, 1)\",\"({}, 1, "
                    "1)\",\"0\",\"9.0\",\"{}\",\"{}\",\"{}\"\n",
                    id++, one.kernel, one.blocks, one.device, one.us, 1000 * one.blocks);
  return recordings_of(read_profile(text, "test.csv"));
}

CheckResult compared(const std::vector<Launch>& before, const std::vector<Launch>& now) {
  const std::vector<Recording> a = recorded(before), b = recorded(now);
  return profile_check({"old.csv", a}, {"new.csv", b}, {});
}

std::vector<Launch> times(const std::vector<double>& us) {
  std::vector<Launch> launches;
  for (const double one : us)
    launches.push_back({.us = one});
  return launches;
}

} // namespace

TEST_CASE("launches of the same number are compared, and it is said that this is weaker") {
  const CheckResult same = compared(times({100, 101, 99}), times({101, 100, 100}));
  REQUIRE(same.cases.size() == 1);
  CHECK(same.cases[0].verdict == CheckVerdict::same);
  CHECK(same.cases[0].kernel == "scale");
  CHECK(same.cases[0].where == "H200");
  CHECK(same.cases[0].weaker);
  CHECK(same.gate() == Gate::green);
  CHECK(same.how == "times of two sessions, so only 10 % counts: old.csv, then new.csv");
  REQUIRE(same.cases[0].time);
  CHECK(same.cases[0].time->pairs == 3);
  CHECK(same.cases[0].time->old_ms == Approx(0.1));

  // One kernel on small and large data by turns: its median says nothing, its pairs do.
  const CheckResult slower = compared(times({10, 1000, 10, 1000}), times({15, 1500, 15, 1500}));
  CHECK(slower.cases[0].verdict == CheckVerdict::slower);
  CHECK(slower.cases[0].time->ratio == Approx(1.5));
  CHECK(slower.gate() == Gate::red);
  CHECK(compared(times({15, 15}), times({10, 10})).cases[0].verdict == CheckVerdict::faster);
}

TEST_CASE("an astonishing change is a question, never a green light") {
  const CheckResult faster = compared(times({235, 235}), times({0.125, 0.125}));
  CHECK(faster.cases[0].verdict == CheckVerdict::incomparable);
  CHECK_THAT(faster.cases[0].reason,
             contains_text("1880 times faster: are unit, problem size and work the same?"));
  CHECK(faster.gate() == Gate::incomplete);
  const CheckResult slower = compared(times({10, 10}), times({150, 150}));
  CHECK(slower.gate() == Gate::red);
  CHECK_THAT(slower.cases[0].reason, contains_text("15 times slower"));
  CHECK(compared(times({90, 90}), times({10, 10})).gate() == Gate::green);
}

TEST_CASE("shapes are told apart, and so are template arguments") {
  const CheckResult result = compared({{.blocks = 64}, {.us = 50, .blocks = 32}},
                                      {{.us = 50, .blocks = 32}, {.blocks = 64}});
  REQUIRE(result.cases.size() == 2);
  CHECK(result.gate() == Gate::green);
  const CheckResult other = compared({{.kernel = "void scale<(int)4>(float *)"}},
                                     {{.kernel = "void scale<(int)8>(float *)"}});
  CHECK(other.cases.at(0).verdict == CheckVerdict::incomparable);
}

TEST_CASE("what cannot be compared says so in one line") {
  const auto reason = [](const std::vector<Launch>& before, const std::vector<Launch>& now) {
    const CheckResult result = compared(before, now);
    CHECK(result.gate() == Gate::incomplete);
    return result.cases.at(0).reason;
  };
  CHECK(reason(times({100, 100}), times({100})) ==
        "2 launches before, 1 launch now: they are not the same run");
  CHECK(reason({{}}, {{.device = "H100"}}) == "launched on H200 before, on H100 now");
  CHECK_THAT(reason({{}}, {{.blocks = 65}}), contains_text("launched as GRID=65x1x1"));
  CHECK(reason({{}, {.kernel = "other()"}}, {{.kernel = "other()"}}) ==
        "new.csv has no launch of it");
  CHECK_THROWS_WITH(compared({{}}, {{.kernel = "other()"}}),
                    "no kernel is in both: old.csv has scale; new.csv has other");
  const CheckResult more = compared({{}}, {{}, {.kernel = "other()"}});
  CHECK(more.notes == std::vector<std::string>{"not in old.csv: other"});
}

TEST_CASE("a counter that is exact explains") {
  std::vector<Recording> before = recorded({{}}), now = recorded({{}});
  now[0].measurements[0].counters["smsp__inst_executed.sum"] *= 2;
  const CheckResult result = profile_check({"old.csv", before}, {"new.csv", now}, {});
  REQUIRE(result.cases[0].changes.size() == 1);
  CHECK_THAT(result.cases[0].changes[0], contains_text("64000 → 128000"));
  CHECK(result.cases[0].verdict == CheckVerdict::same);
  CHECK(profile_check({"old.csv", before}, {"new.csv", now}, {.exact_counters = true})
            .cases[0]
            .verdict == CheckVerdict::changed);

  // What is better is listed, and does not fail.
  CHECK(profile_check({"old.csv", now}, {"new.csv", before}, {.exact_counters = true})
            .cases[0]
            .verdict == CheckVerdict::same);

  before[0].measurements[0].times_ms.clear();
  CHECK_THAT(profile_check({"old.csv", before}, {"new.csv", now}, {}).cases[0].reason,
             contains_text("no times before"));
  now[0].measurements[0].times_ms.clear();
  CHECK(profile_check({"old.csv", before}, {"new.csv", now}, {}).cases[0].verdict ==
        CheckVerdict::changed);
  CHECK(profile_check({"old.csv", now}, {"new.csv", now}, {}).cases[0].verdict ==
        CheckVerdict::same);
}

TEST_CASE("without times counters are judged: worse, better, only scattered, none in common") {
  const auto judged = [](const CounterValues& was, const CounterValues& is) {
    std::vector<Recording> before = recorded({{}}), now = recorded({{}});
    for (auto [run, counters] : {std::pair(&before, &was), std::pair(&now, &is)}) {
      (*run)[0].measurements[0].times_ms.clear();
      (*run)[0].measurements[0].counters = *counters;
    }
    const CheckResult result = profile_check({"old.csv", before}, {"new.csv", now}, {});
    CHECK(result.how.starts_with(result.cases.at(0).verdict == CheckVerdict::incomparable
                                     ? "times of two sessions, so only 10 % counts: old.csv"
                                     : "counters of two sessions: old.csv, then new.csv"));
    return result.cases.at(0);
  };
  const std::string instructions = "smsp__inst_executed.sum", bytes = "dram__bytes_read.sum";
  CHECK(judged({{instructions, 1000}}, {{instructions, 2000}}).verdict == CheckVerdict::changed);
  const CheckCase better = judged({{instructions, 2000}}, {{instructions, 1000}});
  CHECK(better.verdict == CheckVerdict::different);
  CHECK(better.changes == std::vector<std::string>{"instructions 2000 → 1000"});
  const CheckCase scattered =
      judged({{instructions, 1000}, {bytes, 50e6}}, {{instructions, 1000}, {bytes, 150e6}});
  CHECK(scattered.verdict == CheckVerdict::undecided);
  CHECK(scattered.reason == "there are no times, and counters that are not exact differ");
  CHECK(judged({{bytes, 50e6}}, {{bytes, 51e6}}).verdict == CheckVerdict::same);
  const CheckCase apart = judged({{bytes, 50e6}}, {{instructions, 1000}});
  CHECK(apart.verdict == CheckVerdict::incomparable);
  CHECK_THAT(apart.reason, contains_text("no counter that is known is in both"));
}

TEST_CASE("one figure a side has no interval") {
  const auto judged = [](double us) { return compared(times({100}), times({us})).cases.at(0); };
  CHECK(judged(101).verdict == CheckVerdict::same);
  const CheckCase between = judged(109.4);
  CHECK(between.verdict == CheckVerdict::undecided);
  CHECK(between.reason == "+9.4 %, one figure a side");
  CHECK(judged(94).verdict == CheckVerdict::undecided);
  CHECK(judged(120).verdict == CheckVerdict::slower);
  CHECK(judged(80).verdict == CheckVerdict::faster);
}

TEST_CASE("kernels that are named are kept, of either run") {
  std::vector<Recording> before = recorded({{}, {.kernel = "other()"}}), now = before;
  keep_named({}, before, now);
  CHECK(before.size() == 2);
  CHECK_THROWS_WITH(keep_named({"nope"}, before, now),
                    "unknown kernel of the profiles 'nope' (valid: other, scale)");
  keep_named({"scale"}, before, now);
  REQUIRE(before.size() == 1);
  REQUIRE(now.size() == 1);
  CHECK(now[0].kernel == "scale");
}

TEST_CASE("a baseline's times against a run") {
  BaselineEntry entry;
  entry.kernel = "scaling";
  entry.problem = "16384";
  entry.compute_capability = 90;
  entry.geometry.grid[0] = 64;
  entry.geometry.block[0] = 256;
  entry.time.emplace();
  entry.time->median_ms = 0.1;
  entry.time->low_ms = 0.099;
  entry.time->high_ms = 0.101;
  entry.time->device = "H200";
  const auto against = [&](const std::vector<Launch>& launches) {
    const std::vector<Recording> run = recorded(launches);
    return profile_check({{entry}}, {"new.csv", run}, {},
                         [](const BaselineEntry&) { return std::string("scale"); });
  };
  const CheckResult same = against(times({100, 100, 101}));
  REQUIRE(same.cases.size() == 1);
  CHECK(same.cases[0].verdict == CheckVerdict::same);
  CHECK(same.cases[0].kernel == "scaling");
  CHECK(same.cases[0].problem == "16384");
  CHECK(against(times({150, 150, 151})).cases[0].verdict == CheckVerdict::slower);
  CHECK(against({{.blocks = 65}}).cases[0].reason == "no launch on H200 has its geometry");
  entry.geometry = {};
  CHECK(against({{.blocks = 65}}).cases[0].reason ==
        "it is not known with which geometry it was launched before");
  CHECK_THROWS_WITH(
      against({{.kernel = "other()"}}),
      contains_text("none of the baseline's kernels with a time (scale) was launched"));
}

} // namespace profile_check_test
