// SPDX-License-Identifier: Apache-2.0
// Numbers different things 0, 1, 2, …, equal ones alike: an index by open addressing over things
// that its user stores, in the order of their numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gridsmith {

/// One more word of what a hash is made from; 0 to begin with. The upper bits are the good ones.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  return ((hash >> 32) ^ hash ^ word) * 0x9e37'79b9'7f4a'7c15U; // 2^64 / golden ratio
}

/// At most 2^32 - 2 things.
class InternTable {
public:
  /// @param expected how many things it takes without growing
  explicit InternTable(std::size_t expected = 0)
      : slots_(expected == 0 ? 0 : std::bit_ceil(2 * expected)) {}

  /// How many things there are.
  std::uint32_t size() const { return size_; }

  /// The number of the thing with this hash for which same(number) holds. Where there is none, the
  /// former size(): the caller stores the thing then. @param hash_of the hash of a stored thing
  template <class Same, class HashOf>
  std::uint32_t intern(std::uint64_t hash, Same same, HashOf hash_of) {
    if (2 * (std::size_t{size_} + 1) > slots_.size())
      grow(hash_of);
    std::size_t slot = place(hash);
    for (; slots_[slot] != 0; slot = next(slot))
      if (same(slots_[slot] - 1))
        return slots_[slot] - 1;
    slots_[slot] = size_ + 1;
    return size_++;
  }

  /// The same without storing anything.
  template <class Same>
  std::optional<std::uint32_t> find(std::uint64_t hash, Same same) const {
    if (size_ == 0)
      return std::nullopt;
    for (std::size_t slot = place(hash); slots_[slot] != 0; slot = next(slot))
      if (same(slots_[slot] - 1))
        return slots_[slot] - 1;
    return std::nullopt;
  }

private:
  std::size_t place(std::uint64_t hash) const { return (hash >> 24) & (slots_.size() - 1); }

  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

  template <class HashOf>
  void grow(HashOf hash_of) {
    slots_.assign(std::max<std::size_t>(16, slots_.size() * 4), 0);
    for (std::uint32_t i = 0; i < size_; ++i) {
      std::size_t slot = place(hash_of(i));
      while (slots_[slot] != 0)
        slot = next(slot);
      slots_[slot] = i + 1;
    }
  }

  std::vector<std::uint32_t> slots_; ///< number + 1, 0 = free; at most half of them are taken
  std::uint32_t size_ = 0;
};

} // namespace gridsmith
