// SPDX-License-Identifier: Apache-2.0
// What a vendor's library makes of the job of a kernel of the catalogue, on the very arguments of that kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridsmith::vendors {

struct Job {
  std::string kernel;                ///< of the catalogue
  std::vector<std::int64_t> extents; ///< of the problem, by the definition's names
  std::vector<void*> buffers; ///< device memory, in the order of the arguments; scalars left out
  std::vector<std::uint64_t> elements; ///< of each of them
  cudaStream_t stream = nullptr;
};

struct Rival {
  std::string name;             ///< "cuBLAS FP32"
  std::function<void()> launch; ///< enqueues the whole job
};

inline void check_call(cudaError_t code) {
  if (code != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(code));
}

/// Empty where the library has nothing for the kernel. They hold the memory they need.
std::vector<Rival> cub_rivals(const Job& job);
/// cuBLAS and cuSPARSE.
std::vector<Rival> library_rivals(const Job& job);

} // namespace gridsmith::vendors
