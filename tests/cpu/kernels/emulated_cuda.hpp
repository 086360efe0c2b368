// SPDX-License-Identifier: Apache-2.0
// Just enough of CUDA C++ to run a kernel on the host, for tests of indexing, bounds, alignment and
// barriers. Stands before the kernel's source in a library of its own (emulation.hpp), so it opens
// nothing large: a library is made for every configuration.
#pragma once

#include "emulated_thread.hpp"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace emulated {

/// Where the scheduler keeps which thread runs.
inline const Thread* const* running;

inline const Thread& self() {
  return **running;
}

// ---- between the lanes of a warp

template <class T>
T from_lane(unsigned mask, T value, unsigned lane) {
  memcpy(&self().lanes[self().lane], &value, sizeof value);
  self().wait_for_lanes(mask);
  memcpy(&value, &self().lanes[lane % 32], sizeof value);
  self().wait_for_lanes(mask);
  return value;
}

/// A bit for each lane of the mask whose word is one that is looked for.
template <class T, class Fits>
unsigned lanes_where(unsigned mask, T value, Fits fits) {
  self().lanes[self().lane] = 0;
  memcpy(&self().lanes[self().lane], &value, sizeof value);
  self().wait_for_lanes(mask);
  unsigned found = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    T other;
    memcpy(&other, &self().lanes[lane], sizeof other);
    if (mask >> lane & 1 && fits(other))
      found |= 1u << lane;
  }
  self().wait_for_lanes(mask);
  return found;
}

template <class T, class Change>
T atomic(T* at, Change change) {
  const T before = *at;
  *at = change(before);
  return before;
}

// ---- the kernel's arguments lie behind pointers, as in a launch

template <size_t...>
struct Places {};

template <size_t n, size_t... rest>
struct First : First<n - 1, n - 1, rest...> {};

template <size_t... all>
struct First<0, all...> {
  using Type = Places<all...>;
};

template <class... A, size_t... place>
void call(void (*kernel)(A...), void** arguments, Places<place...>) {
  kernel(*static_cast<A*>(arguments[place])...);
}

template <class... A>
void call(void (*kernel)(A...), void** arguments) {
  call(kernel, arguments, typename First<sizeof...(A)>::Type{});
}

} // namespace emulated

template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  const int own = static_cast<int>(emulated::self().lane);
  return emulated::from_lane(mask, value,
                             static_cast<unsigned>(own / width * width + lane % width));
}

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const unsigned own = emulated::self().lane, w = static_cast<unsigned>(width);
  return emulated::from_lane(mask, value, own % w + by < w ? own + by : own);
}

template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const unsigned own = emulated::self().lane, w = static_cast<unsigned>(width);
  return emulated::from_lane(mask, value, own % w >= by ? own - by : own);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with, int = 32) {
  return emulated::from_lane(mask, value, emulated::self().lane ^ static_cast<unsigned>(with));
}

inline unsigned __ballot_sync(unsigned mask, int holds) {
  return emulated::lanes_where(mask, holds, [](int other) { return other != 0; });
}

template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
  return emulated::lanes_where(mask, value, [value](T other) { return other == value; });
}

inline int __any_sync(unsigned mask, int holds) {
  return __ballot_sync(mask, holds) != 0;
}

inline int __all_sync(unsigned mask, int holds) {
  return __ballot_sync(mask, !holds) == 0;
}

inline void __syncwarp(unsigned mask = 0xFFFFFFFFu) {
  emulated::self().wait_for_lanes(mask);
}

inline void __threadfence() {
}

inline void __threadfence_block() {
}

inline int __popc(unsigned bits) {
  return __builtin_popcount(bits);
}

inline int __ffs(int bits) {
  return __builtin_ffs(bits);
}

inline int __clz(int bits) {
  return bits ? __builtin_clz(static_cast<unsigned>(bits)) : 32;
}

template <class T, class V>
T atomicAdd(T* at, V by) {
  return emulated::atomic(at, [by](T is) { return static_cast<T>(is + static_cast<T>(by)); });
}

template <class T, class V>
T atomicMax(T* at, V by) {
  return emulated::atomic(at,
                          [by](T is) { return is < static_cast<T>(by) ? static_cast<T>(by) : is; });
}

template <class T, class V>
T atomicMin(T* at, V by) {
  return emulated::atomic(at,
                          [by](T is) { return static_cast<T>(by) < is ? static_cast<T>(by) : is; });
}

template <class T, class V>
T atomicExch(T* at, V by) {
  return emulated::atomic(at, [by](T) { return static_cast<T>(by); });
}

template <class T, class V>
T atomicCAS(T* at, V from, V by) {
  return emulated::atomic(
      at, [&](T is) { return is == static_cast<T>(from) ? static_cast<T>(by) : is; });
}

inline unsigned atomicInc(unsigned* at, unsigned last) {
  return emulated::atomic(at, [last](unsigned is) { return is >= last ? 0u : is + 1; });
}

/// As the programming guide has it: a fraction of 8 bits.
template <class T>
T tex1D(unsigned long long object, float x) {
  const auto& texture = *reinterpret_cast<const emulated::Texture*>(object);
  const auto elements = static_cast<long long>(texture.elements);
  const float at = (texture.wraps ? x - floorf(x) : x) * elements - 0.5f;
  const auto lower = static_cast<long long>(floorf(at));
  const float fraction = roundf((at - lower) * 256) / 256;
  const auto element = [&](long long i) {
    return texture.values[texture.wraps  ? (i + elements) % elements
                          : i < 0        ? 0
                          : i < elements ? i
                                         : elements - 1];
  };
  return (1 - fraction) * element(lower) + fraction * element(lower + 1);
}

template <class T>
T __ldg(const T* from) {
  return *from;
}

template <class T>
T __ldcs(const T* from) {
  return *from;
}

template <class T>
T __ldcg(const T* from) {
  return *from;
}

template <class T>
void __stcs(T* to, T value) {
  *to = value;
}

template <class T>
void __stcg(T* to, T value) {
  *to = value;
}

inline float __expf(float x) {
  return expf(x);
}

inline float rsqrtf(float x) {
  return 1 / sqrtf(x);
}

template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}

template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}

struct alignas(8) float2 {
  float x, y;
};

struct alignas(16) float4 {
  float x, y, z, w;
};

struct alignas(8) uint2 {
  unsigned x, y;
};

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

struct alignas(8) int2 {
  int x, y;
};

struct alignas(16) int4 {
  int x, y, z, w;
};

struct alignas(16) double2 {
  double x, y;
};

inline float2 make_float2(float x, float y) {
  return {x, y};
}

inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}

#define __global__
#define __device__
#define __host__
#define __constant__ __attribute__((visibility("default"))) // found by its name
#define __forceinline__ inline
#define __noinline__
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __syncthreads() emulated::self().wait_for_block()
#define threadIdx (emulated::self().thread)
#define blockIdx (emulated::self().block)
#define blockDim (emulated::self().block_extent)
#define gridDim (emulated::self().grid_extent)
#define warpSize 32
