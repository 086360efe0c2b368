// What the worker does on the device beside the tuned kernels: fill, poison, compare, guards, flush,
// clocks. Compiled at run time by the compiler pool, after the text of kernels/fill.hpp, so that
// host and device share one formula. Element types are numbered as in ElementType.

using gridsmith::random_bits;
using gridsmith::random_real;
using u64 = unsigned long long;

/// Of one comparison. All zero: nothing wrong.
struct Verdict {
  u64 inverse_first; ///< ~index of the first wrong element: zero-filled memory means none
  u64 wrong;         ///< wrong elements
  u64 unwritten;     ///< those of them that still hold the poison
  u64 got, want;     ///< bits of the first wrong element
};

struct Guard {
  unsigned char* first;
  u64 bytes;
};

struct Half {
  unsigned short bits;
};

__device__ u64 first_index() { return blockIdx.x * (u64)blockDim.x + threadIdx.x; }
__device__ u64 stride() { return gridDim.x * (u64)blockDim.x; }

__device__ Half half_of(double value) {
  Half half;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(half.bits) : "d"(value));
  return half;
}
__device__ double real_of(Half half) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half.bits));
  return value;
}
__device__ double real_of(float value) { return value; }
__device__ double real_of(double value) { return value; }

template <typename T> struct Bits;
template <> struct Bits<Half> { using type = unsigned short; };
template <> struct Bits<float> { using type = unsigned int; };
template <> struct Bits<double> { using type = u64; };
template <> struct Bits<signed char> { using type = unsigned char; };
template <> struct Bits<unsigned char> { using type = unsigned char; };
template <> struct Bits<short> { using type = unsigned short; };
template <> struct Bits<unsigned short> { using type = unsigned short; };
template <> struct Bits<int> { using type = unsigned int; };
template <> struct Bits<unsigned int> { using type = unsigned int; };
template <> struct Bits<long long> { using type = u64; };
template <> struct Bits<u64> { using type = u64; };

template <typename T> __device__ typename Bits<T>::type bits_of(T value) {
  typename Bits<T>::type bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

template <typename T> constexpr bool is_real = false;
template <> constexpr bool is_real<Half> = true;
template <> constexpr bool is_real<float> = true;
template <> constexpr bool is_real<double> = true;

template <typename T> __device__ T from_double(double value) { return (T)value; }
template <> __device__ Half from_double<Half>(double value) { return half_of(value); }

/// filled_value of kernels/references.hpp: reals are scaled in their own precision (half in single).
template <typename T> __device__ T random_element(double scale, u64 seed, u64 buffer, u64 index) {
  return (T)random_bits(seed, buffer, index);
}
template <>
__device__ float random_element<float>(double scale, u64 seed, u64 buffer, u64 index) {
  return (float)scale * random_real(seed, buffer, index);
}
template <>
__device__ double random_element<double>(double scale, u64 seed, u64 buffer, u64 index) {
  return scale * (double)random_real(seed, buffer, index);
}
template <> __device__ Half random_element<Half>(double scale, u64 seed, u64 buffer, u64 index) {
  return half_of((float)scale * random_real(seed, buffer, index));
}

/// Calls action.template run<T>() for the numbered type.
template <typename Action> __device__ void with_type(int type, const Action& action) {
  switch (type) {
  case 0: return action.template run<Half>();
  case 1: return action.template run<float>();
  case 2: return action.template run<double>();
  case 3: return action.template run<signed char>();
  case 4: return action.template run<unsigned char>();
  case 5: return action.template run<short>();
  case 6: return action.template run<unsigned short>();
  case 7: return action.template run<int>();
  case 8: return action.template run<unsigned int>();
  case 9: return action.template run<long long>();
  case 10: return action.template run<u64>();
  }
}

/// One warp adds what its lanes found.
__device__ void report(Verdict* verdict, u64 wrong, u64 unwritten, u64 first) {
  u64 inverse = ~first;
  for (int lane = 16; lane > 0; lane /= 2) {
    wrong += __shfl_down_sync(~0u, wrong, lane);
    unwritten += __shfl_down_sync(~0u, unwritten, lane);
    const u64 other = __shfl_down_sync(~0u, inverse, lane);
    inverse = other > inverse ? other : inverse;
  }
  if (threadIdx.x % 32 == 0 && wrong > 0) {
    atomicAdd(&verdict->wrong, wrong);
    atomicAdd(&verdict->unwritten, unwritten);
    atomicMax(&verdict->inverse_first, inverse);
  }
}

struct FillAction {
  void* data;
  u64 elements;
  int random;
  double value;
  u64 seed, buffer;

  template <typename T> __device__ T element(u64 i) const {
    return random ? random_element<T>(value, seed, buffer, i) : from_double<T>(value);
  }
  template <typename T> __device__ void run() const {
    for (u64 i = first_index(); i < elements; i += stride())
      ((T*)data)[i] = element<T>(i);
  }
};

extern "C" __global__ void gridsmith_fill(void* data, int type, u64 elements, int random,
                                          double value, u64 seed, u64 buffer) {
  with_type(type, FillAction{data, elements, random, value, seed, buffer});
}

struct IntactAction {
  FillAction fill;
  Verdict* verdict;

  template <typename T> __device__ void run() const {
    u64 wrong = 0, first = ~0ull;
    for (u64 i = first_index(); i < fill.elements; i += stride())
      if (bits_of(((const T*)fill.data)[i]) != bits_of(fill.element<T>(i))) {
        ++wrong;
        first = i < first ? i : first;
      }
    report(verdict, wrong, 0, first);
  }
};

/// Whether an input still holds what it was filled with.
extern "C" __global__ void gridsmith_intact(void* data, int type, u64 elements, int random,
                                            double value, u64 seed, u64 buffer, Verdict* verdict) {
  with_type(type, IntactAction{{data, elements, random, value, seed, buffer}, verdict});
}

/// What an element that is never written must hold so that it cannot pass: for reals the NaN of all
/// ones, which no arithmetic gives, for integers the expected value with its highest bit flipped.
template <typename T> __device__ typename Bits<T>::type poison_of(T want) {
  using B = typename Bits<T>::type;
  if (is_real<T>)
    return (B)~(B)0;
  return (B)(bits_of(want) ^ ((B)1 << (8 * sizeof(B) - 1)));
}

struct PoisonAction {
  void* data;
  const void* reference;
  u64 elements;

  template <typename T> __device__ void run() const {
    using B = typename Bits<T>::type;
    for (u64 i = first_index(); i < elements; i += stride())
      ((B*)data)[i] = poison_of(((const T*)reference)[i]);
  }
};

extern "C" __global__ void gridsmith_poison(void* data, const void* reference, int type,
                                            u64 elements) {
  with_type(type, PoisonAction{data, reference, elements});
}

/// NaN never passes, in the output or in the reference. Integers: the absolute tolerance alone.
template <typename T>
__device__ bool close_enough(T got, T want, double absolute, double relative) {
  if constexpr (is_real<T>) {
    const double a = real_of(got), b = real_of(want);
    return a == b || fabs(a - b) <= absolute + relative * fabs(b);
  } else {
    return got == want || fabs((double)got - (double)want) <= absolute;
  }
}

struct CompareAction {
  const void *data, *reference;
  u64 elements;
  double absolute, relative;
  int poisoned;
  Verdict* verdict;

  template <typename T> __device__ void run() const {
    u64 wrong = 0, unwritten = 0, first = ~0ull;
    for (u64 i = first_index(); i < elements; i += stride()) {
      const T got = ((const T*)data)[i], want = ((const T*)reference)[i];
      const bool poison = poisoned && bits_of(got) == poison_of(want);
      if (!poison && close_enough(got, want, absolute, relative))
        continue;
      ++wrong;
      unwritten += poison;
      first = i < first ? i : first;
    }
    report(verdict, wrong, unwritten, first);
  }
};

extern "C" __global__ void gridsmith_compare(const void* data, const void* reference, int type,
                                             u64 elements, double absolute, double relative,
                                             int poisoned, Verdict* verdict) {
  with_type(type, CompareAction{data, reference, elements, absolute, relative, poisoned, verdict});
}

struct DetailAction {
  const void *data, *reference;
  Verdict* verdict;

  template <typename T> __device__ void run() const {
    const u64 first = ~verdict->inverse_first;
    verdict->got = bits_of(((const T*)data)[first]);
    verdict->want = bits_of(((const T*)reference)[first]);
  }
};

/// Keeps the values of the first wrong element, before the output is used again. One thread.
extern "C" __global__ void gridsmith_detail(const void* data, const void* reference, int type,
                                            Verdict* verdict) {
  if (verdict->wrong > 0)
    with_type(type, DetailAction{data, reference, verdict});
}

struct ConvertAction {
  void* data;
  const double* values;
  u64 elements;

  template <typename T> __device__ void run() const {
    for (u64 i = first_index(); i < elements; i += stride())
      ((T*)data)[i] = from_double<T>(values[i]);
  }
};

/// A host reference's doubles in the output's type.
extern "C" __global__ void gridsmith_convert(void* data, int type, const double* values,
                                             u64 elements) {
  with_type(type, ConvertAction{data, values, elements});
}

__device__ unsigned char guard_byte(u64 i) { return (unsigned char)(i * 31 + 0x5a); }

/// blockIdx.y chooses the guard.
extern "C" __global__ void gridsmith_guard_fill(const Guard* guards) {
  const Guard guard = guards[blockIdx.y];
  for (u64 i = first_index(); i < guard.bytes; i += stride())
    guard.first[i] = guard_byte(i);
}

/// "First" of the verdict is the number of the guard.
extern "C" __global__ void gridsmith_guard_check(const Guard* guards, Verdict* verdict) {
  const Guard guard = guards[blockIdx.y];
  u64 wrong = 0;
  for (u64 i = first_index(); i < guard.bytes; i += stride())
    wrong += guard.first[i] != guard_byte(i);
  report(verdict, wrong, 0, wrong > 0 ? blockIdx.y : ~0ull);
}

/// Reads everything, so that the caches hold nothing else and nothing that has to be written back.
extern "C" __global__ void gridsmith_read(const uint4* data, u64 elements, unsigned int* never) {
  unsigned int mixed = 0;
  for (u64 i = first_index(); i < elements; i += stride()) {
    const uint4 value = data[i];
    mixed ^= value.x ^ value.y ^ value.z ^ value.w;
  }
  if (mixed == 0x9e3779b9u) // the buffer is all zero: this keeps the loads from being removed
    *never = mixed;
}

/// Nanoseconds, cycles, and the SM they were read on. One thread.
extern "C" __global__ void gridsmith_stamp(u64* stamp) {
  u64 nanoseconds;
  unsigned int sm;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  stamp[0] = nanoseconds;
  stamp[1] = (u64)clock64();
  stamp[2] = sm;
}
