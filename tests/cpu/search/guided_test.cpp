// SPDX-License-Identifier: Apache-2.0
// Counter-guided search and transfer priors: what the model must learn, what the strategies must
// keep to beyond the common rules (strategies_test).
#include "gridsmith/search/models/candidates.hpp"
#include "gridsmith/search/models/counter_model.hpp"
#include "gridsmith/search/models/gaussian_process.hpp"
#include "gridsmith/search/space/neighbours.hpp"
#include "gridsmith/search/strategies/model_based/bayesian.hpp"
#include "gridsmith/search/strategies/model_based/transfer_prior.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace guided_test {

using namespace gridsmith;

namespace {

constexpr const char* memory_unit = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* math_unit = "smsp__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active";
constexpr const char* warps = "sm__warps_active.avg.pct_of_peak_sustained_active";

Parameter powers(const std::string& name, int count) {
  Parameter parameter{name, {}};
  for (int i = 0; i < count; ++i)
    parameter.values.emplace_back(std::int64_t{1} << i);
  return parameter;
}

SearchSpace a_space() {
  return SearchSpace::build({powers("p", 8), powers("q", 8), powers("r", 4)});
}

/// Two units, one with work that falls with p and rises with q, one with work that rises with p;
/// cost is their sum, hidden latency aside. The least cost is at p = 8, q = 1, r = 8.
Observation answer(const SearchSpace& space, ConfigurationId id, bool counters = true) {
  const auto at = positions_of(space, id);
  const double p = std::exp2(at[0]), q = std::exp2(at[1]), r = std::exp2(at[2]);
  const double memory = 64 / p * q, math = p * std::sqrt(q), occupancy = 0.25 * std::sqrt(r / 2);
  const double cost = memory + math + 0.5 * math / occupancy;
  Observation out{id, cost};
  if (counters)
    out.facts = {{memory_unit, 100 * memory / cost},
                 {math_unit, 100 * math / cost},
                 {warps, 100 * occupancy},
                 {"gpu__time_duration.sum", cost * 1e6}};
  return out;
}

std::vector<ConfigurationId> run(Strategy& strategy, std::size_t evaluations,
                                 const std::function<Observation(ConfigurationId)>& evaluate) {
  std::vector<ConfigurationId> asked;
  while (asked.size() < evaluations) {
    const auto ids = strategy.ask(1);
    if (ids.empty())
      break;
    std::vector<Observation> answers;
    for (const ConfigurationId id : ids) {
      asked.push_back(id);
      answers.push_back(evaluate(id));
    }
    strategy.tell(answers);
  }
  return asked;
}

double best_cost(const SearchSpace& space) {
  double best = 1e300;
  for (ConfigurationId id = 0; id < space.size(); ++id)
    best = std::min(best, *answer(space, id).cost);
  return best;
}

/// A counter model with the process that foretells its outputs, as the Bayesian strategy has them.
struct Learned {
  Learned(const SearchSpace& space, std::size_t count, bool some_uncounted)
      : describer(space, {}, false), process(describer.belief()) {
    Random random(3);
    const std::vector<ConfigurationId> ids = space.sample(count, random);
    std::vector<CounterModel::Reading> readings;
    for (const ConfigurationId id : ids) {
      readings.push_back(model.read(answer(space, id).facts));
      process.observe(describer.row(id));
    }
    std::vector<CounterModel::Row> rows;
    rows.reserve(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
      rows.push_back({std::log(*answer(space, ids[i]).cost),
                      some_uncounted && i % 3 == 0 ? nullptr : &readings[i]});
    const auto foretell = [&](const auto& known, const auto& targets, const auto& unknown) {
      return process.foretell(known, targets, unknown);
    };
    std::vector<Eigen::Index> all(count);
    std::iota(all.begin(), all.end(), Eigen::Index{0});
    for (int round = 0; round < 2; ++round) {
      process.set_targets(model.learn(rows, foretell), 0);
      process.fit(all);
    }
    std::vector<ConfigurationId> every(space.size());
    std::iota(every.begin(), every.end(), ConfigurationId{0});
    process.set_candidates(describer.rows(every));
    process.set_targets(model.learn(rows, foretell), 0);
  }

  CostOutlook outlook(const std::vector<std::optional<double>>& occupancies) const {
    return model.outlook(process.mean(), process.variance(), process.scale(), occupancies);
  }

  Describer describer;
  GaussianProcess process;
  CounterModel model;
};

std::unique_ptr<Strategy> make_guided(const SearchProblem& problem) {
  return make_bayesian_with(problem, {.counters = true});
}

} // namespace

TEST_CASE("counters are told apart by NVIDIA's naming scheme") {
  CHECK(kind_of_counter(memory_unit) == CounterRole::busy);
  CHECK(kind_of_counter(math_unit) == CounterRole::busy);
  CHECK(kind_of_counter(warps) == CounterRole::occupancy);
  CHECK(kind_of_counter("lts__t_sectors_op_read.sum") == CounterRole::amount);
  CHECK(kind_of_counter("gpu__time_duration.sum") == CounterRole::none);
  CHECK(kind_of_counter("sm__cycles_active.avg") == CounterRole::none);
  CHECK(kind_of_counter("smsp__cycles_active.avg.pct_of_peak_sustained_elapsed") ==
        CounterRole::none);
  CHECK(kind_of_counter("smsp__thread_inst_executed_per_inst_executed.ratio") == CounterRole::none);
  CHECK(kind_of_counter("registers") == CounterRole::none);
}

TEST_CASE("occupancy is the measured one, else the predicted one, else nothing") {
  CHECK(occupancy_percent({{warps, 40.0}, {"occupancy", 0.9}}).value() == Approx(40));
  CHECK(occupancy_percent({{"occupancy", 0.5}}).value() == Approx(50));
  CHECK_FALSE(occupancy_percent({{"registers", 32.0}}));
}

TEST_CASE("what cannot be launched is what is predicted to have no occupancy") {
  CHECK(cannot_launch({{"occupancy", 0.0}}));
  CHECK_FALSE(cannot_launch({{"occupancy", 0.1}}));
  CHECK_FALSE(cannot_launch({{warps, 0.0}}));
}

TEST_CASE("the counter model learns cost from two dozen of 256 configurations") {
  const SearchSpace space = a_space();
  for (const bool some_uncounted : {false, true}) {
    const Learned learned(space, 24, some_uncounted);
    CHECK(learned.model.units() == 2);
    const CostOutlook outlook = learned.outlook({});
    double error = 0;
    for (ConfigurationId id = 0; id < space.size(); ++id) {
      const auto at = static_cast<Eigen::Index>(id);
      error += std::abs(outlook.mean[at] - std::log(*answer(space, id).cost)) / 256;
      // Between a hundredth of a percent and a factor of e: it knows that it does not know.
      CHECK(outlook.deviation[at] > 1e-4);
      CHECK(outlook.deviation[at] < 1);
    }
    CHECK(error < 0.1);
  }
}

TEST_CASE("an occupancy known beforehand moves the cost the way that it should") {
  const SearchSpace space = a_space();
  const Learned learned(space, 32, false);
  const CostOutlook high = learned.outlook(std::vector<std::optional<double>>(256, 90.0));
  const CostOutlook low = learned.outlook(std::vector<std::optional<double>>(256, 9.0));
  CHECK((low.mean > high.mean).all());
}

TEST_CASE("the model needs counters, in a third of the observations") {
  CounterModel model;
  const auto with = model.read({{memory_unit, 50.0}}), without = model.read({{"registers", 32.0}});
  std::vector<CounterModel::Row> rows(20, {0, nullptr});
  rows.resize(24, {0, &without});
  CHECK_FALSE(CounterModel::usable(rows));
  rows.resize(35, {0, &with});
  CHECK_FALSE(CounterModel::usable(rows));
  rows.resize(36, {0, &with});
  CHECK(CounterModel::usable(rows));
  CHECK_FALSE(CounterModel::usable({{0, &with}, {0, &with}, {0, &with}}));
}

TEST_CASE("counter-guided search finds the best of 256 within 30 evaluations",
          "[.][needs:optimised-build]") {
  const SearchSpace space = a_space();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SearchProblem problem{space, seed, 30};
    const auto strategy = make_guided(problem);
    const auto asked = run(*strategy, 30, [&](ConfigurationId id) { return answer(space, id); });
    double best = 1e300;
    for (const ConfigurationId id : asked)
      best = std::min(best, *answer(space, id).cost);
    CHECK(best <= best_cost(space) * 1.01);
  }
}

TEST_CASE("without counters the counter-guided strategy is the default") {
  const SearchSpace space = a_space();
  const SearchProblem problem{space, 11, 60};
  const auto guided = make_strategy("counter_guided", problem);
  const auto alone = make_strategy("default", problem);
  const auto evaluate = [&](ConfigurationId id) { return answer(space, id, false); };
  CHECK(run(*guided, 60, evaluate) == run(*alone, 60, evaluate));
}

TEST_CASE("what foresight says cannot be launched is not asked while there is a choice") {
  const SearchSpace space = a_space();
  SearchProblem problem{space, 2, 40};
  std::size_t consulted = 0;
  problem.foresight = [&](ConfigurationId id) {
    ++consulted;
    return std::map<std::string, double>{{"occupancy", id % 2 == 0 ? 0.5 : 0.0}};
  };
  const auto strategy = make_guided(problem);
  const auto asked = run(*strategy, 40, [&](ConfigurationId id) { return answer(space, id); });
  const auto odd =
      std::count_if(asked.begin() + 8, asked.end(), [](ConfigurationId id) { return id % 2 == 1; });
  CHECK(consulted > 0);
  CHECK(odd <= 3); // six are looked at: seldom none of them can be launched
}

namespace {

std::vector<Observation> prior_of(const SearchSpace& space, double sign, double scale) {
  std::vector<Observation> prior;
  prior.reserve(space.size());
  for (ConfigurationId id = 0; id < space.size(); ++id)
    prior.push_back({id, scale * std::pow(*answer(space, id).cost, sign)});
  return prior;
}

} // namespace

TEST_CASE("a prior's best is asked first, on whatever scale its costs are") {
  const SearchSpace space = a_space();
  SearchProblem problem{space, 4, 20};
  problem.transfer_prior = prior_of(space, 1, 1e-3);
  const auto strategy = with_transfer_prior(problem, strategy_entry("random").make);
  const auto asked = run(*strategy, 10, [&](ConfigurationId id) { return answer(space, id); });
  CHECK(*answer(space, asked.front()).cost == Approx(best_cost(space)));
}

namespace {

/// Asks everything in turn and notes how often it heard of each.
class Listener final : public Strategy {
public:
  Listener(const SearchSpace& space, std::map<ConfigurationId, int>& heard)
      : size_(space.size()), heard_(heard) {}

  std::vector<ConfigurationId> ask(std::size_t count) override {
    std::vector<ConfigurationId> out;
    while (out.size() < count && next_ < size_)
      out.push_back(next_++);
    return out;
  }

  void tell(std::span<const Observation> observations) override {
    for (const Observation& one : observations) {
      CHECK(one.id < next_);
      ++heard_[one.id];
    }
  }

  void withdraw(ConfigurationId) override {}

private:
  ConfigurationId size_, next_ = 0;
  std::map<ConfigurationId, int>& heard_;
};

} // namespace

TEST_CASE("a prior that says the opposite takes few turns") {
  const SearchSpace space = a_space();
  SearchProblem problem{space, 4, 100};
  problem.transfer_prior = prior_of(space, -1, 1);
  std::map<ConfigurationId, int> heard;
  const auto strategy = with_transfer_prior(
      problem, [&](const SearchProblem&) { return std::make_unique<Listener>(space, heard); });
  run(*strategy, 100, [&](ConfigurationId id) { return answer(space, id); });
  CHECK(heard.size() >= 85);
}

TEST_CASE("a strategy beside a prior hears of all it asked, of each once, and of nothing else") {
  const SearchSpace space = a_space();
  SearchProblem problem{space, 9};
  problem.transfer_prior = prior_of(space, 1, 1);
  std::map<ConfigurationId, int> heard;
  const auto strategy = with_transfer_prior(problem, [&](const SearchProblem& inner) {
    CHECK(inner.transfer_prior.empty());
    return std::make_unique<Listener>(space, heard);
  });
  const auto asked = run(*strategy, 200, [&](ConfigurationId id) { return answer(space, id); });
  CHECK(heard.size() > 150);
  CHECK(heard.size() == heard.rbegin()->first + 1);
  CHECK(std::all_of(heard.begin(), heard.end(), [](const auto& e) { return e.second == 1; }));
}

TEST_CASE("seeds come before the prior, and nothing is asked twice") {
  const SearchSpace space = a_space();
  SearchProblem problem{space, 9};
  problem.seeds = {5, 7};
  problem.transfer_prior = prior_of(space, 1, 1);
  const auto strategy = with_transfer_prior(problem, strategy_entry("genetic").make);
  const auto asked = run(*strategy, 1000, [&](ConfigurationId id) { return answer(space, id); });
  CHECK(asked.size() == space.size());
  CHECK(std::set<ConfigurationId>(asked.begin(), asked.end()).size() == asked.size());
  CHECK(asked[0] == 5);
  CHECK(asked[1] == 7);
}

TEST_CASE("a prior without a valid observation is none") {
  const SearchSpace space = a_space();
  SearchProblem problem{space, 6, 30};
  problem.transfer_prior = {{3}, {4, std::nan("")}, {99999, 1.0}};
  const auto with = with_transfer_prior(problem, strategy_entry("random").make);
  const auto without = make_strategy("random", problem);
  const auto evaluate = [&](ConfigurationId id) { return answer(space, id); };
  CHECK(run(*with, 30, evaluate) == run(*without, 30, evaluate));
}

} // namespace guided_test
