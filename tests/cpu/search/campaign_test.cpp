// SPDX-License-Identifier: Apache-2.0
// The plan of a search over many sizes, on made-up costs whose best moves with the size.
#include "gridsmith/search/campaign/campaign_plan.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

using namespace gridsmith;

namespace {

/// Sixteen by sixteen configurations; odd extents allow A up to 7 only.
SearchSpace space_of(std::int64_t extent) {
  std::vector<Parameter> parameters;
  for (const char* name : {"A", "B"}) {
    parameters.push_back({name, {}});
    for (std::int64_t value = 0; value < 16; ++value)
      parameters.back().values.emplace_back(value);
  }
  std::vector<std::vector<Position>> rows;
  const Position most = extent % 2 == 0 ? 16 : 8;
  for (Position a = 0; a < most; ++a)
    for (Position b = 0; b < 16; ++b)
      rows.push_back({a, b});
  return SearchSpace::from_rows(std::move(parameters), std::move(rows));
}

/// A device that is not there: the best B grows with the extent, the best A does not.
struct World {
  explicit World(std::vector<std::int64_t> sizes) : extents(std::move(sizes)) {
    for (const std::int64_t extent : extents)
      spaces.push_back(space_of(extent));
  }

  std::optional<double> cost(std::size_t size, ConfigurationId id) const {
    std::vector<Position> at(2);
    spaces[size].positions(id, at);
    if (at[0] == 15) // does not compile
      return std::nullopt;
    const double extent = static_cast<double>(extents[size]);
    const double a = static_cast<double>(at[0]) - 5.0;
    const double b = static_cast<double>(at[1]) - (std::log2(extent) - 6.0);
    return 1e-6 * extent * extent * std::exp(0.03 * a * a + 0.02 * b * b);
  }

  double best(std::size_t size) const {
    double least = 1e300;
    for (ConfigurationId id = 0; id < spaces[size].size(); ++id)
      least = std::min(least, cost(size, id).value_or(least));
    return least;
  }

  std::vector<CampaignProblem> problems() const {
    std::vector<CampaignProblem> out;
    out.reserve(spaces.size());
    for (std::size_t i = 0; i < spaces.size(); ++i)
      out.push_back({.space = &spaces[i], .extents = {extents[i]}, .seeds = {3}});
    return out;
  }

  std::vector<std::int64_t> extents;
  std::vector<SearchSpace> spaces;
};

const std::vector<std::int64_t> twelve = {64,   100,  256,   513,   1024,  2000,
                                          4096, 5001, 10000, 16384, 40000, 65536};

struct Run {
  std::vector<std::set<ConfigurationId>> asked;
  std::vector<std::size_t> finals, order;
};

Run run(const World& world, CampaignPlan& plan) {
  Run out;
  out.asked.resize(world.spaces.size());
  while (const auto visit = plan.next()) {
    const std::size_t size = visit->problem;
    out.order.push_back(size);
    std::vector<Observation> answers;
    for (const ConfigurationId id : visit->ask) {
      REQUIRE(id < world.spaces[size].size());
      REQUIRE(out.asked[size].insert(id).second); // never twice
      answers.push_back({.id = id, .cost = world.cost(size, id)});
    }
    plan.tell(size, answers);
    if (visit->final)
      out.finals.push_back(size);
    else // before the finals, or when all are over
      CHECK((out.finals.empty() || out.finals.size() == world.spaces.size()));
  }
  return out;
}

double found(const World& world, const Run& run, std::size_t size) {
  double least = 1e300;
  for (const ConfigurationId id : run.asked[size])
    least = std::min(least, world.cost(size, id).value_or(least));
  return least / world.best(size);
}

} // namespace

TEST_CASE("a campaign finds what is best at each size with a fraction of the space") {
  const World world(twelve);
  CampaignPlan plan(world.problems(), {});
  const Run all = run(world, plan);
  double log_mean = 0;
  for (std::size_t i = 0; i < twelve.size(); ++i) {
    CHECK(all.asked[i].contains(3)); // the seed
    log_mean += std::log(found(world, all, i)) / static_cast<double>(twelve.size());
  }
  CHECK(log_mean < 0.005);
  CHECK(plan.asked() < 20 * twelve.size()); // of 128 and 256
  std::vector<std::size_t> finals = all.finals;
  std::sort(finals.begin(), finals.end());
  CHECK(std::adjacent_find(finals.begin(), finals.end()) == finals.end());
  CHECK(finals.size() == twelve.size());
}

TEST_CASE("what other sizes teach is worth evaluations") {
  const World many(twelve), one({16384});
  const std::uint64_t each = 8;
  CampaignPlan together(many.problems(), {.evaluations = each * twelve.size(), .worth = 0});
  CampaignPlan alone(one.problems(), {.evaluations = each, .worth = 0});
  CHECK(found(many, run(many, together), 9) < found(one, run(one, alone), 0));
}

TEST_CASE("a campaign keeps its budget and asks the same again") {
  const World world(twelve);
  for (const std::uint64_t budget : {5u, 12u, 100u}) {
    CampaignPlan first(world.problems(), {.seed = 7, .evaluations = budget, .worth = 0});
    CampaignPlan again(world.problems(), {.seed = 7, .evaluations = budget, .worth = 0});
    const Run one = run(world, first), two = run(world, again);
    CHECK(first.asked() == budget);
    CHECK(one.order == two.order);
    CHECK(one.asked == two.asked);
  }
}

TEST_CASE("leaders go where they may be among the best, and nowhere else") {
  const World world({1024, 1100, 65536});
  CampaignPlan plan(world.problems(), {});
  const Run all = run(world, plan);
  const auto measured = [&](std::size_t size, ConfigurationId id) {
    return plan.costs(size).contains(id);
  };
  const auto leader = [&](std::size_t size) {
    const auto& costs = plan.costs(size);
    return std::min_element(costs.begin(), costs.end(),
                            [](const auto& a, const auto& b) {
                              return a.second.value_or(1e300) < b.second.value_or(1e300);
                            })
        ->first;
  };
  CHECK(measured(1, leader(0))); // neighbours, equal spaces, equal ids
  CHECK(measured(0, leader(1)));
  CHECK_FALSE((measured(2, leader(0)) && measured(0, leader(2)))); // six values of B apart
}

TEST_CASE("one for all sizes is the best joint one of what was measured everywhere") {
  const World world({256, 1000, 4096});
  for (const Across across : {Across::mean, Across::worst}) {
    CampaignPlan plan(world.problems(), {.across = across});
    run(world, plan);
    const auto common = plan.common();
    REQUIRE(common);
    const auto joint = [&](ConfigurationId id) {
      double sum = 0, worst = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const double loss = std::log(world.cost(i, id).value_or(1e300) / world.best(i));
        sum += loss;
        worst = std::max(worst, loss);
      }
      return across == Across::mean ? sum / 3 : worst;
    };
    double least = 1e300;
    for (ConfigurationId id = 0; id < world.spaces[0].size(); ++id)
      least = std::min(least, joint(id));
    CHECK(joint(common->front()) < least + 0.01); // of the whole table
  }
}

TEST_CASE("a weight draws the search to its size") {
  const World world({256, 4096, 65536});
  std::vector<CampaignProblem> problems = world.problems();
  problems[2].weight = 100;
  CampaignPlan plan(problems, {.evaluations = 18, .worth = 0});
  const Run all = run(world, plan);
  CHECK(all.asked[2].size() > all.asked[0].size());
  CHECK(all.asked[2].size() > all.asked[1].size());
}

TEST_CASE("a campaign that is finished early goes to the finals, and one where all fails ends") {
  const World world(twelve);
  CampaignPlan plan(world.problems(), {});
  REQUIRE(plan.next());
  plan.finish();
  std::size_t finals = 0;
  while (const auto visit = plan.next()) {
    CHECK(visit->final);
    CHECK(visit->ask.empty());
    ++finals;
  }
  CHECK(finals == twelve.size());

  CampaignPlan hopeless(world.problems(), {.evaluations = 60});
  while (const auto visit = hopeless.next())
    for (const ConfigurationId id : visit->ask)
      hopeless.tell(visit->problem, std::vector<Observation>{{.id = id}});
  CHECK(hopeless.asked() <= 60);
  CHECK_FALSE(hopeless.common());
}

TEST_CASE("what is missing is asked after the finals, until nothing new is, within the budget") {
  const World world({256, 1024, 4096});
  for (const std::optional<std::uint64_t> budget : {std::optional<std::uint64_t>(), {3}, {40}}) {
    std::size_t rounds = 0;
    std::optional<CampaignPlan> plan;
    plan.emplace(world.problems(),
                 CampaignSettings{.evaluations = budget, .missing = [&] {
                                    CHECK(plan->finals_over());
                                    ++rounds;
                                    // the last is known already, and of the second round nothing is new
                                    return std::vector<std::vector<ConfigurationId>>{
                                        {100}, {}, {101, 3}};
                                  }});
    const Run all = run(world, *plan);
    CHECK(all.finals.size() == 3);
    CHECK(plan->asked() <= budget.value_or(1000));
    CHECK(rounds >= 1);
    CHECK(rounds <= 2);
    if (!budget) {
      CHECK(all.asked[0].contains(100));
      CHECK(all.asked[2].contains(101));
    }
  }
  // what asks without end is not followed without end
  ConfigurationId next = 0;
  CampaignPlan plan(world.problems(), {.missing = [&] {
                      return std::vector<std::vector<ConfigurationId>>{{next++, next++, next++}};
                    }});
  plan.finish();
  CHECK_FALSE(plan.finals_over());
  const Run all = run(world, plan);
  CHECK(plan.finals_over());
  CHECK(all.finals.size() == 3);
  CHECK(next > 0);
  CHECK(next <= 4 * 3);
}

TEST_CASE("what was told without being asked is not asked") {
  const World world({1024, 4096});
  CampaignPlan plan(world.problems(), {});
  std::vector<Observation> known(200);
  for (ConfigurationId id = 0; id < known.size(); ++id)
    known[id] = {.id = id, .cost = world.cost(0, id)};
  plan.tell(0, known);
  const Run all = run(world, plan);
  CHECK(std::none_of(all.asked[0].begin(), all.asked[0].end(), [](auto id) { return id < 200; }));
  CHECK(all.asked[1].size() < 60);
}

TEST_CASE(
    "what follows in a round is known when it is planned, and what may follow changes nothing") {
  const World world(twelve);
  CampaignPlan plan(world.problems(), {.seed = 1}), same(world.problems(), {.seed = 1});
  std::size_t rounds = 0, proposed = 0, asked_later = 0;
  std::vector<Visit> expected;
  std::set<std::pair<std::size_t, ConfigurationId>> likely;
  while (const auto visit = plan.next()) {
    if (std::exchange(rounds, plan.rounds()) != plan.rounds()) {
      expected = plan.ahead();
      CHECK(expected.size() < twelve.size());
      for (const CampaignPair& one : plan.likely(16)) {
        proposed += 1;
        likely.insert({one.problem, one.id});
      }
    } else {
      REQUIRE_FALSE(expected.empty());
      CHECK(visit->problem == expected.front().problem);
      CHECK(visit->ask == expected.front().ask);
      expected.erase(expected.begin());
    }
    const auto undisturbed = same.next();
    REQUIRE(undisturbed);
    CHECK(undisturbed->ask == visit->ask);
    std::vector<Observation> answers;
    for (const ConfigurationId id : visit->ask) {
      asked_later += likely.contains({visit->problem, id}) ? 1 : 0;
      answers.push_back({.id = id, .cost = world.cost(visit->problem, id)});
    }
    plan.tell(visit->problem, answers);
    same.tell(visit->problem, answers);
  }
  CHECK(proposed > 0);
  CHECK(asked_later > 0);
  CHECK(plan.likely(16).empty());
}
