// SPDX-License-Identifier: Apache-2.0
// A rate that cannot be is doubted; one that could be for any reason that is not known is not.
#include "gridsmith/metrics/analysis/rate_doubt.hpp"
#include "gridsmith/tests/catch.hpp"

namespace rate_doubt_test {

using namespace gridsmith;

namespace {

constexpr double mib = 1 << 20;

/// Of the size of an H200.
struct Facts {
  Device device = device_of_capability(90);
  Peaks peaks = {{"copy", 4200, "GB/s", "", "", ""},
                 {"dram_read", 4400, "GB/s", "", "", ""},
                 {"l2_read", 9500, "GB/s", "", "", ""},
                 {"fp32_fma", 60'000, "GFLOP/s", "", "", ""},
                 {"fp16_fma", 120'000, "GFLOP/s", "", "", ""},
                 {"tensor_fp16", 620'000, "GFLOP/s", "", "", ""}};
  CounterValues counters;

  Facts() {
    device.l2_bytes = static_cast<std::int64_t>(60 * mib);
    device.sm_count = 132;
    device.sm_clock_khz = 1'980'000;
  }

  std::optional<RateDoubt> of(double bytes, double flops, double time_ms) const {
    return rate_doubt({.counters = counters,
                       .device = device,
                       .time_ms = time_ms,
                       .model_bytes = bytes,
                       .model_flops = flops,
                       .peaks = &peaks});
  }

  void forget(const char* name) {
    std::erase_if(peaks, [&](const Peak& one) { return one.name == name; });
  }
};

} // namespace

TEST_CASE("a kernel that returns at once is beyond what DRAM reaches") {
  const Facts facts;
  const auto doubt = facts.of(268'435'456, 0, 0.006016); // 33.5 million elements of 8 bytes
  REQUIRE(doubt);
  CHECK(to_text(*doubt) ==
        "44620 GB/s by the work model, where dram_read was measured to reach 4400 GB/s");
  CHECK_FALSE(facts.of(268'435'456, 0, 0.061)); // 4400 GB/s
  CHECK_FALSE(facts.of(268'435'456, 0, 0.051)); // 5260 GB/s: within 1.2
}

TEST_CASE("what the L2 holds need not come from DRAM, and passes the L2 all the same") {
  const Facts facts;
  CHECK_FALSE(facts.of(64 * mib, 0, 64 * mib / 9e9));  // 9000 GB/s, 4 MiB more than it holds
  CHECK_FALSE(facts.of(16 * mib, 0, 16 * mib / 11e9)); // within 1.2 of the L2
  const auto doubt = facts.of(16 * mib, 0, 16 * mib / 12e9);
  REQUIRE(doubt);
  CHECK(doubt->name == "l2_read");
  CHECK_FALSE(facts.of(4096, 0, 0.002)); // small
}

TEST_CASE("operations are held against the fastest pipe that may have done them") {
  Facts facts;
  CHECK_FALSE(facts.of(0, 650e9, 1));  // tensor
  CHECK_FALSE(facts.of(0, 1900e9, 1)); // 8-bit operands
  CHECK(facts.of(0, 9000e9, 1).value().name == "tensor_fp16");
  facts.counters = {{"sm__inst_executed_pipe_tensor.sum", 0.0}};
  CHECK_FALSE(facts.of(0, 130e9, 1));
  CHECK(facts.of(0, 150e9, 1).value().name == "fp16_fma");
  facts.forget("fp16_fma"); // 134 by the data sheet
  CHECK_FALSE(facts.of(0, 150e9, 1));
  CHECK(
      to_text(facts.of(0, 170e9, 1).value()) ==
      "170000 GFLOP/s by the work model, where fp16_fma may reach, by the data sheet, 133816 GFLOP/s");
}

TEST_CASE("no peak, no doubt") {
  Facts facts;
  facts.forget("copy");
  facts.forget("dram_read");
  CHECK(facts.of(268'435'456, 0, 0.006).value().name == "l2_read");
  facts.forget("l2_read");
  CHECK_FALSE(facts.of(268'435'456, 0, 0.006));
  facts.forget("tensor_fp16");
  CHECK(facts.of(0, 9000e9, 1).value().published);
  facts.device.compute_capability = 123;
  CHECK_FALSE(facts.of(0, 9000e9, 1)); // it may have been that pipe
  Facts unknown;
  unknown.device.l2_bytes = 0;
  CHECK_FALSE(unknown.of(268'435'456, 0, 0.006));
  CHECK_FALSE(Facts().of(268'435'456, 0, 0)); // no time
  CHECK_FALSE(Facts().of(0, 0, 1));
}

} // namespace rate_doubt_test
