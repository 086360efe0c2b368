// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/tests/catch.hpp"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define GRIDSMITH_HAVE_CUDA_OCCUPANCY 1
#endif

#include <fmt/format.h>

#include <climits>
#include <random>

namespace occupancy_test {

using namespace gridsmith;

namespace {

CompileFacts kernel(int registers, std::int64_t shared = 0, int barriers = 0) {
  CompileFacts facts;
  facts.registers_per_thread = registers;
  facts.static_shared_bytes = shared;
  facts.block_barriers = barriers;
  return facts;
}

Occupancy on(int capability, const CompileFacts& facts, int threads, std::int64_t dynamic = 0) {
  return occupancy(device_of_capability(capability), facts, threads, dynamic);
}

} // namespace

TEST_CASE("Blocks per SM of known kernels") {
  // cuda_occupancy.h of CUDA 13.0 for 256 threads, 40 registers, 4096 bytes shared.
  CHECK(on(75, kernel(40, 4096), 256).blocks_per_sm == 4);
  CHECK(on(80, kernel(40, 4096), 256).blocks_per_sm == 6);
  CHECK(on(86, kernel(40, 4096), 256).blocks_per_sm == 6);
  CHECK(on(90, kernel(40, 4096), 256).blocks_per_sm == 6);
  CHECK(on(75, kernel(40, 4096), 256).limiter == OccupancyLimiter::warps);
  CHECK(on(90, kernel(40, 4096), 256).limiter == OccupancyLimiter::registers);
  // Equally tight: registers are named before warps.
  CHECK(on(86, kernel(40, 4096), 256).limiter == OccupancyLimiter::registers);
}

TEST_CASE("Compute capability 1.x gives registers to whole blocks") {
  // Kirk and Hwu's example on the G80: 16x16 blocks, 10 registers fit three times, 11 only twice.
  CHECK(on(10, kernel(10), 256).blocks_per_sm == 3);
  CHECK(on(10, kernel(11), 256).blocks_per_sm == 2);
  CHECK(on(10, kernel(11), 256).limiter == OccupancyLimiter::registers);
  CHECK(on(13, kernel(16), 256).blocks_per_sm == 4);
  CHECK(on(13, kernel(17), 256).blocks_per_sm == 3);
  CHECK(on(10, kernel(10, 4 * 1024 + 1), 64).blocks_per_sm == 3); // rounded to 512 bytes
  CHECK(on(10, kernel(10), 96).blocks_per_sm == 6);               // 3 warps take the registers of 4
  CHECK(on(10, kernel(10), 513).blocks_per_sm == 0);
  CHECK(on(10, kernel(8192 / 512 + 1), 512).blocks_per_sm == 0); // more registers than an SM has
  CHECK(on(10, kernel(125), 32).blocks_per_sm == 0);             // more than a thread may have
}

TEST_CASE("Fermi rounds a warp's registers to 64") {
  // 32768 registers, 21 each: 672 a warp rounds to 704; 23 warps to each half, 46 in all; 5 blocks
  // of 8 warps.
  CHECK(on(20, kernel(21), 256).blocks_per_sm == 5);
  CHECK(on(20, kernel(20), 256).blocks_per_sm == 6);
  CHECK(on(20, kernel(64), 32).blocks_per_sm == 0); // 63 is the most
  CHECK(on(20, kernel(16), 192).fraction == Approx(1.0));
}

TEST_CASE("Each limit can be the tightest, and is named") {
  const auto limiter = [](const Occupancy& result) { return to_text(result.limiter); };
  CHECK(limiter(on(90, kernel(128), 256)) == "registers");
  CHECK(limiter(on(90, kernel(16, 40 * 1024), 128)) == "shared memory");
  CHECK(limiter(on(90, kernel(16), 512)) == "warps");
  CHECK(limiter(on(90, kernel(16), 32)) == "blocks");
  CHECK(limiter(on(90, kernel(16, 0, 16), 32)) == "barriers");
  CHECK(on(90, kernel(16, 0, 16), 32).blocks_per_sm == 4);
  CHECK(on(80, kernel(16, 0, 16), 32).blocks_per_sm == 32); // no barrier limit before 9.0
}

TEST_CASE("Dynamic shared memory goes up to the opt-in limit and not beyond") {
  CHECK(on(90, kernel(32), 128, 227 * 1024).blocks_per_sm == 1);
  CHECK(on(90, kernel(32), 128, 227 * 1024 + 1).blocks_per_sm == 0);
  CHECK(on(90, kernel(32), 128, 227 * 1024 + 1).limiter == OccupancyLimiter::shared_memory);
  CHECK(on(61, kernel(32), 128, 48 * 1024).blocks_per_sm == 2);
  CHECK(on(61, kernel(32), 128, 48 * 1024 + 1).blocks_per_sm == 0); // no opt-in before Volta
  CHECK(on(90, kernel(32, 1024), 128, 1024).blocks_per_sm == 16); // warps; the 1 KiB reserved fits
}

TEST_CASE("Blocks that cannot be launched have no occupancy") {
  for (const int threads : {-1, 0, 1025})
    CHECK(on(90, kernel(32), threads).blocks_per_sm == 0);
  auto bounded = kernel(32);
  bounded.max_threads_per_block = 256;
  CHECK(on(90, bounded, 256).blocks_per_sm == 8);
  CHECK(on(90, bounded, 257).blocks_per_sm == 0);
  CHECK(on(53, kernel(64), 1024).blocks_per_sm == 0); // 32 K registers per block there
  CHECK(on(52, kernel(64), 1024).blocks_per_sm == 1);
}

TEST_CASE("Active warps count the last, partly filled one") {
  const auto result = on(90, kernel(32), 100);
  CHECK(result.blocks_per_sm == 16);
  CHECK(result.active_warps == 64);
  CHECK(result.max_warps == 64);
  CHECK(result.fraction == 1.0);
}

TEST_CASE("A chip newer than the table uses the newest rules with its own limits") {
  auto device = device_of_capability(121);
  device.compute_capability = 130;
  device.max_threads_per_sm = 2048;
  CHECK(occupancy(device, kernel(32), 256, 0).blocks_per_sm == 8);
}

TEST_CASE("The textbook's estimate takes the smallest term") {
  const auto hopper = device_of_capability(90);
  const auto light = estimate_launch(hopper, 16, 0, 1000);
  CHECK(light.threads_per_block == 128); // 4 schedulers of 32 lanes
  CHECK(light.total_blocks == 8);
  CHECK(light.limiter == "schedulers");
  const auto heavy = estimate_launch(hopper, 16, 1024, 1 << 20);
  CHECK(heavy.threads_per_block == 32); // 48 KiB / 1 KiB = 48, rounded down to a warp
  CHECK(heavy.total_blocks == 32768);
  CHECK(heavy.limiter == "shared memory");
  auto narrow = device_of_capability(10);
  narrow.warp_schedulers_per_sm = 0; // unknown: the term is left out
  CHECK(estimate_launch(narrow, 60, 0, 1).threads_per_block == 128); // 8192 / 60 = 136
  CHECK(estimate_launch(narrow, 60, 0, 1).limiter == "registers");
  CHECK(estimate_launch(narrow, 0, 0, 1).threads_per_block == 512); // the device's limit
  CHECK(estimate_launch(narrow, 0, 0, 1).limiter == "threads");
}

TEST_CASE("The textbook's estimate never goes below a warp or loses a thread") {
  const auto hopper = device_of_capability(90);
  CHECK(estimate_launch(hopper, 0, 1e6, 5).threads_per_block == 32);
  CHECK(estimate_launch(hopper, 0, 0, 0).total_blocks == 0);
  CHECK(estimate_launch(hopper, 0, 0, 129).total_blocks == 2);
  CHECK(estimate_launch(hopper, 0, 0, 128).total_blocks == 1);
  CHECK(estimate_launch(hopper, 0, 0, std::int64_t{1} << 40).total_blocks == std::int64_t{1} << 33);
}

#ifdef GRIDSMITH_HAVE_CUDA_OCCUPANCY
namespace {

cudaOccDeviceProp properties_of(const Device& device) {
  cudaOccDeviceProp properties;
  properties.computeMajor = device.compute_capability / 10;
  properties.computeMinor = device.compute_capability % 10;
  properties.maxThreadsPerBlock = device.max_threads_per_block;
  properties.maxThreadsPerMultiprocessor = device.max_threads_per_sm;
  properties.regsPerBlock = device.registers_per_block;
  properties.regsPerMultiprocessor = device.registers_per_sm;
  properties.warpSize = device.warp_size;
  properties.sharedMemPerBlock = static_cast<std::size_t>(device.shared_bytes_per_block);
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(device.shared_bytes_per_sm);
  properties.numSms = 1;
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(device.shared_bytes_per_block_optin);
  properties.reservedSharedMemPerBlock =
      static_cast<std::size_t>(device.reserved_shared_bytes_per_block);
  return properties;
}

struct Launch {
  CompileFacts facts;
  int threads;
  std::int64_t dynamic_bytes;
  int carveout_percent;
};

cudaOccResult by_nvidia(const Device& device, const Launch& launch) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = launch.facts.registers_per_thread;
  attributes.sharedSizeBytes = static_cast<std::size_t>(launch.facts.static_shared_bytes);
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(launch.dynamic_bytes);
  attributes.numBlockBarriers = launch.facts.block_barriers;
  cudaOccDeviceState state;
  state.carveoutConfig = launch.carveout_percent;
  cudaOccResult result{};
  const auto properties = properties_of(device);
  const auto code = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, launch.threads,
      static_cast<std::size_t>(launch.dynamic_bytes));
  // Refused: more shared memory than any split of the SM offers; as good as 0 blocks.
  if (code != CUDA_OCC_SUCCESS)
    result = {};
  return result;
}

unsigned bit_of(OccupancyLimiter limiter) {
  switch (limiter) {
  case OccupancyLimiter::registers:
    return OCC_LIMIT_REGISTERS;
  case OccupancyLimiter::shared_memory:
    return OCC_LIMIT_SHARED_MEMORY;
  case OccupancyLimiter::warps:
    return OCC_LIMIT_WARPS;
  case OccupancyLimiter::blocks:
    return OCC_LIMIT_BLOCKS;
  case OccupancyLimiter::barriers:
    return OCC_LIMIT_BARRIERS;
  case OccupancyLimiter::none:
    break;
  }
  return 0;
}

Launch random_launch(std::mt19937& random, const Device& device) {
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  };
  Launch launch{};
  launch.threads = static_cast<int>(up_to(3) ? 32 * up_to(33) + 1 : up_to(1100) + 1);
  if (up_to(1))
    launch.threads = launch.threads / 32 * 32 + 32;
  launch.facts.registers_per_thread = static_cast<int>(up_to(9) ? up_to(128) : up_to(260));
  const auto optin = device.shared_bytes_per_block_optin;
  launch.facts.static_shared_bytes = up_to(2) ? up_to(48 * 1024) * up_to(1) : up_to(8 * 1024);
  launch.dynamic_bytes = up_to(1) ? 0 : up_to(up_to(4) ? optin / 8 : optin + 4096);
  launch.facts.block_barriers = static_cast<int>(up_to(2) ? 0 : up_to(16));
  launch.carveout_percent = static_cast<int>(up_to(1) ? 100 : up_to(100));
  return launch;
}

} // namespace

TEST_CASE("The calculator equals cuda_occupancy.h on every chip that covers",
          "[.][needs:toolkit]") {
  std::mt19937 random(1);
  int compared = 0, launchable = 0;
  for (const int capability : known_capabilities()) {
    if (capability < 30)
      continue;
    const auto device = device_of_capability(capability);
    REQUIRE(by_nvidia(device, {kernel(8), 32, 0, 100}).activeBlocksPerMultiprocessor > 0);
    for (int k = 0; k < 5000; ++k, ++compared) {
      const auto launch = random_launch(random, device);
      const auto ours = occupancy(device, launch.facts, launch.threads, launch.dynamic_bytes,
                                  launch.carveout_percent);
      const auto theirs = by_nvidia(device, launch);
      const bool same =
          ours.blocks_per_sm == theirs.activeBlocksPerMultiprocessor &&
          (ours.blocks_per_sm == 0 || (theirs.limitingFactors & bit_of(ours.limiter)) != 0);
      launchable += ours.blocks_per_sm > 0;
      if (!same) {
        FAIL(fmt::format(
            "cc {}, {} threads, {} registers, {} + {} bytes, {} barriers, carve-out {} "
            "%: {} blocks ({}), cuda_occupancy.h says {} ({:#x})",
            capability, launch.threads, launch.facts.registers_per_thread,
            launch.facts.static_shared_bytes, launch.dynamic_bytes, launch.facts.block_barriers,
            launch.carveout_percent, ours.blocks_per_sm, to_text(ours.limiter),
            theirs.activeBlocksPerMultiprocessor, theirs.limitingFactors));
      }
    }
  }
  CHECK(compared >= 100000);
  CHECK(launchable > compared / 2);
}
#endif

} // namespace occupancy_test
