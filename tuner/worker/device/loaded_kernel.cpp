// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/device/loaded_kernel.hpp"

#include <fmt/format.h>

namespace gridsmith {
namespace {

dim3 dim(const auto (&extents)[3]) {
  return {static_cast<unsigned>(extents[0]), static_cast<unsigned>(extents[1]),
          static_cast<unsigned>(extents[2])};
}

/// What the runtime wants to know of a launch.
struct Launch {
  Launch(const Geometry& geometry, cudaStream_t stream) {
    config.gridDim = dim(geometry.grid);
    config.blockDim = dim(geometry.block);
    config.dynamicSmemBytes = static_cast<std::size_t>(geometry.dynamic_shared_bytes);
    config.stream = stream;
    const dim3 blocks = dim(geometry.cluster);
    config.attrs = attributes;
    if (geometry.blocks_per_cluster() > 1) {
      cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim = {blocks.x, blocks.y, blocks.z};
    }
    if (geometry.cooperative) {
      cudaLaunchAttribute& cooperative = attributes[config.numAttrs++];
      cooperative.id = cudaLaunchAttributeCooperative;
      cooperative.val.cooperative = 1;
    }
  }

  Launch(const Launch&) = delete; // points into itself
  Launch& operator=(const Launch&) = delete;

  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attributes[2]{};
};

} // namespace

LoadedKernel::LoadedKernel(const Launchable& launchable) : geometry_(launchable.geometry) {
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, launchable.cubin->data(), nullptr, nullptr, 0, nullptr,
                            nullptr, 0));
  library_.reset(library);
  check(cudaLibraryGetKernel(&kernel_, library, launchable.kernel.c_str()));
  check(cudaFuncGetAttributes(&attributes_, function()));
}

CompileFacts LoadedKernel::facts() const {
  return {.registers_per_thread = attributes_.numRegs,
          .static_shared_bytes = static_cast<std::int64_t>(attributes_.sharedSizeBytes),
          .local_bytes = static_cast<std::int64_t>(attributes_.localSizeBytes),
          .spill_store_bytes = std::nullopt, // the compiler's to say
          .spill_load_bytes = std::nullopt,
          .constant_bytes = static_cast<std::int64_t>(attributes_.constSizeBytes),
          .max_threads_per_block = attributes_.maxThreadsPerBlock};
}

std::optional<std::size_t> LoadedKernel::bytes_of_argument(std::size_t place) const {
  std::size_t offset = 0, bytes = 0;
  if (cudaFuncGetParamInfo(function(), place, &offset, &bytes) == cudaSuccess)
    return bytes;
  cudaGetLastError(); // past the last parameter
  return std::nullopt;
}

std::size_t LoadedKernel::arguments() const {
  std::size_t count = 0;
  while (bytes_of_argument(count))
    ++count;
  return count;
}

std::optional<std::string>
LoadedKernel::argument_error(std::span<const std::size_t> argument_bytes) const {
  const std::size_t count = arguments();
  if (count != argument_bytes.size())
    return fmt::format("the kernel takes {} arguments, the definition gives {}", count,
                       argument_bytes.size());
  for (std::size_t i = 0; i < count; ++i)
    if (const std::size_t bytes = *bytes_of_argument(i); bytes != argument_bytes[i])
      return fmt::format("argument {} has {} bytes in the kernel and {} in the definition", i + 1,
                         bytes, argument_bytes[i]);
  return std::nullopt;
}

std::optional<std::string> LoadedKernel::geometry_error(const Device& device) const {
  for (int i = 0; i < 3; ++i) {
    if (geometry_.block[i] < 1 || geometry_.block[i] > device.max_block_extent[i])
      return fmt::format("a block extent of {} in {} is outside 1 to {}", geometry_.block[i],
                         "xyz"[i], device.max_block_extent[i]);
    if (geometry_.grid[i] < 1 || geometry_.grid[i] > device.max_grid_extent[i])
      return fmt::format("a grid extent of {} in {} is outside 1 to {}", geometry_.grid[i],
                         "xyz"[i], device.max_grid_extent[i]);
  }
  // The driver's limit for this kernel is among its facts: launch bounds, and registers per block.
  return launch_refusal(device, facts(), geometry_.threads_per_block(),
                        geometry_.dynamic_shared_bytes);
}

std::optional<std::string> LoadedKernel::launch_error(const Device& device,
                                                      std::span<const std::size_t> argument_bytes) {
  if (auto error = geometry_error(device))
    return error;
  if (geometry_.dynamic_shared_bytes > attributes_.maxDynamicSharedSizeBytes)
    check(cudaFuncSetAttribute(function(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(geometry_.dynamic_shared_bytes)));
  if (geometry_.shared_carveout_percent)
    check(cudaFuncSetAttribute(function(), cudaFuncAttributePreferredSharedMemoryCarveout,
                               *geometry_.shared_carveout_percent));
  if (auto error = cluster_error(device))
    return error;
  if (auto error = cooperation_error(device))
    return error;
  return argument_error(argument_bytes);
}

std::optional<std::string> LoadedKernel::cluster_error(const Device& device) const {
  constexpr int first_with_clusters = 90, portable = 8; // blocks, CUDA C++ Programming Guide
  const int blocks = geometry_.blocks_per_cluster();
  if (blocks == 1)
    return std::nullopt;
  if (device.compute_capability < first_with_clusters)
    return fmt::format("clusters of {} blocks: compute capability {}.{} has no clusters", blocks,
                       device.compute_capability / 10, device.compute_capability % 10);
  if (blocks > portable)
    check(cudaFuncSetAttribute(function(), cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  int fitting = 0;
  Launch launch(geometry_, nullptr);
  if (const auto code = cudaOccupancyMaxActiveClusters(&fitting, function(), &launch.config);
      code != cudaSuccess || fitting == 0) {
    cudaGetLastError();
    return fmt::format("no cluster of {} blocks fits on the device", blocks);
  }
  return std::nullopt;
}

std::optional<std::string> LoadedKernel::cooperation_error(const Device& device) const {
  if (!geometry_.cooperative)
    return std::nullopt;
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, function(), static_cast<int>(geometry_.threads_per_block()),
      static_cast<std::size_t>(geometry_.dynamic_shared_bytes)));
  const std::int64_t most = std::int64_t{blocks} * device.sm_count;
  if (geometry_.blocks() > most)
    return fmt::format("a cooperative launch of {} blocks: the device holds {} at once",
                       geometry_.blocks(), most);
  return std::nullopt;
}

std::optional<LoadedKernel::Symbol> LoadedKernel::symbol(const std::string& name) const {
  Symbol found;
  if (cudaLibraryGetGlobal(&found.data, &found.bytes, library_.get(), name.c_str()) !=
      cudaSuccess) {
    cudaGetLastError();
    return std::nullopt;
  }
  return found;
}

void LoadedKernel::launch(void** arguments, cudaStream_t stream) const {
  const Launch launch(geometry_, stream);
  check(cudaLaunchKernelExC(&launch.config, function(), arguments));
}

} // namespace gridsmith
