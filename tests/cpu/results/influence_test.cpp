// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/random.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/influence/influence_text.hpp"
#include "gridsmith/results/influence/variance.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace influence_test {

using namespace gridsmith;

namespace {

std::string cupti(std::string_view name) {
  return std::string(find_counter(name)->cupti);
}

/// Around 1, a tenth more or less.
double wobble(Random& random) {
  return std::exp(0.2 * (unit(random) - 0.5));
}

Measurement planted_row(std::int64_t stride, std::int64_t rows, bool padded) {
  Measurement row;
  row.configuration = {{"stride", stride}, {"rows", rows}, {"padded", padded}};
  row.status = Status::correct;
  row.geometry = {{256, 1, 1}, {256, 1, 1}, 0};
  row.compile_facts = CompileFacts{32, 0, 0, 0, 0, 0, 1024, 0};
  return row;
}

/// 48 configurations: sectors per store are 4 * stride; what is counted beside them and the times are
/// the caller's.
template <class Fill>
Recording planted(Fill&& fill) {
  Recording recording;
  recording.device = sample_device();
  recording.parameters = {
      {"stride", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}}},
      {"rows", {std::int64_t{2}, std::int64_t{4}, std::int64_t{8}}},
      {"padded", {false, true}}};
  Random random(7);
  for (int repeat = 0; repeat < 2; ++repeat)
    for (const Value& stride : recording.parameters[0].values)
      for (const Value& rows : recording.parameters[1].values)
        for (const bool padded : {false, true}) {
          Measurement row =
              planted_row(std::get<std::int64_t>(stride), std::get<std::int64_t>(rows), padded);
          if (repeat > 0)
            row.configuration.emplace_back("repeat", std::int64_t{repeat});
          fill(row, static_cast<double>(std::get<std::int64_t>(stride)),
               static_cast<double>(std::get<std::int64_t>(rows)), random);
          recording.measurements.push_back(row);
        }
  return recording;
}

/// Time goes as the sectors, the occupancy as the rows, and what DRAM moves as nothing.
Recording sectors_decide() {
  return planted([](Measurement& row, double stride, double rows, Random& random) {
    row.counters = {{cupti("store_sectors"), 4e6 * stride},
                    {cupti("store_instructions"), 1e6},
                    {cupti("duration_ns"), 1e5 * stride},
                    {cupti("dram_read_bytes"), 3e8 * wobble(random)},
                    {cupti("dram_write_bytes"), 3e8 * wobble(random)},
                    {cupti("warps_active_percent"), 10 * rows}};
    row.times_ms = {0.1 * stride * wobble(random)};
  });
}

Recording nothing_decides(std::uint64_t seed) {
  Random other(seed);
  return planted([&](Measurement& row, double, double, Random&) {
    for (const Counter& one : counter_catalogue())
      if (counter_kind(one.cupti) == CounterKind::profiler)
        row.counters[std::string(one.cupti)] = 1e6 * wobble(other);
    row.times_ms = {wobble(other)};
  });
}

const ParameterEffect& effect(const Influence& found, const std::string& parameter,
                              const std::string& quantity) {
  for (const ParameterEffect& one : found.effects)
    if (one.parameter == parameter && one.quantity == quantity)
      return one;
  throw std::runtime_error("no effect of " + parameter + " on " + quantity);
}

std::vector<std::string> names_of(const Contrast& contrast) {
  std::vector<std::string> names;
  names.reserve(contrast.differences.size());
  for (const Difference& one : contrast.differences)
    names.push_back(one.quantity.name);
  return names;
}

std::filesystem::path shipped(const std::string& name) {
  return std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "kernels/catalogue" / name;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

} // namespace

TEST_CASE(
    "what decides the time is found among decoys, with its power and the parameter behind it") {
  const Influence found = influence(sectors_decide());
  CHECK(found.configurations == 48);
  REQUIRE(found.explanations.size() == 1); // store_sectors tells the same
  const Explanation& sectors = found.explanations[0];
  CHECK(sectors.quantity == "store_sectors_per_request");
  CHECK(sectors.alike == std::vector<std::string>{"store_sectors"});
  CHECK(sectors.share > 0.98);
  CHECK(sectors.exponent == Approx(1).margin(0.05));
  CHECK(found.together == std::vector<std::string>{"store_sectors_per_request"});
  CHECK(found.quantity("counted_time_ms")->of_time);
  CHECK_FALSE(found.quantity("achieved_occupancy")->of_time);

  const ParameterEffect& moved = effect(found, "stride", sectors.quantity);
  CHECK(moved.share == Approx(1));
  CHECK_FALSE(moved.by_chance);
  REQUIRE(moved.step);
  CHECK(moved.step->from == Value(std::int64_t{1}));
  CHECK(moved.step->to == Value(std::int64_t{8}));
  CHECK(moved.step->ratio == Approx(8));
  CHECK(moved.step->pairs == 12); // rows, padding and the repeat held equal
  CHECK(effect(found, "rows", sectors.quantity).by_chance);
  CHECK(effect(found, "padded", sectors.quantity).by_chance);
  CHECK_FALSE(effect(found, "rows", "achieved_occupancy").by_chance);
  CHECK(effect(found, "stride", "achieved_occupancy").by_chance);
  CHECK(effect(found, "rows", "time").by_chance);
}

TEST_CASE("noise explains nothing and moves nothing, in one space of a hundred at most") {
  int explained = 0, moved = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Influence found = influence(nothing_decides(seed));
    explained += !found.explanations.empty();
    moved += std::any_of(found.effects.begin(), found.effects.end(),
                         [](const ParameterEffect& one) { return !one.by_chance; });
    CHECK(found.together.size() == std::min<std::size_t>(found.explanations.size(), 1));
  }
  CHECK(explained <= 1);
  CHECK(moved <= 1);
}

TEST_CASE("of fewer than twelve correct configurations nothing is said") {
  Recording recording = sectors_decide();
  recording.measurements.resize(12);
  CHECK_FALSE(influence(recording).explanations.empty());
  recording.measurements[5].status = Status::correctness;
  const Influence found = influence(recording);
  CHECK(found.effects.empty());
  CHECK(describe(found) ==
        std::vector<std::string>{"11 correct configurations: too few to analyse; 12 are "
                                 "needed"});
}

TEST_CASE("two causes are found together") {
  const Recording recording =
      planted([](Measurement& row, double stride, double rows, Random& random) {
        row.counters = {{cupti("store_sectors"), 4e6 * stride},
                        {cupti("store_instructions"), 1e6},
                        {cupti("shared_load_conflicts"), rows == 2 ? 0 : 1e5 * rows},
                        {cupti("dram_read_bytes"), 3e8 * wobble(random)}};
        row.times_ms = {0.1 * stride * std::sqrt(rows) * wobble(random)};
      });
  const Influence found = influence(recording);
  CHECK(found.together ==
        std::vector<std::string>{"store_sectors_per_request", "shared_load_conflicts"});
  CHECK(found.together_share > 0.98);
  CHECK(found.explanations.at(0).share < 0.95);
}

TEST_CASE("the difference of two configurations is what the time goes by") {
  const Recording recording = sectors_decide();
  Measurement slow = recording.measurements.at(0), fast = slow;
  slow.counters[cupti("store_sectors")] = 32e6;
  slow.counters[cupti("warps_active_percent")] = 77;
  slow.counters[cupti("dram_read_bytes")] = 323e6;
  slow.counters[cupti("dram_write_bytes")] = 3e8;
  slow.times_ms = {0.8, 0.81, 0.8};
  fast.counters[cupti("store_sectors")] = 4e6;
  fast.counters[cupti("warps_active_percent")] = 94;
  fast.counters[cupti("dram_read_bytes")] = 237e6;
  fast.counters[cupti("dram_write_bytes")] = 3e8;
  fast.compile_facts->registers_per_thread = 33; // too little to be named
  fast.times_ms = {0.1, 0.11, 0.1};
  const Contrast found = contrast(slow, fast, recording, influence(recording));
  CHECK(found.told_apart);
  CHECK(names_of(found) ==
        std::vector<std::string>{"store_sectors_per_request", "achieved_occupancy", "dram_bytes"});
  CHECK(found.differences.at(0).agrees == true);
  CHECK(describe(found) == std::vector<std::string>{"global store sectors per request 32 → 4",
                                                    "achieved occupancy 77 → 94 %",
                                                    "DRAM bytes 623 → 537 MB"});
  CHECK(contrast_json(found)["differences"][0]["better"] == true);

  const Contrast back = contrast(fast, slow, recording, influence(recording));
  CHECK(describe(back).at(0) == "global store sectors per request 4 → 32, which is worse");
  // Without a space that tells more the largest changes are named all the same.
  CHECK(names_of(contrast(slow, fast, recording, {})).at(0) == "store_sectors_per_request");
}

TEST_CASE("why one is faster is said by what was counted, else by the parameters that differ") {
  const Recording recording = sectors_decide();
  const Influence known = influence(recording);
  Measurement slow = recording.measurements.at(0), fast = slow;
  slow.configuration = {{"stride", std::int64_t{8}}, {"rows", std::int64_t{1}}};
  fast.configuration = {{"stride", std::int64_t{1}}, {"rows", std::int64_t{1}}};
  slow.times_ms = {0.8, 0.81, 0.8};
  fast.times_ms = {0.1, 0.11, 0.1};
  const auto why = [&](const Measurement& from, const Measurement& to) {
    return why_faster(contrast(from, to, recording, known), from.configuration, to.configuration,
                      known, "the default");
  };
  // Nothing that was counted differs.
  CHECK_THAT(why(slow, fast),
             contains_text("8 times as fast as the default, and no counter or fact of the compiled "
                           "code says why; the parameters that differ: stride 8 → 1 ("));
  // More of what costs is no reason, nor is a wait that is none.
  slow.counters[cupti("load_sectors")] = 4e6;
  slow.counters[cupti("load_instructions")] = fast.counters[cupti("load_instructions")] = 1e6;
  fast.counters[cupti("load_sectors")] = 8e6;
  slow.counters[cupti("instructions")] = 1.05e6; // by little
  fast.counters[cupti("instructions")] = 1e6;
  slow.counters[cupti("stall_barrier")] = 0.06;
  fast.counters[cupti("stall_barrier")] = 0.002;
  CHECK_THAT(why(slow, fast), contains_text("the parameters that differ"));
  slow.counters[cupti("store_sectors")] = 32e6;
  fast.counters[cupti("store_sectors")] = 4e6;
  CHECK(why(slow, fast) ==
        "8 times as fast as the default: global store sectors per request 32 → 4.");
  CHECK(why(fast, slow) == "It takes 8 times as long as the default.");
  CHECK(why(fast, fast) == "It is the default: no other configuration is faster.");
}

TEST_CASE("what is counted of the finalists alone is compared too, from nothing as well") {
  const Recording recording = sectors_decide();
  Measurement slow = recording.measurements.at(0), fast = slow;
  slow.counters[cupti("shared_load_conflicts")] = 123456;
  fast.counters[cupti("shared_load_conflicts")] = 0;
  fast.times_ms = {0.5 * fast.times_ms[0]};
  CHECK(describe(contrast(slow, fast, recording, influence(recording))) ==
        std::vector<std::string>{"shared load conflicts 123 → 0 thousand"});
}

TEST_CASE("two tied winners that count alike have no difference") {
  const Recording recording = sectors_decide();
  Measurement one = recording.measurements.at(0), other = one;
  other.counters[cupti("dram_read_bytes")] *= 1.02;
  other.counters[cupti("warps_active_percent")] += 1.5;
  other.times_ms[0] *= 1.004;
  const Contrast found = contrast(one, other, recording, influence(recording));
  CHECK_FALSE(found.told_apart);
  CHECK(found.differences.empty());
  CHECK(describe(found) ==
        std::vector<std::string>{
            "no counter, metric or compile fact tells them apart by more than it "
            "varies"});
}

TEST_CASE("shares of variance are those of hand-made columns") {
  const std::vector<std::optional<double>> y = {1, 2, 3, 4}, x = {2, 4, 6, 8}, flat = {5, 5, 5, 5};
  CHECK(standardised(flat).empty());
  CHECK(standardised(std::vector<std::optional<double>>{1.0, {}, {}, {}}).empty());
  const Standard a = standardised(y), b = standardised(x);
  const Standard* of_b[] = {&b};
  CHECK(share_foretold(a, of_b) == Approx(1));
  CHECK(beside(a, of_b).empty());
  // 1 - (1 - 0.8) * 3 / 2: half of each group's spread is within it.
  CHECK(share_between(a, {0, 0, 1, 1}) == Approx(0.7));
  CHECK(share_between(a, {0, 1, 1, 0}) == 0);
  CHECK(share_between(a, {0, 1, 2, 3}) == 0); // a group each tells nothing
  // 0, 0, 1, 1 on 1, 2, 3, 4, each left out: errors 1/3, 3/7, 3/7, 1/3; of the mean alone 2/3 each.
  const Standard step = standardised(std::vector<std::optional<double>>{0.0, 0.0, 1.0, 1.0});
  const Standard* of_a[] = {&a};
  CHECK(share_foretold(step, of_a) == Approx(131.0 / 196));
}

TEST_CASE("the shipped recordings are told of in sentences") {
  const Recording transpose =
      read_recording(shipped("transpose/recordings/8192x8192__h200.json.gz"));
  CHECK(joined(describe(influence(transpose))) ==
        R"(global store efficiency: 69 % of the time's variance, with 5 like it
  moved most by VARIANT, 97 % of its variance; naive → tiled: 7.99 times, all else equal (13 pairs)
L2 requests max: 64 % of the time's variance, with 1 like it
  moved most by VARIANT, 87 % of its variance; naive → tiled: 0.0777 times, all else equal (13 pair…
DRAM bytes: 60 % of the time's variance, with 3 like it
  moved most by VARIANT, 85 % of its variance; naive → tiled: 0.891 times, all else equal (13 pairs)
together 94 % of the time's variance: global store efficiency, shared efficiency
VARIANT: 81 % of the time's variance; naive → tiled: 0.321 times, all else equal (13 pairs)
ELEMENTS: 41 % of the time's variance
BAND: 18 % of the time's variance
)");
  const Recording matmul =
      read_recording(shipped("matmul/recordings/4096x4096x4096__h200.json.gz"));
  const auto best = rank_as_measured(matmul.measurements);
  const Contrast found =
      contrast(matmul.measurements.at(0), best.at(0).measurement, matmul, influence(matmul));
  CHECK(joined(describe(found)) == R"(global load sectors per request 4 → 16
shared store wavefronts per request 1.00 → 2.10
stall math throttle 0.0650 → 0.00835
)");
}

TEST_CASE("sentences are at most as wide as they may be, and the JSON holds them all") {
  for (const char* name : {"transpose_bench/recordings/8192__h200.json.gz",
                           "vector_add/recordings/67108864__h200.json.gz"}) {
    const Recording recording = read_recording(shipped(name));
    const Influence found = influence(recording);
    const std::vector<std::string> sentences = describe(found);
    CHECK(sentences.size() > 2);
    for (const std::string& sentence : sentences)
      CHECK(width_of(sentence) <= sentence_width);
    const auto json = influence_json(found);
    CHECK_FALSE(found.explanations.empty());
    CHECK_FALSE(found.effects.empty());
    CHECK(json["configurations"] == recording.measurements.size());
    CHECK(json["explanations"].size() == found.explanations.size());
    CHECK(json["effects"].size() == found.effects.size());
  }
}

} // namespace influence_test
