// SPDX-License-Identifier: Apache-2.0
// What a kernel was tuned by, in the old and the new code.
#include "gridsmith/results/check/guarded_objective.hpp"
#include "gridsmith/tests/catch.hpp"

namespace guarded_objective_test {

using namespace gridsmith;

TEST_CASE("an objective is worse in its own direction, by more than the least effect") {
  const Objective bytes = objective("dram_traffic");
  const GuardedObjective more = guarded(bytes, 1000, 1200, 0.02);
  CHECK(more.worse);
  CHECK(more.share_lost == 0.2);
  CHECK(to_text(more) == "tuned by dram_traffic: 1000 bytes before, 1200 now, 20.0 % worse");
  CHECK_FALSE(guarded(bytes, 1000, 1019, 0.02).worse);
  CHECK(to_text(guarded(bytes, 1000, 900, 0.02)) ==
        "tuned by dram_traffic: 1000 bytes before, 900 now, 10.0 % better");
  CHECK(to_text(guarded(bytes, 1000, 1000, 0.02)) ==
        "tuned by dram_traffic: 1000 bytes before, 1000 now");

  OwnMetrics own;
  own.counters = {{"hits", "lts__hits.sum"}};
  own.metrics = {{"most", "", "", Better::higher, {"hits"}, ""}};
  const Objective hits = objective("most", own);
  CHECK(guarded(hits, 100, 90, 0.02).worse);
  CHECK(to_text(guarded(hits, 100, 90, 0.02)) == "tuned by most: 100 before, 90 now, 10.0 % worse");
  CHECK_FALSE(guarded(hits, 100, 110, 0.02).worse);
}

TEST_CASE("of nothing there is no share, and what is not known is not judged") {
  const Objective bytes = objective("dram_traffic");
  CHECK(guarded(bytes, 0, 5, 0.02).worse);
  CHECK(to_text(guarded(bytes, 0, 5, 0.02)) ==
        "tuned by dram_traffic: 0 bytes before, 5 now, worse");
  CHECK_FALSE(guarded(bytes, 0, 0, 0.02).worse);
  const GuardedObjective unknown = guarded(bytes, {}, 5, 0.02, "no permission");
  CHECK_FALSE(unknown.worse);
  CHECK(to_text(unknown) == "tuned by dram_traffic, which is not judged: no permission");
}

} // namespace guarded_objective_test
