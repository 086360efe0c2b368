// gridsmith header 2, sha256 b75e864f9c1a87700df0f7d18db0fe45c0752c9db2f43b406de5a9fd57559f68
// Configurations that Gridsmith chose by measuring. Generated: change it by tuning and exporting again.
// C++17 without dependencies, for host and device.
//
//   const auto choice = tuned::transpose::choose({x, y}, tuned::Device::current());
//   if (choice) // always known to be valid
//     … choice->configuration.tile, choice->launch.grid[0], text(choice->match), …
//
// or, where the kernel is a template of its parameters:
//
//   tuned::transpose::dispatch(problem, device, [&](auto tuned, const auto& choice) {
//     kernel<tuned.configuration.tile><<<…>>>(…);
//   });
//
// Define GRIDSMITH_RECORD_MISSES as a file name before you include this: that file then lists the problems
// that were not measured, one JSON line each.
#pragma once

#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "this header is C++17: compile with -std=c++17 or later"
#endif
#include <cassert>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>
#ifdef GRIDSMITH_RECORD_MISSES
#include <cstdio>
#include <set>
#include <string>
#endif

#ifndef GRIDSMITH_TUNED
#define GRIDSMITH_TUNED 0xb8335710
#if defined(__CUDACC__) || defined(__HIPCC__)
#define GRIDSMITH_TUNED_FN __host__ __device__ constexpr
#else
#define GRIDSMITH_TUNED_FN constexpr
#endif
#ifdef __GNUC__
#define GRIDSMITH_TUNED_HOT __attribute__((always_inline)) GRIDSMITH_TUNED_FN
#else
#define GRIDSMITH_TUNED_HOT GRIDSMITH_TUNED_FN
#endif
#ifdef __CUDA_ARCH__
#define GRIDSMITH_TUNED_ROWS(table) computed_rows<table>()
#else
#define GRIDSMITH_TUNED_ROWS(table) rows_of<table>
#endif
namespace tuned { inline namespace runtime_b8335710 {

// A number of a definition's expressions: exact in 64 bits or a double, as Python computes it; or not
// known, because of an overflow, a division by zero or an unknown fact.
struct Number {
  enum Kind : unsigned char { unknown, whole, real };
  Kind kind = unknown;
  std::int64_t i = 0;
  double r = 0;

  constexpr Number() = default;
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  GRIDSMITH_TUNED_FN Number(T value) : kind(whole), i(static_cast<std::int64_t>(value)) {}
  GRIDSMITH_TUNED_FN Number(double value) // what is infinite is not known
      : kind(value - value == 0 ? real : unknown), r(value) {}

  GRIDSMITH_TUNED_FN bool known() const { return kind != unknown; }
  GRIDSMITH_TUNED_FN bool is_true() const { return kind == whole ? i != 0 : kind == real && !(r == 0); }
  GRIDSMITH_TUNED_FN double as_real() const { return kind == whole ? static_cast<double>(i) : r; }
};

// Integers up to here are doubles, too.
inline constexpr std::int64_t exact_reals = std::int64_t{1} << 53;

GRIDSMITH_TUNED_FN bool is_exact(std::int64_t i) { return i >= -exact_reals && i <= exact_reals; }
// Holds a whole number that an integer holds too.
GRIDSMITH_TUNED_FN bool is_whole(double r) {
  return r >= -0x1p53 && r <= 0x1p53 && static_cast<double>(static_cast<std::int64_t>(r)) == r;
}
GRIDSMITH_TUNED_FN bool both_whole(const Number& a, const Number& b) {
  return a.kind == Number::whole && b.kind == Number::whole;
}
GRIDSMITH_TUNED_FN bool both_known(const Number& a, const Number& b) {
  return a.known() && b.known();
}
// A fact of the device; 0 is unknown.
GRIDSMITH_TUNED_FN Number fact(std::int64_t value) { return value ? Number(value) : Number(); }
GRIDSMITH_TUNED_FN Number fact(double value) {
  return !(value > 0) ? Number() : is_whole(value) ? Number(static_cast<std::int64_t>(value)) : Number(value);
}

GRIDSMITH_TUNED_FN Number operator+(const Number& a, const Number& b) {
  if (!both_whole(a, b))
    return both_known(a, b) ? Number(a.as_real() + b.as_real()) : Number();
  const bool fits = b.i >= 0 ? a.i <= INT64_MAX - b.i : a.i >= INT64_MIN - b.i;
  return fits ? Number(a.i + b.i) : Number();
}
GRIDSMITH_TUNED_FN Number operator-(const Number& a, const Number& b) {
  if (!both_whole(a, b))
    return both_known(a, b) ? Number(a.as_real() - b.as_real()) : Number();
  const bool fits = b.i >= 0 ? a.i >= INT64_MIN + b.i : a.i <= INT64_MAX + b.i;
  return fits ? Number(a.i - b.i) : Number();
}
GRIDSMITH_TUNED_FN Number operator-(const Number& a) {
  return a.kind == Number::real ? Number(-a.r) : Number(0) - a;
}
GRIDSMITH_TUNED_FN Number operator+(const Number& a) { return a; }
GRIDSMITH_TUNED_FN Number operator*(const Number& a, const Number& b) {
  if (!both_whole(a, b))
    return both_known(a, b) ? Number(a.as_real() * b.as_real()) : Number();
  constexpr std::int64_t half = std::int64_t{1} << 31; // no product of two such overflows
  if (a.i >= -half && a.i < half && b.i >= -half && b.i < half)
    return a.i * b.i;
  if (a.i == 0 || b.i == 0)
    return 0;
  if (a.i == INT64_MIN || b.i == INT64_MIN) // has no positive counterpart
    return a.i == 1 ? b : b.i == 1 ? a : Number();
  const std::int64_t x = a.i < 0 ? -a.i : a.i, y = b.i < 0 ? -b.i : b.i;
  return x <= INT64_MAX / y ? Number(a.i * b.i) : Number();
}
GRIDSMITH_TUNED_FN Number operator/(const Number& a, const Number& b) {
  const bool exact = (a.kind == Number::real || is_exact(a.i)) && (b.kind == Number::real || is_exact(b.i));
  if (!both_known(a, b) || b.as_real() == 0 || (both_whole(a, b) && !exact))
    return {};
  return a.as_real() / b.as_real();
}
// Rounds towards minus infinity.
GRIDSMITH_TUNED_FN std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}
GRIDSMITH_TUNED_FN Number floor_divide(const Number& a, const Number& b) {
  if (!both_known(a, b) || !b.is_true())
    return {};
  if (both_whole(a, b))
    return b.i == -1 ? -a : Number(floor_quotient(a.i, b.i));
  const double x = a.as_real(), y = b.as_real();
  if (is_whole(x) && is_whole(y))
    return static_cast<double>(floor_quotient(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)));
  const double rest = std::fmod(x, y);
  const double quotient = (x - rest) / y - (!(rest == 0) && (rest < 0) != (y < 0) ? 1 : 0);
  const double down = std::floor(quotient);
  return quotient - down > 0.5 ? down + 1 : down;
}
// A value of a list of integers and reals.
GRIDSMITH_TUNED_FN Number mixed(double r) { return is_whole(r) ? Number(static_cast<std::int64_t>(r)) : Number(r); }
// The sign of the divisor.
GRIDSMITH_TUNED_FN std::int64_t modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = b == -1 ? 0 : a % b;
  return rest + ((rest != 0 && (rest < 0) != (b < 0)) ? b : 0);
}
GRIDSMITH_TUNED_FN Number operator%(const Number& a, const Number& b) {
  if (!both_known(a, b) || !b.is_true())
    return {};
  if (both_whole(a, b))
    return modulo(a.i, b.i);
  const double x = a.as_real(), y = b.as_real();
  if (is_whole(x) && is_whole(y))
    return static_cast<double>(modulo(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)));
  const double rest = std::fmod(x, y);
  return rest + (!(rest == 0) && (rest < 0) != (y < 0) ? y : 0);
}
GRIDSMITH_TUNED_FN Number power(const Number& a, const Number& b) {
  if (!both_known(a, b))
    return {};
  if (!both_whole(a, b) || b.i < 0) {
    const double x = a.as_real(), y = b.as_real();
    const bool none = (x == 0 && y < 0) || (x < 0 && !(std::floor(y) == y));
    return none ? Number() : Number(std::pow(x, y));
  }
  if (a.i == 0 || a.i == 1 || a.i == -1)
    return b.i == 0 || (a.i == -1 && b.i % 2 == 0) ? Number(1) : a;
  Number product = 1;
  for (std::int64_t step = 0; step < b.i && product.known(); ++step)
    product = product * a;
  return product;
}

// Beyond 2^53 an integer has no double of its own.
GRIDSMITH_TUNED_FN bool comparable(const Number& a, const Number& b) {
  return both_known(a, b) && (a.kind == b.kind || is_exact(a.kind == Number::whole ? a.i : b.i));
}
GRIDSMITH_TUNED_FN Number operator==(const Number& a, const Number& b) {
  if (!comparable(a, b))
    return {};
  return both_whole(a, b) ? a.i == b.i : a.as_real() == b.as_real();
}
GRIDSMITH_TUNED_FN Number operator<(const Number& a, const Number& b) {
  if (!comparable(a, b))
    return {};
  return both_whole(a, b) ? a.i < b.i : a.as_real() < b.as_real();
}
GRIDSMITH_TUNED_FN Number operator!(const Number& a) { return a.known() ? Number(!a.is_true()) : a; }
GRIDSMITH_TUNED_FN Number operator!=(const Number& a, const Number& b) { return !(a == b); }
GRIDSMITH_TUNED_FN Number operator>(const Number& a, const Number& b) { return b < a; }
GRIDSMITH_TUNED_FN Number operator<=(const Number& a, const Number& b) { return !(b < a); }
GRIDSMITH_TUNED_FN Number operator>=(const Number& a, const Number& b) { return !(a < b); }
// Of Python: the operand that decides. What comes after it need not be known.
GRIDSMITH_TUNED_FN Number operator&&(const Number& a, const Number& b) { return a.is_true() ? b : a; }
GRIDSMITH_TUNED_FN Number operator||(const Number& a, const Number& b) {
  return !a.known() || a.is_true() ? a : b;
}
// Of conditions that all must be known.
GRIDSMITH_TUNED_FN Number operator|(const Number& a, const Number& b) {
  return both_known(a, b) ? Number(a.is_true() || b.is_true()) : Number();
}
// All constraints must hold: one that does not decides.
GRIDSMITH_TUNED_FN Number both(const Number& a, const Number& b) {
  return a.known() && !a.is_true() ? a : b.known() && !b.is_true() ? b : !a.known() ? a : b;
}
template <class T, class... Listed>
GRIDSMITH_TUNED_FN Number one_of(T value, Listed... listed) {
  return (... || (value == static_cast<T>(listed)));
}
// Of a pointer: 0 is unknown.
GRIDSMITH_TUNED_FN Number aligned(std::int64_t bytes, const Number& needed) {
  return bytes > 0 ? Number(bytes) % needed == Number(0) : Number(bytes == 0);
}
GRIDSMITH_TUNED_FN Number leads(std::int64_t elements, const Number& needed) {
  return elements != 0 ? Number(elements) == needed : Number(true);
}
GRIDSMITH_TUNED_FN Number select(const Number& condition, const Number& then, const Number& otherwise) {
  return !condition.known() ? Number() : condition.is_true() ? then : otherwise;
}

GRIDSMITH_TUNED_FN Number min(const Number& a, const Number& b) { return select(b < a, b, a); }
GRIDSMITH_TUNED_FN Number max(const Number& a, const Number& b) { return select(a < b, b, a); }
GRIDSMITH_TUNED_FN Number absolute(const Number& a) { return select(a < Number(0), -a, a); }
GRIDSMITH_TUNED_FN Number truncate(const Number& a) {
  if (a.kind != Number::real)
    return a;
  return a.r >= -0x1p63 && a.r < 0x1p63 ? Number(static_cast<std::int64_t>(a.r)) : Number();
}
GRIDSMITH_TUNED_FN Number floor(const Number& a) {
  const Number cut = truncate(a);
  return a.kind == Number::real && cut.known() && cut.as_real() > a.r ? cut - Number(1) : cut;
}
GRIDSMITH_TUNED_FN Number ceil(const Number& a) {
  const Number cut = truncate(a);
  return a.kind == Number::real && cut.known() && cut.as_real() < a.r ? cut + Number(1) : cut;
}
// The half goes to the even neighbour.
GRIDSMITH_TUNED_FN Number round(const Number& a) {
  const Number down = floor(a);
  if (a.kind != Number::real || !down.known())
    return down;
  const double rest = a.r - down.as_real();
  return rest < 0.5 || (rest == 0.5 && down.i % 2 == 0) ? down : down + Number(1);
}
// Exact and a constant of powers of two.
GRIDSMITH_TUNED_FN Number log2(const Number& a) {
  if (!a.known() || !(a.as_real() > 0))
    return {};
  double power = 1;
  for (int exponent = 0; exponent < 63; ++exponent, power *= 2)
    if (power == a.as_real())
      return static_cast<double>(exponent);
  return std::log2(a.as_real());
}
// ceil(a / b): the same by integers, as far as doubles hold them.
GRIDSMITH_TUNED_FN Number ceil_divide(const Number& a, const Number& b) {
  if (both_whole(a, b) && b.i > 0 && a.i >= 0 && is_exact(a.i) && is_exact(b.i))
    return a.i / b.i + (a.i % b.i != 0 ? 1 : 0);
  return ceil(a / b);
}
// An integer that a double holds, in a range; not known where it is none.
GRIDSMITH_TUNED_FN Number integer(const Number& a, std::int64_t least, std::int64_t most = exact_reals) {
  const bool fits = a.kind == Number::whole ? is_exact(a.i) : a.kind == Number::real && is_whole(a.r);
  const std::int64_t i = !fits ? 0 : a.kind == Number::whole ? a.i : static_cast<std::int64_t>(a.r);
  return fits && i >= least && i <= most ? Number(i) : Number();
}
// Blocks that cover an extent.
GRIDSMITH_TUNED_FN Number covering(const Number& extent, const Number& divisor) {
  if (!(divisor > Number(0)).is_true())
    return {};
  const Number whole = integer(divisor, 1, 9000000000000000 - 1);
  return whole.known() ? Number(extent.i / whole.i + (extent.i % whole.i != 0 ? 1 : 0)) : ceil(extent / divisor);
}

// The facts of a GPU, by the names of Gridsmith's expressions. 0: unknown, and whatever depends on it
// is not known to be valid. Default limits are those of every CUDA device.
struct Device {
  std::int64_t compute_capability = 0; // 10 * major + minor: 90
  std::int64_t sm_count = 0;
  std::int64_t l2_bytes = 0;
  double peak_dram_gb_per_s = 0; // by clock and width of the bus; 10^9 bytes
  std::int64_t shared_bytes_per_block_optin = 0; // 0: no more than shared_bytes_per_block
  std::int64_t shared_bytes_per_block = 49152;
  std::int64_t shared_bytes_per_sm = 0, reserved_shared_bytes_per_block = 0;
  std::int64_t warp_size = 32, warp_schedulers_per_sm = 0;
  std::int64_t max_threads_per_block = 1024, max_threads_per_sm = 0, max_blocks_per_sm = 0;
  std::int64_t max_block_x = 1024, max_block_y = 1024, max_block_z = 64;
  std::int64_t max_grid_x = 2147483647, max_grid_y = 65535, max_grid_z = 65535;
  std::int64_t registers_per_sm = 0, registers_per_block = 0;
  std::int64_t memory_bytes = 0, sm_clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  double peak_fp32_gflop_per_s = 0;

  // Of the calling thread's current device, asked once of each; from any thread. Where none can be
  // asked, all facts are unknown. Defined where the CUDA runtime is included before this file.
  static Device current();
};

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

// Longer than any launch.
inline constexpr double never = 0x1p1000;

inline constexpr std::int64_t largest_plain = 2147483648;

GRIDSMITH_TUNED_FN std::int64_t quotient_up(std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  return static_cast<std::int64_t>((x + y - 1) / y);
}
GRIDSMITH_TUNED_FN double up(std::int64_t a, std::int64_t b) { return static_cast<double>(quotient_up(a, b)); }
GRIDSMITH_TUNED_FN double up(double a, double b) {
  const double quotient = a / b;
  if (!(quotient < 0x1p62))
    return quotient;
  const double cut = static_cast<double>(static_cast<std::int64_t>(quotient));
  return cut + (cut < quotient ? 1.0 : 0.0);
}
// Of correct().
inline constexpr float near_squared = 0.015625f, own_weight = 0.015625f;
// What the time of a launch is predicted from. Counts are integers or doubles.
template <class F, int I, class N>
GRIDSMITH_TUNED_HOT double sum_of_terms([[maybe_unused]] N blocks, [[maybe_unused]] double block_work,
                                        [[maybe_unused]] double bytes, [[maybe_unused]] N sm_count,
                                        [[maybe_unused]] N resident_blocks) {
  double ms = 0;
  ms += F::coefficient(I, 0) * 1.0; // launch
  ms += F::coefficient(I, 1) * static_cast<double>(bytes); // bytes
  ms += F::coefficient(I, 2) * static_cast<double>(block_work); // block
  ms += F::coefficient(I, 3) * (up(blocks, sm_count * resident_blocks) * static_cast<double>(block_work)); // waves
  ms += F::coefficient(I, 4) * (up(blocks, sm_count) * static_cast<double>(block_work)); // blocks of an SM
  ms += F::coefficient(I, 5) * (greater(0.0, (up(blocks, sm_count) - (static_cast<double>(resident_blocks) / 2.0))) * static_cast<double>(block_work)); // blocks that share an SM
  return ms;
}

GRIDSMITH_TUNED_FN void limit_plain(std::int64_t (&grid)[3], std::int64_t left) {
  for (std::int64_t& blocks : grid) {
    blocks = lesser(blocks, greater(std::int64_t{1}, left));
    left /= blocks;
  }
}
// What configuration I launches; by plain integers where that is proven to be the same.
template <class F, int I, class P>
GRIDSMITH_TUNED_FN bool shape_of(Launch& shape, const P& p, const Device& d, [[maybe_unused]] bool plain) {
  if constexpr (F::plain)
    if (plain) {
      const bool runs_here = F::template plain_runs<I>(p, d, shape);
      return runs_here && grid_fits(shape, d);
    }
  const auto known = runs(F::configuration(I), p, d);
  shape = known.value;
  return known.has_value;
}
template <class F, class P>
GRIDSMITH_TUNED_FN bool is_plain([[maybe_unused]] const P& p, [[maybe_unused]] const Device& d) {
  if constexpr (F::plain) // and the product of a grid fits
    return F::is_plain(p, d) && d.max_grid_x <= largest_plain && d.max_grid_y <= 65535 && d.max_grid_z <= 65535;
  return false;
}
template <std::int64_t Tile>
GRIDSMITH_TUNED_FN double padded(std::int64_t extent) {
  return static_cast<double>(Tile == 1 ? extent : quotient_up(extent, Tile) * Tile);
}
// The time that the model predicts for configuration I, which launches this; `never` if it has none.
// With constants if the device is like the measured one.
template <class F, int I, bool usual, class P>
GRIDSMITH_TUNED_HOT double foretold_ms(const Launch& shape, const P& p, const Device& d, const std::int64_t (&e)[3],
                                       double bytes) {
  constexpr Occupied held = F::occupied(I);
  double extent[F::extents] = {padded<held.tile[0]>(e[0])};
  if constexpr (F::extents > 1)
    extent[1] = padded<held.tile[1]>(e[1]);
  if constexpr (F::extents > 2)
    extent[2] = padded<held.tile[2]>(e[2]);
  const auto x = shape.grid[0], y = shape.grid[1], z = shape.grid[2];
  double ms = 0;
  if constexpr (usual) {
    constexpr std::int64_t sm_count = F::device().sm_count;
    const auto product = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(z);
    const auto blocks = greater(std::int64_t{1}, static_cast<std::int64_t>(product)); // may wrap where it does not run
    ms = sum_of_terms<F, I>(blocks, work(p, extent, d) / static_cast<double>(blocks), bytes, sm_count,
                            std::int64_t{held.resident_blocks});
  } else {
    const double blocks = static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(z);
    const double sm_count = static_cast<double>(d.sm_count > 0 ? d.sm_count : F::device().sm_count);
    ms = sum_of_terms<F, I>(blocks, work(p, extent, d) / blocks, bytes, sm_count, static_cast<double>(held.resident_blocks));
  }
  return ms > 0 ? ms : never;
}
template <class F, int I, bool usual, class P>
GRIDSMITH_TUNED_HOT bool foretell_one(double& ms, const P& p, const Device& d, const std::int64_t (&e)[3], double bytes,
                                      bool plain) {
  Launch shape;
  const bool runs_here = shape_of<F, I>(shape, p, d, usual || plain);
  ms = never;
  if constexpr (F::rule != Rule::nearest)
    if (usual || runs_here) {
      const double foretold = foretold_ms<F, I, usual>(shape, p, d, e, bytes);
      ms = runs_here ? foretold : never;
    }
  return runs_here;
}
template <class F, bool usual, class P, int... I>
GRIDSMITH_TUNED_FN void foretell(bool (&allowed)[F::configurations], double (&ms)[F::configurations], const P& p,
                                 const Device& d, const std::int64_t (&e)[3], bool plain,
                                 std::integer_sequence<int, I...>) {
  double extent[F::extents] = {};
  for (int axis = 0; axis < F::extents; ++axis)
    extent[axis] = static_cast<double>(e[axis]);
  const double bytes = least_bytes(p, extent, d);
  (static_cast<void>(allowed[I] = foretell_one<F, I, usual>(ms[I], p, d, e, bytes, plain)), ...);
}

// Measured / predicted time per configuration, and the least and the greatest; 1: no error.
template <class F>
struct MissRows {
  struct Row {
    Lanes<F> ratio, known; // 1 where there is one
    float least, most;
  };
  Row all[F::configurations];

  static GRIDSMITH_TUNED_FN MissRows rows() {
    MissRows table = {};
    for (int c = 0; c < F::configurations; ++c) {
      Row& row = table.all[c];
      row.least = row.most = 1;
      for (int i = 0; i < F::problems; ++i) {
        const float ratio = row.ratio.of[i] = static_cast<float>(F::ratio(i, c));
        row.known.of[i] = ratio > 0 ? 1.0f : 0.0f;
        row.least = ratio > 0 ? lesser(row.least, ratio) : row.least;
        row.most = greater(row.most, ratio);
      }
      row.least *= 0.9999f; // a mean may be rounded
      row.most *= 1.0001f;
    }
    return table;
  }
};
// In four chains, which do not wait for each other.
template <class F>
GRIDSMITH_TUNED_FN float weighed(const float (&weight)[lanes<F>], const Lanes<F>& list) {
  float a = own_weight, b = 0, c = 0, d = 0;
  for (int i = 0; i < lanes<F>; i += 4) {
    a += weight[i] * list.of[i];
    b += weight[i + 1] * list.of[i + 1];
    c += weight[i + 2] * list.of[i + 2];
    d += weight[i + 3] * list.of[i + 3];
  }
  return (a + b) + (c + d);
}
// The mean of a configuration's errors at measured problems, near ones weighted most; the model's
// own prediction counts too. Shepard, A two-dimensional interpolation function for irregularly-spaced data (1968).
// Only for configurations that may still be within the tie of the least.
template <class F>
GRIDSMITH_TUNED_FN void correct(double (&ms)[F::configurations], const float (&of)[3]) {
  double most[F::configurations] = {};
  for (int c = 0; c < F::configurations; ++c)
    most[c] = ms[c] * static_cast<double>(GRIDSMITH_TUNED_ROWS(MissRows<F>).all[c].most);
  const double limit = least(most) * (1 + F::tie);
  Lanes<F> begun = GRIDSMITH_TUNED_ROWS(DoublingRows<F>).all[0]; // any numbers: zeros take longer
  float (&weight)[lanes<F>] = begun.of;
  for (int i = 0; i < lanes<F>; ++i) {
    const float away = doublings<F>(i, of);
    weight[i] = 1 / (away * away + near_squared);
  }
  for (int c = 0; c < F::configurations; ++c) {
    const bool near = ms[c] < never &&
                      ms[c] * static_cast<double>(GRIDSMITH_TUNED_ROWS(MissRows<F>).all[c].least) <= limit;
    ms[c] = near ? ms[c] * static_cast<double>(weighed<F>(weight, GRIDSMITH_TUNED_ROWS(MissRows<F>).all[c].ratio) /
                                               weighed<F>(weight, GRIDSMITH_TUNED_ROWS(MissRows<F>).all[c].known))
                 : never;
  }
}
// Per problem its configurations by their times there, then -1.
template <class F>
struct OrderRows {
  short all[F::problems][F::configurations];

  static GRIDSMITH_TUNED_FN OrderRows rows() {
    OrderRows table = {};
    for (int i = 0; i < F::problems; ++i) {
      int known = 0;
      for (int c = 0; c < F::configurations; ++c) {
        table.all[i][c] = -1;
        if (!(F::time_ms(c, i) > 0))
          continue;
        int place = known++;
        for (; place > 0 && F::time_ms(c, i) < F::time_ms(table.all[i][place - 1], i); --place)
          table.all[i][place] = table.all[i][place - 1];
        table.all[i][place] = static_cast<short>(c);
      }
    }
    return table;
  }
};
// Of those allowed the fastest at the nearest problem where one of them was measured, else the first.
template <class F>
GRIDSMITH_TUNED_FN int by_nearest(const float (&of)[3], const bool (&allowed)[F::configurations]) {
  Lanes<F> begun = GRIDSMITH_TUNED_ROWS(DoublingRows<F>).all[0];
  float (&away)[lanes<F>] = begun.of;
  for (int i = 0; i < lanes<F>; ++i)
    away[i] = doublings<F>(i, of);
  for (int tried = 0; tried < F::problems; ++tried) {
    const int near = first(away, least(away));
    for (int place = 0; place < F::configurations; ++place) {
      const int c = GRIDSMITH_TUNED_ROWS(OrderRows<F>).all[near][place];
      if (c < 0)
        break;
      if (allowed[c])
        return c;
    }
    away[near] = 0x1p40f;
  }
  return first(allowed, true);
}
// The configuration with the least time by the rule, or -1; its time is in ms, `never` without a prediction.
template <class F, class P>
GRIDSMITH_TUNED_FN int find_fastest(double (&ms)[F::configurations], const P& p, const Device& d,
                                    const std::int64_t (&e)[3], bool plain) {
  bool allowed[F::configurations] = {};
  float of[3] = {};
  find_logarithms<F>(of, e);
  constexpr auto all = std::make_integer_sequence<int, F::configurations>{};
  if (plain && d.sm_count == F::device().sm_count && F::device().sm_count > 0)
    foretell<F, true>(allowed, ms, p, d, e, plain, all);
  else
    foretell<F, false>(allowed, ms, p, d, e, plain, all);
  if constexpr (F::rule != Rule::nearest)
    if constexpr (!F::all_modelled) // no prediction without a model: the nearest problem decides
      if (const int near = by_nearest<F>(of, allowed); near >= 0 && !(ms[near] < never))
        return near;
  if constexpr (F::rule == Rule::corrected)
    correct<F>(ms, of);
  if constexpr (F::rule != Rule::nearest) {
    const double fastest = least(ms), limit = fastest * (1 + F::tie);
    int left = 0, best = -1;
    for (int c = F::configurations - 1; c >= 0; --c) {
      allowed[c] = allowed[c] & !(ms[c] > limit);
      left += allowed[c] ? 1 : 0;
      best = allowed[c] ? c : best;
    }
    if (left < 2)
      return best;
  }
  return by_nearest<F>(of, allowed);
}

template <class F>
using ChoiceOn = Maybe<ChoiceOf<typename F::Configuration>>;

template <class F, class P, int... I>
GRIDSMITH_TUNED_FN bool run_shipped(Launch& shape, int i, const P& p, const Device& d, bool plain,
                                    std::integer_sequence<int, I...>) {
  bool runs_here = false;
  (static_cast<void>(i == I && (runs_here = shape_of<F, I>(shape, p, d, plain), true)), ...);
  return runs_here;
}
// Configuration i, where it runs.
template <class F, class P>
GRIDSMITH_TUNED_FN void take(ChoiceOn<F>& choice, int i, const P& p, const Device& d, bool plain) {
  choice.has_value =
      run_shipped<F>(choice.value.launch, i, p, d, plain, std::make_integer_sequence<int, F::all>{});
  if (!choice.has_value)
    return;
  choice.value.configuration = F::configuration(i);
  choice.value.index = i;
}
// At a problem that was measured on this kind of device.
template <class F, class P>
GRIDSMITH_TUNED_FN void take_measured(ChoiceOn<F>& choice, int problem, const P& p, const Device& d, bool plain) {
  const Measured there = F::measured(problem);
  if constexpr (F::defined) {
    take<F>(choice, there.best, p, d, plain);
  } else {
    choice.value.configuration = F::configuration(there.best);
    choice.value.launch = F::launch(problem);
    choice.value.index = there.best;
    choice.has_value = fits(choice.value.launch, d);
  }
  choice.value.match = Match::measured_problem;
  choice.value.expected_loss = there.loss;
  choice.value.expected_ms = there.time_ms;
}
template <class F, class P>
GRIDSMITH_TUNED_FN void take_foretold(ChoiceOn<F>& choice, const P& p, const Device& d, const std::int64_t (&e)[3],
                                      bool same, bool plain) {
  double ms[F::configurations] = {};
  const int best = find_fastest<F>(ms, p, d, e, plain);
  if (best < 0)
    return;
  take<F>(choice, best, p, d, plain);
  const bool within = same && within_range<F>(e);
  choice.value.match = within ? Match::within_range
                       : same ? Match::outside_range
                       : d.compute_capability == F::device().compute_capability ? Match::same_capability
                                                                                : Match::other_device;
  if (within && F::usual_loss >= 0)
    choice.value.expected_loss = F::usual_loss;
  if (same && ms[best] < never)
    choice.value.expected_ms = ms[best];
}
// By the device number `index`, which is of the same class or not.
template <class F, class P>
GRIDSMITH_TUNED_FN bool choose_on(ChoiceOn<F>& choice, int index, const P& p, const Device& d,
                                  const std::int64_t (&e)[3], bool same) {
  const bool plain = is_plain<F>(p, d);
  const int known = same ? find_problem<F>(e) : -1;
  if (known >= 0) {
    take_measured<F>(choice, known, p, d, plain);
    if (!choice)
      choice = {};
  }
  if constexpr (F::defined)
    if (!choice)
      take_foretold<F>(choice, p, d, e, same, plain);
  choice.value.device = index;
  return choice.has_value;
}
// Its default.
template <class F, class P>
GRIDSMITH_TUNED_FN void fall_back(ChoiceOn<F>& choice, const P& p, const Device& d) {
  take<F>(choice, F::fallback, p, d, is_plain<F>(p, d));
}
// The nearest device that has something valid, else the default of the nearest.
template <class Of, class P, class... F, int... I>
GRIDSMITH_TUNED_FN void choose_in_turn(Maybe<ChoiceOf<Of>>& choice, const P& p, const Device& d,
                                       const std::int64_t (&e)[3], Devices<F...>, std::integer_sequence<int, I...>) {
  if ((... || (same_class(d, F::device()) && choose_on<F>(choice, I, p, d, e, true))))
    return;
  for (int measured = 1; measured >= 0 && !choice; --measured) {
    double unlike[sizeof...(F)] = {unlikeness(d, F::device())...};
    for (int tried = 0; tried < static_cast<int>(sizeof...(F)) && !choice; ++tried) {
      const int next = first(unlike, least(unlike));
      unlike[next] = never;
      (static_cast<void>(next == I && (measured ? static_cast<void>(choose_on<F>(choice, I, p, d, e, same_class(d, F::device())))
                                                : fall_back<F>(choice, p, d), true)), ...);
      choice.value.device = next;
    }
  }
}
template <class Of, class P, class... F>
GRIDSMITH_TUNED_FN Maybe<ChoiceOf<Of>> choose_among(const P& p, const Device& d, Devices<F...> all) {
  Maybe<ChoiceOf<Of>> choice;
  std::int64_t e[3] = {1, 1, 1};
  if (list(p, e))
    choose_in_turn<Of>(choice, p, d, e, all, std::make_integer_sequence<int, sizeof...(F)>{});
  return choice;
}

template <class F, int I>
struct Constant {
  static constexpr typename F::Configuration configuration = F::configuration(I);
};
template <class F, class Choice, class Function, int... I>
constexpr bool call_configuration(const Choice& choice, Function& f, std::integer_sequence<int, I...>) {
  return (... || (choice.index == I && (static_cast<void>(f(Constant<F, I>{}, choice)), true)));
}
template <class Choice, class Function, class... F, int... I>
constexpr bool call_device(const Choice& choice, Function& f, Devices<F...>, std::integer_sequence<int, I...>) {
  return (... || (choice.device == I &&
                  call_configuration<F>(choice, f, std::make_integer_sequence<int, F::all>{})));
}
template <class Choice, class Function, class... F>
constexpr bool call_chosen(const Choice& choice, Function& f, Devices<F...> all) {
  return call_device(choice, f, all, std::make_integer_sequence<int, sizeof...(F)>{});
}
struct Recorded;
struct Unrecorded;
}} // namespace tuned::runtime_b8335710
#elif GRIDSMITH_TUNED != 0xb8335710
#error "headers of two versions of Gridsmith in one source; export them again with one of them"
#endif

#if defined(CUDART_VERSION) && !defined(GRIDSMITH_TUNED_CURRENT)
#define GRIDSMITH_TUNED_CURRENT
namespace tuned { inline namespace runtime_b8335710 {
inline std::int64_t attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess ? value : 0;
}
inline Device queried(int ordinal) {
  const auto get = [ordinal](cudaDeviceAttr which) { return attribute(which, ordinal); };
  Device d;
  d.compute_capability = 10 * get(cudaDevAttrComputeCapabilityMajor) + get(cudaDevAttrComputeCapabilityMinor);
  d.sm_count = get(cudaDevAttrMultiProcessorCount);
  d.l2_bytes = get(cudaDevAttrL2CacheSize);
  d.shared_bytes_per_block_optin = get(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  d.shared_bytes_per_block = get(cudaDevAttrMaxSharedMemoryPerBlock);
  d.shared_bytes_per_sm = get(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  d.reserved_shared_bytes_per_block = get(cudaDevAttrReservedSharedMemoryPerBlock);
  d.warp_size = get(cudaDevAttrWarpSize);
  d.max_threads_per_block = get(cudaDevAttrMaxThreadsPerBlock);
  d.max_threads_per_sm = get(cudaDevAttrMaxThreadsPerMultiProcessor);
  d.max_blocks_per_sm = get(cudaDevAttrMaxBlocksPerMultiprocessor);
  d.max_block_x = get(cudaDevAttrMaxBlockDimX);
  d.max_block_y = get(cudaDevAttrMaxBlockDimY);
  d.max_block_z = get(cudaDevAttrMaxBlockDimZ);
  d.max_grid_x = get(cudaDevAttrMaxGridDimX);
  d.max_grid_y = get(cudaDevAttrMaxGridDimY);
  d.max_grid_z = get(cudaDevAttrMaxGridDimZ);
  d.registers_per_sm = get(cudaDevAttrMaxRegistersPerMultiprocessor);
  d.registers_per_block = get(cudaDevAttrMaxRegistersPerBlock);
  d.sm_clock_khz = get(cudaDevAttrClockRate);
  d.memory_clock_khz = get(cudaDevAttrMemoryClockRate);
  d.memory_bus_bits = get(cudaDevAttrGlobalMemoryBusWidth);
  d.peak_dram_gb_per_s = 2.0 * static_cast<double>(d.memory_clock_khz) * static_cast<double>(d.memory_bus_bits) / 8e6;
  return d;
}
inline Device Device::current() {
  constexpr int most = 64;
  static Device known[most];
  static std::once_flag asked[most];
  int ordinal = 0;
  if (cudaGetDevice(&ordinal) != cudaSuccess)
    return {};
  if (ordinal < 0 || ordinal >= most)
    return queried(ordinal);
  std::call_once(asked[ordinal], [&] { known[ordinal] = queried(ordinal); });
  return known[ordinal];
}
}} // namespace tuned::runtime_b8335710
#endif

#ifdef GRIDSMITH_RECORD_MISSES
#ifndef GRIDSMITH_TUNED_RECORD
#define GRIDSMITH_TUNED_MISSES Recorded
#ifdef __CUDA_ARCH__
#define GRIDSMITH_TUNED_RECORD(misses, kernel, p, choice)
#else
#define GRIDSMITH_TUNED_RECORD(misses, kernel, p, choice) \
  if (std::is_same_v<misses, Recorded> && !__builtin_is_constant_evaluated()) \
    record_miss(GRIDSMITH_RECORD_MISSES, kernel, p, choice);
#endif
namespace tuned { inline namespace runtime_b8335710 {
// One line for each problem of a kernel that was not measured on this kind of device.
template <class P, class C>
void record_miss(const char* file, const char* kernel, const P& p, const Maybe<C>& choice) {
  if (choice && choice->match == Match::measured_problem)
    return;
  std::int64_t e[3] = {1, 1, 1};
  static_cast<void>(list(p, e));
  std::string problem;
  for (int axis = 0; axis < P::extents; ++axis)
    problem += (axis ? "x" : "") + std::to_string(e[axis]);
  static std::mutex mutex;
  static std::set<std::string> seen;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!seen.insert(problem).second)
    return;
  if (std::FILE* out = std::fopen(file, "a")) {
    std::fprintf(out, "{\"kernel\": \"%s\", \"problem\": \"%s\", \"match\": \"%s\"}\n", kernel,
                 problem.c_str(), choice ? text(choice->match) : "none");
    std::fclose(out);
  }
}
}} // namespace tuned::runtime_b8335710
#endif
#elif !defined(GRIDSMITH_TUNED_RECORD)
#define GRIDSMITH_TUNED_MISSES Unrecorded
#define GRIDSMITH_TUNED_RECORD(misses, kernel, p, choice)
#endif

// ---- transpose ----
#ifndef GRIDSMITH_TUNED_transpose
#define GRIDSMITH_TUNED_transpose 0x0c6c566f
#define GRIDSMITH_TUNED_transpose_DEVICES Devices<>
namespace tuned::transpose { inline namespace of_0c6c566f {
// Extents in elements.
struct Problem {
  std::int64_t x = 0;
  std::int64_t y = 0;
  static constexpr int extents = 2;
};
enum class mode_value : unsigned char { a_b_ };
GRIDSMITH_TUNED_FN const char* text(mode_value value) {
  const char* const words[] = {"a,\"b\""};
  return words[static_cast<int>(value)];
}
struct Configuration {
  int tile = 16;
  bool padded = false;
  double scale = 8.0;
  mode_value mode = mode_value::a_b_;
};

// no definition of this kernel was given: nothing is known of problems that were not measured.
GRIDSMITH_TUNED_FN Number consistent(const Configuration&) { return true; }
GRIDSMITH_TUNED_FN Number allowed(const Configuration&, const Problem&, const Device&) { return {}; }
GRIDSMITH_TUNED_FN Maybe<Launch> launch(const Configuration&, const Problem&, const Device&) { return {}; }

// None if it is not known to run.
GRIDSMITH_TUNED_FN Maybe<Launch> runs(const Configuration& c, const Problem& p, const Device& d) {
  if (!allowed(c, p, d).is_true())
    return {};
  const auto shape = launch(c, p, d);
  return shape && fits(*shape, d) ? shape : Maybe<Launch>();
}

// Whether it can be launched. Unknown if a computation does not fit into 64 bits, or if a needed fact of
// the device is unknown.
GRIDSMITH_TUNED_FN Validity check(const Configuration& c, const Problem& p, const Device& d) {
  if (p.x < 1 || p.y < 1)
    return Validity::invalid;
  const Number holds = both(consistent(c), allowed(c, p, d));
  const auto shape = launch(c, p, d);
  if (!holds.is_true())
    return holds.known() ? Validity::invalid : Validity::unknown;
  return !shape ? Validity::unknown : fits(*shape, d) ? Validity::valid : Validity::invalid;
}
GRIDSMITH_TUNED_FN bool valid(const Configuration& c, const Problem& p, const Device& d) {
  return check(c, p, d) == Validity::valid;
}
GRIDSMITH_TUNED_FN bool list(const Problem& p, std::int64_t (&extents)[3]) {
  extents[0] = p.x; extents[1] = p.y; extents[2] = 1;
  return !(p.x < 1 || p.y < 1);
}
inline constexpr char name[] = "transpose";
using Choice = ChoiceOf<Configuration>;

// The best configuration known for a problem, of all devices whose files are included before the call.
template <class Of = Configuration,
          class All = decltype(newest(static_cast<const Of*>(nullptr), Rank<64>{})),
          class Misses = GRIDSMITH_TUNED_MISSES>
GRIDSMITH_TUNED_FN Maybe<Choice> choose(const Problem& p, const Device& d) {
  const auto choice = choose_among<Of>(p, d, All{});
  GRIDSMITH_TUNED_RECORD(Misses, name, p, choice)
  return choice;
}
// Calls f(tuned, choice), where tuned.configuration is a constant: only configurations that may be chosen are
// instantiated. False, and no call, if no configuration is known to be valid.
template <class Function, class Of = Configuration,
          class All = decltype(newest(static_cast<const Of*>(nullptr), Rank<64>{})),
          class Misses = GRIDSMITH_TUNED_MISSES>
constexpr bool dispatch(const Problem& p, const Device& d, Function&& f) {
  const auto choice = choose<Of, All, Misses>(p, d);
  return choice && call_chosen(*choice, f, All{});
}

}} // namespace tuned::transpose::of_0c6c566f
#elif GRIDSMITH_TUNED_transpose != 0x0c6c566f
#error "tuned::transpose: headers of two definitions in one source; export them again from one"
#endif

#ifndef GRIDSMITH_TUNED_transpose_65c4f927
#define GRIDSMITH_TUNED_transpose_65c4f927
namespace tuned::transpose { inline namespace of_0c6c566f {
inline namespace on_65c4f927 {
// NVIDIA H200 (compute capability 9.0), measured on 2026-11-21, driver 580.159, CUDA toolkit 13.0
// conditions: cold L2 cache, counters: default
// source: unknown
// assumed: arrays lie as they did when they were measured
// loss at measured problems: 0.0 % on average, 0.0 % to 0.0 %, 100 % of 2 problems within 5 %
// loss at problems left out: not known: too few problems
// not calibrated: no sizes were drawn to be measured and left out
struct nvidia_h200 {
  using Configuration = ::tuned::transpose::Configuration;
  static constexpr int problems = 2, extents = 2, configurations = 2;
  static constexpr bool defined = false, has_default = false;
  static constexpr int all = configurations + has_default;
  static constexpr int fallback = has_default ? configurations : -1;
  static constexpr Rule rule = Rule::nearest;
  static constexpr double tie = 0.0;
  static constexpr double usual_loss = -1.0; // at problems left out; negative: not known
  static GRIDSMITH_TUNED_FN Device device() { // of this kind it serves
    Device d;
    d.compute_capability = 90;
    d.sm_count = 132;
    d.warp_size = 32;
    d.max_block_x = 1024;
    d.max_grid_x = 2147483647;
    d.peak_dram_gb_per_s = 4814.5;
    return d;
  }
  struct configuration_rows {
    Configuration all[2];
    static GRIDSMITH_TUNED_FN configuration_rows rows() {
      return {{
        {16, false, 8.0, mode_value::a_b_}, // 0: best of 1 problem
        {32, true, 16.0, mode_value::a_b_}, // 1: best of 1 problem
      }};
    }
  };
  static GRIDSMITH_TUNED_FN Configuration configuration(int shipped) {
    return GRIDSMITH_TUNED_ROWS(configuration_rows).all[shipped];
  }
  struct extent_rows {
    std::int64_t all[2][2];
    static GRIDSMITH_TUNED_FN extent_rows rows() {
      return {{
        {512, 512},
        {8192, 8192},
      }};
    }
  };
  static GRIDSMITH_TUNED_FN std::int64_t extent(int problem, int axis) {
    return GRIDSMITH_TUNED_ROWS(extent_rows).all[problem][axis];
  }
  struct measured_rows {
    Measured all[2];
    static GRIDSMITH_TUNED_FN measured_rows rows() {
      return {{
        {0, 0.125, 0.0}, // 512x512
        {1, 0.125, 0.0}, // 8192x8192, the second 4.0 % behind
      }};
    }
  };
  static GRIDSMITH_TUNED_FN Measured measured(int problem) {
    return GRIDSMITH_TUNED_ROWS(measured_rows).all[problem];
  }
  static constexpr bool plain = false;
  struct launch_rows {
    Launch all[2];
    static GRIDSMITH_TUNED_FN launch_rows rows() {
      return {{
        {{256, 512, 1}, {16, 8, 1}, 4096},
        {{256, 512, 1}, {32, 8, 1}, 4096},
      }};
    }
  };
  static GRIDSMITH_TUNED_FN Launch launch(int problem) {
    return GRIDSMITH_TUNED_ROWS(launch_rows).all[problem];
  }
};

static_assert(all_consistent<nvidia_h200>(), "tuned::transpose: a configuration breaks a constraint; export this file again");
using Until65c4f927 = GRIDSMITH_TUNED_transpose_DEVICES::And<nvidia_h200>;
template <class All = Until65c4f927>
All newest(const Configuration*, Rank<All::count>);
} // namespace on_65c4f927
}} // namespace tuned::transpose::of_0c6c566f
#undef GRIDSMITH_TUNED_transpose_DEVICES
#define GRIDSMITH_TUNED_transpose_DEVICES Until65c4f927
#endif

#ifndef GRIDSMITH_TUNED_transpose_89f81481
#define GRIDSMITH_TUNED_transpose_89f81481
namespace tuned::transpose { inline namespace of_0c6c566f {
inline namespace on_89f81481 {
// NVIDIA RTX "A" (compute capability 8.6), measured on 2026-11-20, driver 580.159, CUDA toolkit 13.0
// conditions: cold L2 cache, counters: default
// source: unknown
// assumed: arrays lie as they did when they were measured
// loss at measured problems: 0.0 % on average, 0.0 % to 0.0 %, 100 % of 1 problem within 5 %
// loss at problems left out: not known: too few problems
// not calibrated: no sizes were drawn to be measured and left out
struct nvidia_rtx_a_ {
  using Configuration = ::tuned::transpose::Configuration;
  static constexpr int problems = 1, extents = 2, configurations = 1;
  static constexpr bool defined = false, has_default = false;
  static constexpr int all = configurations + has_default;
  static constexpr int fallback = has_default ? configurations : -1;
  static constexpr Rule rule = Rule::nearest;
  static constexpr double tie = 0.0;
  static constexpr double usual_loss = -1.0; // at problems left out; negative: not known
  static GRIDSMITH_TUNED_FN Device device() { // of this kind it serves
    Device d;
    d.compute_capability = 86;
    d.sm_count = 132;
    d.warp_size = 32;
    d.max_block_x = 1024;
    d.max_grid_x = 2147483647;
    d.peak_dram_gb_per_s = 4814.5;
    return d;
  }
  struct configuration_rows {
    Configuration all[1];
    static GRIDSMITH_TUNED_FN configuration_rows rows() {
      return {{
        {64, true, 32.0, mode_value::a_b_}, // 0: best of 1 problem
      }};
    }
  };
  static GRIDSMITH_TUNED_FN Configuration configuration(int shipped) {
    return GRIDSMITH_TUNED_ROWS(configuration_rows).all[shipped];
  }
  struct extent_rows {
    std::int64_t all[1][2];
    static GRIDSMITH_TUNED_FN extent_rows rows() {
      return {{
        {8192, 8192},
      }};
    }
  };
  static GRIDSMITH_TUNED_FN std::int64_t extent(int problem, int axis) {
    return GRIDSMITH_TUNED_ROWS(extent_rows).all[problem][axis];
  }
  struct measured_rows {
    Measured all[1];
    static GRIDSMITH_TUNED_FN measured_rows rows() {
      return {{
        {0, 0.125, 0.0}, // 8192x8192
      }};
    }
  };
  static GRIDSMITH_TUNED_FN Measured measured(int problem) {
    return GRIDSMITH_TUNED_ROWS(measured_rows).all[problem];
  }
  static constexpr bool plain = false;
  struct launch_rows {
    Launch all[1];
    static GRIDSMITH_TUNED_FN launch_rows rows() {
      return {{
        {{256, 512, 1}, {64, 8, 1}, 4096},
      }};
    }
  };
  static GRIDSMITH_TUNED_FN Launch launch(int problem) {
    return GRIDSMITH_TUNED_ROWS(launch_rows).all[problem];
  }
};

static_assert(all_consistent<nvidia_rtx_a_>(), "tuned::transpose: a configuration breaks a constraint; export this file again");
using Until89f81481 = GRIDSMITH_TUNED_transpose_DEVICES::And<nvidia_rtx_a_>;
template <class All = Until89f81481>
All newest(const Configuration*, Rank<All::count>);
} // namespace on_89f81481
}} // namespace tuned::transpose::of_0c6c566f
#undef GRIDSMITH_TUNED_transpose_DEVICES
#define GRIDSMITH_TUNED_transpose_DEVICES Until89f81481
#endif
