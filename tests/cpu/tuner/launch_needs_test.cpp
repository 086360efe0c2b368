// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/gpu/launch_needs.hpp"

namespace launch_needs_test {

using namespace gridsmith;

namespace {

const Device device =
    device_of_capability(90); // 65,536 registers, 227 KiB of shared memory a block

Geometry block_of(int threads) {
  return {{1, 1, 1}, {threads, 1, 1}, 0};
}

Configuration configuration_of(int block, int tile) {
  return {{"BLOCK", std::int64_t{block}}, {"TILE", std::int64_t{tile}}};
}

/// A kernel with 16 registers and 25 ms for every element of a thread's tile.
CodeObject code_of(int tile, int launch_bound = 0) {
  CodeObject code;
  code.cubin = std::make_shared<const Bytes>(1);
  code.facts.registers_per_thread = std::min(255, 16 + 16 * tile);
  code.facts.max_threads_per_block = launch_bound;
  code.ms = 25.0 * tile;
  return code;
}

template <typename Code>
void learn(LaunchNeeds& needs, const Code& code) {
  for (const int block : {64, 128, 256, 512, 1024})
    for (const int tile : {1, 2, 4, 8, 16})
      if ((block + tile) % 3 != 0) // the others are foretold
        needs.learn(configuration_of(block, tile), block_of(block), code(block, tile));
}

} // namespace

TEST_CASE("nothing is foretold of which nothing is known") {
  const LaunchNeeds needs(device);
  const CompileForecast none = needs.expect(configuration_of(1024, 16), block_of(1024));
  CHECK(none.ms == 0);
  CHECK_FALSE(none.hopeless);
}

TEST_CASE("time and hope are foretold by neighbours") {
  LaunchNeeds needs(device);
  learn(needs, [](int, int tile) { return code_of(tile); });
  CHECK(needs.expect(configuration_of(1024, 8), block_of(1024)).hopeless); // 144 registers × 1024
  CHECK_FALSE(needs.expect(configuration_of(64, 2), block_of(64)).hopeless);
  const double quick = needs.expect(configuration_of(256, 1), block_of(256)).ms;
  const double slow = needs.expect(configuration_of(256, 16), block_of(256)).ms;
  CHECK(quick < 100);
  CHECK(slow > 150);
}

TEST_CASE("where launch bounds make registers fit, they are no reason") {
  LaunchNeeds needs(device);
  learn(needs, [](int block, int tile) { return code_of(tile, block); });
  CHECK_FALSE(needs.expect(configuration_of(1024, 8), block_of(1024)).hopeless);
}

TEST_CASE("what fails to compile is no hope either, what fails for the machine is not learnt") {
  LaunchNeeds needs(device);
  const auto learn_failing = [&](bool of_machine) {
    learn(needs, [&](int, int tile) {
      CodeObject code = code_of(1);
      if (tile >= 8) {
        code.cubin = nullptr;
        code.of_machine = of_machine;
      }
      return code;
    });
  };
  learn_failing(true);
  CHECK_FALSE(needs.expect(configuration_of(64, 16), block_of(64)).hopeless);
  learn_failing(false);
  CHECK(needs.expect(configuration_of(64, 16), block_of(64)).hopeless);
  CHECK_FALSE(needs.expect(configuration_of(64, 1), block_of(64)).hopeless);
}

} // namespace launch_needs_test
