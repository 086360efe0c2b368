// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/device/device_kernels.hpp"

#include <algorithm>

namespace gridsmith {

namespace {

constexpr unsigned threads = 256;     // of every kernel of ours but the single-threaded ones
constexpr unsigned blocks_per_sm = 8; // 2048 threads: a full SM on every chip
constexpr unsigned guard_share = 32;  // bytes of a guard for each thread, at least

template <typename... Arguments>
void launch(cudaKernel_t kernel, dim3 grid, unsigned block, cudaStream_t stream,
            Arguments... arguments) {
  void* pointers[] = {static_cast<void*>(&arguments)...};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, dim3(block), pointers, 0,
                         stream));
}

} // namespace

DeviceKernels::DeviceKernels(const std::vector<std::uint8_t>& cubin, int sm_count,
                             cudaStream_t stream)
    : most_blocks_(static_cast<unsigned>(std::max(sm_count, 1)) * blocks_per_sm), stream_(stream) {
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  library_.reset(library);
  fill_ = kernel("gridsmith_fill");
  formula_ = kernel("gridsmith_formula");
  poison_ = kernel("gridsmith_poison");
  compare_ = kernel("gridsmith_compare");
  written_ = kernel("gridsmith_written");
  differences_ = kernel("gridsmith_differences");
  detail_ = kernel("gridsmith_detail");
  digest_ = kernel("gridsmith_digest");
  guard_fill_ = kernel("gridsmith_guard_fill");
  guard_check_ = kernel("gridsmith_guard_check");
  read_ = kernel("gridsmith_read");
  stamp_ = kernel("gridsmith_stamp");
  hold_ = kernel("gridsmith_hold");
  fill_changed_ = kernel("gridsmith_fill_changed");
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

void DeviceKernels::fill(const View& view, const Filling& filling) const {
  launch(fill_, blocks_for(view.elements), threads, stream_, view, filling,
         static_cast<const std::uint64_t*>(nullptr), static_cast<Disagreement*>(nullptr));
}

void DeviceKernels::fill_changed(const View& view, const Filling& places,
                                 const Filling& filling) const {
  if (const FillChange change = change_of(places); change.count > 0)
    launch(fill_changed_, blocks_for(change.count), threads, stream_, view, places, filling);
}

void DeviceKernels::seal(const View& view, ElementType type, std::uint64_t* sealed,
                         const void* verified) const {
  check(cudaMemsetAsync(sealed, 0, sizeof *sealed, stream_));
  add_digest(view, type, sealed);
  if (verified)
    add_digest({.data = const_cast<void*>(verified), .elements = view.elements}, ElementType::uint8,
               sealed);
}

void DeviceKernels::add_digest(const View& view, ElementType type, std::uint64_t* digest,
                               const void* verified) const {
  launch(digest_, blocks_for(view.elements), threads, stream_, view, verified, type, digest);
}

void DeviceKernels::intact(const View& view, const Filling& filling, const std::uint64_t* sealed,
                           Disagreement* verdict) const {
  add_digest(view, filling.type, &verdict->digest);
  launch(fill_, blocks_for(view.elements), threads, stream_, view, filling, sealed, verdict);
}

void DeviceKernels::poison(const View& view, const void* reference, ElementType type,
                           Poison poison) const {
  if (is_real(type) && poison != Poison::plausible && view.row == 0)
    check(cudaMemsetAsync(view.data, 0xff, view.elements * size_of(type), stream_));
  else
    launch(poison_, blocks_for(view.elements), threads, stream_, view, reference, type, poison);
}

void DeviceKernels::compare(const View& view, const void* reference, const void* verified,
                            ElementType type, const Tolerance& tolerance, Poison poison,
                            const std::uint64_t* sealed, Disagreement* verdict) const {
  launch(compare_, blocks_for(view.elements), threads, stream_, view, reference, verified, type,
         tolerance.absolute, tolerance.relative, poison, verdict);
  launch(detail_, 1, 1, stream_, view, reference, type, poison, sealed, verdict);
}

void DeviceKernels::written(const View& view, const void* reference, const void* verified,
                            ElementType type, Poison poison, void* counts,
                            WrittenElements* found) const {
  launch(written_, blocks_for(view.elements), threads, stream_, view, reference, verified, type,
         poison, counts, found);
}

void DeviceKernels::differences(const FormulaSource& output, const void* reference,
                                const void* verified, Differences* total) const {
  const FormulaSource expected{
      {.data = const_cast<void*>(reference), .elements = output.view.elements}, output.type};
  launch(differences_, blocks_for(output.view.elements), threads, stream_, output, expected,
         verified, total);
}

std::uint64_t DeviceKernels::formula_threads(std::uint64_t elements,
                                             std::uint64_t registers) const {
  constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20; // of all registers
  const std::uint64_t blocks = most_bytes / (threads * registers * sizeof(FormulaRegister));
  return threads * std::clamp<std::uint64_t>(blocks, 1, blocks_for(elements));
}

void DeviceKernels::formula(const FormulaJob& job) const {
  launch(formula_, static_cast<unsigned>(job.threads / threads), threads, stream_, job);
}

void DeviceKernels::fill_guards(const Guards& guards) const {
  if (guards.count > 0)
    launch(guard_fill_,
           dim3(blocks_for(guards.longest / guard_share), static_cast<unsigned>(guards.count)),
           threads, stream_, guards.first);
}

void DeviceKernels::check_guards(const Guards& guards, Disagreement* verdict) const {
  if (guards.count > 0)
    launch(guard_check_,
           dim3(blocks_for(guards.longest / guard_share), static_cast<unsigned>(guards.count)),
           threads, stream_, guards.first, verdict);
}

void DeviceKernels::read(const void* data, std::size_t bytes, void* never) const {
  constexpr std::size_t vector_bytes = 16; // uint4
  const std::uint64_t elements = bytes / vector_bytes;
  launch(read_, blocks_for(elements), threads, stream_, data, elements, never);
}

void DeviceKernels::stamp(ClockStamp* stamp) const {
  launch(stamp_, 1, 1, stream_, stamp);
}

void DeviceKernels::hold(std::uint64_t nanoseconds) const {
  launch(hold_, 1, 1, stream_, nanoseconds);
}

} // namespace gridsmith
