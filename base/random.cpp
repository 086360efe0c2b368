// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/random.hpp"

namespace gridsmith {

std::uint64_t below(Random& random, std::uint64_t bound) {
  using Wide = unsigned __int128;
  Wide product = Wide{random()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t uneven = (0 - bound) % bound; // 2^64 mod bound: the draws to reject
    while (static_cast<std::uint64_t>(product) < uneven)
      product = Wide{random()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double unit(Random& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

std::uint64_t LazyShuffle::take(std::uint64_t place) {
  --left_;
  const auto at_place = displaced_.find(place);
  const std::uint64_t taken = at_place == displaced_.end() ? place : at_place->second;
  const auto at_last = displaced_.find(left_);
  const std::uint64_t last = at_last == displaced_.end() ? left_ : at_last->second;
  if (place != left_)
    displaced_[place] = last;
  if (at_last != displaced_.end())
    displaced_.erase(left_);
  return taken;
}

} // namespace gridsmith
