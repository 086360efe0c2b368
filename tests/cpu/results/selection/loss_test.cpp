// SPDX-License-Identifier: Apache-2.0
// What is lost over many sizes.
#include "gridsmith/results/selection/loss.hpp"
#include "gridsmith/tests/catch.hpp"

#include <vector>

namespace loss_test {

using namespace gridsmith;

TEST_CASE("Figures of losses: mean, worst, share; what is not valid and what is not known apart") {
  const std::vector<Loss> losses = {
      1, 1.04, 1.21, std::numeric_limits<double>::infinity(), std::nullopt, std::nullopt};
  const std::vector<double> weights = {1, 0, 1, 1, 1, 1};
  const LossFigures figures = loss_figures(losses, weights);
  CHECK(figures.geometric_mean == Approx(1.1));
  CHECK(figures.worst == 1.21);
  CHECK(figures.least == 1);
  CHECK(figures.within_5_percent == Approx(2.0 / 3));
  CHECK(figures.sizes == 6);
  CHECK(figures.invalid == 1);
  CHECK(figures.not_measured == 2);
  CHECK(figures.known() == 3);
  CHECK_FALSE(figures.complete());
  CHECK(loss_figures(std::span(losses).first(4), weights).complete());
  CHECK_FALSE(loss_figures(std::span(losses).last(3), weights).complete()); // nothing is known
}

TEST_CASE("a loss is a share of the objective's own value, in its own direction") {
  const Objective& time = objectives().front();
  CHECK(share_lost(time, 1.25) == 0.25);
  CHECK(share_text(time, 1.021) == "2.1 %");
  CHECK(worse_word(time) == "slower");
  const Objective bytes = objective("dram_traffic");
  CHECK(share_lost(bytes, 1.25) == 0.25);
  CHECK(worse_word(bytes) == "more");
  CHECK(share_text(bytes, 5 / 1e-9) == "over a million times"); // of nothing
  OwnMetrics own;
  own.counters = {{"hits", "lts__hits.sum"}};
  own.metrics = {{"most", "", "", Better::higher, {"hits"}, ""}};
  const Objective hits = objective("most", own);
  CHECK(share_lost(hits, 1.25) == Approx(0.2)); // 80 of 100
  CHECK(share_text(hits, 1.25) == "20.0 %");
  CHECK(worse_word(hits) == "less");
}

} // namespace loss_test
