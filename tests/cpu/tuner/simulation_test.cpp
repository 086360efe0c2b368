// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/distinct.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"
#include "gridsmith/tuner/replay/recorded_evaluator.hpp"
#include "gridsmith/tuner/replay/simulated_machine.hpp"
#include "gridsmith/tuner/replay/simulation.hpp"
#include "gridsmith/tuner/replay/simulation_output.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace simulation_test {

using namespace gridsmith;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// x = 0 … n-1 with the given times; 0 stands for a failure.
Recording line(const std::vector<double>& times_ms) {
  Recording recording;
  recording.parameters = {{"x", {}}};
  for (std::size_t x = 0; x < times_ms.size(); ++x) {
    const Value value = static_cast<std::int64_t>(x);
    recording.parameters[0].values.push_back(value);
    Measurement measurement;
    measurement.configuration = {{"x", value}};
    measurement.status = times_ms[x] > 0 ? Status::correct : Status::runtime;
    if (times_ms[x] > 0)
      measurement.times_ms = {times_ms[x]};
    recording.measurements.push_back(measurement);
  }
  return recording;
}

SimulationSettings settings_of(std::size_t runs, std::vector<std::size_t> evaluations) {
  SimulationSettings settings;
  settings.runs = runs;
  settings.evaluations = std::move(evaluations);
  return settings;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Asks the same one again and again.
class Stubborn final : public Strategy {
public:
  std::vector<ConfigurationId> ask(std::size_t) override { return {0}; }

  void tell(std::span<const Observation>) override {}

  void withdraw(ConfigurationId) override {}
};

/// What it is asked, and when that is answered, in the order of the answers.
class Diary final : public Strategy {
public:
  explicit Diary(std::vector<ConfigurationId>& told) : told_(told) {}

  std::vector<ConfigurationId> ask(std::size_t count) override {
    std::vector<ConfigurationId> ids;
    while (ids.size() < count && next_ < 4)
      ids.push_back(next_++);
    return ids;
  }

  void tell(std::span<const Observation> observations) override {
    for (const Observation& one : observations)
      told_.push_back(one.id);
  }

  void withdraw(ConfigurationId) override {}

  std::size_t batch() const override { return 4; }

private:
  std::vector<ConfigurationId>& told_;
  ConfigurationId next_ = 0;
};

/// Remembers what budgets it was made for.
StrategyEntry budget_listener(std::vector<std::uint64_t>& heard) {
  return {"listener", "", [&heard](const SearchProblem& problem) {
            heard.push_back(problem.budget);
            return make_strategy("random", problem);
          }};
}

} // namespace

TEST_CASE(
    "recorded seconds: what compiles unusually long holds nobody, and is given up at the end") {
  Recording recording = line(std::vector<double>(200, 1.0));
  for (std::size_t x = 0; x < recording.measurements.size(); ++x) {
    recording.measurements[x].spent.compile_ms = x % 10 == 3 ? 60'000 : 1000;
    recording.measurements[x].spent.time_ms = 1;
  }
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  SimulationSettings settings = settings_of(4, {40});
  settings.in_flight = settings.compilers = 4;
  const auto adapting = simulate(judge, "line", strategy_entry("greedy"), settings);
  REQUIRE(adapting.seconds);
  CHECK(adapting.seconds->given_up > 0);
  CHECK(adapting.seconds->to_5_percent.value() == Approx(1.001).margin(0.01));
  settings.compile_timeout = {.adapts = false};
  const auto patient = simulate(judge, "line", strategy_entry("greedy"), settings);
  CHECK(patient.seconds->to_the_end > 60);
  CHECK(adapting.seconds->to_the_end < 0.8 * patient.seconds->to_the_end);
  CHECK(patient.seconds->given_up == 0);
  settings.compile_timeout.seconds = 2;
  const auto strict = simulate(judge, "line", strategy_entry("greedy"), settings);
  CHECK(strict.seconds->to_the_end < patient.seconds->to_the_end);
  CHECK(strict.seconds->given_up > 0);
  settings.compilers.reset();
  CHECK_FALSE(simulate(judge, "line", strategy_entry("greedy"), settings).seconds);
}

TEST_CASE("ratios, evaluations to a bound and curve of a known order") {
  // Asked in this order: best/optimum is inf, 4, 2.06, 2.06, 1.04, 1.
  const Recording recording = line({2, 2.08, 6, 4.12, 8, 0}); // exhaustive asks the last first
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  const auto result =
      simulate(judge, "line", strategy_entry("exhaustive"), settings_of(3, {5, 1, 2, 9, 2}));
  REQUIRE(result.budgets.size() == 4);
  CHECK(result.budgets[0].evaluations == 1);
  CHECK(result.budgets[0].median == infinite);
  CHECK(result.budgets[1].median == Approx(4));
  CHECK(result.budgets[2].median == Approx(1.04));
  CHECK(result.budgets[3].median == Approx(1)); // the space ends before the budget
  CHECK(result.curve.size() == 9);
  CHECK(result.curve[3].high == Approx(2.06));
  CHECK(result.within_5_percent.median == 5.0);
  CHECK(result.within_5_percent.runs == 3);
  CHECK(result.within_1_percent.median == 6.0);
  const auto shorter = simulate(judge, "line", strategy_entry("exhaustive"), settings_of(3, {5}));
  CHECK_FALSE(shorter.within_1_percent.median);
  CHECK(shorter.within_1_percent.runs == 0);
}

TEST_CASE("compilers side by side, a GPU behind them, and the answers as they come") {
  // Compiled in 9, 1, 2 and 1 s, measured in 1 s, the third not at all.
  Recording recording = line({4, 3, 0, 2});
  const std::array compile_ms{9000.0, 1000.0, 2000.0, 1000.0};
  for (std::size_t i = 0; i < compile_ms.size(); ++i) {
    recording.measurements[i].spent.compile_ms = compile_ms[i];
    recording.measurements[i].spent.time_ms = i == 2 ? 0 : 1000;
  }
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  std::vector<ConfigurationId> told;
  const StrategyEntry diary{"diary", "",
                            [&](const SearchProblem&) { return std::make_unique<Diary>(told); }};
  SimulationSettings settings = settings_of(1, {4});
  settings.threads = 1;
  const auto run = [&](double seconds) {
    told.clear();
    settings.seconds = seconds;
    simulate(judge, "line", diary, settings);
    return told;
  };
  using Ids = std::vector<ConfigurationId>;
  settings.in_flight = 4;
  settings.compilers = 2;
  // The second compiler is through with 1 at 1, with 2 at 3, with 3 at 4 s.
  CHECK(run(2.5) == Ids{1});
  CHECK(run(3.5) == Ids{1, 2});
  CHECK(run(5.5) == Ids{1, 2, 3});
  CHECK(run(10.5) == Ids{1, 2, 3, 0});
  settings.in_flight = 1; // one thing after the other, whoever compiles
  CHECK(run(10.5) == Ids{0});
  CHECK(run(12.5) == Ids{0, 1});
  settings.in_flight.reset(); // a batch, told in the order asked at 10 s
  CHECK(run(9.5).empty());
  CHECK(run(10.5) == Ids{0, 1, 2, 3});
  settings.batch = 5;
  CHECK_THROWS_WITH(run(1), "strategy 'diary' takes at most 4 questions before it needs an answer, "
                            "not 5");
}

TEST_CASE("evaluators share the compilers, the GPU and the time of a machine") {
  using namespace std::chrono_literals;
  Recording recording = line({4, 3, 2});
  const std::array compile_ms{2000.0, 1000.0, 3000.0};
  for (std::size_t i = 0; i < compile_ms.size(); ++i)
    recording.measurements[i].spent = {
        .compile_ms = compile_ms[i], .verify_ms = 400, .time_ms = 600};
  const RecordedSpace recorded(recording);
  SimulatedMachine machine(2);
  RecordedEvaluator one(recording, recorded, &machine), other(recording, recorded, &machine);
  const auto trial = [&](TrialId id, ConfigurationId of) {
    return Trial{.id = id, .configuration = recorded.space().at(of)};
  };
  const auto answered = [](Evaluator& evaluator) {
    std::vector<TrialId> ids;
    for (const Evaluated& evaluated : evaluator.collect(10s))
      ids.push_back(evaluated.id);
    return ids;
  };
  using Ids = std::vector<TrialId>;
  one.submit({trial(7, 0), trial(8, 2)});
  other.submit({trial(7, 1)});
  CHECK(one.state().compiling == 2);
  CHECK(other.state().queued == 1);
  CHECK(one.collect(500ms).empty()); // it waits no longer
  CHECK(machine.clock().now_s() == 0.5);
  CHECK(one.compiling_s(7) == 0.5);
  CHECK_FALSE(other.compiling_s(7)); // it waits for a compiler
  CHECK(answered(one) == Ids{7});
  CHECK(machine.clock().now_s() == 3);
  CHECK(answered(other).empty()); // what is done then is the first one's
  CHECK(machine.clock().now_s() == 4);
  CHECK(answered(one) == Ids{8});
  CHECK(answered(other) == Ids{7});
  CHECK(machine.clock().now_s() == 5);

  one.submit({trial(9, 0), trial(10, 1), trial(11, 2)});
  CHECK(one.collect(500ms).empty());
  one.give_up(11); // it waits for a compiler
  one.give_up(9);
  one.withdraw(10);
  const auto answers = one.collect(0ms);
  REQUIRE(answers.size() == 1);
  CHECK(compile_given_up(answers.front().measurement));
  CHECK(answers.front().measurement.spent.compile_ms == Approx(500));
  CHECK(one.state().compiling == 1);
  {
    RecordedEvaluator gone(recording, recorded, &machine);
    gone.submit({trial(1, 0)});
  }
  CHECK(answered(one) == Ids{11});
  CHECK(one.state().compiling + one.state().queued + one.state().measuring == 0);
}

TEST_CASE("on a machine, a race is answered with all that was recorded of it") {
  Recording recording = line({1});
  Measurement& row = recording.measurements.front();
  const Measurement plain = row;
  int next = 0;
  test::make_distinct(row, next);
  row.configuration = plain.configuration;
  row.status = Status::correct;
  const RecordedSpace recorded(recording);
  SimulatedMachine machine(1);
  RecordedEvaluator evaluator(recording, recorded, &machine);
  evaluator.submit({{.id = 1, .configuration = recorded.space().at(0), .count = true}});
  const auto answers = evaluator.collect(std::chrono::hours(1));
  REQUIRE(answers.size() == 1);
  CHECK(
      test::differing(answers.front().measurement, row) ==
      std::vector<std::string>{"gpu_ms", "mode", "other_gpu", "same_code_as", "uncounted_because"});
}

TEST_CASE("on a machine, counters are answered to those who read them") {
  Recording recording = line({1});
  recording.measurements.front().counters = {{"sectors", 5}};
  const RecordedSpace recorded(recording);
  SimulatedMachine machine(1);
  RecordedEvaluator evaluator(recording, recorded, &machine);
  for (const bool count : {true, false}) {
    evaluator.submit({{.id = 1, .configuration = recorded.space().at(0), .count = count}});
    const auto answers = evaluator.collect(std::chrono::seconds(1));
    REQUIRE(answers.size() == 1);
    CHECK(answers.front().measurement.counters.empty() == !count);
    CHECK(answers.front().measurement.times_ms == std::vector{1.0});
  }
}

TEST_CASE("several jobs in one loop, on one machine in virtual time") {
  Recording recording = line({4, 3, 2, 5});
  for (Measurement& one : recording.measurements)
    one.spent = {.compile_ms = 1000, .time_ms = 100};
  const RecordedSpace recorded(recording);
  SimulatedMachine machine(4);
  RecordedEvaluator first(recording, recorded, &machine), second(recording, recorded, &machine);
  const RecordKeeping keeping{.find = [](const Configuration&) { return std::nullopt; },
                              .add = [](std::span<const Measurement>) {}};
  const TuningSettings settings{.wait =
                                    [&](std::chrono::milliseconds limit) {
                                      machine.pass(std::chrono::duration<double>(limit).count());
                                    },
                                .clock = &machine.clock()};
  Tuning tuning({{recorded.space(), [&] { return OpenJob{first, keeping}; }},
                 {recorded.space(), [&] { return OpenJob{second, keeping}; }}},
                settings, {}, {});
  const SearchSpace both = SearchSpace::build(line(std::vector<double>(8, 1)).parameters);
  const auto strategy = make_strategy("exhaustive", {.space = both});
  CHECK(tuning.search(*strategy, 8, std::nullopt) == Ended::finished);
  CHECK(tuning.measured() == 8);
  CHECK(tuning.result(1).measurements.size() == 4);
  CHECK(tuning.seconds() ==
        Approx(2.4)); // two rounds of four compilers, and the GPU behind the last
}

TEST_CASE("computed random search") {
  // Ratios 1, 2, 3 and one failure. Two draws: best 1 in 3 of 6 pairs, 2 in 2 (one with the
  // failure), 3 in 1.
  const RandomBaseline random({3, infinite, 1, 2});
  CHECK(random.expected(2) == Approx((3 * 1 + 2 * 2 + 1 * 3) / 6.0));
  CHECK(random.expected(1) == Approx((1 + 2 + 3 + 3) / 4.0)); // the failure counts as the worst
  CHECK(random.expected(4) == Approx(1));
  CHECK(random.expected(99) == Approx(1));
  CHECK(random.quantile(2, 0.5) == 1);
  CHECK(random.quantile(1, 0.5) == 2);
  CHECK(random.quantile(1, 0.9) == infinite);
  // From the median 2 to the optimum 1: 95 % of the way is 1.05, which only four draws reach.
  CHECK(random.near_optimum() == 4);
  CHECK_THROWS_AS(RandomBaseline({infinite, infinite}), InputError);
}

TEST_CASE("score: 0 for random search, 1 for the optimum at once") {
  std::vector<double> ratios;
  ratios.reserve(500);
  for (int i = 0; i < 500; ++i)
    ratios.push_back(1 + i * 0.01);
  const RandomBaseline random(ratios);
  const std::size_t last = random.near_optimum();
  CHECK(random.expected(last) <= 1 + 0.05 * 2.495);
  CHECK(random.expected(last - 1) > 1 + 0.05 * 2.495);
  std::vector<double> expected, halfway;
  for (std::size_t draws = 1; draws <= last; ++draws) {
    expected.push_back(random.expected(draws));
    halfway.push_back((random.expected(draws) + 1) / 2);
  }
  CHECK(aggregate_score(random, expected) == Approx(0).margin(1e-12));
  CHECK(aggregate_score(random, halfway) == Approx(0.5));
  CHECK(aggregate_score(random, std::vector<double>(last, 1.0)) == Approx(1));
  CHECK(aggregate_score(random, {random.worst()}) < 0);
  CHECK(aggregate_score(RandomBaseline({1, 1, 1}), {1, 1, 1}) == 0);
}

TEST_CASE("simulated random search agrees with the computed one") {
  std::vector<double> times;
  times.reserve(300);
  for (int x = 0; x < 300; ++x)
    times.push_back(x % 5 == 0 ? 0 : 1 + (x * 37 % 300) * 0.01);
  const Recording recording = line(times);
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  const auto settings = settings_of(4000, {5, 20, 60});
  const auto sampled = simulate(judge, "line", strategy_entry("random"), settings);
  const auto exact = random_exact(judge, "line", settings);
  for (std::size_t b = 0; b < 3; ++b) {
    CHECK(sampled.budgets[b].low == Approx(exact.budgets[b].low).epsilon(0.02));
    CHECK(sampled.budgets[b].median == Approx(exact.budgets[b].median).epsilon(0.02));
    CHECK(sampled.budgets[b].high == Approx(exact.budgets[b].high).epsilon(0.02));
  }
  CHECK(sampled.score == Approx(0).margin(0.02));
  CHECK(exact.score == 0);
}

TEST_CASE("a simulation repeats itself on any number of threads") {
  std::vector<double> times;
  times.reserve(200);
  for (int x = 0; x < 200; ++x)
    times.push_back(1 + std::abs(x - 130) * 0.1);
  const Recording recording = line(times);
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  auto settings = settings_of(23, {10, 30});
  settings.threads = 1;
  const auto one = simulate(judge, "line", strategy_entry("genetic"), settings);
  settings.threads = 5;
  const auto five = simulate(judge, "line", strategy_entry("genetic"), settings);
  for (std::size_t i = 0; i < one.curve.size(); ++i)
    CHECK(one.curve[i].median == five.curve[i].median);
  CHECK(one.score == five.score);
}

TEST_CASE("a strategy hears its budget, and is run once for all smaller ones") {
  const Recording recording = line({3, 2, 1, 4, 5});
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  auto settings = settings_of(2, {2, 4});
  settings.threads = 1;
  std::vector<std::uint64_t> heard;
  simulate(judge, "line", budget_listener(heard), settings);
  CHECK(heard == std::vector<std::uint64_t>{4, 4});
}

TEST_CASE("what a simulation refuses") {
  const Recording recording = line({3, 2, 1});
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  const StrategyEntry stubborn{"stubborn", "",
                               [](const SearchProblem&) { return std::make_unique<Stubborn>(); }};
  CHECK_THROWS_AS(simulate(judge, "line", stubborn, settings_of(4, {3})), std::logic_error);
  CHECK_THROWS_AS(simulate(judge, "line", strategy_entry("random"), settings_of(0, {3})),
                  InputError);
  CHECK_THROWS_AS(simulate(judge, "line", strategy_entry("random"), settings_of(1, {})),
                  InputError);
  CHECK_THROWS_AS(simulate(judge, "line", strategy_entry("random"), settings_of(1, {0})),
                  InputError);
  const Recording failed = line({0, 0});
  const RecordedSpace nothing(failed);
  CHECK_THROWS_AS(Judge(nothing), InputError);
}

TEST_CASE("a prior is translated by names and values") {
  const Recording here = line({3, 2, 1}), there = line({0, 7, 8, 9, 10});
  const RecordedSpace to(here), from(there);
  const auto prior = prior_from(from, to.space());
  REQUIRE(prior.size() == 3);
  for (const Observation& observation : prior) {
    const auto x = to_number(to.space().at(observation.id).front().second);
    CHECK(observation.cost.has_value() == (x > 0));
    if (observation.cost)
      CHECK(*observation.cost == Approx(x + 6));
  }
}

TEST_CASE("summary over recordings: geometric means in the order of first appearance") {
  SimulationTable table(3);
  table[0] = {"one", "b", 5, {{10, 1, 2, 8}}, {}, {}, {}, 0.2, 4};
  table[1] = {"one", "a", 5, {{10, 1, 3, 3}}, {}, {}, {}, 0.5, 1};
  table[2] = {"two", "b", 5, {{10, 1, 8, infinite}}, {}, {}, {}, 0.6, 8};
  const auto summaries = summarise(table);
  REQUIRE(summaries.size() == 2);
  CHECK(summaries[0].strategy == "b");
  CHECK(summaries[0].recordings == 2);
  CHECK(summaries[0].budgets[0].low == Approx(1));
  CHECK(summaries[0].budgets[0].median == Approx(4));
  CHECK(summaries[0].budgets[0].high == infinite);
  CHECK(summaries[0].score == Approx(0.4));
  CHECK(summaries[0].search_us == Approx(6));
}

TEST_CASE("text, CSV and JSON hold the figures") {
  SimulationTable table(2);
  table[0] = {"a,b",
              "s<1>",
              5,
              {{1, 1, 2, infinite}, {2, 1, 1.5, 2}},
              {{1, 1, 2, infinite}, {2, 1, 1.5, 2}},
              {},
              {},
              0.25,
              4};
  table[0].within_5_percent = {2.5, 4};
  table[1] = table[0];
  table[1].recording = "two";
  const std::string text = simulation_text(table);
  CHECK(holds(text, "1.500 [1.000 2.000]"));
  CHECK(holds(text, "2.5 (4/5)"));
  CHECK(holds(text, "- (0/5)"));
  CHECK(holds(text, "geometric means over 2 recordings"));
  CHECK(holds(text,
              "\nMedians after 2 evaluations, best score first: s<1> 50.0 % above the optimum.\n"));
  for (const std::size_t width : {70U, 40U}) {
    const std::string narrow = simulation_text(table, width);
    INFO(narrow);
    CHECK(widest_line(narrow) <= width);
    CHECK(holds(narrow, "1.500"));
    CHECK(holds(narrow, "0.250"));
  }
  const std::string csv = simulation_csv(table);
  CHECK(holds(csv, "\n\"a,b\",s<1>,5,1,1,2,inf,2.5,4,,0,0.25,4\n"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);
  const auto json = nlohmann::json::parse(simulation_json(table));
  CHECK(json["results"][0]["budgets"][0]["high_quartile"].is_null());
  CHECK(json["results"][1]["within_5_percent"]["median_evaluations"] == 2.5);
  CHECK(json["summary"][0]["geometric_means"][1]["median"].get<double>() == Approx(1.5));
  CHECK(simulation_text({}).empty());
}

TEST_CASE("a run in recorded time ends when that time is over") {
  Recording recording =
      read_recording(std::filesystem::path(GRIDSMITH_SOURCE_DIR) /
                     "kernels/catalogue/transpose/recordings/8192x8192__h200.json.gz");
  for (Measurement& one : recording.measurements)
    one.spent = {.compile_ms = 900, .gpu_ms = 50, .verify_ms = 20, .time_ms = 50, .count_ms = 30};
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  SimulatedMachine machine(0);
  RecordedEvaluator evaluator(recording, recorded, &machine);
  evaluator.submit({{.id = 1, .configuration = recorded.space().at(0)}});
  CHECK(evaluator.collect(std::chrono::seconds(2)).size() == 1);
  CHECK(machine.clock().now_s() == Approx(1));
  SimulationSettings settings{.runs = 3, .evaluations = {100}, .threads = 1};
  const auto whole = simulate(judge, "r", strategy_entry("greedy"), settings);
  settings.seconds = 9.5;
  const auto cut = simulate(judge, "r", strategy_entry("greedy"), settings);
  CHECK(cut.curve[8].median == whole.curve[8].median);
  CHECK(cut.curve[99].median == cut.curve[9].median); // nothing was learned after ten
}

TEST_CASE("computed random search equals the published figures", "[.][needs:shared]") {
  const auto folder = std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "../shared/spaces/dev";
  const std::string name = "convolution_bat__RTX_3060_laptop";
  const Recording recording = read_recording(folder / (name + ".json.gz"));
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  std::ifstream in(folder / "baseline_medians.csv");
  int compared = 0;
  for (std::string row; std::getline(in, row);) {
    if (!row.starts_with(name + ",random_exact,"))
      continue;
    std::stringstream cells(row);
    std::vector<std::string> cell(6);
    for (std::string& text : cell)
      std::getline(cells, text, ',');
    CHECK(judge.random().quantile(std::stoul(cell[2]), 0.5) ==
          Approx(std::stod(cell[5])).epsilon(2e-3)); // theirs are of means, ours of medians
    ++compared;
  }
  CHECK(compared == 4);
}

} // namespace simulation_test
