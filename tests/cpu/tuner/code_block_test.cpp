// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/cli/definitions/code_block.hpp"

namespace code_block_test {

using namespace gridsmith;

namespace {

InstructionMix mix_of(int instructions) {
  InstructionMix mix;
  mix.instructions = instructions;
  mix.by_class[static_cast<std::size_t>(CodeClass::fp32)] = instructions / 2;
  mix.by_class[static_cast<std::size_t>(CodeClass::constant_load)] =
      instructions - instructions / 2;
  mix.multiply_adds = 3;
  mix.memory = {{MemoryKind::global_load, 16, 2}, {MemoryKind::texture, 0, 1}};
  return mix;
}

CodeFacts facts() {
  CodeFacts facts;
  facts.mix = mix_of(41);
  facts.unknown = 2;
  facts.calls = true;
  facts.stack_bytes = 64;
  facts.in_flight = {3, 48, 1, 4};
  for (const int instructions : {5, 9, 4, 3, 2, 1})
    facts.loops.push_back({16, 96, 1, true, mix_of(instructions), {2, 32, 0, 0}});
  facts.code.resize(2);
  facts.code[1].memory = MemoryKind::global_load;
  facts.lines = {{0, {{"copy.cu", 17}}}};
  return facts;
}

std::string text_of(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::string text;
  for (const auto& [what, how] : lines)
    text += what + ": " + how + "\n";
  return text;
}

} // namespace

TEST_CASE("facts of code as lines") {
  const std::string text = text_of(code_lines(facts()));
  const std::string memory = "global load 2 x 16 bytes, texture 1";
  CHECK(text == "instructions: 41, 4.900 % of them not known, calls functions, 64 bytes of stack\n"
                "  by class: 21 constant load, 20 fp32\n"
                "  on memory: " +
                    memory +
                    "\n"
                    "  loads in flight: 3 (48 bytes), shared 1 (4 bytes), per thread\n"
                    "  hottest loop: at 0x10: 9 instructions, 3 multiply-adds, 0 % overhead; " +
                    memory +
                    "; loads in flight: 2 (32 bytes)\n"
                    "  another loop: at 0x10: 5 instructions, 3 multiply-adds, 0 % overhead; " +
                    memory +
                    "; loads in flight: 2 (32 bytes)\n"
                    "  another loop: at 0x10: 4 instructions, 3 multiply-adds, 0 % overhead; " +
                    memory +
                    "; loads in flight: 2 (32 bytes)\n"
                    "  another loop: at 0x10: 3 instructions, 3 multiply-adds, 0 % overhead; " +
                    memory +
                    "; loads in flight: 2 (32 bytes)\n"
                    "  more loops: 2\n"
                    "  global loads at: copy.cu:17 (1)\n");
  CHECK(text_of(code_lines({})) == "instructions: 0\n  by class: none\n  on memory: none\n"
                                   "  loads in flight: none, per thread\n");
}

TEST_CASE("facts of code as JSON") {
  const auto json = code_json(facts());
  CHECK(json["unknown"] == 2);
  CHECK(json["classes"]["fp32"] == 20);
  CHECK(json["classes"]["tensor"] == 0);
  CHECK(json["memory"][0]["bytes"] == 16);
  CHECK(json["memory"][1]["bytes"].is_null());
  CHECK(json["in_flight"]["shared_loads"] == 1);
  CHECK(json["loops"].size() == 6);
  CHECK(json["loops"][1]["hottest"] == true);
  CHECK(json["loops"][0]["hottest"] == false);
  CHECK(json["lines"]["global_load"][0]["place"] == "copy.cu:17");
}

} // namespace code_block_test
