// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/code/opcode.hpp"
#include "gridsmith/tests/catch.hpp"

namespace opcode_test {

using namespace gridsmith;

TEST_CASE("an operation is known by nine bits, whatever its operands are") {
  for (const std::uint64_t form : {0x223, 0x423, 0x623, 0x823, 0xa23, 0xc23}) {
    const Opcode* found = find_opcode(0xabcdef000 | form, 90);
    REQUIRE(found);
    CHECK(found->name == "FFMA");
    CHECK(found->kind == CodeClass::fp32);
  }
  CHECK(find_opcode(0x981, 75)->name == "LDG");
  CHECK(find_opcode(0x919, 75)->name == "S2R"); // and 0x219
  CHECK(find_opcode(0x219, 75)->name == "SHF");
  CHECK_FALSE(find_opcode(0x1ff, 90));
  CHECK_FALSE(find_opcode(0, 90));
}

TEST_CASE("a number that means another operation on newer chips") {
  CHECK(find_opcode(0x835, 90)->name == "HFMA2");
  CHECK(find_opcode(0x835, 100)->name == "IADD");
  CHECK(find_opcode(0x236, 75)->kind == CodeClass::tensor);
  CHECK(find_opcode(0x836, 90)->kind == CodeClass::integer);
  CHECK(find_opcode(0x98e, 89)->name == "RED");
  CHECK(find_opcode(0x98e, 120)->name == "REDG");
}

TEST_CASE("what touches memory says which") {
  for (const Opcode& one : opcodes()) {
    INFO(one.name);
    CHECK((one.kind == CodeClass::memory) == one.memory.has_value());
    CHECK(one.number <= 0x1ff);
  }
}

} // namespace opcode_test
