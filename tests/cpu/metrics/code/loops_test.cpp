// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/code/loops.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/metrics/code/machine_code.hpp"

namespace loops_test {

using namespace gridsmith;

namespace {

MachineInstruction named(std::uint64_t number) {
  MachineInstruction one;
  one.opcode = find_opcode(number, 90);
  return one;
}

MachineInstruction step() {
  return named(0x223); // FFMA
}

MachineInstruction to(std::size_t target, bool guarded) {
  MachineInstruction one = named(0x947);
  one.target = target;
  one.guarded = guarded;
  return one;
}

MachineInstruction call(std::size_t target) {
  MachineInstruction one = named(0x944);
  one.target = target;
  return one;
}

const MachineInstruction end = named(0x94d), back = named(0x950), by_register = named(0x949);

using Positions = std::vector<std::size_t>;

} // namespace

TEST_CASE("a loop within a loop") {
  const auto loops = find_loops(
      std::vector{step(), step(), step(), to(2, true), step(), to(1, true), end, to(7, false)});
  REQUIRE(loops.size() == 2);
  CHECK(loops[0].body == Positions{1, 2, 3, 4, 5});
  CHECK(loops[0].depth == 1);
  CHECK_FALSE(loops[0].innermost);
  CHECK(loops[1].body == Positions{2, 3});
  CHECK(loops[1].depth == 2);
  CHECK(loops[1].innermost);
}

TEST_CASE("two ways back are one loop; its exit is none of it") {
  // 1: head; 3: continue; 5: break to 8
  const auto loops = find_loops(std::vector{step(), step(), step(), to(1, true), step(),
                                            to(8, true), step(), to(1, false), end});
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].body == Positions{1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("code that lies elsewhere makes no loop") {
  // A rare case at the end, which branches back.
  CHECK(find_loops(std::vector{step(), to(4, true), step(), end, step(), to(2, false)}).empty());
  // … but belongs to the loop that it lies apart from.
  const auto loops =
      find_loops(std::vector{step(), to(5, true), step(), to(0, true), end, step(), to(2, false)});
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].body == Positions{0, 1, 2, 3, 5, 6});
}

TEST_CASE("functions are called, also by themselves, which is no loop") {
  const auto loops = find_loops(
      std::vector{step(), call(4), end, to(3, false), step(), to(4, true), call(4), back});
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].body == Positions{4, 5});
  CHECK(loops[0].depth == 1);
  CHECK(find_loops(std::vector{call(2), end, step(), call(2), back}).empty());
}

TEST_CASE("a branch by a register reaches what nothing else does") {
  // 1: head; 2: to the cases at 3 and 5, which meet at 7
  const auto loops = find_loops(std::vector{step(), step(), by_register, step(), to(7, false),
                                            step(), to(7, false), to(1, true), end});
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].head == 1);
  CHECK(loops[0].body == Positions{1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("the loop of compiled code") {
  const auto code = decode(test::code_of(test::summing), 90);
  const auto loops = find_loops(code);
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].body.front() == 15);
  CHECK(loops[0].body.back() == 24);
  CHECK(find_loops({}).empty());
}

} // namespace loops_test
