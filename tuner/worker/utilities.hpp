// The worker's own kernels (utilities.cu), ready to be enqueued on one stream. Nothing here waits.
#pragma once

#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/tuner/worker/cuda_handles.hpp"

#include <cstdint>
#include <vector>

namespace gridsmith {

/// As in utilities.cu. All zero: nothing wrong.
struct Verdict {
  std::uint64_t inverse_first = 0; ///< ~index of the first wrong element, of the guard for guards
  std::uint64_t wrong = 0;
  std::uint64_t unwritten = 0;
  std::uint64_t got = 0, want = 0; ///< bits of the first wrong element

  std::uint64_t first() const { return ~inverse_first; }
};

/// As in utilities.cu.
struct Guard {
  void* first = nullptr;
  std::uint64_t bytes = 0;
};

/// As in utilities.cu: globaltimer, clock64, number of the SM.
struct ClockStamp {
  std::uint64_t nanoseconds = 0, cycles = 0, sm = 0;
};

/// As in utilities.cu.
struct Filling {
  int random = 0;
  std::uint64_t constant = 0; ///< bits, when not random
  double scale = 0;           ///< when random
  std::uint64_t seed = 0, buffer = 0;
};

class Utilities {
public:
  /// @throws CudaError when the cubin does not fit the device.
  Utilities(const std::vector<std::uint8_t>& cubin, int sm_count, cudaStream_t stream);

  cudaStream_t stream() const { return stream_; }

  void fill(void* data, const BufferSpec& spec, std::uint64_t seed, std::uint64_t number) const;
  /// Compares with what fill() wrote.
  void intact(const void* data, const BufferSpec& spec, std::uint64_t seed, std::uint64_t number,
              Verdict* verdict) const;
  /// @param reference may be null for reals only.
  void poison(void* data, const void* reference, const BufferSpec& spec) const;
  void compare(const void* data, const void* reference, const BufferSpec& spec, double absolute,
               double relative, bool poisoned, Verdict* verdict) const;
  void fill_guards(const Guard* guards, std::size_t count) const;
  void check_guards(const Guard* guards, std::size_t count, Verdict* verdict) const;
  void read(const void* data, std::size_t bytes, void* never) const;
  void stamp(ClockStamp* stamp) const;

private:
  cudaKernel_t kernel(const char* name) const;
  /// Blocks for a loop over `elements`, enough to fill the device and no more.
  unsigned blocks_for(std::uint64_t elements) const;

  Library library_;
  unsigned most_blocks_;
  cudaStream_t stream_;
  cudaKernel_t fill_, intact_, poison_, compare_, detail_, guard_fill_, guard_check_, read_, stamp_;
};

bool is_real(ElementType type);
/// The number behind the bits of an element.
double value_of_bits(ElementType type, std::uint64_t bits);
/// As people read it: integers in full, reals with the digits of their type.
std::string text_of_bits(ElementType type, std::uint64_t bits);
/// The bits of `value` as an element of this type, in the low bytes.
std::uint64_t bits_of_value(ElementType type, double value);

} // namespace gridsmith
