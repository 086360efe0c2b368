// SPDX-License-Identifier: Apache-2.0
// What is said of differences between compiled kernels, and what counts as worse.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/results/check/code_change.hpp"
#include "gridsmith/tests/catch.hpp"

namespace code_change_test {

using namespace gridsmith;

namespace {

BaselineEntry sample() {
  BaselineEntry facts;
  facts.toolkit = "13.0";
  facts.code_hash = "a";
  facts.code.compile.registers_per_thread = 32;
  facts.geometry.block[0] = 256;
  facts.code.occupancy = 1;
  facts.code.code_bytes = 1600;
  facts.code.instructions = 100;
  facts.code.classes = {{"fp32", 64}, {"memory", 5}};
  facts.code.mix = {{"FFMA", 64}, {"LDG.128", 4}, {"STG.128", 1}, {"LDC.64", 2}};
  facts.code.in_flight = {.loads = 4, .bytes = 64};
  facts.code.hottest_loop = LoopSummary{40, 32, 0.2};
  return facts;
}

std::string text_of(const BaselineEntry& before, const BaselineEntry& now) {
  return to_text(code_changes(before, now));
}

/// The worst of all.
CodeEffect effect_of(const BaselineEntry& before, const BaselineEntry& now) {
  CodeEffect worst = CodeEffect::better;
  for (const CodeChange& one : code_changes(before, now))
    worst = std::min(worst, one.effect);
  return worst;
}

} // namespace

TEST_CASE("the same code has no difference, whatever compiled it") {
  BaselineEntry other = sample();
  other.toolkit = "12.9";
  CHECK(code_changes(sample(), other).empty());
}

TEST_CASE("resources and widths in words, what is worse first") {
  BaselineEntry now = sample();
  now.code_hash = "b";
  now.code.compile.registers_per_thread = 40;
  now.code.occupancy = 0.75;
  now.code.mix["LDG.32"] = 16;
  now.code.mix.erase("LDG.128");
  now.code.in_flight.loads = 8;
  CHECK(text_of(sample(), now) == "32 → 40 registers; occupancy 100 → 75 %; "
                                  "LDG.128 → LDG.32 (4 → 16); 4 → 8 loads in flight");
  CHECK(effect_of(sample(), now) == CodeEffect::worse);
  CHECK(effect_of(now, sample()) == CodeEffect::worse); // fewer loads in flight
  now.code.in_flight.loads = 4;
  CHECK(effect_of(now, sample()) == CodeEffect::better);
}

TEST_CASE("each resource counts by itself") {
  const auto worse = [](const std::string& words, const auto& change) {
    INFO(words);
    BaselineEntry now = sample();
    change(now);
    CHECK(text_of(sample(), now) == words);
    CHECK(effect_of(sample(), now) == CodeEffect::worse);
    CHECK(effect_of(now, sample()) != CodeEffect::worse);
  };
  worse("0 → 16 bytes of spill stores",
        [](BaselineEntry& now) { now.code.compile.spill_store_bytes = 16; });
  worse("0 → 24 bytes of spill loads",
        [](BaselineEntry& now) { now.code.compile.spill_load_bytes = 24; });
  worse("0 → 8 bytes of local memory",
        [](BaselineEntry& now) { now.code.compile.local_bytes = 8; });
  BaselineEntry from_elsewhere = sample(), spilling = sample();
  from_elsewhere.code.compile.spill_store_bytes = std::nullopt;
  spilling.code.compile.spill_store_bytes = 16;
  CHECK(text_of(from_elsewhere, spilling) == text_of(sample(), sample()));
  worse("0 → 48 bytes of stack", [](BaselineEntry& now) { now.code.stack_bytes = 48; });
  worse("0 → 4096 bytes of static shared memory",
        [](BaselineEntry& now) { now.code.compile.static_shared_bytes = 4096; });
  worse("0 → 1024 bytes of dynamic shared memory",
        [](BaselineEntry& now) { now.geometry.dynamic_shared_bytes = 1024; });
  worse("100 → 111 instructions", [](BaselineEntry& now) { now.code.instructions = 111; });
  worse("0 → 3 instructions of double arithmetic; DMUL 0 → 3", [](BaselineEntry& now) {
    now.code.classes["fp64"] = 3;
    now.code.mix["DMUL"] = 3;
  });
}

TEST_CASE("what could be either is said and is not worse") {
  const auto changed = [](const std::string& words, const auto& change) {
    INFO(words);
    BaselineEntry now = sample();
    change(now);
    CHECK(text_of(sample(), now) == words);
    CHECK(effect_of(sample(), now) == CodeEffect::changed);
  };
  changed("100 → 110 instructions", [](BaselineEntry& now) { now.code.instructions = 110; });
  changed("256 → 128 threads per block", [](BaselineEntry& now) { now.geometry.block[0] = 128; });
  changed("LDC.64 → LDC.32", [](BaselineEntry& now) {
    now.code.mix.erase("LDC.64");
    now.code.mix["LDC.32"] = 2;
  });
  changed("STG.128 (1 → 2)", [](BaselineEntry& now) { now.code.mix["STG.128"] = 2; });
  changed("4 LDG.128 → none; none → 4 LDGSTS.128", [](BaselineEntry& now) {
    now.code.mix.erase("LDG.128");
    now.code.mix["LDGSTS.128"] = 4;
  });
  changed("the same instructions in another order, with other registers or constants",
          [](BaselineEntry& now) { now.code_hash = "b"; });
  changed("FFMA 64 → 32, A 0 → 9, B 0 → 8, C 0 → 7 and 2 more", [](BaselineEntry& now) {
    now.code.mix["FFMA"] = 32;
    for (const auto& [name, count] : CodeCounts{{"A", 9}, {"B", 8}, {"C", 7}, {"D", 1}, {"E", 1}})
      now.code.mix[name] = count;
  });
}

TEST_CASE("a loop unrolled less is worse by its overhead, gone it is a change") {
  BaselineEntry now = sample();
  now.code.hottest_loop = LoopSummary{12, 4, 0.5};
  CHECK(text_of(sample(), now) == "hottest loop 32 → 4 multiply-adds a turn, overhead 20 → 50 %");
  CHECK(effect_of(sample(), now) == CodeEffect::worse);
  CHECK(effect_of(now, sample()) == CodeEffect::better);
  now.code.hottest_loop.reset();
  CHECK(text_of(sample(), now) == "hottest loop: 40 instructions a turn → none");
  CHECK(effect_of(sample(), now) == CodeEffect::changed);
  now.code.hottest_loop = LoopSummary{41, 32, 0.21};
  CHECK(text_of(sample(), now) == "hottest loop 40 → 41 instructions a turn");
}

TEST_CASE("with SASS on both sides modifiers and operands are told apart") {
  BaselineEntry before = sample(), now = sample();
  before.code.sass = SassSummary{"1", {{"LDG.E.128.CONSTANT", 4}}};
  now.code.sass = SassSummary{"2", {{"LDG.E.128", 4}}};
  now.code_hash = "b";
  CHECK(text_of(before, now) == "LDG.E.128 0 → 4, LDG.E.128.CONSTANT 4 → 0");
  now.code.sass->mix = before.code.sass->mix;
  CHECK(text_of(before, now) == "the same mnemonics in another order, or with other operands");
  now.code.sass->hash = "1";
  CHECK(text_of(before, now) == "the same SASS, scheduled in another way");
}

TEST_CASE("what is kept of machine code is read again") {
  CodeFacts code;
  code.mix.instructions = 7;
  code.mix.by_class[static_cast<std::size_t>(CodeClass::fp32)] = 5;
  code.mix.by_name = {{"FFMA", 5}, {"EXIT", 1}, {"LDG.32", 1}};
  code.code.resize(8);
  code.loops.resize(1);
  code.loops[0].mix.instructions = 3;
  CompileFacts compile;
  compile.registers_per_thread = 20;
  CodeSummary summary = summarise(code, compile, Occupancy{.fraction = 0.5});
  CHECK(summary.code_bytes == 128);
  CHECK(summary.instructions == 7);
  CHECK(summary.classes == CodeCounts{{"fp32", 5}});
  CHECK(summary.mix == code.mix.by_name);
  CHECK(summary.occupancy == 0.5);
  CHECK(summary.hottest_loop == LoopSummary{3, 0, 0});
  CHECK(summarise({}, compile, std::nullopt).occupancy == 0);
  const std::string listing = "\t.section\t.text.k,\"ax\"\n/*0000*/ EXIT ;\n";
  summary.sass = summarise_sass(listing, "k");
  REQUIRE(summary.sass);
  CHECK(summary.sass->mix == CodeCounts{{"EXIT", 1}});
  CHECK_FALSE(summarise_sass(listing, "other"));
  CodeSummary read;
  read_fields(to_fields(summary), read);
  CHECK(read == summary);
}

} // namespace code_change_test
