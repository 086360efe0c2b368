// Pseudo-random inputs that host and device make alike: element i of a buffer depends on the seed,
// the buffer's number and i alone, so a worker that was replaced makes the very same data.
#pragma once

#include <cstdint>

namespace gridsmith {

/// splitmix64's output function (Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014) over a Weyl sequence.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t buffer, std::uint64_t index) {
  std::uint64_t z = seed + buffer * 0xD1B54A32D192ED03ULL + (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// Uniform in [-1, 1), 24 bits, exact in float: (bits >> 40) / 2^23 - 1. Integers take the low
/// bits.
constexpr float random_real(std::uint64_t seed, std::uint64_t buffer, std::uint64_t index) {
  return static_cast<float>(random_bits(seed, buffer, index) >> 40) * (1.0f / 8388608.0f) - 1.0f;
}

} // namespace gridsmith
