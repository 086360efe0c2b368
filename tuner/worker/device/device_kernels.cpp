#include "gridsmith/tuner/worker/device/device_kernels.hpp"

#include "gridsmith/kernels/definition/element_bits.hpp"

#include <algorithm>

namespace gridsmith {

namespace {

constexpr unsigned threads = 256;     // of every kernel of ours but the single-threaded ones
constexpr unsigned blocks_per_sm = 8; // 2048 threads: a full SM on every chip

template <typename... Arguments>
void launch(cudaKernel_t kernel, dim3 grid, unsigned block, cudaStream_t stream,
            Arguments... arguments) {
  void* pointers[] = {static_cast<void*>(&arguments)...};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, dim3(block), pointers, 0,
                         stream));
}

Filling filling_of(const BufferSpec& spec, std::uint64_t seed, std::uint64_t number) {
  return {.constant = bits_of_value(spec.type, spec.fill_value),
          .scale = spec.fill_value,
          .seed = seed,
          .buffer = number,
          .random = spec.fill == Fill::random};
}

} // namespace

DeviceKernels::DeviceKernels(const std::vector<std::uint8_t>& cubin, int sm_count,
                             cudaStream_t stream)
    : most_blocks_(static_cast<unsigned>(std::max(sm_count, 1)) * blocks_per_sm), stream_(stream) {
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  library_.reset(library);
  fill_ = kernel("gridsmith_fill");
  intact_ = kernel("gridsmith_intact");
  poison_ = kernel("gridsmith_poison");
  compare_ = kernel("gridsmith_compare");
  detail_ = kernel("gridsmith_detail");
  guard_fill_ = kernel("gridsmith_guard_fill");
  guard_check_ = kernel("gridsmith_guard_check");
  read_ = kernel("gridsmith_read");
  stamp_ = kernel("gridsmith_stamp");
}

cudaKernel_t DeviceKernels::kernel(const char* name) const {
  cudaKernel_t found = nullptr;
  check(cudaLibraryGetKernel(&found, library_.get(), name));
  return found;
}

unsigned DeviceKernels::blocks_for(std::uint64_t elements) const {
  const std::uint64_t wanted = (elements + threads - 1) / threads;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(wanted, 1, most_blocks_));
}

void DeviceKernels::fill(void* data, const BufferSpec& spec, std::uint64_t seed,
                         std::uint64_t number) const {
  launch(fill_, blocks_for(spec.elements), threads, stream_, data, spec.type, spec.elements,
         filling_of(spec, seed, number));
}

void DeviceKernels::intact(const void* data, const BufferSpec& spec, std::uint64_t seed,
                           std::uint64_t number, Verdict* verdict) const {
  launch(intact_, blocks_for(spec.elements), threads, stream_, data, spec.type, spec.elements,
         filling_of(spec, seed, number), verdict);
}

void DeviceKernels::poison(void* data, const void* reference, const BufferSpec& spec) const {
  if (is_real(spec.type))
    check(cudaMemsetAsync(data, 0xff, spec.elements * size_of(spec.type), stream_));
  else if (reference)
    launch(poison_, blocks_for(spec.elements), threads, stream_, data, reference, spec.type,
           spec.elements);
}

void DeviceKernels::compare(const void* data, const void* reference, const BufferSpec& spec,
                            double absolute, double relative, bool poisoned,
                            Verdict* verdict) const {
  launch(compare_, blocks_for(spec.elements), threads, stream_, data, reference, spec.type,
         spec.elements, absolute, relative, poisoned, verdict);
  launch(detail_, 1, 1, stream_, data, reference, spec.type, verdict);
}

void DeviceKernels::fill_guards(const Guard* guards, std::size_t count) const {
  if (count > 0)
    launch(guard_fill_, dim3(blocks_per_sm, static_cast<unsigned>(count)), threads, stream_,
           guards);
}

void DeviceKernels::check_guards(const Guard* guards, std::size_t count, Verdict* verdict) const {
  if (count > 0)
    launch(guard_check_, dim3(blocks_per_sm, static_cast<unsigned>(count)), threads, stream_,
           guards, verdict);
}

void DeviceKernels::read(const void* data, std::size_t bytes, void* never) const {
  constexpr std::size_t vector_bytes = 16; // uint4
  const std::uint64_t elements = bytes / vector_bytes;
  launch(read_, blocks_for(elements), threads, stream_, data, elements, never);
}

void DeviceKernels::stamp(ClockStamp* stamp) const {
  launch(stamp_, 1, 1, stream_, stamp);
}

} // namespace gridsmith
