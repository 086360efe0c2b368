// SPDX-License-Identifier: Apache-2.0
// Single instructions of cubins whose PTX is known.
#include "gridsmith/metrics/code/instruction.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/metrics/code/machine_code.hpp"

namespace instruction_test {

using namespace gridsmith;

namespace {

MachineInstruction one(std::uint64_t low, std::uint64_t high, int capability = 90) {
  return decode(test::code_of({{low, high}}), capability).at(0);
}

} // namespace

TEST_CASE("what a load releases and its user waits for") {
  const MachineInstruction load = one(0x0000000402067981, 0x000ea8000c1e1900),
                           user = one(0x0000000806077223, 0x004fd00000000007);
  CHECK(load.name() == "LDG");
  CHECK(load.kind == CodeClass::memory);
  CHECK(load.memory == MemoryKind::global_load);
  CHECK(load.bytes == 4);
  CHECK(load.write_barrier == 2);
  CHECK(load.read_barrier == no_barrier);
  CHECK(load.stall == 4);
  CHECK(load.wait_mask == 0);
  CHECK_FALSE(load.guarded);
  CHECK(user.name() == "FFMA");
  CHECK(user.write_barrier == no_barrier);
  CHECK(user.wait_mask == 1u << 2);
  const MachineInstruction wait = one(0x000080400000791a, 0x000fce0000000000);
  CHECK(wait.name() == "DEPBAR");
  CHECK(wait.waits_barrier == 0);
  CHECK(wait.waits_until == 1);
}

TEST_CASE("widths of accesses") {
  struct Case {
    std::uint64_t low, high;
    int capability, bytes;
    MemoryKind kind;
  };

  const std::vector<Case> cases{
      {0x0000000404067981, 0x000ea2000c1e1100, 90, 1, MemoryKind::global_load},   // U8
      {0x0023280404047981, 0x000ea4000c1e1300, 90, 1, MemoryKind::global_load},   // S8
      {0x000fa0040a0c7981, 0x000ea2000c1e1500, 90, 2, MemoryKind::global_load},   // U16
      {0x005dc0040c0c7981, 0x000ea2000c1e1b00, 90, 8, MemoryKind::global_load},   // 64
      {0x00bb800c08007986, 0x004fe8000c101d04, 90, 16, MemoryKind::global_store}, // 128
      {0xfe0000040208797e, 0x004ea2000812190c, 100, 32, MemoryKind::global_load}, // 256
      {0x000000000804783b, 0x000e680000000200, 90, 16, MemoryKind::shared_load},  // 4 matrices
      {0x00000000080a783b, 0x000ea80000000100, 90, 8, MemoryKind::shared_load},   // 2 matrices
      {0x000008000a117fae, 0x0005e2000b901c48, 90, 16, MemoryKind::async_copy},
      {0x00000000020d7fae, 0x008fe2000b981808, 100, 16, MemoryKind::async_copy},
      {0x00000000040f7fae, 0x000fe8000b9a1008, 100, 4, MemoryKind::async_copy},
      {0x0000000d0400798e, 0x0005e8000c10e784, 80, 4, MemoryKind::global_atomic}, // F32
      {0x000fa0060c00798e, 0x000fe8000d10e784, 90, 8, MemoryKind::global_atomic}, // S64
      {0x00000010060079a6, 0x000fe8000c10ff84, 90, 8, MemoryKind::global_atomic}, // F64
      {0x000b2808030a738d, 0x000e24000180840a, 80, 8, MemoryKind::shared_atomic}};
  for (const Case& c : cases) {
    const MachineInstruction found = one(c.low, c.high, c.capability);
    INFO(found.name() << " of " << c.bytes << " bytes for " << c.capability);
    CHECK(found.memory == c.kind);
    CHECK(found.bytes == c.bytes);
  }
}

TEST_CASE("where branches lead, before 9.0 and since") {
  const MachineInstruction filler = one(0x0000000000007918, 0x000fc00000000000);
  CHECK(filler.name() == "NOP");
  const auto target = [](int capability, std::uint64_t low, std::uint64_t high) {
    test::Words words(48, {0x0000000000007918, 0x000fc00000000000});
    words[24] = {low, high};
    return decode(test::code_of(words), capability).at(24).target;
  };
  CHECK(target(90, 0xfffffffc00d88947, 0x000fea000383ffff) == 15);
  CHECK(target(80, 0xffffff6000008947, 0x000fea000383ffff) == 15);
  CHECK(target(90, 0x00000000003c0947, 0x000fec0003800000) == 24 + 16);
  CHECK_FALSE(target(90, 0x0000000400b08947, 0x000fea0003800000)); // beyond the code
  CHECK(target(75, 0xfffffff000007947, 0x000fc0000383ffff) == 24);
  CHECK_FALSE(target(90, 0x0000000000007918, 0x000fc00000000000));
}

TEST_CASE("predicates: of any instruction, and a second one of branches") {
  CHECK(one(0xfffffffc00d88947, 0x000fea000383ffff).guarded); // @!P0
  CHECK_FALSE(one(0xfffffffc00d88947, 0x000fea000383ffff).ends_flow());
  CHECK(one(0x000000000000794d, 0x000fea0003800000).ends_flow());               // EXIT
  CHECK_FALSE(one(0x0000000000100947, 0x000fea0000800000).ends_flow());         // @P0 BRA P1
  CHECK_FALSE(one(0x0000000908247547, 0x000ff0000b800000, 120).ends_flow());    // BRA UP0
  const MachineInstruction never = one(0x00000000fffff984, 0x000fe20000000800); // @!PT LDS
  CHECK(never.never);
  CHECK(never.name() == "LDS");
  CHECK_FALSE(never.memory);
  CHECK(never.kind == CodeClass::other);
}

TEST_CASE("copies that look like arithmetic, constants that are not uniform") {
  CHECK(one(0x00000000ff077435, 0x000fe200000001ff).kind == CodeClass::move);       // HFMA2
  CHECK(one(0x000000ffff037224, 0x000fca00078e000a).kind == CodeClass::move);       // IMAD.MOV
  CHECK(one(0x000000ffff0a7224, 0x000fd000000e0603).kind == CodeClass::integer);    // IMAD.X
  CHECK(one(0x20000000ff0a7230, 0x000fca0000004100).kind == CodeClass::conversion); // half to float
  CHECK(one(0x00c0010008087b82, 0x000e300000000800).indexed);
  CHECK_FALSE(one(0x00000a00ff017b82, 0x000fe20000000800).indexed);
}

TEST_CASE("what no table has, and half an instruction") {
  const MachineInstruction unknown = one(0x00000000000071ff, 0x000fc00000000000);
  CHECK_FALSE(unknown.opcode);
  CHECK(unknown.name().empty());
  CHECK(unknown.kind == CodeClass::other);
  CHECK(decode("", 90).empty());
  CHECK(decode(std::string(15, '\0'), 90).empty());
  CHECK(decode(std::string(33, '\0'), 90).size() == 2);
}

} // namespace instruction_test
