// What host and device code hand to each other. Both compile this text: nothing here needs the
// standard library but for the fixed widths. Every member has 8 bytes, and the sizes leave no room
// between them, so the offsets are the same on both sides too.
#pragma once

#include <cstdint>

namespace gridsmith {

/// Of one comparison. All zero: nothing wrong.
struct Verdict {
  std::uint64_t inverse_first = 0; ///< ~index of the first wrong element, of the guard for guards:
                                   ///< zero-filled memory means none
  std::uint64_t wrong = 0;         ///< wrong elements
  std::uint64_t unwritten = 0;     ///< those of them that still hold the poison
  std::uint64_t got = 0, want = 0; ///< bits of the first wrong element

  constexpr std::uint64_t first() const { return ~inverse_first; }
};

static_assert(sizeof(Verdict) == 5 * 8);

/// Bytes beside a buffer that no kernel may change.
struct Guard {
  std::uint8_t* first = nullptr;
  std::uint64_t bytes = 0;
};

static_assert(sizeof(Guard) == 2 * 8);

/// How a buffer is filled: all elements alike, or each at random.
struct Filling {
  std::uint64_t constant = 0; ///< bits, when not random
  double scale = 0;           ///< when random
  std::uint64_t seed = 0, buffer = 0;
  std::uint64_t random = 0; ///< 1: at random
};

static_assert(sizeof(Filling) == 5 * 8);

struct ClockStamp {
  std::uint64_t nanoseconds = 0; ///< of the device's global timer
  std::uint64_t cycles = 0;      ///< of the SM
  std::uint64_t sm = 0;          ///< which one: cycles of two cannot be compared
};

static_assert(sizeof(ClockStamp) == 3 * 8);

} // namespace gridsmith
