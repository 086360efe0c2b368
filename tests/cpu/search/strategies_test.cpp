// SPDX-License-Identifier: Apache-2.0
// What holds for every entry of strategies(): a new strategy is tested by being in the table.
#include "gridsmith/base/error.hpp"
#include "gridsmith/search/space/neighbours.hpp"
#include "gridsmith/search/strategies/model_based/bayesian.hpp"
#include "gridsmith/search/strategies/proposing.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/sanitized.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

namespace strategies_test {

using namespace gridsmith;

namespace {

using Cost = std::function<Observation(const SearchSpace&, ConfigurationId)>;

Parameter numbers(const std::string& name, std::vector<std::int64_t> values) {
  return {name, {values.begin(), values.end()}};
}

SearchSpace space_of(std::vector<Parameter> parameters, const std::string& constraint) {
  if (constraint.empty())
    return SearchSpace::build(std::move(parameters));
  return SearchSpace::build(std::move(parameters), {{Expression::parse(constraint), constraint}});
}

SearchSpace small_space() {
  return space_of({numbers("x", {1, 2, 4, 8, 16}),
                   numbers("y", {1, 2, 3, 4}),
                   {"mode", {Value{std::string("row")}, Value{std::string("column")}}},
                   {"unroll", {Value{false}, Value{true}}},
                   numbers("fixed", {7})},
                  "x * y <= 32 and (unroll or x > 1)");
}

SearchSpace valley_space() {
  std::vector<std::int64_t> values(16);
  std::iota(values.begin(), values.end(), 0);
  return space_of({numbers("a", values), numbers("b", values), numbers("c", values),
                   numbers("d", {0, 1, 2, 3})},
                  "a + b + c <= 36");
}

/// Distance to a place; of a space with fewer parameters, to its first coordinates.
Observation valley(const SearchSpace& space, ConfigurationId id) {
  constexpr std::array best{11.0, 3.0, 8.0, 2.0}, weight{1.0, 1.0, 1.0, 5.0};
  const auto p = positions_of(space, id);
  double cost = 1;
  for (std::size_t i = 0; i < std::min(p.size(), best.size()); ++i)
    cost += weight[i] * (p[i] - best[i]) * (p[i] - best[i]);
  return {id, cost};
}

Observation all_fail(const SearchSpace&, ConfigurationId id) {
  return {id};
}

/// Every third fails, some say that they are correct and are no numbers; facts come and go.
Observation unruly(const SearchSpace& space, ConfigurationId id) {
  Observation observation = valley(space, id);
  if (id % 7 == 1)
    observation.cost = std::nan("");
  if (id % 7 == 2)
    observation.cost = std::numeric_limits<double>::infinity();
  if (id % 3 == 0)
    observation.cost.reset();
  if (id % 5 == 0)
    observation.facts = {{"registers", static_cast<double>(id % 64)},
                         {"spill_bytes", std::nan("")}};
  return observation;
}

/// The same, with counters: a busy unit, warps, and once in a while none of them.
Observation counted(const SearchSpace& space, ConfigurationId id) {
  Observation observation = unruly(space, id);
  if (id % 4 != 3)
    observation.facts = {
        {"dram__throughput.avg.pct_of_peak_sustained_elapsed", static_cast<double>(5 + id % 90)},
        {"sm__warps_active.avg.pct_of_peak_sustained_active", static_cast<double>(10 + id % 60)},
        {"lts__t_sectors.sum", static_cast<double>(id % 1000)}};
  return observation;
}

/// How many are asked at once; with a sanitizer, which makes all ten times as long, one number.
std::vector<std::size_t> few_some_all() {
  return sanitized() ? std::vector<std::size_t>{7} : std::vector<std::size_t>{1, 7, 1000};
}

/// Drives a strategy as the tuner does and checks every ask; the ids in the order asked.
std::vector<ConfigurationId> drive(const std::string& name, const SearchProblem& problem,
                                   const Cost& cost, std::size_t evaluations, std::size_t batch) {
  const auto strategy = make_strategy(name, problem);
  std::vector<ConfigurationId> order;
  std::set<ConfigurationId> asked;
  while (order.size() < evaluations) {
    for (const ConfigurationId id : strategy->likely(5))
      REQUIRE(id < problem.space.size());
    const std::size_t count = std::min(batch, evaluations - order.size());
    const auto ids = strategy->ask(count);
    if (ids.empty())
      break;
    REQUIRE(ids.size() <= count);
    std::vector<Observation> answers;
    for (const ConfigurationId id : ids) {
      REQUIRE(id < problem.space.size());
      REQUIRE(asked.insert(id).second);
      order.push_back(id);
      answers.push_back(cost(problem.space, id));
    }
    strategy->tell(answers);
  }
  return order;
}

/// Drives a strategy as nothing orderly does: up to `in_flight` questions are pending, answers come
/// one at a time in random order, and every second question is withdrawn the first time. The ids in
/// the order asked; withdrawn ones appear again.
std::vector<ConfigurationId> drive_out_of_order(const std::string& name,
                                                const SearchProblem& problem, const Cost& cost,
                                                std::size_t answers, std::size_t in_flight) {
  const auto strategy = make_strategy(name, problem);
  Random random(77);
  std::vector<ConfigurationId> order, pending;
  std::set<ConfigurationId> open, told, withdrawn; // open: pending or told
  while (told.size() < answers) {
    for (const ConfigurationId id : strategy->ask(in_flight - pending.size())) {
      REQUIRE(id < problem.space.size());
      REQUIRE(open.insert(id).second);
      order.push_back(id);
      pending.push_back(id);
    }
    for (const ConfigurationId id : strategy->likely(3))
      REQUIRE_FALSE(open.contains(id));
    if (pending.empty())
      break;
    std::swap(pending[below(random, pending.size())], pending.back());
    const ConfigurationId id = pending.back();
    pending.pop_back();
    if (below(random, 2) == 0 && withdrawn.insert(id).second) {
      strategy->withdraw(id);
      open.erase(id);
      continue;
    }
    const Observation answer = cost(problem.space, id);
    strategy->tell({&answer, 1});
    told.insert(id);
  }
  return order;
}

/// Proposes what is asked already, repeats itself and leaves the space.
class Careless final : public ProposingStrategy {
public:
  explicit Careless(const SearchProblem& problem) : ProposingStrategy(problem) {}

  using ProposingStrategy::cost;
  std::vector<Observation> learnt;
  std::vector<ConfigurationId> unlearnt;

private:
  std::vector<ConfigurationId> propose(std::size_t) override {
    const ConfigurationId end = space().size();
    return {0, 0, end, 9, 9, 1, end + 7, 18, 0};
  }

  void learn(std::span<const Observation> observations) override {
    learnt.insert(learnt.end(), observations.begin(), observations.end());
  }

  void unlearn(ConfigurationId id) override { unlearnt.push_back(id); }
};

/// Best cost in the valley after a budget; the median over some seeds.
double median_best(const std::string& name, const SearchSpace& space, std::size_t budget) {
  std::vector<double> bests;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    double best = std::numeric_limits<double>::infinity();
    for (const ConfigurationId id : drive(name, {space, seed, budget}, valley, budget, 1))
      best = std::min(best, *valley(space, id).cost);
    bests.push_back(best);
  }
  std::nth_element(bests.begin(), bests.begin() + 7, bests.end());
  return bests[7];
}

} // namespace

TEST_CASE("the table of strategies") {
  CHECK(strategies().front().name == "default");
  std::set<std::string> names;
  for (const StrategyEntry& entry : strategies()) {
    CHECK(names.insert(entry.name).second);
    CHECK_FALSE(entry.summary.empty());
  }
  const SearchSpace space = small_space();
  try {
    make_strategy("genetics", {space});
    FAIL("an unknown name was taken");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("did you mean 'genetic'?") != std::string::npos);
  }
}

TEST_CASE("every strategy asks every configuration of a small space once, then ends") {
  const SearchSpace space = small_space();
  REQUIRE(space.size() > 40);
  for (const StrategyEntry& entry : strategies())
    for (const Cost& cost :
         {Cost(unruly), Cost(counted), Cost(all_fail), Cost([](const SearchSpace&, auto id) {
            return Observation{id, 1.0}; // flat
          })})
      for (const std::size_t batch : few_some_all()) {
        INFO(entry.name << ", batch " << batch);
        CHECK(drive(entry.name, {space, 3}, cost, 1000, batch).size() == space.size());
      }
}

TEST_CASE("a pool that is used up while everything fails ends no search") {
  const SearchSpace space = small_space();
  const auto strategy = make_bayesian_with({space, 3}, {.pool = 8});
  std::size_t asked = 0;
  for (std::vector<ConfigurationId> ids; !(ids = strategy->ask(1)).empty(); asked += ids.size()) {
    for (const ConfigurationId id : strategy->likely(5)) // while it is not answered
      REQUIRE(id < space.size());
    const Observation failed{ids.front()};
    strategy->tell({&failed, 1});
  }
  CHECK(asked == space.size());
}

TEST_CASE("every strategy knows what to do with a space of one or no configuration") {
  const SearchSpace one = space_of({numbers("x", {5})}, "");
  const SearchSpace none = space_of({numbers("x", {5})}, "x > 5");
  for (const StrategyEntry& entry : strategies()) {
    INFO(entry.name);
    CHECK(drive(entry.name, {one, 1}, unruly, 10, 4) == std::vector<ConfigurationId>{0});
    CHECK(drive(entry.name, {none, 1}, all_fail, 10, 4).empty());
  }
}

TEST_CASE("every strategy repeats itself by seed") {
  const SearchSpace space = valley_space();
  for (const StrategyEntry& entry : strategies()) {
    INFO(entry.name);
    const auto once = drive(entry.name, {space, 11, 60}, unruly, 60, 4);
    CHECK(once.size() == 60);
    CHECK(once == drive(entry.name, {space, 11, 60}, unruly, 60, 4));
    if (entry.name != "exhaustive")
      CHECK(once != drive(entry.name, {space, 12, 60}, unruly, 60, 4));
  }
}

TEST_CASE("every strategy takes answers one at a time, in any order, and questions back") {
  const SearchSpace space = small_space();
  for (const StrategyEntry& entry : strategies())
    for (const Cost& cost : {Cost(unruly), Cost(counted), Cost(all_fail)})
      for (const std::size_t in_flight : few_some_all()) {
        INFO(entry.name << ", in flight " << in_flight);
        const auto order =
            drive_out_of_order(entry.name, {space, 3, 0, {7, 5}}, cost, 1000, in_flight);
        CHECK(std::set<ConfigurationId>(order.begin(), order.end()).size() == space.size());
        CHECK(order.size() > space.size() * 5 / 4); // what was withdrawn is asked again
      }
}

TEST_CASE("every strategy repeats itself by seed, whatever the order of the answers") {
  const SearchSpace space = valley_space();
  for (const StrategyEntry& entry : strategies()) {
    INFO(entry.name);
    const auto once = drive_out_of_order(entry.name, {space, 11}, counted, 40, 6);
    CHECK(once.size() >= 40);
    CHECK(once == drive_out_of_order(entry.name, {space, 11}, counted, 40, 6));
  }
}

TEST_CASE("every strategy learns from what it is told without having asked, and does not ask it") {
  const SearchSpace space = small_space();
  for (const StrategyEntry& entry : strategies()) {
    INFO(entry.name);
    const auto strategy = make_strategy(entry.name, {space, 3, 0, {4, 6}});
    std::vector<Observation> known;
    for (ConfigurationId id = 0; id < space.size(); id += 2)
      known.push_back(unruly(space, id));
    known.push_back({space.size() + 3, 0.1});
    strategy->tell(known);
    strategy->withdraw(2); // told, so it stays
    std::size_t asked = 0;
    for (auto ids = strategy->ask(5); !ids.empty(); ids = strategy->ask(5))
      for (const ConfigurationId id : ids) {
        CHECK(id % 2 == 1);
        const Observation answer = unruly(space, id);
        strategy->tell({&answer, 1});
        ++asked;
      }
    CHECK(asked == space.size() / 2);
  }
}

TEST_CASE("every strategy asks the seeds first and in order") {
  const SearchSpace space = valley_space();
  const ConfigurationId outside = space.size() + 5;
  for (const StrategyEntry& entry : strategies())
    for (const std::size_t batch : {std::size_t{1}, std::size_t{3}, std::size_t{50}}) {
      INFO(entry.name << ", batch " << batch);
      SearchProblem problem{space, 5, 40, {700, 3, 700, outside, 91, 20}};
      CHECK(make_strategy(entry.name, problem)->likely(2) == std::vector<ConfigurationId>{700, 3});
      auto order = drive(entry.name, problem, unruly, 30, batch);
      order.resize(4);
      CHECK(order == std::vector<ConfigurationId>{700, 3, 91, 20});
    }
}

TEST_CASE("every strategy survives a transfer prior without meaning") {
  const SearchSpace space = small_space();
  for (const StrategyEntry& entry : strategies()) {
    INFO(entry.name);
    SearchProblem problem{space, 5, 40};
    for (ConfigurationId id = 0; id < space.size() + 3; id += 2)
      problem.transfer_prior.push_back(unruly(space, std::min(id, space.size() - 1)));
    problem.transfer_prior.push_back({space.size() + 9, 0.1});
    CHECK(drive(entry.name, problem, unruly, 1000, 3).size() == space.size());
    CHECK(drive_out_of_order(entry.name, problem, counted, 1000, 5).size() > space.size());
  }
}

TEST_CASE("the common base keeps the rules for careless proposals") {
  const SearchSpace space = small_space();
  Careless strategy({space, 1, 0, {9, 9, space.size()}});
  CHECK(strategy.ask(0).empty());
  CHECK(strategy.ask(5) == std::vector<ConfigurationId>{9});
  CHECK(strategy.ask(2) == std::vector<ConfigurationId>{0, 1});
  CHECK(strategy.ask(9) == std::vector<ConfigurationId>{18});
  std::set<ConfigurationId> asked = {9, 0, 1, 18};
  while (asked.size() < space.size()) {
    const auto ids = strategy.ask(9);
    REQUIRE(ids.size() == 1);
    REQUIRE(ids[0] < space.size());
    REQUIRE(asked.insert(ids[0]).second);
  }
  CHECK(strategy.ask(9).empty());
  CHECK_FALSE(strategy.cost(9));
  strategy.tell(std::vector<Observation>{{9, std::nan("")}, {0, 4.0}, {0, 3.0}, {1u << 30, 1.0}});
  REQUIRE(strategy.learnt.size() == 2); // neither twice nor outside
  CHECK_FALSE(strategy.learnt[0].cost);
  CHECK(strategy.learnt[1].cost == 4.0);
  CHECK(strategy.cost(9) == failed_cost);
  CHECK(strategy.cost(0) == 4.0);
  strategy.withdraw(0); // told: stays
  strategy.withdraw(1);
  strategy.withdraw(1);
  CHECK(strategy.unlearnt == std::vector<ConfigurationId>{1});
  CHECK(strategy.ask(9) == std::vector<ConfigurationId>{1});
}

TEST_CASE("what learns beats random search in a smooth valley", "[.][needs:optimised-build]") {
  const SearchSpace space = valley_space();
  const double random = median_best("random", space, 100);
  for (const StrategyEntry& entry : strategies()) {
    if (entry.name == "random" || entry.name == "exhaustive")
      continue;
    INFO(entry.name);
    CHECK(median_best(entry.name, space, 100) < 0.5 * random);
  }
}

TEST_CASE("repair ends inside the space, on the way to the anchor") {
  const SearchSpace space = valley_space();
  Random random(1);
  const ConfigurationId anchor = *space.find(std::vector<Position>{1, 2, 3, 0});
  const ConfigurationId inside = *space.find(std::vector<Position>{4, 5, 6, 3});
  CHECK(repair(space, {4, 5, 6, 3}, anchor, random) == inside);
  for (int tried = 0; tried < 50; ++tried) {
    const auto positions = positions_of(space, repair(space, {15, 14, 13, 3}, anchor, random));
    CHECK(positions[0] + positions[1] + positions[2] <= 36);
    CHECK((positions[0] == 15 || positions[0] == 1));
    CHECK(positions != positions_of(space, anchor)); // one change is enough here
  }
}

TEST_CASE("random neighbours are neighbours") {
  const SearchSpace space = small_space();
  Random random(1);
  for (const auto kind : {Neighbourhood::hamming, Neighbourhood::adjacent}) {
    std::set<ConfigurationId> met;
    for (int tried = 0; tried < 400; ++tried)
      met.insert(random_neighbour(space, 17, kind, random).value());
    const auto all = space.neighbours(17, kind);
    CHECK(std::vector<ConfigurationId>(met.begin(), met.end()) == all);
  }
  CHECK_FALSE(
      random_neighbour(space_of({numbers("x", {5})}, ""), 0, Neighbourhood::hamming, random));
}

} // namespace strategies_test
