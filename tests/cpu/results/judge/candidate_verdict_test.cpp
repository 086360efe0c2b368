// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/judge/candidate_verdict.hpp"
#include "gridsmith/tests/catch.hpp"

#include <nlohmann/json.hpp>

namespace candidate_verdict_test {

using namespace gridsmith;

namespace {

CheckCase timed(const std::string& size, CheckVerdict verdict, double ratio) {
  CheckCase one;
  one.problem = size;
  one.verdict = verdict;
  one.reason = std::string(to_text(verdict));
  one.time = PairedTime{
      .old_ms = 1, .new_ms = ratio, .ratio = ratio, .low = ratio * 0.99, .high = ratio * 1.01};
  return one;
}

CandidateVerdict verdict(std::vector<GateFinding> gates) {
  CandidateVerdict made;
  made.kernel = "k";
  made.gates = std::move(gates);
  return made;
}

constexpr GateState passed = GateState::passed;

} // namespace

TEST_CASE("a ruling follows from the gates") {
  const GateFinding right{JudgeGate::right, passed, "right", ""};
  CHECK(verdict({}).ruling() == Ruling::undecided); // nothing was shown
  CHECK(verdict({{JudgeGate::compiles, passed, "compiled", ""}}).ruling() == Ruling::undecided);
  CHECK(verdict({right}).ruling() == Ruling::accepted);
  CHECK(verdict({right, {JudgeGate::clean, GateState::not_run, "no_sanitizer", ""}}).ruling() ==
        Ruling::accepted);
  CHECK(verdict({right, {JudgeGate::possible, GateState::doubtful, "x", ""}}).ruling() ==
        Ruling::suspicious);
  CHECK(verdict({right, {JudgeGate::faster, GateState::open, "undecided", ""}}).ruling() ==
        Ruling::undecided);
  CHECK(verdict({right,
                 {JudgeGate::possible, GateState::doubtful, "x", ""},
                 {JudgeGate::faster, GateState::failed, "slower", ""}})
            .ruling() == Ruling::rejected);
  CandidateVerdict stopped = verdict({right});
  stopped.interrupted = true;
  CHECK(stopped.ruling() == Ruling::undecided);
}

TEST_CASE("several sizes are slower, open, faster or the same together") {
  using enum CheckVerdict;
  CHECK(faster_gate({timed("a", faster, 0.9), timed("b", slower, 1.2)}, 0.02).code == "slower");
  const GateFinding mixed = faster_gate({timed("a", faster, 0.5), timed("b", slower, 1.2)}, 0.02);
  CHECK(mixed.code == "mixed");
  CHECK(mixed.state == GateState::open);
  CHECK(mixed.text == "faster at a; slower at b");
  CHECK(faster_gate({timed("a", faster, 0.5), timed("b", undecided, 1.02)}, 0.02).state ==
        GateState::open);
  CHECK(faster_gate({timed("a", faster, 0.5), timed("b", undecided, 0.98)}, 0.02).code == "faster");
  CHECK(faster_gate({timed("a", undecided, 0.98)}, 0.02).state == GateState::open);
  CHECK(faster_gate({timed("a", faster, 0.5), timed("b", same, 1)}, 0.02).code == "faster");
  CHECK(faster_gate({timed("a", same, 1)}, 0.02).code == "same");
  CHECK(faster_gate({timed("a", same, 1)}, 0.02).state == GateState::failed);
  CandidateVerdict two;
  two.sizes = {timed("a", faster, 0.5), timed("b", same, 1)};
  CHECK(two.speedup().likely == Approx(std::sqrt(2)));
  CHECK(two.speedup().low == Approx(1 / 1.01));
  CHECK(two.speedup().high == Approx(2 / 0.99));
  CHECK(CandidateVerdict{}.speedup().likely == 0);
}

TEST_CASE("a verdict is at most two kilobytes, whatever was found") {
  CandidateVerdict large = verdict({});
  for (const JudgeGate gate : {JudgeGate::compiles, JudgeGate::right, JudgeGate::clean,
                               JudgeGate::possible, JudgeGate::faster})
    large.gates.push_back(
        {gate, GateState::doubtful, "wrong_at_other_sizes", std::string(5000, '\n')});
  large.candidate = large.incumbent = large.kernel = std::string(3000, 'x');
  for (int i = 0; i < 100; ++i) {
    large.sizes.push_back(timed("123456x123456x" + std::to_string(i), CheckVerdict::faster, 0.5));
    large.sizes.back().changes = {std::string(500, 'y') + std::to_string(i)};
  }
  const std::string text = candidate_verdict_json(large);
  CHECK(text.size() <= longest_candidate_verdict);
  const auto json = nlohmann::json::parse(text);
  CHECK(json.at("ruling") == "suspicious");
  CHECK(json.at("gates").size() == 5);
  CHECK(json.at("sizes").size() + json.at("more_sizes").get<std::size_t>() == 100);
}

} // namespace candidate_verdict_test
