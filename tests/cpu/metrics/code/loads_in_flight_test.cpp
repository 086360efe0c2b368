// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/code/loads_in_flight.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/metrics/code/machine_code.hpp"

#include <numeric>

namespace loads_in_flight_test {

using namespace gridsmith;

namespace {

MachineInstruction named(std::uint64_t number, MemoryKind kind, int bytes, int barrier) {
  MachineInstruction one;
  one.opcode = find_opcode(number, 90);
  one.memory = kind;
  one.bytes = bytes;
  one.write_barrier = barrier;
  return one;
}

MachineInstruction load(int barrier, int bytes = 4) {
  return named(0x981, MemoryKind::global_load, bytes, barrier);
}

MachineInstruction shared(int barrier, int bytes) {
  return named(0x984, MemoryKind::shared_load, bytes, barrier);
}

MachineInstruction copy(int bytes) {
  return named(0xfae, MemoryKind::async_copy, bytes, no_barrier);
}

MachineInstruction user(unsigned mask) {
  MachineInstruction one;
  one.opcode = find_opcode(0x223, 90);
  one.wait_mask = mask;
  return one;
}

MachineInstruction group() {
  MachineInstruction one;
  one.opcode = find_opcode(0x9af, 90);
  one.write_barrier = 0;
  return one;
}

MachineInstruction wait(int left) {
  MachineInstruction one;
  one.opcode = find_opcode(0x91a, 90);
  one.waits_barrier = 0;
  one.waits_until = left;
  return one;
}

MachineInstruction end() {
  MachineInstruction one;
  one.opcode = find_opcode(0x94d, 90);
  return one;
}

LoadsInFlight most(const std::vector<MachineInstruction>& code) {
  return loads_in_flight(code);
}

LoadsInFlight turning(const std::vector<MachineInstruction>& body) {
  std::vector<std::size_t> positions(body.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return loads_in_flight(body, positions, 0);
}

} // namespace

TEST_CASE("loads are under way until the first that waits for their barrier") {
  CHECK(most({load(0), load(1), user(1), load(2), user(6)}) == LoadsInFlight{2, 8, 0, 0});
  CHECK(most({load(0), load(1), load(2, 16), user(7)}) == LoadsInFlight{3, 24, 0, 0});
  CHECK(most({load(0), user(1), load(0), user(1)}) == LoadsInFlight{1, 4, 0, 0});
  CHECK(most({load(0), load(0), user(1), load(0)}) == LoadsInFlight{2, 8, 0, 0});
  CHECK(most({user(0x3f), user(0)}) == LoadsInFlight{});
}

TEST_CASE("shared memory is counted apart") {
  CHECK(most({load(0), shared(1, 16), shared(1, 8), user(3)}) == LoadsInFlight{1, 4, 2, 24});
  // The first has no barrier: it arrives before the second.
  CHECK(most({shared(no_barrier, 16), shared(0, 8), load(1), user(1), shared(0, 4)}) ==
        LoadsInFlight{1, 4, 2, 24});
}

TEST_CASE("what cannot follow does not add up") {
  CHECK(most({load(0), load(1), end(), load(2), user(4)}) == LoadsInFlight{2, 8, 0, 0});
}

TEST_CASE("asynchronous copies are under way until their group is waited for") {
  CHECK(most({copy(16), copy(16), group(), wait(0), copy(16), group(), wait(0)}) ==
        LoadsInFlight{2, 32, 0, 0});
  CHECK(most({copy(16), group(), copy(16), group(), wait(1), copy(16), group(), wait(0)}) ==
        LoadsInFlight{2, 32, 0, 0});
  CHECK(most({copy(4), copy(8)}) == LoadsInFlight{2, 12, 0, 0});
}

TEST_CASE("a turn of a loop waits for what the turn before it loaded") {
  const std::vector<MachineInstruction> ahead{user(1), load(0), load(1), user(2), load(1)};
  CHECK(most(ahead) == LoadsInFlight{2, 8, 0, 0});
  CHECK(turning({load(0), user(2), load(1)}) == LoadsInFlight{3, 12, 0, 0});
  CHECK(turning({load(0), user(1)}) == LoadsInFlight{1, 4, 0, 0});
}

TEST_CASE("loads under way in compiled code") {
  const auto code = decode(test::code_of(test::summing), 90);
  CHECK(loads_in_flight(code) == LoadsInFlight{2, 8, 0, 0});
}

} // namespace loads_in_flight_test
