// SPDX-License-Identifier: Apache-2.0
// The device that a generated header chooses for, and what it lists that nobody measured.
#include "gridsmith/results/header/runtime_pieces.hpp"

namespace gridsmith {

const char* const device_text = R"tuned(
// The facts of a GPU, by the names of Gridsmith's expressions. 0: unknown, and whatever depends on it
// is not known to be valid. Default limits are those of every CUDA device.
struct Device {
  std::int64_t compute_capability = 0; // 10 * major + minor: 90
  std::int64_t sm_count = 0;
  std::int64_t l2_bytes = 0;
  double peak_dram_gb_per_s = 0; // by clock and width of the bus; 10^9 bytes
  std::int64_t shared_bytes_per_block_optin = 0; // 0: no more than shared_bytes_per_block
  std::int64_t shared_bytes_per_block = 49152;
  std::int64_t shared_bytes_per_sm = 0, reserved_shared_bytes_per_block = 0;
  std::int64_t warp_size = 32, warp_schedulers_per_sm = 0;
  std::int64_t max_threads_per_block = 1024, max_threads_per_sm = 0, max_blocks_per_sm = 0;
  std::int64_t max_block_x = 1024, max_block_y = 1024, max_block_z = 64;
  std::int64_t max_grid_x = 2147483647, max_grid_y = 65535, max_grid_z = 65535;
  std::int64_t registers_per_sm = 0, registers_per_block = 0;
  std::int64_t memory_bytes = 0, sm_clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  double peak_fp32_gflop_per_s = 0;

  // Of the calling thread's current device, asked once of each; from any thread. Where none can be
  // asked, all facts are unknown. Defined where the CUDA runtime is included before this file.
  static Device current();
};
)tuned";

const char* const current_text = R"tuned(
#if defined(CUDART_VERSION) && !defined(GRIDSMITH_TUNED_CURRENT)
#define GRIDSMITH_TUNED_CURRENT
namespace tuned { inline namespace runtime_@ {
inline std::int64_t attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess ? value : 0;
}
inline Device queried(int ordinal) {
  const auto get = [ordinal](cudaDeviceAttr which) { return attribute(which, ordinal); };
  Device d;
  d.compute_capability = 10 * get(cudaDevAttrComputeCapabilityMajor) + get(cudaDevAttrComputeCapabilityMinor);
  d.sm_count = get(cudaDevAttrMultiProcessorCount);
  d.l2_bytes = get(cudaDevAttrL2CacheSize);
  d.shared_bytes_per_block_optin = get(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  d.shared_bytes_per_block = get(cudaDevAttrMaxSharedMemoryPerBlock);
  d.shared_bytes_per_sm = get(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  d.reserved_shared_bytes_per_block = get(cudaDevAttrReservedSharedMemoryPerBlock);
  d.warp_size = get(cudaDevAttrWarpSize);
  d.max_threads_per_block = get(cudaDevAttrMaxThreadsPerBlock);
  d.max_threads_per_sm = get(cudaDevAttrMaxThreadsPerMultiProcessor);
  d.max_blocks_per_sm = get(cudaDevAttrMaxBlocksPerMultiprocessor);
  d.max_block_x = get(cudaDevAttrMaxBlockDimX);
  d.max_block_y = get(cudaDevAttrMaxBlockDimY);
  d.max_block_z = get(cudaDevAttrMaxBlockDimZ);
  d.max_grid_x = get(cudaDevAttrMaxGridDimX);
  d.max_grid_y = get(cudaDevAttrMaxGridDimY);
  d.max_grid_z = get(cudaDevAttrMaxGridDimZ);
  d.registers_per_sm = get(cudaDevAttrMaxRegistersPerMultiprocessor);
  d.registers_per_block = get(cudaDevAttrMaxRegistersPerBlock);
  d.sm_clock_khz = get(cudaDevAttrClockRate);
  d.memory_clock_khz = get(cudaDevAttrMemoryClockRate);
  d.memory_bus_bits = get(cudaDevAttrGlobalMemoryBusWidth);
  d.peak_dram_gb_per_s = 2.0 * static_cast<double>(d.memory_clock_khz) * static_cast<double>(d.memory_bus_bits) / 8e6;
  return d;
}
inline Device Device::current() {
  constexpr int most = 64;
  static Device known[most];
  static std::once_flag asked[most];
  int ordinal = 0;
  if (cudaGetDevice(&ordinal) != cudaSuccess)
    return {};
  if (ordinal < 0 || ordinal >= most)
    return queried(ordinal);
  std::call_once(asked[ordinal], [&] { known[ordinal] = queried(ordinal); });
  return known[ordinal];
}
}} // namespace tuned::runtime_@
#endif
)tuned";

const char* const recording_text = R"tuned(
#ifdef GRIDSMITH_RECORD_MISSES
#ifndef GRIDSMITH_TUNED_RECORD
#define GRIDSMITH_TUNED_MISSES Recorded
#ifdef __CUDA_ARCH__
#define GRIDSMITH_TUNED_RECORD(misses, kernel, p, choice)
#else
#define GRIDSMITH_TUNED_RECORD(misses, kernel, p, choice) \
  if (std::is_same_v<misses, Recorded> && !__builtin_is_constant_evaluated()) \
    record_miss(GRIDSMITH_RECORD_MISSES, kernel, p, choice);
#endif
namespace tuned { inline namespace runtime_@ {
// One line for each problem of a kernel that was not measured on this kind of device.
template <class P, class C>
void record_miss(const char* file, const char* kernel, const P& p, const Maybe<C>& choice) {
  if (choice && choice->match == Match::measured_problem)
    return;
  std::int64_t e[3] = {1, 1, 1};
  static_cast<void>(list(p, e));
  std::string problem;
  for (int axis = 0; axis < P::extents; ++axis)
    problem += (axis ? "x" : "") + std::to_string(e[axis]);
  static std::mutex mutex;
  static std::set<std::string> seen;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!seen.insert(problem).second)
    return;
  if (std::FILE* out = std::fopen(file, "a")) {
    std::fprintf(out, "{\"kernel\": \"%s\", \"problem\": \"%s\", \"match\": \"%s\"}\n", kernel,
                 problem.c_str(), choice ? text(choice->match) : "none");
    std::fclose(out);
  }
}
}} // namespace tuned::runtime_@
#endif
#elif !defined(GRIDSMITH_TUNED_RECORD)
#define GRIDSMITH_TUNED_MISSES Unrecorded
#define GRIDSMITH_TUNED_RECORD(misses, kernel, p, choice)
#endif
)tuned";

} // namespace gridsmith
