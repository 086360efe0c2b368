// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/mpi/shared_ends.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gridsmith {
namespace {

constexpr std::size_t most_kinds = 8;
constexpr std::size_t largest = std::size_t{16} << 20; // of those remembered

/// How many bytes before and after what is sent are those of a message before.
struct Head {
  std::uint64_t number = most_kinds; ///< of that message; most_kinds: of none
  std::uint64_t before = 0, after = 0;
};

Head in_common(const Bytes& message, const Bytes& other, std::uint64_t number) {
  const std::size_t most = std::min(message.size(), other.size());
  const auto before = static_cast<std::size_t>(
      std::mismatch(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(most),
                    other.begin())
          .first -
      message.begin());
  const auto left = static_cast<std::ptrdiff_t>(most - before);
  const auto after = static_cast<std::size_t>(
      std::mismatch(message.rbegin(), message.rbegin() + left, other.rbegin()).first -
      message.rbegin());
  return {number, before, after};
}

} // namespace

Bytes SharedEnds::shorten(const Bytes& message) {
  Head best;
  for (std::size_t i = 0; i < last_.size(); ++i)
    if (const Head one = in_common(message, last_[i], i);
        2 * (one.before + one.after) > message.size() &&
        one.before + one.after > best.before + best.after)
      best = one;
  Bytes shortened(sizeof best);
  std::memcpy(shortened.data(), &best, sizeof best);
  shortened.insert(shortened.end(), message.begin() + static_cast<std::ptrdiff_t>(best.before),
                   message.end() - static_cast<std::ptrdiff_t>(best.after));
  remember(best.number, message);
  return shortened;
}

Bytes SharedEnds::lengthen(const Bytes& shortened) {
  Head head;
  if (shortened.size() < sizeof head)
    throw ProtocolError("a shortened message has no head");
  std::memcpy(&head, shortened.data(), sizeof head);
  Bytes message;
  const bool alone = head.number >= last_.size();
  const Bytes none, &other = alone ? none : last_[head.number];
  if (head.before > other.size() || head.after > other.size() - head.before)
    throw ProtocolError("a shortened message is of another one than this end remembers");
  message.reserve(head.before + shortened.size() + head.after);
  message.assign(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(head.before));
  message.insert(message.end(), shortened.begin() + sizeof head, shortened.end());
  message.insert(message.end(), other.end() - static_cast<std::ptrdiff_t>(head.after), other.end());
  remember(head.number, message);
  return message;
}

/// In the place of the one that it is like, else of the oldest.
void SharedEnds::remember(std::size_t number, const Bytes& message) {
  if (message.size() > largest)
    return;
  if (number < last_.size()) {
    last_[number] = message;
    return;
  }
  if (last_.size() == most_kinds)
    last_.pop_front();
  last_.push_back(message);
}

} // namespace gridsmith
