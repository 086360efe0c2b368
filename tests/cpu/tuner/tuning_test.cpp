// SPDX-License-Identifier: Apache-2.0
// Several jobs in one loop, on a GPU and compilers that do not exist and a clock that does not run: what is asked of
// which job, how long all of it takes against what the machine allows, and that one that fails is no end of the others.
#include "gridsmith/search/campaign/campaigns.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/made_up_gpu.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"

#include <cmath>
#include <deque>
#include <memory>
#include <set>
#include <vector>

namespace tuning_test {

using namespace gridsmith;

namespace {

/// Sixteen by sixteen configurations.
SearchSpace plain_space() {
  std::vector<Parameter> parameters;
  for (const char* name : {"A", "B"}) {
    parameters.push_back({name, {}});
    for (std::int64_t value = 0; value < 16; ++value)
      parameters.back().values.emplace_back(value);
  }
  std::vector<std::vector<Position>> rows;
  for (Position a = 0; a < 16; ++a)
    for (Position b = 0; b < 16; ++b)
      rows.push_back({a, b});
  return SearchSpace::from_rows(std::move(parameters), std::move(rows));
}

double value_of(const Configuration& configuration, std::size_t parameter) {
  return static_cast<double>(std::get<std::int64_t>(configuration[parameter].second));
}

/// Sizes of a kernel on one board, with compilers that take one to three seconds for each configuration, whatever the
/// size is.
struct Bench {
  Bench(std::size_t sizes, std::size_t count) {
    compilers = std::make_shared<test::MadeUpCompilers>(count, [](const Configuration& one) {
      return 1000 + 125 * std::fmod(5 * value_of(one, 0) + 3 * value_of(one, 1), 16);
    });
    for (std::size_t i = 0; i < sizes; ++i) {
      const auto ms = [i](const Configuration& one) {
        const double a = value_of(one, 0) - 5, b = value_of(one, 1) - static_cast<double>(i);
        return 0.02 * std::exp(0.03 * a * a + 0.02 * b * b);
      };
      gpus.push_back(std::make_unique<test::MadeUpGpu>(
          world, compilers, ms, test::MadeUpGpuFacts{.overhead_ms = 5, .seed = i}, board));
    }
    settings.clock = &world;
    settings.wait = [this](std::chrono::milliseconds) {
      std::vector<const test::MadeUpGpu*> all;
      for (std::size_t i = 0; i < gpus.size(); ++i)
        if (!lost.contains(i)) // nobody waits for its answers
          all.push_back(gpus[i].get());
      test::pass_time(world, all);
    };
  }

  std::vector<Job> jobs() {
    std::vector<Job> list;
    list.reserve(gpus.size());
    for (std::size_t i = 0; i < gpus.size(); ++i)
      list.push_back({space, [this, i] {
                        opened.push_back(i);
                        return OpenJob{*gpus[i], keeping};
                      }});
    return list;
  }

  std::vector<CampaignProblem> problems() const {
    std::vector<CampaignProblem> list;
    list.reserve(gpus.size());
    for (std::size_t i = 0; i < gpus.size(); ++i)
      list.push_back({.space = &space, .extents = {std::int64_t{64} << i}, .seeds = {3}});
    return list;
  }

  const SearchSpace space = plain_space();
  test::MadeUpWorld world;
  std::shared_ptr<test::MadeUpCompilers> compilers;
  std::shared_ptr<double> board = std::make_shared<double>(0);
  std::vector<std::unique_ptr<test::MadeUpGpu>> gpus;
  std::vector<std::size_t> opened;
  std::set<std::size_t> lost;
  TuningSettings settings;
  RecordKeeping keeping{.find = [](const Configuration&) { return std::nullopt; },
                        .add = [](std::span<const Measurement>) {}};
};

constexpr std::uint64_t all_of_it = ~std::uint64_t{0};

/// Of one campaign of all sizes, cold: how many times as long as the compilers alone would take for what they compiled,
/// and the loss of the chosen ones, as a geometric mean.
struct Course {
  double over_limit, loss;
};

Course course(Bench& bench, std::size_t compilers, bool repeatable) {
  CampaignPlan plan(bench.problems(), {});
  bench.settings.repeatable = repeatable;
  Tuning tuning(bench.jobs(), bench.settings, {}, {});
  CHECK(tuning.search(plan, all_of_it, std::nullopt) == Ended::finished);
  CHECK(tuning.finals() == Ended::finished);
  double log_loss = 0;
  for (std::size_t i = 0; i < bench.gpus.size(); ++i) {
    const TuningResult& result = tuning.result(i);
    REQUIRE_FALSE(result.finals.empty());
    std::set<std::string> once;
    double best = INFINITY;
    for (const Measurement& one : result.measurements) {
      CHECK(once.insert(to_text(one.configuration)).second);
      best = std::min(best, one.times_ms.front());
    }
    log_loss +=
        std::log(best / 0.02) / static_cast<double>(bench.gpus.size()); // the best takes 0.02 ms
  }
  const double limit_ms = bench.compilers->busy_ms() / static_cast<double>(compilers);
  return {1000 * tuning.seconds() / limit_ms, std::exp(log_loss) - 1};
}

} // namespace

TEST_CASE("twelve sizes, cold, take little longer than their compilations") {
  constexpr std::size_t compilers = 16;
  Bench at_once(12, compilers), in_rounds(12, compilers);
  const Course free = course(at_once, compilers, false),
               rounds = course(in_rounds, compilers, true);
  CHECK(at_once.opened.size() == 12);
  UNSCOPED_INFO(at_once.compilers->compilations() << " compilations");
  CHECK(free.over_limit < 1.5);
  CHECK(free.loss < 0.01);
  CHECK(rounds.loss < 0.01);
}

TEST_CASE("a job that cannot be opened, or whose GPU is lost, is no end of the others") {
  for (const bool while_at_work : {false, true}) {
    Bench bench(3, 4);
    std::vector<std::size_t> failed;
    std::vector<CampaignPlan*> plans;
    std::deque<CampaignPlan> kernels; // one for each size
    for (const CampaignProblem& one : bench.problems())
      plans.push_back(&kernels.emplace_back(std::vector{one}, CampaignSettings{}));
    Campaigns strategy(plans, {.compilers = 4});
    bench.settings.failed = [&](std::size_t job, const Error& error) {
      CHECK(std::string(error.what()) == "it fell off the bus");
      failed.push_back(job);
      strategy.drop(job);
      bench.lost.insert(job);
    };
    std::vector<Job> jobs = bench.jobs();
    std::vector<Job> with_faults;
    with_faults.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i)
      with_faults.push_back({bench.space, [&, i]() -> OpenJob {
                               if (i != 1)
                                 return jobs[i].open();
                               if (!while_at_work)
                                 throw WorkerRefused("it fell off the bus", false);
                               bench.gpus[1] = std::make_unique<test::MadeUpGpu>(
                                   bench.world, bench.compilers,
                                   [](const Configuration&) { return 1.0; },
                                   test::MadeUpGpuFacts{.lost_after = 3}, bench.board);
                               return jobs[1].open();
                             }});
    Tuning tuning(with_faults, bench.settings, {}, {});
    CHECK(tuning.search(strategy, all_of_it, std::nullopt) == Ended::finished);
    CHECK(tuning.finals() == Ended::finished);
    CHECK(failed == std::vector<std::size_t>{1});
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
      CHECK(tuning.result(i).measurements.size() > 5);
      CHECK_FALSE(tuning.result(i).finals.empty());
    }
    CHECK(tuning.result(1).measurements.size() == (while_at_work ? 3 : 0));
    CHECK(tuning.result(1).finals.empty());
    bench.settings.failed = {};
  }
}

TEST_CASE("without a listener for failures, the error of one job is thrown") {
  Bench bench(2, 4);
  std::vector<Job> jobs = bench.jobs();
  const std::vector<Job> with_faults{
      jobs[0], {bench.space, []() -> OpenJob { throw WorkerRefused("no", false); }}};
  CampaignPlan plan(bench.problems(), {});
  Tuning tuning(with_faults, bench.settings, {}, {});
  CHECK_THROWS_AS(tuning.search(plan, all_of_it, std::nullopt), WorkerRefused);
}

TEST_CASE("progress names the job of each measurement, and counts those of all jobs") {
  Bench bench(3, 4);
  CampaignPlan plan(bench.problems(), {.evaluations = 20});
  bench.settings.budget.evaluations = 20;
  std::vector<std::size_t> told(3);
  std::uint64_t last = 0;
  const ProgressSink hear = [&](const Progress& progress) {
    CHECK(progress.done >= last);
    CHECK(progress.total == 20);
    last = progress.done;
    if (!progress.told.empty())
      told.at(progress.subject.value()) += progress.told.size();
  };
  Tuning tuning(bench.jobs(), bench.settings, hear, {});
  tuning.search(plan, 20, std::nullopt);
  CHECK(last == 20);
  CHECK(tuning.measured() == 20);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(told[i] == tuning.result(i).measurements.size());
}

} // namespace tuning_test
