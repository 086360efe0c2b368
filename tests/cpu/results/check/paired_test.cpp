// SPDX-License-Identifier: Apache-2.0
// What pairs say: the signed-rank arithmetic against every sign there is, and whole checks on simulated
// GPUs, unchanged and with slow-downs planted.
#include "gridsmith/results/check/pair_plan.hpp"
#include "gridsmith/results/check/signed_rank.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/check/simulated_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace paired_test {

using namespace gridsmith;

namespace {

constexpr std::size_t kernels_of_a_run = 8;

/// Rank sums of all 2^n signs, which chance_above() must know without trying them.
double chance_by_trying(const std::vector<double>& differences) {
  std::vector<std::size_t> order(differences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(differences[a]) < std::abs(differences[b]);
  });
  int found = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    found += differences[order[rank]] > 0 ? static_cast<int>(rank) + 1 : 0;
  int as_high = 0;
  const unsigned all = 1u << differences.size();
  for (unsigned signs = 0; signs < all; ++signs) {
    int sum = 0;
    for (std::size_t rank = 0; rank < differences.size(); ++rank)
      sum += (signs >> rank & 1u) != 0 ? static_cast<int>(rank) + 1 : 0;
    as_high += sum >= found ? 1 : 0;
  }
  return static_cast<double>(as_high) / all;
}

/// Verdicts of the first kernel, and how many runs had a wrong red or faster elsewhere.
struct Tried {
  std::map<CheckVerdict, int> first;
  int false_runs = 0;
};

Tried try_runs(const test::SimulatedKernel& kernel, double effect, int runs) {
  const PairRules rules;
  Tried tried;
  for (int run = 0; run < runs; ++run) {
    std::vector<test::SimulatedKernel> kernels(kernels_of_a_run, kernel);
    kernels.front().effect = effect;
    test::SimulatedGpu gpu(kernels, 1000 + static_cast<std::uint64_t>(run));
    const auto judged = test::judge(gpu, kernels.size(), rules);
    ++tried.first[judged.front()->verdict];
    tried.false_runs += std::any_of(judged.begin() + 1, judged.end(), [](const auto& one) {
      return one->verdict == CheckVerdict::slower || one->verdict == CheckVerdict::faster;
    });
  }
  return tried;
}

std::vector<PairsOfWorker> pairs_of_ratio(double ratio, double spread, std::size_t pairs) {
  std::vector<PairsOfWorker> workers(2);
  for (std::size_t w = 0; w < workers.size(); ++w)
    for (std::size_t i = 0; i < 2 * pairs; ++i) {
      const double wobble = 1 + spread * std::sin(static_cast<double>(7 * i + w));
      workers[w].old_ms.push_back(1);
      workers[w].new_ms.push_back(ratio * wobble);
    }
  return workers;
}

} // namespace

TEST_CASE("the signed-rank chance is that of all signs") {
  const std::vector<double> differences{0.3, -0.1, 0.7, 0.45, -0.2, 0.9, 0.05, 0.6, -0.55, 0.8};
  for (std::size_t count = 1; count <= differences.size(); ++count) {
    const std::vector<double> first(differences.begin(),
                                    differences.begin() + static_cast<std::ptrdiff_t>(count));
    CHECK(chance_above(first, 0) == Approx(chance_by_trying(first)).epsilon(1e-12));
  }
  CHECK(chance_above({}, 0) == 1);
  CHECK(chance_above(std::vector<double>{1, 1, 1}, 1) > 0.5); // equal to the bound: nothing shown
}

TEST_CASE("the interval holds the centre as often as it says") {
  Random random(7);
  int held = 0, wide = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) {
      const double u = unit(random) - 0.5;
      values.push_back(3 + u * u * u); // symmetric, heavy in the middle
    }
    const Centre centre = centre_of(values, 0.05);
    held += centre.low <= 3 && 3 <= centre.high;
    wide += centre.low <= centre.estimate && centre.estimate <= centre.high;
  }
  CHECK(held > 0.94 * trials);
  CHECK(held < 0.98 * trials);
  CHECK(wide == trials);
  CHECK(std::isinf(centre_of(std::vector<double>{1, 2}, 0.01).low)); // too few to say anything
}

TEST_CASE("pairs are whole A B B A, and drift and order cancel out of them") {
  PairsOfWorker worker{{1.0, 1.3, 1.4},
                       {1.1, 1.2, 1.5}}; // times rise by 0.1 a launch: A B B A, A B
  REQUIRE(ratios_of(worker).size() == 1);
  CHECK(ratios_of(worker).front() == Approx(1));
}

TEST_CASE("nothing is called a change on unchanged kernels, however noise hangs together") {
  for (const test::SimulatedKernel& kernel :
       {test::SimulatedKernel{.spread = 0.003}, test::SimulatedKernel{},
        test::SimulatedKernel{.spread = 0.02, .correlation = 0.85},
        test::SimulatedKernel{.spread = 0.03, .correlation = 0.3, .outliers = 0.05},
        test::SimulatedKernel{.drift = 0.3}}) {
    const Tried tried = try_runs(kernel, 0, 25); // 8 kernels each: 1,000 in all
    CHECK(tried.false_runs == 0);
    CHECK(tried.first.count(CheckVerdict::slower) + tried.first.count(CheckVerdict::faster) == 0);
  }
}

TEST_CASE("planted slow-downs of 3, 5 and 10 % are caught, gains too, and 1 % is no change") {
  constexpr int runs = 20;
  for (const double effect : {0.03, 0.05, 0.10}) {
    CHECK(try_runs({}, effect, runs).first[CheckVerdict::slower] == runs);
    CHECK(
        try_runs({.spread = 0.02, .correlation = 0.85}, effect, runs).first[CheckVerdict::slower] ==
        runs);
  }
  CHECK(try_runs({}, -0.05, runs).first[CheckVerdict::faster] == runs);
  CHECK(try_runs({}, 0.01, runs).first[CheckVerdict::same] == runs);
}

TEST_CASE("one process alone turns nothing red") {
  const PairRules rules;
  // The second process, and every later one, sees nothing of what the first saw.
  const auto judged = judge_kernels(
      1,
      [](std::size_t, const PairStep& step, std::vector<PairsOfWorker>& to) {
        if (step.process == to.size())
          to.emplace_back();
        for (int i = 0; i < 2 * step.pairs; ++i) {
          const double wobble = 1 + 0.002 * (i % 3);
          to.back().old_ms.push_back(1);
          to.back().new_ms.push_back(step.process == 0 ? 1.2 * wobble : wobble);
        }
        return true;
      },
      rules);
  REQUIRE(judged.front());
  CHECK(judged.front()->verdict != CheckVerdict::slower);
  CHECK(judged.front()->time.pairs <= rules.most_pairs);
}

TEST_CASE("all kernels run in the first process, then all in the second: they share it") {
  std::vector<std::size_t> processes;
  judge_kernels(
      3,
      [&](std::size_t, const PairStep& step, std::vector<PairsOfWorker>& to) {
        processes.push_back(step.process);
        if (step.process == to.size())
          to.emplace_back();
        for (int i = 0; i < 2 * step.pairs; ++i) {
          to.back().old_ms.push_back(1);
          to.back().new_ms.push_back(1 + 0.0001 * (i % 3));
        }
        return true;
      },
      PairRules{});
  CHECK(std::is_sorted(processes.begin(), processes.end()));
  CHECK(std::count(processes.begin(), processes.end(), std::size_t{0}) >= 3);
  CHECK(std::count(processes.begin(), processes.end(), std::size_t{1}) >= 3);
}

TEST_CASE("the more kernels, the more is asked of each") {
  const PairRules rules;
  const auto kernel = pairs_of_ratio(1.03, 0.02, 4);
  std::vector<std::vector<PairsOfWorker>> many(1, kernel);
  CHECK(judge(many, rules).front().verdict == CheckVerdict::slower);
  many.resize(200, pairs_of_ratio(1, 0.02, 4));
  CHECK(judge(many, rules).front().verdict == CheckVerdict::undecided);
  CHECK(wanted_pairs({}, 200, rules) > wanted_pairs({}, 1, rules) - 1);
}

TEST_CASE("kernels whose pairs cannot be had are left out of the others' judgement") {
  const auto judged = judge_kernels(
      2,
      [](std::size_t kernel, const PairStep& step, std::vector<PairsOfWorker>& to) {
        if (step.process == to.size())
          to.emplace_back();
        to.back().old_ms.insert(to.back().old_ms.end(), 2 * static_cast<std::size_t>(step.pairs),
                                1);
        to.back().new_ms.insert(to.back().new_ms.end(), 2 * static_cast<std::size_t>(step.pairs),
                                1);
        return kernel == 0;
      },
      PairRules{});
  REQUIRE(judged[0]);
  CHECK(judged[0]->verdict == CheckVerdict::same);
  CHECK_FALSE(judged[1]);
}

TEST_CASE("recorded times alone are judged by a wider rule") {
  const PairRules rules;
  const std::vector<double> now(20, 1.06);
  CHECK(judge_times(now, 1, 0.99, 1.01, rules).verdict == CheckVerdict::same); // within 10 %
  CHECK(judge_times(std::vector<double>(20, 1.2), 1, 0.99, 1.01, rules).verdict ==
        CheckVerdict::slower);
  CHECK(judge_times(std::vector<double>(20, 0.8), 1, 0.99, 1.01, rules).verdict ==
        CheckVerdict::faster);
  CHECK(judge_times({}, 1, 0.99, 1.01, rules).verdict == CheckVerdict::undecided);
}

TEST_CASE("rules that cannot be meant are refused") {
  PairRules rules;
  rules.least_effect = 0;
  CHECK_THROWS_AS(check(rules), InputError);
  rules.least_effect = 0.02;
  rules.error = 2;
  CHECK_THROWS_AS(check(rules), InputError);
}

} // namespace paired_test
