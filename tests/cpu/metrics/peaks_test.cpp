// SPDX-License-Identifier: Apache-2.0
// The words of peaks, and what data sheets promise of them.
#include "gridsmith/metrics/device/peaks.hpp"
#include "gridsmith/tests/catch.hpp"

#include <set>

namespace peaks_test {

using namespace gridsmith;

namespace {

Device h200() {
  Device device = device_of_capability(90);
  device.sm_count = 132;
  device.sm_clock_khz = 1980000;
  device.peak_dram_gb_per_s = 4916.7;
  device.peak_fp32_gflop_per_s = peak_fp32_gflop_per_s_of(90, 132, 1980000);
  return device;
}

} // namespace

TEST_CASE("every peak has a word, a unit and a meaning, once") {
  std::set<std::string_view> names;
  for (const PeakWord& word : peak_words) {
    INFO(word.name);
    CHECK(names.insert(word.name).second);
    CHECK_FALSE(word.unit.empty());
    CHECK_FALSE(word.bounds.empty());
    CHECK(find_peak_word(word.name) == &word);
  }
  CHECK(find_peak_word("speed") == nullptr);
}

TEST_CASE("data sheet rates follow clock, SMs and capability") {
  const Device device = h200();
  const auto sheet = [&](std::string_view name) {
    return data_sheet_peak(name, device).value_or(0);
  };
  const double clocks = 132 * 1.98; // 10^9 SM clocks per second
  CHECK(sheet("copy") == Approx(4916.7));
  CHECK(sheet("fp32_fma") == Approx(2 * 128 * clocks));
  CHECK(sheet("fp64_fma") == Approx(2 * 64 * clocks));
  CHECK(sheet("fp16_fma") == Approx(2 * 256 * clocks));
  CHECK(sheet("tensor_fp16") == Approx(4096 * clocks));
  CHECK(sheet("shared_read") == Approx(128 * clocks));
  CHECK(sheet("special_function") == Approx(16 * clocks));
  CHECK(sheet("instruction_issue") == Approx(4 * clocks));
}

TEST_CASE("what no data sheet says is nothing, not 0") {
  Device device = h200();
  for (const char* name : {"l2_read", "dram_latency", "launch_overhead", "speed"})
    CHECK_FALSE(data_sheet_peak(name, device));
  device.compute_capability = 99;
  CHECK_FALSE(data_sheet_peak("fp64_fma", device));
  CHECK_FALSE(data_sheet_peak("special_function", device));
  device.sm_clock_khz = 0;
  CHECK_FALSE(data_sheet_peak("shared_read", device));
}

TEST_CASE("newer peaks replace older ones of the same name and keep the others") {
  const Peaks older = {{"copy", 1, "GB/s", "old", "", ""}, {"l2_read", 2, "GB/s", "old", "", ""}};
  const Peaks both = merged({{"copy", 3, "GB/s", "new", "", ""}}, older);
  REQUIRE(both.size() == 2);
  CHECK(peak_of(both, "copy") == 3);
  CHECK(peak_of(both, "l2_read") == 2);
  CHECK(merged({}, older).size() == 2);
}

} // namespace peaks_test
