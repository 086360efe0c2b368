// SPDX-License-Identifier: Apache-2.0
// Pseudo-random bits that host and device make alike: those of element i of a buffer depend on the
// seed, the buffer's number and i alone, so a worker that was replaced makes the very same data.
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

/// Uniform in [-1, 1), 24 bits, exact in float: (bits >> 40) / 2^23 - 1.
constexpr float random_real(std::uint64_t seed, std::uint64_t buffer, std::uint64_t index) {
  return static_cast<float>(random_bits(seed, buffer, index) >> 40) * (1.0f / 8388608.0f) - 1.0f;
}

/// The upper half of a product of 128 bits.
constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t low = 0xffffffffULL;
  const std::uint64_t middle = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32);
  return (a >> 32) * (b >> 32) + (middle >> 32) + (((a & low) * (b >> 32) + (middle & low)) >> 32);
}

/// Uniform in [0, count): the bits as a fraction of 2^64, times count; off by less than count / 2^64.
constexpr std::uint64_t bits_below(std::uint64_t count, std::uint64_t bits) {
  return high_product(bits, count);
}

/// Uniform in [0, 1), 53 bits, exact.
constexpr double unit_of(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * (1.0 / 9007199254740992.0);
}

/// Place of `index` in a random order of [0, count), so that each place is taken once: a Feistel
/// network over the least even number of bits that hold `count`, walked until it is back below it
/// (Black, Rogaway, "Ciphers with arbitrary finite domains", 2002). @pre index < count <= 2^62
constexpr std::uint64_t permuted(std::uint64_t seed, std::uint64_t buffer, std::uint64_t count,
                                 std::uint64_t index) {
  int half = 1; // bits
  while (count > 1 && (count - 1) >> (2 * half) != 0)
    ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t place = index;
  do {
    std::uint64_t left = place >> half, right = place & mask;
    for (std::uint64_t round = 0; round < 6; ++round) { // four are the least that look random
      const std::uint64_t mixed = left ^ (random_bits(seed, buffer, round << 32 | right) & mask);
      left = right;
      right = mixed;
    }
    place = left << half | right;
  } while (place >= count);
  return place;
}

} // namespace gridsmith
