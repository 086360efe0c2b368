// SPDX-License-Identifier: Apache-2.0
// The plan of a search over many sizes, on made-up costs whose best moves with the size.
#include "gridsmith/search/campaign/campaigns.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>
#include <utility>

namespace campaign_test {

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
  std::vector<ConfigurationId> order; ///< joint
  std::vector<std::set<ConfigurationId>> before_finals;
};

std::vector<Observation> answers_of(const World& world, const CampaignPlan& plan,
                                    const std::vector<ConfigurationId>& ids) {
  std::vector<Observation> answers;
  for (const ConfigurationId id : ids) {
    const JobConfiguration one = plan.ids().apart(id);
    answers.push_back({.id = id, .cost = world.cost(one.job, one.id)});
  }
  return answers;
}

/// @param at_once how many are asked for at once
Run run(const World& world, CampaignPlan& plan, std::size_t at_once = 1000) {
  Run out;
  out.asked.resize(world.spaces.size());
  while (true) {
    const auto ids = plan.ask(at_once);
    if (ids.empty() && !out.before_finals.empty())
      return out;
    if (ids.empty()) {
      out.before_finals = out.asked;
      plan.finals_over();
    }
    for (const ConfigurationId id : ids) {
      const JobConfiguration one = plan.ids().apart(id);
      REQUIRE(one.id < world.spaces[one.job].size());
      REQUIRE(out.asked[one.job].insert(one.id).second); // never twice
      out.order.push_back(id);
    }
    plan.tell(answers_of(world, plan, ids));
  }
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
}

TEST_CASE("a campaign that hears each answer when it is there asks on, and finds as much") {
  const World world(twelve);
  CampaignPlan plan(world.problems(), {});
  std::vector<std::set<ConfigurationId>> asked(twelve.size());
  std::deque<ConfigurationId> open; // told in order, one at a time, while eight are open
  double log_mean = 0;
  bool waited = false;
  while (true) {
    for (const ConfigurationId id : plan.ask(8 - open.size())) {
      const JobConfiguration one = plan.ids().apart(id);
      REQUIRE(asked[one.job].insert(one.id).second);
      open.push_back(id);
    }
    if (open.empty())
      break;
    waited = waited || open.size() < 8;
    plan.tell(answers_of(world, plan, {open.front()}));
    open.pop_front();
  }
  CHECK(waited); // for the last answers of a stage
  Run all;
  all.asked = asked;
  for (std::size_t i = 0; i < twelve.size(); ++i)
    log_mean += std::log(found(world, all, i)) / static_cast<double>(twelve.size());
  CHECK(log_mean < 0.005);
  CHECK(plan.asked() < 20 * twelve.size());
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

TEST_CASE("a campaign whose time is up before its end knows only what was answered") {
  const World world(twelve);
  CampaignPlan plan(world.problems(), {});
  const auto first = plan.ask(1000);
  CHECK(first.size() == twelve.size());
  plan.tell(answers_of(world, plan, {first.front()}));
  plan.finals_over(); // the others were withdrawn
  CHECK(plan.ask(1000).empty());
  CHECK(plan.asked() == 1);
  CHECK(plan.costs(0).size() == 1);
  CHECK(plan.costs(1).empty());

  CampaignPlan hopeless(world.problems(), {.evaluations = 60});
  for (auto ids = hopeless.ask(1000); !ids.empty(); ids = hopeless.ask(1000))
    for (const ConfigurationId id : ids)
      hopeless.tell(std::vector<Observation>{{.id = id}});
  CHECK(hopeless.asked() <= 60);
  CHECK_FALSE(hopeless.common());

  CampaignPlan first_alone(world.problems(), {.first_round_alone = true});
  CHECK(run(world, first_alone).order.size() == twelve.size());
}

TEST_CASE("what is missing is asked after the finals, until nothing new is, within the budget") {
  const World world({256, 1024, 4096});
  for (const std::optional<std::uint64_t> budget : {std::optional<std::uint64_t>(), {3}, {40}}) {
    std::size_t rounds = 0;
    CampaignPlan plan(world.problems(),
                      {.evaluations = budget, .missing = [&] {
                         ++rounds;
                         // the last is known already, and of the second round nothing is new
                         return std::vector<std::vector<ConfigurationId>>{{100}, {}, {101, 3}};
                       }});
    const Run all = run(world, plan);
    CHECK(plan.asked() <= budget.value_or(1000));
    CHECK(rounds >= 1);
    CHECK(rounds <= 2);
    if (!budget) {
      CHECK(all.asked[0].contains(100));
      CHECK(all.asked[2].contains(101));
      CHECK_FALSE((all.before_finals[0].contains(100) && all.before_finals[2].contains(101)));
    }
  }
  // what asks without end is not followed without end
  ConfigurationId next = 0;
  CampaignPlan plan(world.problems(), {.missing = [&] {
                      return std::vector<std::vector<ConfigurationId>>{{next++, next++, next++}};
                    }});
  plan.finals_over();
  run(world, plan);
  CHECK(next > 0);
  CHECK(next <= 12);
}

TEST_CASE("what was told without being asked is not asked") {
  const World world({1024, 4096});
  CampaignPlan plan(world.problems(), {});
  std::vector<Observation> known(200);
  for (ConfigurationId id = 0; id < known.size(); ++id)
    known[id] = {.id = plan.ids().joint({0, id}), .cost = world.cost(0, id)};
  plan.tell(known);
  const Run all = run(world, plan);
  CHECK(std::none_of(all.asked[0].begin(), all.asked[0].end(), [](auto id) { return id < 200; }));
  CHECK(all.asked[1].size() < 60);
}

TEST_CASE("what may follow is often asked later, and changes nothing") {
  const World world(twelve);
  CampaignPlan plan(world.problems(), {.seed = 1}), same(world.problems(), {.seed = 1});
  std::size_t proposed = 0, asked_later = 0;
  std::set<ConfigurationId> likely;
  for (auto ids = plan.ask(1000); !ids.empty(); ids = plan.ask(1000)) {
    for (const ConfigurationId id : ids)
      asked_later += likely.contains(id) ? 1 : 0;
    for (const ConfigurationId id : plan.likely(16)) {
      proposed += 1;
      likely.insert(id);
    }
    CHECK(same.ask(1000) == ids);
    plan.tell(answers_of(world, plan, ids));
    same.tell(answers_of(world, plan, ids));
  }
  CHECK(proposed > 0);
  CHECK(asked_later > 0);
  CHECK(plan.likely(16).empty());
}

TEST_CASE("of several campaigns the one goes on that promises the most for what it costs") {
  const World one({1024, 4096}), other({1024, 4096});
  for (const bool costly : {false, true}) {
    CampaignPlan first(one.problems(), {}), second(other.problems(), {});
    Campaigns both({&first, &second}, {.compilers = 4, .by_time = true});
    CHECK(both.most_pending() == 8);
    const auto count_first = [&](const std::vector<ConfigurationId>& ids) {
      return std::count_if(ids.begin(), ids.end(),
                           [&](ConfigurationId id) { return id < first.ids().size(); });
    };
    const auto answer = [&](const std::vector<ConfigurationId>& ids) {
      std::vector<Observation> answers;
      for (const ConfigurationId id : ids) {
        const bool of_first = id < first.ids().size();
        const CampaignPlan& plan = of_first ? first : second;
        const auto own = answers_of(one, plan, {of_first ? id : id - first.ids().size()});
        answers.push_back(own.front());
        answers.back().id = id;
        answers.back().compile_ms = of_first == costly ? 4000 : 4;
        answers.back().run_ms = 1;
      }
      both.tell(answers);
    };
    const auto begun = both.ask(1000);
    CHECK(begun.size() == 4); // all begin
    answer(begun);
    const auto next = both.ask(1);
    REQUIRE(next.size() == 1);
    CHECK(count_first(next) == (costly ? 0 : 1));
    answer(next);
    both.drop(0);
    for (auto ids = both.ask(100); !ids.empty(); ids = both.ask(100)) {
      CHECK(count_first(ids) == 0);
      answer(ids);
    }
  }
}

TEST_CASE("later sizes wait until the others are done, and then begin with what is given them") {
  const World world(twelve);
  std::vector<CampaignProblem> problems = world.problems();
  for (const std::size_t p : {2, 5, 8})
    problems[p].later = true;
  CampaignPlan plan(std::move(problems), {.evaluations = 100});
  const Run asked = run(world, plan);
  for (std::size_t p = 0; p < twelve.size(); ++p)
    CHECK(asked.asked[p].empty() == (p == 2 || p == 5 || p == 8));
  CHECK(asked.order.size() <= 100);

  std::vector<std::vector<ConfigurationId>> first(twelve.size());
  first[2] = first[5] = first[8] = {3, 40, 41};
  plan.continue_with({2, 5, 8}, first);
  plan.leave(8);
  CHECK(std::isinf(plan.promised()));
  const auto beginning = plan.ask(1000);
  CHECK(beginning.size() == 2 * 3); // the seed is one of them
  plan.tell(answers_of(world, plan, beginning));
  std::vector<std::set<ConfigurationId>> drawn(twelve.size());
  for (auto ids = beginning; !ids.empty(); ids = plan.ask(1000)) {
    for (const ConfigurationId id : ids) {
      const JobConfiguration one = plan.ids().apart(id);
      CHECK((one.job == 2 || one.job == 5));
      drawn[one.job].insert(one.id);
    }
    plan.tell(answers_of(world, plan, ids));
  }
  for (const std::size_t p : {2, 5}) {
    CHECK(drawn[p].size() < 20); // of 128 and 256: the others taught it
    double least = 1e300;
    for (const ConfigurationId id : drawn[p])
      least = std::min(least, world.cost(p, id).value_or(least));
    CHECK(least / world.best(p) < 1.02);
  }
}

} // namespace campaign_test
