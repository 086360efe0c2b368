// SPDX-License-Identifier: Apache-2.0
// Little's law on hand-made launches: every number can be checked by hand.
#include "gridsmith/metrics/analysis/little.hpp"
#include "gridsmith/metrics/analysis/verdict.hpp"
#include "gridsmith/tests/catch.hpp"

namespace little_test {

using namespace gridsmith;

namespace {

/// 2000 GB/s * 500 ns / 100 SMs are 10 KB; 32 warps of 64 with one load of 4 bytes have 4.096 KB.
class Launch {
public:
  Launch() {
    device_ = device_of_capability(90);
    device_.sm_count = 100;
    device_.chip = "GH100";
    peaks_ = {{"dram_read", 2000, "GB/s", "", "", ""},
              {"dram_latency", 500, "ns", "", "", ""},
              {"copy", 1500, "GB/s", "", "", ""}};
    compiled_.registers_per_thread = 32;
    code_.in_flight = {1, 4, 0, 0};
    counters_[std::string(find_counter("warps_active_percent")->cupti)] = 50;
  }

  std::optional<BytesInFlight> bytes() const {
    return bytes_in_flight(
        LaunchModel({.metrics = {.counters = counters_, .device = device_, .peaks = &peaks_},
                     .blocks = 10'000,
                     .threads_per_block = 256,
                     .compiled = compiled_,
                     .code = with_code_ ? &code_ : nullptr}));
  }

  CounterValues counters_;
  Device device_;
  Peaks peaks_;
  CompileFacts compiled_;
  CodeFacts code_;
  bool with_code_ = true;
};

} // namespace

TEST_CASE("bytes that have to be under way, and that are") {
  const auto bytes = Launch().bytes();
  REQUIRE(bytes);
  CHECK(bytes->needed == Approx(10'000));
  CHECK(bytes->achieved == Approx(32 * 32 * 4));
  CHECK(bytes->warps_needed() == Approx(78.125));
  CHECK(bytes->loads_needed() == Approx(2.4414).epsilon(1e-4));
  CHECK(
      describe(*bytes) ==
      "Little's law: 10 KB have to be under way on each multiprocessor (500 ns x 2000 GB/s over all, "
      "both measured), at most 4.1 KB are (32 warps x 32 threads x 1 load x 4 bytes). More occupancy "
      "alone would not do: all 64 warps have 8.19 KB under way; 3 loads of as many bytes in each "
      "thread would.");
}

TEST_CASE("what would bring more") {
  Launch two;
  two.code_.in_flight = {2, 8, 0, 0};
  CHECK_THAT(describe(*two.bytes()),
             contains_text("More occupancy would do (40 warps of 64), and so "
                           "would 3 loads of as many bytes in each thread."));
  Launch wide;
  wide.code_.in_flight = {2, 32, 0, 0};
  CHECK(wide.bytes()->bytes_each == 16);
  CHECK_THAT(describe(*wide.bytes()), contains_text("That would be enough"));
}

TEST_CASE("the loop where the time goes counts, if it loads") {
  Launch launch;
  launch.code_.in_flight = {40, 160, 0, 0};
  launch.code_.loops = {{16, 96, 1, true, {}, {0, 0, 3, 12}}};
  launch.code_.loops.front().mix.instructions = 5;
  CHECK(launch.bytes()->loads == 40);
  launch.code_.loops.front().in_flight = {2, 16, 0, 0};
  CHECK(launch.bytes()->loads == 2);
  CHECK(launch.bytes()->bytes_each == 8);
}

TEST_CASE("what was not measured is of the data sheet or assumed, and is said") {
  Launch launch;
  launch.peaks_.erase(launch.peaks_.begin()); // dram_read: the copy serves
  CHECK(launch.bytes()->gb_per_s.value == 1500);
  launch.peaks_.clear();
  CHECK_FALSE(launch.bytes());
  launch.device_.sm_clock_khz = 1'400'000;
  launch.device_.peak_dram_gb_per_s = 3000;
  const auto bytes = launch.bytes();
  REQUIRE(bytes);
  CHECK(bytes->latency_ns.value == Approx(500)); // 700 cycles
  CHECK(bytes->gb_per_s.value == 3000);
  CHECK_THAT(describe(*bytes),
             contains_text("the latency assumed, the bandwidth of the data sheet"));
  launch.counters_.clear();
  CHECK_FALSE(launch.bytes()->warps_counted);
  CHECK(launch.bytes()->warps == 64);
}

TEST_CASE("nothing is told of what is not known") {
  Launch launch;
  launch.with_code_ = false;
  CHECK_FALSE(launch.bytes());
  Launch stores;
  stores.code_.in_flight = {};
  CHECK_FALSE(stores.bytes());
  Launch nowhere;
  nowhere.compiled_.static_shared_bytes = 1 << 20;
  CHECK_FALSE(nowhere.bytes());
}

} // namespace little_test
