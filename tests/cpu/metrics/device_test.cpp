// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace device_test {

using namespace gridsmith;

TEST_CASE("The table covers compute capability 1.0 to 12.1, ascending") {
  const auto& all = known_capabilities();
  REQUIRE(all.front() == 10);
  REQUIRE(all.back() == 121);
  REQUIRE(std::is_sorted(all.begin(), all.end()));
  for (const int capability : {10, 11, 12, 13, 20, 21, 30, 35, 37, 50,  52,  53,  60,  61,
                               62, 70, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121})
    REQUIRE(std::count(all.begin(), all.end(), capability) == 1);
}

TEST_CASE("Every row of the table is a device that can run something") {
  for (const int capability : known_capabilities()) {
    CAPTURE(capability);
    const auto device = device_of_capability(capability);
    CHECK(device.compute_capability == capability);
    CHECK(device.max_threads_per_sm % device.warp_size == 0);
    CHECK(device.max_threads_per_block <= device.max_threads_per_sm);
    CHECK(device.shared_bytes_per_block <= device.shared_bytes_per_block_optin);
    CHECK(device.shared_bytes_per_block_optin + device.reserved_shared_bytes_per_block <=
          device.shared_bytes_per_sm);
    CHECK(device.registers_per_block <= device.registers_per_sm);
    CHECK(device.warp_schedulers_per_sm > 0);
    CHECK(fp32_lanes_per_sm(capability) > 0);
    CHECK(device.max_grid_extent[0] >= 65535);
  }
}

TEST_CASE("Limits are those of the CUDA programming guide") {
  struct Row {
    int capability, warps, blocks, shared_kib, registers_kib;
  };

  // clang-format off
  const Row rows[] = {
      {10, 24, 8, 16, 8},    {11, 24, 8, 16, 8},    {12, 32, 8, 16, 16},   {13, 32, 8, 16, 16},
      {20, 48, 8, 48, 32},   {21, 48, 8, 48, 32},   {30, 64, 16, 48, 64},  {35, 64, 16, 48, 64},
      {37, 64, 16, 112, 128},{50, 64, 32, 64, 64},  {52, 64, 32, 96, 64},  {53, 64, 32, 64, 64},
      {60, 64, 32, 64, 64},  {61, 64, 32, 96, 64},  {62, 64, 32, 64, 64},  {70, 64, 32, 96, 64},
      {75, 32, 16, 64, 64},  {80, 64, 32, 164, 64}, {86, 48, 16, 100, 64}, {87, 48, 16, 164, 64},
      {88, 48, 16, 100, 64}, {89, 48, 24, 100, 64}, {90, 64, 32, 228, 64}, {100, 64, 32, 228, 64},
      {103, 64, 32, 228, 64},{110, 48, 24, 228, 64},{120, 48, 24, 100, 64},{121, 48, 24, 100, 64}};
  // clang-format on
  for (const auto& row : rows) {
    CAPTURE(row.capability);
    const auto device = device_of_capability(row.capability);
    CHECK(device.max_threads_per_sm == 32 * row.warps);
    CHECK(device.max_blocks_per_sm == row.blocks);
    CHECK(device.shared_bytes_per_sm == 1024 * row.shared_kib);
    CHECK(device.registers_per_sm == 1024 * row.registers_kib);
  }
}

TEST_CASE("Limits of Hopper are those a real H200 reports") {
  const auto device = device_of_capability(90);
  CHECK(device.max_threads_per_sm == 2048);
  CHECK(device.registers_per_sm == 65536);
  CHECK(device.shared_bytes_per_sm == 233472);
  CHECK(device.shared_bytes_per_block == 49152);
  CHECK(device.shared_bytes_per_block_optin == 232448);
  CHECK(device.reserved_shared_bytes_per_block == 1024);
  CHECK(device.max_grid_extent[0] == 2147483647);
}

TEST_CASE("An unknown capability is refused with the list") {
  CHECK_THROWS_AS(device_of_capability(95), gridsmith::InputError);
  try {
    device_of_capability(95);
  } catch (const gridsmith::InputError& error) {
    const std::string text = error.what();
    CHECK(text.find("9.5") != std::string::npos);
    CHECK(text.find("12.1") != std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
  }
  CHECK(fp32_lanes_per_sm(95) == 0);
  CHECK(warp_schedulers_of_capability(95) == 4);
}

TEST_CASE("Facts carry the fields' names, once each") {
  auto device = device_of_capability(80);
  device.sm_count = 108;
  const auto facts = device_facts(device);
  const std::map<std::string, double> by_name(facts.begin(), facts.end());
  CHECK(by_name.size() == facts.size());
  CHECK(by_name.at("sm_count") == 108);
  CHECK(by_name.at("max_threads_per_block") == 1024);
  CHECK(by_name.at("shared_bytes_per_block_optin") == 163 * 1024);
  CHECK(by_name.at("compute_capability") == 80);
}

TEST_CASE("Peaks follow from clock and width") {
  // H200: 3201 MHz HBM3e on 6144 bits, 132 SMs at 1980 MHz.
  CHECK(peak_dram_gb_per_s_of(3201000, 6144) == Approx(4916.7).epsilon(1e-4));
  CHECK(peak_fp32_gflop_per_s_of(90, 132, 1980000) == Approx(66908.2).epsilon(1e-4));
  CHECK(peak_fp32_gflop_per_s_of(95, 132, 1980000) == 0);
}

} // namespace device_test
