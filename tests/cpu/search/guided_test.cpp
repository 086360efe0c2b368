// Counter-guided search and priors: what the model must learn, what the strategies must keep to
// beyond the common rules (test_strategies).
#include "gridsmith/search/strategies/all.hpp"
#include "gridsmith/search/strategies/common.hpp"
#include "gridsmith/search/strategies/counter_guided.hpp"
#include "gridsmith/search/strategies/prior.hpp"
#include "gridsmith/search/models/counter_model.hpp"
#include "gridsmith/search/models/improvement.hpp"
#include "gridsmith/search/models/parameter_scale.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

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
  Observation out{id, true, cost, {}};
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
    best = std::min(best, answer(space, id).cost);
  return best;
}

CounterModel learned(const SearchSpace& space, std::size_t count, Random& random) {
  const ParameterScale scale(space);
  CounterModel model(static_cast<Eigen::Index>(scale.axes()));
  for (const ConfigurationId id : space.sample(count, random)) {
    Eigen::VectorXd point(scale.axes());
    scale.point(id, point.data());
    const Observation one = answer(space, id);
    model.add(point, one.cost, one.facts);
  }
  model.refresh();
  return model;
}

} // namespace

TEST_CASE("counters are told apart by NVIDIA's naming scheme") {
  CHECK(kind_of_counter(memory_unit) == CounterKind::busy);
  CHECK(kind_of_counter(math_unit) == CounterKind::busy);
  CHECK(kind_of_counter(warps) == CounterKind::occupancy);
  CHECK(kind_of_counter("lts__t_sectors_op_read.sum") == CounterKind::amount);
  CHECK(kind_of_counter("gpu__time_duration.sum") == CounterKind::none);
  CHECK(kind_of_counter("sm__cycles_active.avg") == CounterKind::none);
  CHECK(kind_of_counter("smsp__cycles_active.avg.pct_of_peak_sustained_elapsed") ==
        CounterKind::none);
  CHECK(kind_of_counter("smsp__thread_inst_executed_per_inst_executed.ratio") == CounterKind::none);
  CHECK(kind_of_counter("registers") == CounterKind::none);
}

TEST_CASE("occupancy is the measured one, else the predicted one, else nothing") {
  CHECK(occupancy_percent({{warps, 40.0}, {"occupancy", 0.9}}).value() == Approx(40));
  CHECK(occupancy_percent({{"occupancy", 0.5}}).value() == Approx(50));
  CHECK_FALSE(occupancy_percent({{"registers", 32.0}}));
}

TEST_CASE("the counter model learns cost from two dozen of 256 configurations") {
  const SearchSpace space = a_space();
  Random random(3);
  const CounterModel model = learned(space, 24, random);
  const ParameterScale scale(space);
  Eigen::MatrixXd points(static_cast<Eigen::Index>(space.size()),
                         static_cast<Eigen::Index>(scale.axes()));
  Eigen::VectorXd point(scale.axes());
  for (ConfigurationId id = 0; id < space.size(); ++id) {
    scale.point(id, point.data());
    points.row(static_cast<Eigen::Index>(id)) = point;
  }
  const auto correlations = model.correlate(points);
  const CostOutlook outlook = model.estimate(points, correlations, {});
  const CostOutlook glance = model.glance(points, correlations);
  double error = 0;
  for (ConfigurationId id = 0; id < space.size(); ++id) {
    const auto at = static_cast<Eigen::Index>(id);
    error += std::abs(outlook.mean[at] - std::log(answer(space, id).cost)) / 256;
    CHECK(outlook.variance[at] <= glance.variance[at] * (1 + 1e-3) + 1e-6);
    // Between a hundredth of a percent and a factor of e: it knows that it does not know.
    CHECK(outlook.variance[at] > 1e-8);
    CHECK(outlook.variance[at] < 1);
  }
  CHECK(error < 0.1);
}

TEST_CASE("the bottleneck is the unit whose work makes up most of the cost") {
  const SearchSpace space = a_space();
  Random random(5);
  const CounterModel model = learned(space, 32, random);
  Eigen::VectorXd memory_bound(3), math_bound(3);
  memory_bound << 0, 1, 1; // p least, q and r most
  math_bound << 1, 0, 0;
  CHECK(model.bottlenecks(memory_bound).front().counter == memory_unit);
  CHECK(model.bottlenecks(math_bound).front().counter == math_unit);
  CHECK(model.bottlenecks(memory_bound).front().share > 0.8);
  CHECK(model.bottlenecks(math_bound).back().share < 0.05);
}

TEST_CASE("the model needs counters, in a third of the observations") {
  CounterModel model(1);
  const Eigen::VectorXd point = Eigen::VectorXd::Constant(1, 0.5);
  for (int i = 0; i < 20; ++i)
    model.add(point, 1, {});
  for (int i = 0; i < 4; ++i)
    model.add(point, 1, {{memory_unit, 50.0}});
  CHECK_FALSE(model.usable());
  for (int i = 0; i < 6; ++i)
    model.add(point, 1, {{memory_unit, 50.0}});
  CHECK(model.usable());
}

TEST_CASE("counter-guided search finds the best of 256 within 30 evaluations") {
  const SearchSpace space = a_space();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SearchProblem problem{space, seed, 30};
    const auto strategy = guide_by_counters(problem, make_random(problem));
    const auto asked = run(*strategy, 30, [&](ConfigurationId id) { return answer(space, id); });
    double best = 1e300;
    for (const ConfigurationId id : asked)
      best = std::min(best, answer(space, id).cost);
    CHECK(best <= best_cost(space) * 1.01);
  }
}

TEST_CASE("without counters the unguided strategy leads to the end") {
  const SearchSpace space = a_space();
  const SearchProblem problem{space, 11, 60};
  const auto guided = guide_by_counters(problem, make_random(problem));
  const auto alone = make_random(problem);
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
  const auto strategy = guide_by_counters(problem, make_random(problem));
  const auto asked = run(*strategy, 40, [&](ConfigurationId id) { return answer(space, id); });
  const auto odd =
      std::count_if(asked.begin() + 8, asked.end(), [](ConfigurationId id) { return id % 2 == 1; });
  CHECK(consulted > 0);
  CHECK(odd <= 3); // six are looked at: seldom none of them can be launched
}

TEST_CASE("improvement keeps an order where the normal distribution underflows") {
  CHECK(log_improvement(0, 1, 0) == Approx(std::log(0.3989422804)).epsilon(1e-6));
  CHECK(log_improvement(50, 1, 0) < log_improvement(49, 1, 0));
  CHECK(std::isfinite(log_improvement(1e3, 1, 0)));
  CHECK(log_improvement(5.9999, 1, 0) == Approx(log_improvement(6.0001, 1, 0)).epsilon(0.01));
}

namespace {

std::vector<Observation> prior_of(const SearchSpace& space, double sign, double scale) {
  std::vector<Observation> prior;
  for (ConfigurationId id = 0; id < space.size(); ++id)
    prior.push_back({id, true, scale * std::pow(answer(space, id).cost, sign), {}});
  return prior;
}

} // namespace

TEST_CASE("a prior's best is asked first, on whatever scale its costs are") {
  const SearchSpace space = a_space();
  SearchProblem problem{space, 4, 20};
  problem.prior = prior_of(space, 1, 1e-3);
  const auto strategy = with_prior(problem, make_random);
  const auto asked = run(*strategy, 10, [&](ConfigurationId id) { return answer(space, id); });
  CHECK(answer(space, asked.front()).cost == Approx(best_cost(space)));
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

private:
  ConfigurationId size_, next_ = 0;
  std::map<ConfigurationId, int>& heard_;
};

} // namespace

TEST_CASE("a prior that says the opposite takes few turns") {
  const SearchSpace space = a_space();
  SearchProblem problem{space, 4, 100};
  problem.prior = prior_of(space, -1, 1);
  std::map<ConfigurationId, int> heard;
  const auto strategy = with_prior(
      problem, [&](const SearchProblem&) { return std::make_unique<Listener>(space, heard); });
  run(*strategy, 100, [&](ConfigurationId id) { return answer(space, id); });
  CHECK(heard.size() >= 85);
}

TEST_CASE("a strategy beside a prior hears of all it asked, of each once, and of nothing else") {
  const SearchSpace space = a_space();
  SearchProblem problem{space, 9};
  problem.prior = prior_of(space, 1, 1);
  std::map<ConfigurationId, int> heard;
  const auto strategy = with_prior(problem, [&](const SearchProblem& inner) {
    CHECK(inner.prior.empty());
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
  problem.prior = prior_of(space, 1, 1);
  const auto strategy = with_prior(problem, make_genetic);
  const auto asked = run(*strategy, 1000, [&](ConfigurationId id) { return answer(space, id); });
  CHECK(asked.size() == space.size());
  CHECK(std::set<ConfigurationId>(asked.begin(), asked.end()).size() == asked.size());
  CHECK(asked[0] == 5);
  CHECK(asked[1] == 7);
}

TEST_CASE("a prior without a valid observation is none") {
  const SearchSpace space = a_space();
  SearchProblem problem{space, 6, 30};
  problem.prior = {{3, false, 1, {}}, {4, true, std::nan(""), {}}, {99999, true, 1, {}}};
  const auto with = with_prior(problem, make_random);
  const auto without = make_random(problem);
  const auto evaluate = [&](ConfigurationId id) { return answer(space, id); };
  CHECK(run(*with, 30, evaluate) == run(*without, 30, evaluate));
}

TEST_CASE("numbers lie on a logarithmic scale, texts on axes of their own") {
  const SearchSpace space =
      SearchSpace::build({powers("p", 3),
                          {"one", {std::int64_t{7}}},
                          {"unroll", {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}}},
                          {"mode", {std::string("a"), std::string("b"), std::string("c")}}});
  const ParameterScale scale(space);
  REQUIRE(scale.axes() == 5);
  std::vector<double> point(5);
  scale.point(*space.find({{"p", std::int64_t{2}},
                           {"one", std::int64_t{7}},
                           {"unroll", std::int64_t{1}},
                           {"mode", std::string("b")}}),
              point.data());
  CHECK(point == std::vector<double>{0.5, 0.5, 0, 1, 0});
}
