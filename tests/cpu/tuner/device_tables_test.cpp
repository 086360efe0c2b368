// SPDX-License-Identifier: Apache-2.0
// What people see of a device's peaks, wide and narrow.
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/cli/hardware/device_tables.hpp"

namespace device_tables_test {

using namespace gridsmith;

namespace {

Device h200() {
  Device device = device_of_capability(90);
  device.name = "NVIDIA H200";
  device.sm_count = 132;
  device.sm_clock_khz = 1980000;
  device.peak_dram_gb_per_s = 4916.7;
  return device;
}

const Peaks peaks = {{"l2_latency", 131.2, "ns", "2026-11-22T08:00:00Z", "", ""},
                     {"copy", 4251, "GB/s", "2026-11-20T08:00:00Z", "", ""},
                     {"word of a later version", 1, "GB/s", "2026-11-22T08:00:00Z", "", ""}};

} // namespace

TEST_CASE("peaks are shown in the order of their words, beside the data sheet") {
  CHECK(peak_table(h200(), peaks, 80) ==
        "Peaks of device 0 (NVIDIA H200), measured 2026-11-20 to 2026-11-22\n"
        "\n"
        "peak        measured        data sheet  reached\n"
        "                                              %\n"
        "copy            4251  GB/s        4917       86\n"
        "l2_latency     131.2  ns\n");
}

TEST_CASE("a wide terminal says what a peak is, a narrow one leaves the data sheet out") {
  const std::string wide = peak_table(h200(), peaks, 120);
  CHECK_THAT(wide, contains_text("device-to-device copy, bytes read + written in DRAM"));
  CHECK(widest_line(wide) <= 120);
  const std::string narrow = peak_table(h200(), peaks, 60);
  CHECK(narrow.find("data sheet") == std::string::npos);
  CHECK(widest_line(narrow) <= 60);
  Peaks all;
  for (const PeakWord& word : peak_words)
    all.push_back({std::string(word.name), 123456, std::string(word.unit), "2026-11-22", "", ""});
  for (const std::size_t width : {60, 66, 80, 100, 160}) {
    INFO(width);
    CHECK(widest_line(peak_table(h200(), all, width)) <= width);
  }
}

TEST_CASE("without peaks there is no table") {
  CHECK(peak_table(h200(), {}, 80).empty());
  CHECK(peak_table(h200(), {{"another word", 1, "GB/s", "", "", ""}}, 80).empty());
}

} // namespace device_tables_test
