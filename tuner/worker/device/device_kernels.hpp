// SPDX-License-Identifier: Apache-2.0
// The worker's own kernels (device_code.cu), ready to be enqueued on one stream. Nothing waits.
#pragma once

#include "gridsmith/kernels/inputs/fill.hpp"
#include "gridsmith/tuner/worker/device/cuda_handles.hpp"
#include "gridsmith/tuner/worker/device/device_layout.hpp"

#include <cstdint>
#include <vector>

namespace gridsmith {

/// Guards in device memory.
struct Guards {
  const Guard* first = nullptr;
  std::size_t count = 0;
  std::uint64_t longest = 0; ///< bytes
};

class DeviceKernels {
public:
  /// @throws CudaError when the cubin does not fit the device.
  DeviceKernels(const std::vector<std::uint8_t>& cubin, int sm_count, cudaStream_t stream);

  cudaStream_t stream() const { return stream_; }

  void fill(const View& view, const Filling& filling) const;
  /// Only the elements that `places` changes, as in `filling`.
  void fill_changed(const View& view, const Filling& places, const Filling& filling) const;
  /// The elements' digest, for intact() and compare(). Both keep theirs in the verdict.
  /// @param verified as compare() gets it, whose bytes are sealed too; null: without
  void seal(const View& view, ElementType type, std::uint64_t* sealed,
            const void* verified = nullptr) const;
  /// Adds it to another.
  /// @param verified as for compare(): the others are no part of it
  void add_digest(const View& view, ElementType type, std::uint64_t* digest,
                  const void* verified = nullptr) const;
  /// Compares with what fill() wrote and was sealed then.
  void intact(const View& view, const Filling& filling, const std::uint64_t* sealed,
              Disagreement* verdict) const;
  /// @param reference elements one after the other; may be null for reals that get the impossible, and
  /// for all that get the blind one.
  void poison(const View& view, const void* reference, ElementType type, Poison poison) const;
  /// @param poison what poison() wrote, or `none`
  /// @param sealed of the reference
  /// @param verified a byte for each element, 0: it may be anything; null: all count
  /// @param tolerance its magnitude is in the absolute one already
  void compare(const View& view, const void* reference, const void* verified, ElementType type,
               const Tolerance& tolerance, Poison poison, const std::uint64_t* sealed,
               Disagreement* verdict) const;
  /// After two launches: adds how many elements they wrote.
  /// @param reference what the first made of the blind poison @param verified as for compare()
  /// @param poison what the second found; `none`: all count as written
  /// @param counts gets such bytes of the elements that are verified and written; null: they are only counted
  void written(const View& view, const void* reference, const void* verified, ElementType type,
               Poison poison, void* counts, WrittenElements* found) const;
  /// Adds how far an output is from what is expected. @param verified as for compare()
  void differences(const FormulaSource& output, const void* reference, const void* verified,
                   Differences* total) const;
  /// How many threads a formula of so many registers is run by, each with its own.
  std::uint64_t formula_threads(std::uint64_t elements, std::uint64_t registers) const;
  /// @pre of job.threads: formula_threads()
  void formula(const FormulaJob& job) const;
  void fill_guards(const Guards& guards) const;
  void check_guards(const Guards& guards, Disagreement* verdict) const;
  void read(const void* data, std::size_t bytes, void* never) const;
  void stamp(ClockStamp* stamp) const;
  /// The stream does nothing else for so long.
  void hold(std::uint64_t nanoseconds) const;

private:
  cudaKernel_t kernel(const char* name) const;
  /// Blocks for a loop over `elements`, enough to fill the device and no more.
  unsigned blocks_for(std::uint64_t elements) const;

  Library library_;
  unsigned most_blocks_;
  cudaStream_t stream_;
  cudaKernel_t fill_, fill_changed_, formula_, poison_, compare_, written_, differences_, detail_,
      digest_, guard_fill_, guard_check_, read_, stamp_, hold_;
};

} // namespace gridsmith
