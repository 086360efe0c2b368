// SPDX-License-Identifier: Apache-2.0
// Several GPUs as one evaluator, over GPUs that do not exist: their times are made comparable, whoever is
// lost costs nothing but itself.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/made_up_gpu.hpp"
#include "gridsmith/tuner/fleet/fleet.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"

#include <fmt/format.h>

#include <set>

namespace fleet_test {

using namespace gridsmith;
using test::MadeUpGpu;
using test::MadeUpGpuFacts;

namespace {

/// X = 0 … 239; times 1 % apart, in an order that tells nothing.
SearchSpace plain_space() {
  Parameter x{"X", {}};
  for (int i = 0; i < 240; ++i)
    x.values.emplace_back(std::int64_t{i});
  return SearchSpace::build({x}, {});
}

int rank_of(const Configuration& configuration, std::int64_t shift = 0) {
  return static_cast<int>((std::get<std::int64_t>(configuration.front().second) + shift) * 77 %
                          240);
}

double ms_of(const Configuration& configuration) {
  return 1 + 0.01 * rank_of(configuration);
}

/// A world with GPUs, and what they came to.
struct Room {
  explicit Room(const std::vector<MadeUpGpuFacts>& facts, std::size_t anchor_every = 20,
                std::int64_t shift = 0, decltype(FleetSettings::others_pay) pay = {}) {
    const auto ms = [shift](const Configuration& one) { return 1 + 0.01 * rank_of(one, shift); };
    std::vector<FleetMember> members;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      gpus.push_back(nullptr);
      members.push_back({[this, ms, i, facts = facts[i]] {
                           if (facts.refuses)
                             throw HelperError("no such program");
                           auto gpu = std::make_unique<MadeUpGpu>(world, nullptr, ms, facts);
                           gpus[i] = gpu.get();
                           return gpu;
                         },
                         fmt::format("GPU {}", i), fmt::format("uuid-{}", i)});
    }
    fleet.emplace(std::move(members),
                  FleetSettings{.wait =
                                    [this](const auto& list, std::chrono::milliseconds) {
                                      std::vector<const MadeUpGpu*> those;
                                      those.reserve(list.size());
                                      for (const std::size_t i : list)
                                        those.push_back(gpus[i]);
                                      test::pass_time(world, those);
                                    },
                                .note = [this](const std::string& line) { notes.push_back(line); },
                                .others_pay = std::move(pay),
                                .shared_compilers = true,
                                .anchor_every = anchor_every});
  }

  TuningResult tune(const char* strategy = "exhaustive") {
    const SearchSpace space = plain_space();
    const auto search = make_strategy(strategy, {.space = space, .seed = 1});
    TuningSettings whole;
    whole.budget.evaluations = space.size();
    const RecordKeeping keeping{.find = [](const Configuration&) { return std::nullopt; },
                                .add =
                                    [this](std::span<const Measurement> some) {
                                      recorded.insert(recorded.end(), some.begin(), some.end());
                                    }};
    return gridsmith::tune({space, [&] { return OpenJob{*fleet, keeping}; }}, *search, whole);
  }

  test::MadeUpWorld world;
  std::vector<const MadeUpGpu*> gpus; ///< of them those that are lost are no more
  std::vector<std::string> notes;
  std::vector<Measurement> recorded;
  std::optional<Fleet> fleet;
};

int winner(const TuningResult& result, std::int64_t shift = 0) {
  return rank_of(rank(result.finals).at(0).measurement.configuration, shift);
}

/// As four boards of one product may be, with 2 % drift and 3 % noise.
std::vector<MadeUpGpuFacts> boards(std::uint64_t seed) {
  std::vector<MadeUpGpuFacts> facts;
  for (const double speed : {1.0, 1.08, 0.92, 1.22}) {
    facts.push_back({.speed = speed, .drift = 0.02, .period_ms = 700, .noise = 0.03});
    facts.back().seed = 10 * seed + facts.size();
  }
  return facts;
}

std::size_t recorded_in(const Room& room, Mode mode) {
  return static_cast<std::size_t>(
      std::count_if(room.recorded.begin(), room.recorded.end(),
                    [&](const Measurement& one) { return one.mode == mode; }));
}

std::size_t different(const std::vector<Measurement>& measurements) {
  std::set<std::string> all;
  for (const Measurement& one : measurements)
    all.insert(to_text(one.configuration));
  return all.size();
}

} // namespace

TEST_CASE("a time is one of the first GPU once both have timed the anchor") {
  Anchors anchors(3, 20);
  CHECK(anchors.is_due(1));
  CHECK_FALSE(anchors.ratio(0));
  anchors.timed(1, 2.2);
  CHECK_FALSE(anchors.ratio(1));
  anchors.timed(0, 2.0);
  CHECK(*anchors.ratio(0) == 1);
  CHECK(*anchors.ratio(1) == Approx(2.0 / 2.2));
  CHECK(*anchors.off_peers(1) == Approx(0.1));
  for (int i = 0; i < 19; ++i)
    anchors.evaluated(1);
  CHECK_FALSE(anchors.is_due(1));
  anchors.evaluated(1);
  CHECK(anchors.is_due(1));
  anchors.timed(1, 2.6); // one that is far off is not believed
  anchors.timed(1, 2.2);
  CHECK(*anchors.ratio(1) == Approx(2.0 / 2.2));
}

TEST_CASE("where anchors agree they are due less often, and as often as ever once they do not") {
  Anchors anchors(1, 20);
  const auto evaluations_until_due = [&] {
    std::size_t some = 0;
    for (; !anchors.is_due(0); ++some)
      anchors.evaluated(0);
    return some;
  };
  for (const auto& [ms, until_due] :
       {std::pair{2.0, 20U}, {2.001, 40U}, {2.0, 80U}, {2.0, 80U}, {2.1, 20U}}) {
    anchors.timed(0, ms);
    CHECK(evaluations_until_due() == until_due);
  }
}

TEST_CASE("the other GPUs begin once that pays") {
  using Time = FleetSettings::Worked;
  const std::vector<MadeUpGpuFacts> two{{}, {.speed = 1.05}};
  Time sum{}, longest{};
  Room never(two, 20, 0, [&](Time worked, Time ahead) {
    sum += worked;
    longest = std::max(longest, ahead);
    return false;
  });
  const TuningResult alone = never.tune();
  CHECK(different(alone.measurements) == 240);
  CHECK(winner(alone) == 0);
  CHECK(never.gpus.at(1) == nullptr);
  CHECK(never.fleet->gpus().at(0).part.evaluations == 240);
  CHECK(never.fleet->gpus().at(1).part.evaluations == 0);
  CHECK(recorded_in(never, Mode::anchor) == 0);
  CHECK(sum.count() > 240);    // each takes a millisecond and more
  CHECK(longest.count() > 64); // as many are open

  sum = {};
  Room later(two, 20, 0, [&](Time worked, Time) { return (sum += worked) > Time(200); });
  const TuningResult both = later.tune();
  CHECK(different(both.measurements) == 240);
  CHECK(winner(both) == 0);
  CHECK(sum.count() < 400);
  CHECK(later.fleet->gpus().at(1).part.evaluations > 80);
  CHECK(*later.fleet->gpus().at(1).part.ratio == Approx(1 / 1.05));
  CHECK(later.notes.empty());
}

TEST_CASE("a GPU that is lost while it is alone is replaced by the others") {
  const auto never = [](FleetSettings::Worked, FleetSettings::Worked) { return false; };
  Room room({{.lost_after = 30}, {}}, 20, 0, never);
  const TuningResult result = room.tune();
  CHECK(different(result.measurements) == 240);
  CHECK(winner(result) == 0);
  REQUIRE_FALSE(room.notes.empty());
  CHECK_THAT(room.notes.front(), contains_text("GPU 0 (uuid-0) is no longer used"));
}

TEST_CASE("a GPU that cannot begin costs nothing but itself") {
  std::size_t asked = 0;
  Room room({{}, {.refuses = true}, {}}, 20, 0,
            [&](FleetSettings::Worked, FleetSettings::Worked) { return ++asked > 3; });
  const TuningResult result = room.tune();
  CHECK(different(result.measurements) == 240);
  CHECK(winner(result) == 0);
  CHECK(room.notes ==
        std::vector<std::string>{"GPU 1 (uuid-1) is no longer used: no such program"});
  CHECK(room.fleet->gpus().at(1).part.lost == "no such program");
  CHECK(room.fleet->gpus().at(2).part.evaluations > 60);
}

TEST_CASE("the first GPU is another one once it is lost without a word") {
  Anchors anchors(2, 20);
  anchors.timed(1, 3);
  anchors.lost(0);
  CHECK(anchors.first() == 1);
  CHECK(*anchors.ratio(1) == 1);
  Anchors known(2, 20);
  known.timed(0, 2);
  known.timed(1, 3);
  known.lost(0);
  CHECK(known.first() == 0);
  CHECK_FALSE(known.is_due(0));
  CHECK(*known.ratio(1) == Approx(2.0 / 3));
}

TEST_CASE("four boards of different speed, drifting and noisy, find the same best as one") {
  int worst = 0, worst_as_they_are = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto shift = static_cast<std::int64_t>(23 * seed);
    Room room(boards(seed), 20, shift);
    const TuningResult result = room.tune();
    CHECK(result.measurements.size() == 240);
    CHECK(different(result.measurements) == 240);
    CHECK(recorded_in(room, Mode::race) == 240);
    CHECK(recorded_in(room, Mode::anchor) >= 8);
    worst = std::max(worst, winner(result, shift));
    Room as_they_are(boards(seed), 0, shift);
    worst_as_they_are = std::max(worst_as_they_are, winner(as_they_are.tune(), shift));
  }
  CHECK(worst <= 2);            // 2 %, which 15 samples that scatter by 3 % cannot tell
  CHECK(worst_as_they_are > 3); // without anchors
}

TEST_CASE("what is told are times of the first GPU, and which GPU it was is recorded") {
  Room room({{}, {.speed = 1.25}});
  const TuningResult result = room.tune();
  std::size_t others = 0;
  for (const Measurement& one : result.measurements) {
    CHECK(*cost_ms(one) == Approx(ms_of(one.configuration)));
    if (!one.other_gpu)
      continue;
    ++others;
    CHECK(one.other_gpu->uuid == "uuid-1");
    CHECK(one.other_gpu->ratio == Approx(0.8));
  }
  CHECK(others > 80);
  CHECK(others < 120); // it is slower
  CHECK(winner(result) == 0);
  REQUIRE(room.notes.size() == 1);
  CHECK_THAT(room.notes[0], contains_text("GPU 1 (uuid-1) is 25 % slower than its peers"));
  const auto gpus = room.fleet->gpus();
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].part.evaluations + gpus[1].part.evaluations == 240);
  CHECK(gpus[0].finals.empty());
  CHECK(gpus[1].finals.size() == result.finals.size()); // its own times, for a word of its own
  CHECK(*cost_ms(gpus[1].finals.at(0)) == Approx(1.25));
}

TEST_CASE("a GPU that is far faster than several peers is named") {
  Room room({{}, {}, {.speed = 0.8}});
  room.tune();
  REQUIRE(room.notes.size() == 1);
  CHECK_THAT(room.notes[0], contains_text("GPU 2 (uuid-2) is 20 % faster"));
}

TEST_CASE("several GPUs count later and share that: few sessions, and none for anchors") {
  Room room({{.counts = true}, {.speed = 1.1, .counts = true}});
  const TuningResult result = room.tune();
  REQUIRE(different(result.measurements) == 240);
  for (const Measurement& one : result.measurements)
    CHECK(one.counters.contains("sectors"));
  CHECK(recorded_in(room, Mode::anchor) >= 4);
  for (const MadeUpGpu* gpu : room.gpus) {
    CHECK(gpu->sessions() > 1);
    CHECK(gpu->sessions() <= 240 / 64 + 2); // the rest, and finals
  }
  CHECK(room.gpus[0]->seeds() == 1); // finals
  CHECK(room.gpus[1]->seeds() == 0);
  for (const Measurement& one : result.finals)
    CHECK(one.counters.contains("sectors"));
}

TEST_CASE("what a GPU was to count and is lost with is counted by another") {
  Room room({{.counts = true}, {.lost_after = 150, .counts = true}});
  const TuningResult result = room.tune();
  REQUIRE(different(result.measurements) == 240);
  for (const Measurement& one : result.measurements)
    CHECK(one.counters.contains("sectors"));
}

TEST_CASE("a GPU that is lost costs nothing but itself") {
  for (const std::size_t lost : {0U, 1U})
    for (const std::size_t after : {0U, 1U, 5U, 8U, 9U, 30U, 100U}) {
      INFO("GPU " << lost << " after " << after);
      std::vector<MadeUpGpuFacts> facts{{.speed = 1.04}, {}, {.speed = 0.97}};
      facts[lost].lost_after = after;
      for (const char* strategy : {"exhaustive", "default", "greedy"}) {
        Room room(facts);
        const TuningResult result = room.tune(strategy);
        CHECK(result.measurements.size() == 240);
        CHECK(different(result.measurements) == 240);
        CHECK(winner(result) == 0);
        const auto gpus = room.fleet->gpus();
        if (gpus[lost].part.lost.empty())
          continue; // it never came to that
        REQUIRE(!room.notes.empty());
        CHECK_THAT(room.notes[0], contains_text("is no longer used: it fell off the bus"));
        CHECK(room.fleet->state().gpus == 2);
      }
    }
}

TEST_CASE("what hangs on a GPU that hangs is asked of the others") {
  for (const std::size_t hung : {0U, 1U})
    for (const std::size_t after : {0U, 1U, 9U, 30U, 81U}) {
      INFO("GPU " << hung << " after " << after);
      std::vector<MadeUpGpuFacts> facts{{.speed = 1.04}, {}, {.speed = 0.97}};
      facts[hung].hangs_after = after;
      Room room(facts);
      const TuningResult result = room.tune();
      CHECK(result.measurements.size() == 240);
      CHECK(different(result.measurements) == 240);
      for (const Measurement& one : result.measurements)
        CHECK(one.correct());
      CHECK(winner(result) == 0);
      CHECK(room.fleet->state().gpus == 2);
      REQUIRE(!room.notes.empty());
      CHECK_THAT(room.notes[0],
                 contains_text(fmt::format("GPU {} (uuid-{}) is no longer used: X=", hung, hung)) &&
                     contains_text("fails there: no answer from the GPU"));
    }
}

TEST_CASE("a configuration that hangs everywhere is no fault of a GPU") {
  Room room({{.hangs_on = 10}, {.hangs_on = 10}});
  const TuningResult result = room.tune();
  CHECK(result.measurements.size() == 240);
  CHECK(std::count_if(result.measurements.begin(), result.measurements.end(),
                      [](const Measurement& one) { return one.status == Status::timeout; }) == 24);
  CHECK(room.fleet->state().gpus == 2);
  CHECK(room.notes.empty());
  Room nothing({{.hangs_after = 0}, {.hangs_after = 0}});
  nothing.tune();
  CHECK(recorded_in(nothing, Mode::race) == 240);
}

TEST_CASE(
    "when all GPUs are lost the last one's reason ends it, and what was measured is recorded") {
  Room room({{.lost_after = 20}, {.lost_after = 40}});
  CHECK_THROWS_WITH(room.tune(), contains_text("fell off the bus"));
  CHECK(recorded_in(room, Mode::race) > 20);
}

TEST_CASE("the trials of several GPUs end together") {
  Room one(std::vector<MadeUpGpuFacts>(1)), four(std::vector<MadeUpGpuFacts>(4));
  one.tune();
  four.tune();
  CHECK(one.world.now_ms / four.world.now_ms > 3.2); // of 4; anchors and finals are not divided
}

} // namespace fleet_test
