// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/device/device.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/device/capability.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace gridsmith {
namespace {

constexpr int kib = 1024;
constexpr auto per_warp = RegisterAllocation::per_warp;
constexpr auto per_block = RegisterAllocation::per_block;
constexpr auto fixed = CarveOut::fixed;
constexpr auto volta = CarveOut::volta;
constexpr auto turing = CarveOut::turing;
constexpr auto ampere = CarveOut::ampere;

// One row per compute capability. Limits: CUDA C Programming Guide, table "Technical Specifications
// per Compute Capability", the CUDA occupancy calculator's data for 1.x to 3.x, and
// cuda_occupancy.h of CUDA 13.0 for the allocation rules. FP32 lanes: same guide, "Throughput of
// Native Arithmetic Instructions", results per clock per SM of a 32-bit multiply-add. Schedulers:
// the guide's architecture sections. `sub_partitions` is the occupancy calculator's warp allocation
// granularity.
// clang-format off
constexpr CapabilityLimits table[] = {
//  cc  warps block blk  regs/SM   regs/blk  unit by         max  shared/SM  default   opt-in     reserved unit part sched fp32 bars split
  { 10,  24,  512,  8,   8 * kib,   8 * kib, 256, per_block, 124,  16 * kib, 16 * kib,  16 * kib, 0,       512, 2,   1,    8,   0, fixed},
  { 11,  24,  512,  8,   8 * kib,   8 * kib, 256, per_block, 124,  16 * kib, 16 * kib,  16 * kib, 0,       512, 2,   1,    8,   0, fixed},
  { 12,  32,  512,  8,  16 * kib,  16 * kib, 512, per_block, 124,  16 * kib, 16 * kib,  16 * kib, 0,       512, 2,   1,    8,   0, fixed},
  { 13,  32,  512,  8,  16 * kib,  16 * kib, 512, per_block, 124,  16 * kib, 16 * kib,  16 * kib, 0,       512, 2,   1,    8,   0, fixed},
  { 20,  48, 1024,  8,  32 * kib,  32 * kib,  64, per_warp,   63,  48 * kib, 48 * kib,  48 * kib, 0,       128, 2,   2,   32,   0, fixed},
  { 21,  48, 1024,  8,  32 * kib,  32 * kib,  64, per_warp,   63,  48 * kib, 48 * kib,  48 * kib, 0,       128, 2,   2,   48,   0, fixed},
  { 30,  64, 1024, 16,  64 * kib,  64 * kib, 256, per_warp,  255,  48 * kib, 48 * kib,  48 * kib, 0,       256, 4,   4,  192,   0, fixed},
  { 35,  64, 1024, 16,  64 * kib,  64 * kib, 256, per_warp,  255,  48 * kib, 48 * kib,  48 * kib, 0,       256, 4,   4,  192,   0, fixed},
  { 37,  64, 1024, 16, 128 * kib,  64 * kib, 256, per_warp,  255, 112 * kib, 48 * kib,  48 * kib, 0,       256, 4,   4,  192,   0, fixed},
  { 50,  64, 1024, 32,  64 * kib,  64 * kib, 256, per_warp,  255,  64 * kib, 48 * kib,  48 * kib, 0,       256, 4,   4,  128,   0, fixed},
  { 52,  64, 1024, 32,  64 * kib,  64 * kib, 256, per_warp,  255,  96 * kib, 48 * kib,  48 * kib, 0,       256, 4,   4,  128,   0, fixed},
  { 53,  64, 1024, 32,  64 * kib,  32 * kib, 256, per_warp,  255,  64 * kib, 48 * kib,  48 * kib, 0,       256, 4,   4,  128,   0, fixed},
  { 60,  64, 1024, 32,  64 * kib,  64 * kib, 256, per_warp,  255,  64 * kib, 48 * kib,  48 * kib, 0,       256, 2,   2,   64,   0, fixed},
  { 61,  64, 1024, 32,  64 * kib,  64 * kib, 256, per_warp,  255,  96 * kib, 48 * kib,  48 * kib, 0,       256, 4,   4,  128,   0, fixed},
  { 62,  64, 1024, 32,  64 * kib,  32 * kib, 256, per_warp,  255,  64 * kib, 48 * kib,  48 * kib, 0,       256, 4,   4,  128,   0, fixed},
  { 70,  64, 1024, 32,  64 * kib,  64 * kib, 256, per_warp,  256,  96 * kib, 48 * kib,  96 * kib, 0,       256, 4,   4,   64,   0, volta},
  { 72,  64, 1024, 32,  64 * kib,  64 * kib, 256, per_warp,  256,  96 * kib, 48 * kib,  96 * kib, 0,       256, 4,   4,   64,   0, volta},
  { 75,  32, 1024, 16,  64 * kib,  64 * kib, 256, per_warp,  256,  64 * kib, 48 * kib,  64 * kib, 0,       256, 4,   4,   64,   0, turing},
  { 80,  64, 1024, 32,  64 * kib,  64 * kib, 256, per_warp,  256, 164 * kib, 48 * kib, 163 * kib, 1 * kib, 128, 4,   4,   64,   0, ampere},
  { 86,  48, 1024, 16,  64 * kib,  64 * kib, 256, per_warp,  256, 100 * kib, 48 * kib,  99 * kib, 1 * kib, 128, 4,   4,  128,   0, ampere},
  { 87,  48, 1024, 16,  64 * kib,  64 * kib, 256, per_warp,  256, 164 * kib, 48 * kib, 163 * kib, 1 * kib, 128, 4,   4,  128,   0, ampere},
  { 88,  48, 1024, 16,  64 * kib,  64 * kib, 256, per_warp,  256, 100 * kib, 48 * kib,  99 * kib, 1 * kib, 128, 4,   4,  128,   0, ampere},
  { 89,  48, 1024, 24,  64 * kib,  64 * kib, 256, per_warp,  256, 100 * kib, 48 * kib,  99 * kib, 1 * kib, 128, 4,   4,  128,   0, ampere},
  { 90,  64, 1024, 32,  64 * kib,  64 * kib, 256, per_warp,  256, 228 * kib, 48 * kib, 227 * kib, 1 * kib, 128, 4,   4,  128,  64, ampere},
  {100,  64, 1024, 32,  64 * kib,  64 * kib, 256, per_warp,  256, 228 * kib, 48 * kib, 227 * kib, 1 * kib, 128, 4,   4,  128,  64, ampere},
  {101,  48, 1024, 24,  64 * kib,  64 * kib, 256, per_warp,  256, 228 * kib, 48 * kib, 227 * kib, 1 * kib, 128, 4,   4,  128,  24, ampere},
  {103,  64, 1024, 32,  64 * kib,  64 * kib, 256, per_warp,  256, 228 * kib, 48 * kib, 227 * kib, 1 * kib, 128, 4,   4,  128,  64, ampere},
  {110,  48, 1024, 24,  64 * kib,  64 * kib, 256, per_warp,  256, 228 * kib, 48 * kib, 227 * kib, 1 * kib, 128, 4,   4,  128,  24, ampere},
  {120,  48, 1024, 24,  64 * kib,  64 * kib, 256, per_warp,  256, 100 * kib, 48 * kib,  99 * kib, 1 * kib, 128, 4,   4,  128,  24, ampere},
  {121,  48, 1024, 24,  64 * kib,  64 * kib, 256, per_warp,  256, 100 * kib, 48 * kib,  99 * kib, 1 * kib, 128, 4,   4,  128,  24, ampere},
};

// clang-format on

const CapabilityLimits* find_row(int compute_capability) {
  const auto* row = std::find_if(std::begin(table), std::end(table), [&](const auto& limits) {
    return limits.compute_capability == compute_capability;
  });
  return row == std::end(table) ? nullptr : row;
}

std::string dotted(int compute_capability) {
  return fmt::format("{}.{}", compute_capability / 10, compute_capability % 10);
}

void set_extents(Device& device, int compute_capability) {
  const int widest = device.max_threads_per_block;
  device.max_block_extent[0] = widest;
  device.max_block_extent[1] = widest;
  device.max_block_extent[2] = 64;
  device.max_grid_extent[0] = compute_capability < 30 ? 65535 : 2147483647;
  device.max_grid_extent[1] = 65535;
  device.max_grid_extent[2] = compute_capability < 20 ? 1 : 65535;
}

} // namespace

const CapabilityLimits& limits_of_capability(int compute_capability) {
  const CapabilityLimits* nearest = &table[0];
  for (const auto& row : table)
    if (row.compute_capability <= compute_capability)
      nearest = &row;
  return *nearest;
}

int fp32_lanes_per_sm(int compute_capability) {
  const auto* row = find_row(compute_capability);
  return row ? row->fp32_lanes : 0;
}

int warp_schedulers_of_capability(int compute_capability) {
  return limits_of_capability(compute_capability).warp_schedulers;
}

double peak_dram_gb_per_s_of(int memory_clock_khz, int memory_bus_bits) {
  return 2.0 * memory_clock_khz * 1e3 * (memory_bus_bits / 8.0) / 1e9;
}

double peak_fp32_gflop_per_s_of(int compute_capability, int sm_count, int sm_clock_khz) {
  return 2.0 * fp32_lanes_per_sm(compute_capability) * sm_count * sm_clock_khz * 1e3 / 1e9;
}

const std::vector<int>& known_capabilities() {
  static const std::vector<int> all = [] {
    std::vector<int> capabilities;
    for (const auto& row : table)
      capabilities.push_back(row.compute_capability);
    return capabilities;
  }();
  return all;
}

Device device_of_capability(int compute_capability) {
  const auto* row = find_row(compute_capability);
  if (!row) {
    std::vector<std::string> covered;
    for (int capability : known_capabilities())
      covered.push_back(dotted(capability));
    throw InputError(fmt::format("compute capability {} is not in the table; covered: {}",
                                 dotted(compute_capability), fmt::join(covered, ", ")));
  }
  Device device;
  device.name = "compute capability " + dotted(compute_capability);
  device.compute_capability = compute_capability;
  device.warp_schedulers_per_sm = row->warp_schedulers;
  device.max_threads_per_block = row->max_threads_per_block;
  device.max_threads_per_sm = row->warps_per_sm * device.warp_size;
  device.max_blocks_per_sm = row->blocks_per_sm;
  device.registers_per_sm = row->registers_per_sm;
  device.registers_per_block = row->registers_per_block;
  device.shared_bytes_per_sm = row->shared_bytes_per_sm;
  device.shared_bytes_per_block = row->shared_bytes_per_block;
  device.shared_bytes_per_block_optin = row->shared_bytes_per_block_optin;
  device.reserved_shared_bytes_per_block = row->reserved_shared_bytes;
  set_extents(device, compute_capability);
  return device;
}

std::vector<std::pair<std::string, double>> device_facts(const Device& device) {
  const auto real = [](auto value) { return static_cast<double>(value); };
  return {
      {"compute_capability", real(device.compute_capability)},
      {"sm_count", real(device.sm_count)},
      {"warp_size", real(device.warp_size)},
      {"warp_schedulers_per_sm", real(device.warp_schedulers_per_sm)},
      {"max_threads_per_block", real(device.max_threads_per_block)},
      {"max_threads_per_sm", real(device.max_threads_per_sm)},
      {"max_blocks_per_sm", real(device.max_blocks_per_sm)},
      {"max_block_x", real(device.max_block_extent[0])},
      {"max_block_y", real(device.max_block_extent[1])},
      {"max_block_z", real(device.max_block_extent[2])},
      {"max_grid_x", real(device.max_grid_extent[0])},
      {"max_grid_y", real(device.max_grid_extent[1])},
      {"max_grid_z", real(device.max_grid_extent[2])},
      {"registers_per_sm", real(device.registers_per_sm)},
      {"registers_per_block", real(device.registers_per_block)},
      {"shared_bytes_per_sm", real(device.shared_bytes_per_sm)},
      {"shared_bytes_per_block", real(device.shared_bytes_per_block)},
      {"shared_bytes_per_block_optin", real(device.shared_bytes_per_block_optin)},
      {"reserved_shared_bytes_per_block", real(device.reserved_shared_bytes_per_block)},
      {"l2_bytes", real(device.l2_bytes)},
      {"memory_bytes", real(device.memory_bytes)},
      {"sm_clock_khz", real(device.sm_clock_khz)},
      {"memory_clock_khz", real(device.memory_clock_khz)},
      {"memory_bus_bits", real(device.memory_bus_bits)},
      {"peak_dram_gb_per_s", device.peak_dram_gb_per_s},
      {"peak_fp32_gflop_per_s", device.peak_fp32_gflop_per_s},
  };
}

} // namespace gridsmith
