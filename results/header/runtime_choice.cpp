// SPDX-License-Identifier: Apache-2.0
// What a generated header knows: choices, tables, how near problems are.
#include "gridsmith/results/header/runtime_pieces.hpp"

namespace gridsmith {

const char* const choice_text = R"tuned(
// A value, or none: test it before it is taken.
template <class T>
struct Maybe {
  T value = {};
  bool has_value = false;

  constexpr Maybe() = default;
  GRIDSMITH_TUNED_FN Maybe(const T& one) : value(one), has_value(true) {}
  GRIDSMITH_TUNED_FN explicit operator bool() const { return has_value; }
  GRIDSMITH_TUNED_FN const T& operator*() const { return assert(has_value), value; }
  GRIDSMITH_TUNED_FN const T* operator->() const { return assert(has_value), &value; }
};

enum class Validity : unsigned char { valid, invalid, unknown };

// How near a choice is to what was measured.
enum class Match : unsigned char {
  measured_problem, // on this kind of device
  within_range,     // between measured problems of this kind of device
  outside_range,    // beyond them
  same_capability,  // by another device of this compute capability
  other_device,     // by a device of another capability
  untuned,          // the default: nothing measured serves here
};

GRIDSMITH_TUNED_FN const char* text(Match match) {
  const char* const words[] = {"measured_problem", "within_range", "outside_range",
                               "same_capability", "other_device", "untuned"};
  return words[static_cast<int>(match)];
}

// Bytes that an address is a multiple of, up to 256: for the fields of a Problem.
#if defined(__CUDACC__) || defined(__HIPCC__)
__host__ __device__
#endif
inline std::int64_t alignment_of(const void* pointer) {
  std::int64_t bytes = 256;
  while (reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(bytes) != 0)
    bytes /= 2;
  return bytes;
}

// Grid in blocks, block in threads, dynamic shared memory in bytes.
struct Launch {
  std::int64_t grid[3] = {1, 1, 1};
  int block[3] = {1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;
};

GRIDSMITH_TUNED_FN Maybe<Launch> launch_of(const Number (&grid)[3], const Number (&block)[3], const Number& shared) {
  Launch launch;
  bool known = shared.kind == Number::whole;
  launch.dynamic_shared_bytes = shared.i;
  for (int axis = 0; axis < 3; ++axis) {
    known = known && grid[axis].kind == Number::whole && block[axis].kind == Number::whole;
    launch.grid[axis] = grid[axis].i;
    launch.block[axis] = static_cast<int>(block[axis].i);
  }
  return known ? Maybe<Launch>(launch) : Maybe<Launch>();
}
// k blocks per SM instead of the whole problem, filling x, then y, then z.
GRIDSMITH_TUNED_FN void limit_blocks(Number (&grid)[3], const Number& blocks_per_sm, const Number& sm_count) {
  if (!(blocks_per_sm >= Number(1)).is_true())
    return;
  Number left = truncate(blocks_per_sm) * sm_count;
  for (Number& blocks : grid) {
    blocks = min(blocks, max(Number(1), left));
    left = floor_divide(left, blocks);
  }
}
GRIDSMITH_TUNED_FN bool grid_fits(const Launch& launch, const Device& device) {
  return launch.grid[0] <= device.max_grid_x && launch.grid[1] <= device.max_grid_y &&
         launch.grid[2] <= device.max_grid_z;
}
GRIDSMITH_TUNED_FN bool block_fits(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t threads,
                                   std::int64_t shared_bytes, const Device& device) {
  const std::int64_t shared = device.shared_bytes_per_block_optin > device.shared_bytes_per_block
                                  ? device.shared_bytes_per_block_optin
                                  : device.shared_bytes_per_block;
  return x <= device.max_block_x && y <= device.max_block_y && z <= device.max_block_z &&
         threads <= device.max_threads_per_block && shared_bytes <= shared;
}
GRIDSMITH_TUNED_FN bool fits(const Launch& launch, const Device& device) {
  const int (&block)[3] = launch.block;
  return grid_fits(launch, device) && block_fits(block[0], block[1], block[2], std::int64_t{block[0]} * block[1] * block[2],
                                                 launch.dynamic_shared_bytes, device);
}
GRIDSMITH_TUNED_FN bool same_text(const char* a, const char* b) {
  for (; *a && *a == *b; ++a, ++b) {
  }
  return *a == *b;
}
)tuned";

const char* const class_text = R"tuned(
// Another board of the same kind: clocks of boards and drivers differ a little.
GRIDSMITH_TUNED_FN bool same_class(const Device& a, const Device& b) {
  const double x = a.peak_dram_gb_per_s, y = b.peak_dram_gb_per_s;
  return a.compute_capability == b.compute_capability && a.sm_count == b.sm_count &&
         (!(x > 0) || !(y > 0) || (x <= 1.05 * y && y <= 1.05 * x));
}
// log2, linear between powers of two: exact, and so the same everywhere.
GRIDSMITH_TUNED_FN double log2_linear(std::int64_t extent) {
  int exponent = 0;
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  exponent = 63 - __builtin_clzll(static_cast<unsigned long long>(extent));
#else
  for (int step = 32; step; step /= 2)
    if (extent >> (exponent + step))
      exponent += step;
#endif
  return exponent + (static_cast<double>(extent << (62 - exponent)) * 0x1p-62 - 1);
}
GRIDSMITH_TUNED_FN double apart(double a, double b) { // without a jump
  const double x = a - b, y = b - a;
  return x > y ? x : y;
}
GRIDSMITH_TUNED_FN float apart(float a, float b) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  return __builtin_fabsf(a - b);
#else
  return a < b ? b - a : a - b;
#endif
}
// How unlike a device is to one that was measured: its family, then its capability, then its size.
GRIDSMITH_TUNED_FN double unlikeness(const Device& a, const Device& b) {
  const auto doublings = [](double x, double y) {
    return x >= 1 && y >= 1 ? apart(log2_linear(static_cast<std::int64_t>(x)), log2_linear(static_cast<std::int64_t>(y))) : 1.0;
  };
  const auto far = [](std::int64_t x, std::int64_t y) { return apart(static_cast<double>(x), static_cast<double>(y)); };
  return 1000 * far(a.compute_capability / 10, b.compute_capability / 10) +
         100 * far(a.compute_capability % 10, b.compute_capability % 10) +
         doublings(static_cast<double>(a.sm_count), static_cast<double>(b.sm_count)) +
         doublings(a.peak_dram_gb_per_s, b.peak_dram_gb_per_s);
}
)tuned";

const char* const tables_text = R"tuned(
enum class Rule : unsigned char { nearest, model, corrected };

template <class Table>
inline constexpr Table rows_of = Table::rows();
template <class Table>
GRIDSMITH_TUNED_FN Table computed_rows() { // while compiling, for a device too
  constexpr Table table = Table::rows();
  return table;
}

// At a measured problem: the best of the shipped configurations, its time, its time over the best of
// all that were measured, minus 1.
struct Measured {
  int best;
  double time_ms, loss;
};
// Blocks that an SM of the measured device holds; elements of each extent that a block covers.
struct Occupied {
  int resident_blocks;
  std::int64_t tile[3];
};

template <class C>
struct ChoiceOf {
  C configuration = {};
  Launch launch = {};
  Match match = Match::untuned;
  Maybe<double> expected_loss = {}; // share of the best time: 0.02 is 2 % slower; none: not known
  Maybe<double> expected_ms = {};   // none: nothing was measured of this kind of device
  int device = 0, index = 0;        // of the devices included; of its configurations
};

template <class... F>
struct Devices {
  static constexpr int count = sizeof...(F);
  template <class G>
  using And = Devices<F..., G>;
};
// Of several declarations the one with the highest rank is called.
template <int N>
struct Rank : Rank<N - 1> {};
template <>
struct Rank<0> {};

template <class F, int... I>
constexpr bool all_consistent(std::integer_sequence<int, I...>) {
  return (... && consistent(F::configuration(I)).is_true());
}
template <class F>
constexpr bool all_consistent() {
  return all_consistent<F>(std::make_integer_sequence<int, F::all>{});
}
)tuned";

const char* const nearness_text = R"tuned(
// Problems by a hash of their extents; -1: none. Collisions are in the following places.
GRIDSMITH_TUNED_FN int slot_bits(int problems) {
  int bits = 2;
  while ((1 << bits) < 4 * problems)
    ++bits;
  return bits;
}
template <class F>
struct SlotRows {
  static constexpr int bits = slot_bits(F::problems), count = 1 << bits;
  int all[count];

  static GRIDSMITH_TUNED_FN int first(const std::int64_t (&e)[3]) {
    std::uint64_t mixed = 0;
    for (int axis = 0; axis < F::extents; ++axis)
      mixed = (mixed ^ static_cast<std::uint64_t>(e[axis])) * 0x9e3779b97f4a7c15u; // 2^64 by the golden ratio
    return static_cast<int>(mixed >> (64 - bits));
  }
  static GRIDSMITH_TUNED_FN SlotRows rows() {
    SlotRows slots = {};
    for (int& slot : slots.all)
      slot = -1;
    for (int i = 0; i < F::problems; ++i) {
      std::int64_t e[3] = {};
      for (int axis = 0; axis < F::extents; ++axis)
        e[axis] = F::extent(i, axis);
      int slot = first(e);
      while (slots.all[slot] >= 0)
        slot = (slot + 1) % count;
      slots.all[slot] = i;
    }
    return slots;
  }
};
// The measured problem with these extents, or -1.
template <class F>
GRIDSMITH_TUNED_FN int find_problem(const std::int64_t (&e)[3]) {
  using Slots = SlotRows<F>;
  for (int slot = Slots::first(e);; slot = (slot + 1) % Slots::count) {
    const int i = GRIDSMITH_TUNED_ROWS(Slots).all[slot];
    bool same = true;
    for (int axis = 0; i >= 0 && axis < F::extents; ++axis)
      same = same && F::extent(i, axis) == e[axis];
    if (same)
      return i;
  }
}
template <class F>
GRIDSMITH_TUNED_FN bool within_range(const std::int64_t (&e)[3]) {
  bool within = true;
  for (int axis = 0; axis < F::extents; ++axis)
    within = within && F::range(0, axis) <= e[axis] && e[axis] <= F::range(1, axis);
  return within;
}
// Problems in fours, as a processor computes them; those beyond the last are far from everything.
template <class F>
inline constexpr int lanes = (F::problems + 3) / 4 * 4;

template <class F>
struct Lanes {
  float of[lanes<F>];
};
template <class F>
struct DoublingRows {
  Lanes<F> all[F::extents];

  static GRIDSMITH_TUNED_FN DoublingRows rows() {
    DoublingRows table = {};
    for (int axis = 0; axis < F::extents; ++axis)
      for (int i = 0; i < lanes<F>; ++i)
        table.all[axis].of[i] = i < F::problems ? static_cast<float>(log2_linear(F::extent(i, axis))) : 0x1p30f;
    return table;
  }
};
template <class F>
GRIDSMITH_TUNED_FN float apart_on(int axis, int problem, const float (&of)[3]) {
  using Rows = DoublingRows<F>;
  return apart(GRIDSMITH_TUNED_ROWS(Rows).all[axis].of[problem], of[axis]);
}
// Doublings from a measured problem.
template <class F>
GRIDSMITH_TUNED_FN float doublings(int problem, const float (&of)[3]) {
  float sum = apart_on<F>(0, problem, of);
  if constexpr (F::extents > 1)
    sum += apart_on<F>(1, problem, of);
  if constexpr (F::extents > 2)
    sum += apart_on<F>(2, problem, of);
  return sum;
}
template <class F>
GRIDSMITH_TUNED_FN void find_logarithms(float (&of)[3], const std::int64_t (&e)[3]) {
  for (int axis = 0; axis < F::extents; ++axis)
    of[axis] = static_cast<float>(log2_linear(e[axis]));
}
template <class T, int N>
GRIDSMITH_TUNED_FN int first(const T (&list)[N], T value) {
  for (int i = 0; i < N; ++i)
    if (list[i] == value)
      return i;
  return -1;
}
template <class T>
GRIDSMITH_TUNED_FN T lesser(T a, T b) { return b < a ? b : a; }
template <class T>
GRIDSMITH_TUNED_FN T greater(T a, T b) { return b > a ? b : a; }
// In four chains, which do not wait for each other.
template <class T, int N>
GRIDSMITH_TUNED_FN T least(const T (&list)[N]) {
  T a = list[0], b = a, c = a, d = a;
  int i = 0;
  for (; i + 4 <= N; i += 4) {
    a = lesser(a, list[i]);
    b = lesser(b, list[i + 1]);
    c = lesser(c, list[i + 2]);
    d = lesser(d, list[i + 3]);
  }
  for (; i < N; ++i)
    a = lesser(a, list[i]);
  return lesser(lesser(a, b), lesser(c, d));
}
)tuned";

} // namespace gridsmith
