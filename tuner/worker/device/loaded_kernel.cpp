#include "gridsmith/tuner/worker/device/loaded_kernel.hpp"

#include <fmt/format.h>

namespace gridsmith {

LoadedKernel::LoadedKernel(const Launchable& launchable) : geometry_(launchable.geometry) {
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, launchable.cubin->data(), nullptr, nullptr, 0, nullptr,
                            nullptr, 0));
  library_.reset(library);
  check(cudaLibraryGetKernel(&kernel_, library, launchable.kernel.c_str()));
  check(cudaFuncGetAttributes(&attributes_, function()));
}

CompileFacts LoadedKernel::facts() const {
  CompileFacts facts;
  facts.registers_per_thread = attributes_.numRegs;
  facts.static_shared_bytes = static_cast<std::int64_t>(attributes_.sharedSizeBytes);
  facts.local_bytes = static_cast<std::int64_t>(attributes_.localSizeBytes);
  facts.constant_bytes = static_cast<std::int64_t>(attributes_.constSizeBytes);
  facts.max_threads_per_block = attributes_.maxThreadsPerBlock;
  return facts;
}

std::optional<std::string>
LoadedKernel::argument_error(std::span<const std::size_t> argument_bytes) const {
  std::size_t count = 0;
  for (;; ++count) {
    std::size_t offset = 0, bytes = 0;
    if (cudaFuncGetParamInfo(function(), count, &offset, &bytes) != cudaSuccess) {
      cudaGetLastError(); // past the last parameter
      break;
    }
    if (count < argument_bytes.size() && bytes != argument_bytes[count])
      return fmt::format("argument {} has {} bytes in the kernel and {} in the definition",
                         count + 1, bytes, argument_bytes[count]);
  }
  if (count != argument_bytes.size())
    return fmt::format("the kernel takes {} arguments, the definition gives {}", count,
                       argument_bytes.size());
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
  return argument_error(argument_bytes);
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
  const dim3 grid(static_cast<unsigned>(geometry_.grid[0]),
                  static_cast<unsigned>(geometry_.grid[1]),
                  static_cast<unsigned>(geometry_.grid[2]));
  const dim3 block(static_cast<unsigned>(geometry_.block[0]),
                   static_cast<unsigned>(geometry_.block[1]),
                   static_cast<unsigned>(geometry_.block[2]));
  check(cudaLaunchKernel(function(), grid, block, arguments,
                         static_cast<std::size_t>(geometry_.dynamic_shared_bytes), stream));
}

} // namespace gridsmith
