// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/device_query.hpp"

#include "gridsmith/metrics/counters/attached_profiler.hpp"
#include "gridsmith/metrics/cupti/counter_session.hpp"
#include "gridsmith/tuner/worker/device/cuda_handles.hpp"

#include <fmt/format.h>

#include <fstream>
#include <regex>

namespace gridsmith {

namespace {

std::string version_text(int version) { // 13000 -> "13.0"
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// The driver's own number from its kernel module where that can be read, else the CUDA version it
/// offers.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  // "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build …"
  std::smatch match;
  if (std::regex_search(line, match, std::regex(R"( (\d+\.\d+(\.\d+)?) )")))
    return match[1];
  int version = 0;
  check(cudaDriverGetVersion(&version));
  return version_text(version);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, ordinal));
  return value;
}

void take_limits(const cudaDeviceProp& facts, Device& device) {
  device.sm_count = facts.multiProcessorCount;
  device.warp_size = facts.warpSize;
  device.max_threads_per_block = facts.maxThreadsPerBlock;
  device.max_threads_per_sm = facts.maxThreadsPerMultiProcessor;
  device.max_blocks_per_sm = facts.maxBlocksPerMultiProcessor;
  for (int i = 0; i < 3; ++i) {
    device.max_block_extent[i] = facts.maxThreadsDim[i];
    device.max_grid_extent[i] = facts.maxGridSize[i];
  }
  device.registers_per_sm = facts.regsPerMultiprocessor;
  device.registers_per_block = facts.regsPerBlock;
  device.shared_bytes_per_sm = static_cast<std::int64_t>(facts.sharedMemPerMultiprocessor);
  device.shared_bytes_per_block = static_cast<std::int64_t>(facts.sharedMemPerBlock);
  device.shared_bytes_per_block_optin = static_cast<std::int64_t>(facts.sharedMemPerBlockOptin);
  device.reserved_shared_bytes_per_block =
      static_cast<std::int64_t>(facts.reservedSharedMemPerBlock);
  device.l2_bytes = facts.l2CacheSize;
  device.memory_bytes = static_cast<std::int64_t>(facts.totalGlobalMem);
}

} // namespace

Device query_device(int ordinal) {
  cudaDeviceProp facts{};
  check(cudaGetDeviceProperties(&facts, ordinal));
  Device device;
  device.name = facts.name;
  device.uuid = uuid_text(facts.uuid);
  device.ordinal = ordinal;
  device.compute_capability = 10 * facts.major + facts.minor;
  take_limits(facts, device);
  device.warp_schedulers_per_sm = warp_schedulers_of_capability(device.compute_capability);
  device.sm_clock_khz = attribute(cudaDevAttrClockRate, ordinal);
  device.memory_clock_khz = attribute(cudaDevAttrMemoryClockRate, ordinal);
  device.memory_bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal);
  device.peak_dram_gb_per_s =
      peak_dram_gb_per_s_of(device.memory_clock_khz, device.memory_bus_bits);
  device.peak_fp32_gflop_per_s =
      peak_fp32_gflop_per_s_of(device.compute_capability, device.sm_count, device.sm_clock_khz);
  device.driver_version = driver_version();
  device.toolkit_version = version_text(CUDART_VERSION);
  return device;
}

std::optional<std::string> known_chip_name(int ordinal) {
  try {
    if (attached_profiler().empty())
      return chip_name(ordinal);
  } catch (const CuptiError&) { // no chip name, then
  }
  return std::nullopt;
}

DeviceCount count_devices() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaErrorInsufficientDriver) // of a missing one too
    return {0, "no NVIDIA driver, or one too old for CUDA " + version_text(CUDART_VERSION)};
  if (code != cudaSuccess)
    return {0, plain_text(code)};
  if (count == 0)
    return {0, "the driver knows no device"};
  return {count, std::nullopt};
}

QueriedDevices list_devices() {
  const DeviceCount there = count_devices();
  QueriedDevices list{{}, there.reason};
  for (int ordinal = 0; ordinal < there.count; ++ordinal) {
    try {
      Device device = query_device(ordinal);
      device.chip = known_chip_name(ordinal).value_or("");
      list.devices.push_back(std::move(device));
    } catch (const std::exception& error) {
      list.reason = fmt::format("device {}: {}", ordinal, error.what());
    }
  }
  return list;
}

} // namespace gridsmith
