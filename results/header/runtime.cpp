// The fixed part of a generated header, in pieces of a screen each.
#include "gridsmith/results/header/runtime.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/base/expression/tree.hpp"
#include "gridsmith/results/header/cpp_text.hpp"
#include "gridsmith/results/header/plain_code.hpp"
#include "gridsmith/results/selection/choice_rule.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace gridsmith {
namespace {

constexpr const char* number_text = R"tuned(
// A number of a definition's expressions: exact in 64 bits or a double, as Python computes it; or not
// known, because of an overflow, a division by zero or a fact that nobody told.
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
// A fact of the device; 0 is one that nobody told.
GRIDSMITH_TUNED_FN Number fact(std::int64_t value) { return value ? Number(value) : Number(); }
GRIDSMITH_TUNED_FN Number fact(double value) {
  return !(value > 0) ? Number() : is_whole(value) ? Number(static_cast<std::int64_t>(value)) : Number(value);
}
)tuned";

constexpr const char* arithmetic_text = R"tuned(
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
  if (a.i == INT64_MIN || b.i == INT64_MIN) // has no positive twin
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
)tuned";

constexpr const char* comparison_text = R"tuned(
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
// Of truths that all have to be known.
GRIDSMITH_TUNED_FN Number operator|(const Number& a, const Number& b) {
  return both_known(a, b) ? Number(a.is_true() || b.is_true()) : Number();
}
// Of constraints, which all have to hold: one that does not decides.
GRIDSMITH_TUNED_FN Number both(const Number& a, const Number& b) {
  return a.known() && !a.is_true() ? a : b.known() && !b.is_true() ? b : !a.known() ? a : b;
}
template <class T, class... Listed>
GRIDSMITH_TUNED_FN Number one_of(T value, Listed... listed) {
  return (... || (value == static_cast<T>(listed)));
}
GRIDSMITH_TUNED_FN Number select(const Number& condition, const Number& then, const Number& otherwise) {
  return !condition.known() ? Number() : condition.is_true() ? then : otherwise;
}
)tuned";

constexpr const char* function_text = R"tuned(
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
)tuned";

constexpr const char* device_text = R"tuned(
// The facts of a GPU, by the names of Gridsmith's expressions. 0: nobody told, and what depends on it
// is not known to be valid. Limits are those of every CUDA device until more is told.
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
)tuned";

constexpr const char* current_text = R"tuned(
#if defined(CUDART_VERSION) && !defined(GRIDSMITH_TUNED_CURRENT)
#define GRIDSMITH_TUNED_CURRENT
namespace tuned { inline namespace runtime_@ {
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
}} // namespace tuned::runtime_@
#endif
)tuned";

constexpr const char* choice_text = R"tuned(
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
GRIDSMITH_TUNED_FN bool fits(const Launch& launch, const Device& device) {
  const std::int64_t shared = device.shared_bytes_per_block_optin > device.shared_bytes_per_block
                                  ? device.shared_bytes_per_block_optin
                                  : device.shared_bytes_per_block;
  return launch.grid[0] <= device.max_grid_x && launch.grid[1] <= device.max_grid_y &&
         launch.grid[2] <= device.max_grid_z && launch.block[0] <= device.max_block_x &&
         launch.block[1] <= device.max_block_y && launch.block[2] <= device.max_block_z &&
         std::int64_t{launch.block[0]} * launch.block[1] * launch.block[2] <= device.max_threads_per_block &&
         launch.dynamic_shared_bytes <= shared;
}
GRIDSMITH_TUNED_FN bool same_text(const char* a, const char* b) {
  for (; *a && *a == *b; ++a, ++b) {
  }
  return *a == *b;
}
)tuned";

constexpr const char* tables_text = R"tuned(
enum class Rule : unsigned char { nearest, model, corrected };

template <class Table>
inline constexpr Table rows_of = Table::rows();

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

constexpr const char* nearness_text = R"tuned(
// The measured problem with these extents, or -1.
template <class F>
GRIDSMITH_TUNED_FN int find_problem(const std::int64_t (&e)[3]) {
  for (int i = 0; i < F::problems; ++i) {
    bool same = true;
    for (int axis = 0; axis < F::extents; ++axis)
      same = same && F::extent(i, axis) == e[axis];
    if (same)
      return i;
  }
  return -1;
}
template <class F>
GRIDSMITH_TUNED_FN bool within_range(const std::int64_t (&e)[3]) {
  bool within = true;
  for (int axis = 0; axis < F::extents; ++axis)
    within = within && F::range(0, axis) <= e[axis] && e[axis] <= F::range(1, axis);
  return within;
}
// Doublings from each measured problem.
template <class F>
GRIDSMITH_TUNED_FN void find_doublings(const std::int64_t (&e)[3], double (&away)[F::problems]) {
  double of[3] = {0, 0, 0};
  for (int axis = 0; axis < F::extents; ++axis)
    of[axis] = log2_linear(e[axis]);
  for (int i = 0; i < F::problems; ++i) {
    away[i] = 0;
    for (int axis = 0; axis < F::extents; ++axis)
      away[i] += apart(F::doublings(i, axis), of[axis]);
  }
}
template <int N>
GRIDSMITH_TUNED_FN int first(const bool (&list)[N]) {
  for (int i = 0; i < N; ++i)
    if (list[i])
      return i;
  return -1;
}
template <int N>
GRIDSMITH_TUNED_FN int least(const double (&list)[N]) {
  int best = 0;
  for (int i = 1; i < N; ++i)
    if (list[i] < list[best])
      best = i;
  return best;
}
)tuned";

constexpr const char* class_text = R"tuned(
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
  return exponent + (static_cast<double>(extent) / static_cast<double>(std::int64_t{1} << exponent) - 1);
}
GRIDSMITH_TUNED_FN double apart(double a, double b) { // without a jump
  const double x = a - b, y = b - a;
  return x > y ? x : y;
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

constexpr const char* foretelling_text = R"tuned(
// Longer than any launch.
inline constexpr double never = 0x1p1023;

inline constexpr std::int64_t largest_plain = @LARGEST;

GRIDSMITH_TUNED_FN std::int64_t quotient_up(std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  return static_cast<std::int64_t>((x + y - 1) / y);
}
GRIDSMITH_TUNED_FN std::int64_t lesser(std::int64_t a, std::int64_t b) { return b < a ? b : a; }
GRIDSMITH_TUNED_FN std::int64_t greater(std::int64_t a, std::int64_t b) { return b > a ? b : a; }
GRIDSMITH_TUNED_FN void limit_plain(std::int64_t (&grid)[3], std::int64_t left) {
  for (std::int64_t& blocks : grid) {
    blocks = lesser(blocks, greater(1, left));
    left /= blocks;
  }
}
// What configuration I launches; by plain integers where that is proven to be the same.
template <class F, int I, class P>
GRIDSMITH_TUNED_FN bool shape_of(Launch& shape, const P& p, const Device& d, [[maybe_unused]] bool plain) {
  if constexpr (F::plain)
    if (plain)
      return F::template plain_runs<I>(p, d, shape) && fits(shape, d);
  const auto known = runs(F::configuration(I), p, d);
  shape = known.value;
  return known.has_value;
}
template <class F, class P>
GRIDSMITH_TUNED_FN bool is_plain([[maybe_unused]] const P& p, [[maybe_unused]] const Device& d) {
  if constexpr (F::plain)
    return F::is_plain(p, d);
  return false;
}
// What all configurations have in common at a problem.
struct Common {
  double extent[3], bytes, sm_count;
};
// What the model foretells of configuration I, which launches this; never, where it knows nothing.
template <class F, int I, class P>
GRIDSMITH_TUNED_FN double foretold_ms(const Launch& shape, const P& p, const Device& d, const std::int64_t (&e)[3],
                                      const Common& common) {
  constexpr Occupied held = F::occupied(I);
  double padded[F::extents] = {};
  for (int axis = 0; axis < F::extents; ++axis)
    padded[axis] = held.tile[axis] == 1 ? common.extent[axis]
                                        : static_cast<double>(quotient_up(e[axis], held.tile[axis])) *
                                              static_cast<double>(held.tile[axis]);
  const double blocks = static_cast<double>(shape.grid[0]) * static_cast<double>(shape.grid[1]) *
                        static_cast<double>(shape.grid[2]);
  double term[term_count] = {};
  fill_terms(term, blocks, work(p, padded, d) / blocks, common.bytes, common.sm_count, held.resident_blocks);
  double ms = 0;
  for (int k = 0; k < term_count; ++k)
    ms += F::coefficient(I, k) * term[k];
  return ms > 0 ? ms : never;
}
// What the model missed at measured problems, the near ones before the far; its own word counts too.
// Shepard, A two-dimensional interpolation function for irregularly-spaced data (1968).
template <class F>
GRIDSMITH_TUNED_FN void correct(double (&ms)[F::configurations], const double (&away)[F::problems]) {
  double sum[F::configurations] = {}, all[F::configurations] = {};
  for (int c = 0; c < F::configurations; ++c)
    sum[c] = all[c] = own_weight;
  for (int i = 0; i < F::problems; ++i) {
    const double weight = 1 / (away[i] * away[i] + near_squared);
    for (int c = 0; c < F::configurations; ++c) {
      const double ratio = F::ratio(i, c);
      sum[c] += weight * ratio;
      all[c] += ratio > 0 ? weight : 0;
    }
  }
  for (int c = 0; c < F::configurations; ++c)
    ms[c] = ms[c] < never ? ms[c] * (sum[c] / all[c]) : never;
}
template <class F, int I, class P>
GRIDSMITH_TUNED_FN bool foretell_one(double& ms, const P& p, const Device& d, const std::int64_t (&e)[3],
                                     const Common& common, bool plain) {
  Launch shape;
  const bool runs_here = shape_of<F, I>(shape, p, d, plain);
  ms = never;
  if constexpr (F::rule != Rule::nearest)
    if (runs_here)
      ms = foretold_ms<F, I>(shape, p, d, e, common);
  return runs_here;
}
template <class F, class P, int... I>
GRIDSMITH_TUNED_FN void foretell(bool (&allowed)[F::configurations], double (&ms)[F::configurations], const P& p,
                                 const Device& d, const std::int64_t (&e)[3], std::integer_sequence<int, I...>) {
  Common common = {};
  double extent[F::extents] = {};
  for (int axis = 0; axis < F::extents; ++axis)
    common.extent[axis] = extent[axis] = static_cast<double>(e[axis]);
  common.bytes = least_bytes(p, extent, d);
  common.sm_count = static_cast<double>(d.sm_count > 0 ? d.sm_count : F::device().sm_count);
  const bool plain = is_plain<F>(p, d);
  (static_cast<void>(allowed[I] = foretell_one<F, I>(ms[I], p, d, e, common, plain)), ...);
}
// Of those allowed the fastest at the nearest problem where one of them was measured, else the first.
template <class F>
GRIDSMITH_TUNED_FN int by_nearest(double (&away)[F::problems], const bool (&allowed)[F::configurations]) {
  for (int tried = 0; tried < F::problems; ++tried) {
    const int near = least(away);
    int best = -1;
    for (int c = 0; c < F::configurations; ++c) {
      const double ms = F::time_ms(c, near);
      if (allowed[c] && ms > 0 && (best < 0 || ms < F::time_ms(best, near)))
        best = c;
    }
    if (best >= 0)
      return best;
    away[near] = never;
  }
  return first(allowed);
}
// The least time by the rule, or -1; its time is in ms, never where none is foretold.
template <class F, class P>
GRIDSMITH_TUNED_FN int find_fastest(double (&ms)[F::configurations], const P& p, const Device& d,
                                    const std::int64_t (&e)[3]) {
  bool allowed[F::configurations] = {};
  double away[F::problems] = {};
  foretell<F>(allowed, ms, p, d, e, std::make_integer_sequence<int, F::configurations>{});
  if constexpr (F::rule != Rule::model)
    find_doublings<F>(e, away);
  if constexpr (F::rule == Rule::corrected)
    correct<F>(ms, away);
  const double limit = ms[least(ms)] * (1 + F::tie);
  int left = 0;
  for (int c = 0; c < F::configurations; ++c)
    left += (allowed[c] = allowed[c] && !(ms[c] > limit)) ? 1 : 0;
  if (left < 2)
    return first(allowed);
  if constexpr (F::rule == Rule::model)
    find_doublings<F>(e, away);
  return by_nearest<F>(away, allowed);
}
)tuned";

constexpr const char* choosing_text = R"tuned(
// Of a constant configuration.
template <class F, class P, int... I>
GRIDSMITH_TUNED_FN Maybe<Launch> runs_shipped(int i, const P& p, const Device& d, std::integer_sequence<int, I...>) {
  Maybe<Launch> shape;
  const bool plain = is_plain<F>(p, d);
  (static_cast<void>(i == I && (shape.has_value = shape_of<F, I>(shape.value, p, d, plain), true)), ...);
  return shape;
}
template <class F, class P>
GRIDSMITH_TUNED_FN Maybe<ChoiceOf<typename F::Configuration>> choice_of(int i, const P& p, const Device& d) {
  ChoiceOf<typename F::Configuration> choice;
  const auto shape = runs_shipped<F>(i, p, d, std::make_integer_sequence<int, F::all>{});
  if (!shape)
    return {};
  choice.configuration = F::configuration(i);
  choice.launch = *shape;
  choice.index = i;
  return choice;
}
// At a problem that was measured on this kind of device.
template <class F, class P>
GRIDSMITH_TUNED_FN auto choose_measured(int problem, const P& p, const Device& d) {
  const Measured there = F::measured(problem);
  auto choice = choice_of<F>(there.best, p, d);
  if constexpr (!F::defined) {
    choice = ChoiceOf<typename F::Configuration>{F::configuration(there.best), F::launch(problem)};
    choice.value.index = there.best;
    choice.has_value = fits(choice.value.launch, d);
  }
  choice.value.match = Match::measured_problem;
  choice.value.expected_loss = there.loss;
  choice.value.expected_ms = there.time_ms;
  return choice;
}
template <class F, class P>
GRIDSMITH_TUNED_FN Maybe<ChoiceOf<typename F::Configuration>>
choose_on(const P& p, const Device& d, const std::int64_t (&e)[3]) {
  const bool same = same_class(d, F::device());
  const int known = same ? find_problem<F>(e) : -1;
  if (known >= 0)
    if (const auto choice = choose_measured<F>(known, p, d))
      return choice;
  if constexpr (F::defined) {
    double ms[F::configurations] = {};
    const int best = find_fastest<F>(ms, p, d, e);
    if (best < 0)
      return {};
    auto choice = choice_of<F>(best, p, d);
    const bool within = same && within_range<F>(e);
    choice.value.match = within ? Match::within_range
                         : same ? Match::outside_range
                         : d.compute_capability == F::device().compute_capability ? Match::same_capability
                                                                                  : Match::other_device;
    if (within && F::usual_loss >= 0)
      choice.value.expected_loss = F::usual_loss;
    if (same && ms[best] < never)
      choice.value.expected_ms = ms[best];
    return choice;
  }
  return {};
}
// The nearest device that has something valid, else the default of the nearest.
template <class Of, class P, class... F, int... I>
GRIDSMITH_TUNED_FN Maybe<ChoiceOf<Of>> choose_in_turn(const P& p, const Device& d, const std::int64_t (&e)[3],
                                                      Devices<F...>, std::integer_sequence<int, I...>) {
  Maybe<ChoiceOf<Of>> choice;
  if ((... || (same_class(d, F::device()) && (choice = choose_on<F>(p, d, e), choice.value.device = I, choice.has_value))))
    return choice;
  for (int measured = 1; measured >= 0 && !choice; --measured) {
    double unlike[sizeof...(F)] = {unlikeness(d, F::device())...};
    for (int tried = 0; tried < static_cast<int>(sizeof...(F)) && !choice; ++tried) {
      const int next = least(unlike);
      unlike[next] = never;
      (static_cast<void>(next == I && (choice = measured ? choose_on<F>(p, d, e) : choice_of<F>(F::fallback, p, d), true)), ...);
      choice.value.device = next;
    }
  }
  return choice;
}
template <class Of, class P, class... F>
GRIDSMITH_TUNED_FN Maybe<ChoiceOf<Of>> choose_among(const P& p, const Device& d, Devices<F...> all) {
  std::int64_t e[3] = {1, 1, 1};
  return list(p, e) ? choose_in_turn<Of>(p, d, e, all, std::make_integer_sequence<int, sizeof...(F)>{})
                    : Maybe<ChoiceOf<Of>>();
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
)tuned";

constexpr const char* recording_text = R"tuned(
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
namespace tuned { inline namespace runtime_@ {
// One line of each problem of a kernel that nobody measured on this kind of device.
template <class P, class C>
void record_miss(const char* file, const char* kernel, const P& p, const Maybe<C>& choice) {
  if (choice && choice->match == Match::measured_problem)
    return;
  std::int64_t e[3] = {1, 1, 1};
  static_cast<void>(list(p, e));
  std::string problem;
  for (std::size_t axis = 0; axis < sizeof(P) / sizeof(std::int64_t); ++axis)
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
}} // namespace tuned::runtime_@
#endif
#elif !defined(GRIDSMITH_TUNED_RECORD)
#define GRIDSMITH_TUNED_MISSES Unrecorded
#define GRIDSMITH_TUNED_RECORD(misses, kernel, p, choice)
#endif
)tuned";

constexpr const char* frame_text = R"tuned(
#ifndef GRIDSMITH_TUNED
#define GRIDSMITH_TUNED 0x@
#if defined(__CUDACC__) || defined(__HIPCC__)
#define GRIDSMITH_TUNED_FN __host__ __device__ constexpr
#else
#define GRIDSMITH_TUNED_FN constexpr
#endif
#ifdef __CUDA_ARCH__
#define GRIDSMITH_TUNED_ROWS(table) table::rows()
#else
#define GRIDSMITH_TUNED_ROWS(table) rows_of<table>
#endif
namespace tuned { inline namespace runtime_@ {
{}
}} // namespace tuned::runtime_@
#elif GRIDSMITH_TUNED != 0x@
#error "headers of two versions of Gridsmith in one source; export them again with one of them"
#endif
)tuned";

constexpr const char* terms_head = R"tuned(
GRIDSMITH_TUNED_FN double up(double a) {{
  if (!(a < 0x1p62))
    return a;
  const double cut = static_cast<double>(static_cast<std::int64_t>(a));
  return cut + (cut < a ? 1.0 : 0.0);
}}
GRIDSMITH_TUNED_FN double least_of(double a, double b) {{ return b < a ? b : a; }}
GRIDSMITH_TUNED_FN double most_of(double a, double b) {{ return b > a ? b : a; }}
// What the time of a launch is foretold from.
inline constexpr int term_count = {};
// Of correct().
inline constexpr double near_squared = {}, own_weight = {};
GRIDSMITH_TUNED_FN void fill_terms([[maybe_unused]] double (&term)[term_count], [[maybe_unused]] double blocks,
                                   [[maybe_unused]] double block_work, [[maybe_unused]] double bytes,
                                   [[maybe_unused]] double sm_count, [[maybe_unused]] double resident_blocks) {{
)tuned";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string real_code(const ExpressionNode& node);

std::string real_chain(const ExpressionNode& node) {
  std::string text = real_code(*node.first);
  for (const ExpressionNode* right = node.first->next; right; right = right->next) {
    constexpr std::array<std::string_view, 4> words = {"+", "-", "*", "/"};
    const auto index =
        static_cast<std::size_t>(right->relation) - static_cast<std::size_t>(Operator::add);
    text = fmt::format("({} {} {})", text, words.at(index), real_code(*right));
  }
  return text;
}

/// A feature of the cost model, over plain doubles: it has no more than this.
std::string real_code(const ExpressionNode& node) {
  constexpr std::array<std::string_view, 5> calls = {"", "least_of", "most_of", "", "up"};
  switch (node.kind) {
  case NodeKind::literal:
    return real_literal(to_number(node.value));
  case NodeKind::name:
    return std::string(node.text);
  case NodeKind::arithmetic:
    return real_chain(node);
  case NodeKind::call: {
    std::string list;
    for (const ExpressionNode* child = node.first; child; child = child->next)
      list += (list.empty() ? "" : ", ") + real_code(*child);
    return fmt::format("{}({})", calls.at(static_cast<std::size_t>(node.function)), list);
  }
  default:
    throw std::logic_error("a feature of the cost model that a header cannot hold");
  }
}

/// The features of the cost model in C++.
std::string terms_text() {
  std::string text = fmt::format(terms_head, feature_count, real_literal(near_squared),
                                 real_literal(1 / (model_doublings * model_doublings)));
  std::size_t index = 0;
  for (const Feature& feature : features())
    text += fmt::format("  term[{}] = {}; // {}\n", index++,
                        real_code(Expression::parse(feature.text).root()), feature.name);
  return text + "}\n";
}

} // namespace

std::string short_hash(const std::string& text) {
  return sha256_hex(text).substr(0, 8);
}

std::string runtime_text() {
  std::string body;
  for (const char* piece : {number_text, arithmetic_text, comparison_text, function_text,
                            device_text, choice_text, class_text, tables_text, nearness_text})
    body += piece;
  body += terms_text();
  for (const char* piece : {foretelling_text, choosing_text})
    body += piece;
  std::string framed = replaced(frame_text, "{}\n", body);
  for (const char* piece : {current_text, recording_text})
    framed += piece;
  framed = replaced(framed, "@LARGEST", fmt::format("{}", largest_plain));
  return replaced(framed, "@", short_hash(framed));
}

} // namespace gridsmith
