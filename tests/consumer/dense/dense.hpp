// SPDX-License-Identifier: Apache-2.0
// Dense matrices of floats, row-major, on a GPU: what to launch. Knows no CUDA, so that it is built and
// tested anywhere; who launches compiles the kernel with the options and takes the shape.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dense {

/// The facts of a GPU that the choice needs, as the CUDA runtime tells them.
struct Gpu {
  int compute_capability = 0; ///< 10 * major + minor
  int sm_count = 0;
  std::int64_t shared_bytes_per_block_optin = 0;
  double peak_dram_gb_per_s = 0; ///< 0: not known
};

struct Plan {
  const char* kernel;  ///< function of the catalogue's source of that name
  std::string options; ///< of nvcc and NVRTC: "-DTILE=32 -DROWS=8"
  std::int64_t grid[3];
  int block[3];
  std::int64_t dynamic_shared_bytes;
  const char* match;      ///< how near it is to a measurement
  double expected_ms = 0; ///< measured or foretold on a GPU of this kind; 0: not known
};

/// out (columns x rows) = in^T. @param in, out on the device, or null: aligned as cudaMalloc does it.
/// @return nothing where no configuration is known to be valid
std::optional<Plan> plan_transpose(const Gpu& gpu, std::int64_t rows, std::int64_t columns,
                                   const float* in = nullptr, const float* out = nullptr);

/// c (m x n) = a (m x k) b (k x n); likewise.
std::optional<Plan> plan_matmul(const Gpu& gpu, std::int64_t m, std::int64_t n, std::int64_t k,
                                const float* a = nullptr, const float* b = nullptr,
                                const float* c = nullptr);

} // namespace dense
