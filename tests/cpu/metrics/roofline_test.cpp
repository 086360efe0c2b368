// SPDX-License-Identifier: Apache-2.0
// The roofline on facts made by hand.
#include "gridsmith/metrics/device/roofline.hpp"
#include "gridsmith/tests/catch.hpp"

namespace roofline_test {

using namespace gridsmith;

namespace {

Peak peak(const char* name, double value) {
  return {name, value, std::string(find_peak_word(name)->unit), "", "", ""};
}

const Peaks peaks = {peak("fp32_fma", 50'000), peak("copy", 4'000), peak("dram_read", 4'400),
                     peak("l2_read", 8'000), peak("shared_read", 30'000)};

} // namespace

TEST_CASE("a streaming launch is at the memory's roof") {
  // 2 GB in 0.5 ms are 4000 GB/s; 0.5 GFLOP in it are 1000 GFLOP/s.
  const Roofline found = roofline({.flops = 0.5e9,
                                   .dram_bytes = 2e9,
                                   .l2_bytes = 2e9,
                                   .shared_bytes = std::nullopt,
                                   .time_ms = 0.5},
                                  peaks, {});
  REQUIRE(found.ceilings.size() == 3); // nothing is known of shared memory
  const Ceiling* dram = found.find("DRAM");
  REQUIRE(dram);
  CHECK(found.nearest() == dram);
  CHECK(dram->measured);
  CHECK(dram->peak == 4'400); // the highest that was measured
  CHECK(dram->achieved == Approx(4'000));
  CHECK(dram->fraction == Approx(4'000 / 4'400.0));
  CHECK(dram->flop_per_byte.value() == Approx(0.25));
  CHECK(dram->gflop_per_s.value() == Approx(1'100));
  CHECK(dram->of_attainable.value() == Approx(1'000 / 1'100.0));
  CHECK(found.find("L2")->fraction == Approx(0.5));
  CHECK(found.find("FP32")->fraction == Approx(0.02));
  CHECK_FALSE(found.find("FP32")->flop_per_byte);
}

TEST_CASE("a launch of high intensity is below the flat roof") {
  // 40 GFLOP and 0.04 GB in 1 ms.
  const Roofline found = roofline({.flops = 40e9,
                                   .dram_bytes = 0.04e9,
                                   .l2_bytes = std::nullopt,
                                   .shared_bytes = 24e9,
                                   .time_ms = 1},
                                  peaks, {});
  CHECK(found.nearest()->name == "FP32");
  CHECK(found.nearest()->fraction == Approx(0.8));
  CHECK(found.find("DRAM")->gflop_per_s.value() == Approx(50'000)); // min of 50,000 and 1000 * 4400
  CHECK(found.find("shared")->achieved == Approx(24'000));
  CHECK(found.find("shared")->fraction == Approx(0.8));
}

TEST_CASE("without measured peaks the data sheet serves, and says so") {
  Device device = device_of_capability(90);
  device.peak_dram_gb_per_s = 5'000;
  const LaunchWork work{.flops = std::nullopt,
                        .dram_bytes = 1e9,
                        .l2_bytes = 1e9,
                        .shared_bytes = std::nullopt,
                        .time_ms = 1};
  const Roofline found = roofline(work, {}, device);
  REQUIRE(found.ceilings.size() == 1); // no data sheet says what an L2 reaches
  CHECK_FALSE(found.ceilings[0].measured);
  CHECK(found.ceilings[0].fraction == Approx(0.2));
  CHECK_FALSE(found.ceilings[0].flop_per_byte); // flops are not known
  CHECK(roofline(work, {}, {}).nearest() == nullptr);
}

TEST_CASE("a launch without time or bytes is nowhere") {
  LaunchWork work{.flops = 1e9,
                  .dram_bytes = 0,
                  .l2_bytes = std::nullopt,
                  .shared_bytes = std::nullopt,
                  .time_ms = 0};
  CHECK(roofline(work, peaks, {}).ceilings.empty());
  work.time_ms = 1;
  const Roofline found = roofline(work, peaks, {});
  CHECK(found.find("DRAM")->fraction == 0);
  CHECK_FALSE(found.find("DRAM")->gflop_per_s);
}

} // namespace roofline_test
